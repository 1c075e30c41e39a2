"""The core that the engine keeps has the conflicts of the table, on every engine."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from pyarrow import csv

import candling
from candling.constraints import distinct
from candling.engine import Classes, open_table, read_classes, read_core
from candling.engine import reading as room
from candling.engine.classes import names_of
from candling.measures.chain import chain
from candling.paper.datasets import datasets, existing_folder
from candling.paper.noise import rnoise
from candling.study import Study
from tests.engines import Tables
from tests.registered import registered
from tests.strategies import TableAndRules, tables_and_rules, to_arrow

GOLDEN = Path(__file__).parent / "golden"
REPOSITORY = Path(__file__).parents[2]
RULES = """
key(area, phone)
zip -> city
zip -> state
state, married -> exemption where country = 'US'
not(t1.state = t2.state and t1.salary > t2.salary and t1.rate < t2.rate)
not(t1.born < t2.born and t1.hired > t2.hired)
not(t1.zip = t2.area and t1.salary <= t2.rate)
not(t1.rate > 100)
"""
SCHEMA = pa.schema(
    {
        "area": pa.int64(),
        "phone": pa.string(),
        "zip": pa.int64(),
        "city": pa.string(),
        "state": pa.string(),
        "married": pa.bool_(),
        "exemption": pa.decimal128(10, 2),
        "country": pa.string(),
        "salary": pa.int64(),
        "rate": pa.float64(),
        "born": pa.date32(),
        "hired": pa.timestamp("us"),
        "note": pa.string(),  # no rule reads it
    }
)


@pytest.fixture
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    """No table is so small that it is read as it is."""
    monkeypatch.setattr(room, "SMALL", -1)


def numbers(study: Study) -> tuple[Any, ...]:
    """All that is ever released of a table."""
    facts = study._facts
    found = (
        study.exact(),
        facts.rows,
        facts.repair,
        facts.problematic,
        facts.doubled_minimal_inconsistent,
        facts.repair_by_rule,
    )
    if chain(facts.constraints).broken_by:
        return found
    return (*found, facts.maximal_consistent_log2)


def agree(drawn: TableAndRules, table: Any) -> None:
    """The core gives the numbers of all rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "SMALL", -1)
        ours = candling.analyze(table, drawn[2])
        core = ours._facts.classes
        assert core.complete is not None or not core.rules  # rules that nothing can break
    assert numbers(ours) == numbers(candling.analyze(registered(drawn), drawn[2]))


@settings(deadline=None, max_examples=150)
@given(drawn=tables_and_rules())
def test_the_core_has_the_numbers_of_the_table(drawn: TableAndRules) -> None:
    agree(drawn, registered(drawn))


# Fewer on Spark, where a query takes seconds however small the table is.
@pytest.mark.slow
def test_drawn_tables_on_every_engine(engine_table: Tables) -> None:
    @settings(
        deadline=None,
        max_examples=10 if engine_table.engine == "spark" else 40,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(drawn=tables_and_rules())
    def check(drawn: TableAndRules) -> None:
        agree(drawn, engine_table(to_arrow(drawn[0], drawn[1])))

    check()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["adult", "flight", "hospital", "stock", "tax"])
def test_the_datasets_with_noise_on_every_engine(engine_table: Tables, name: str) -> None:
    dataset = datasets(existing_folder(None, REPOSITORY))[name]
    rules = dataset.constraints()
    table = rnoise(dataset.sample(5_000, seed=1), rules.columns, alpha=0.01, seed=1)
    table = table.select(list(rules.columns))
    assert numbers(candling.analyze(engine_table(table), rules)) == numbers(
        candling.analyze(table, rules)
    )


@pytest.mark.usefixtures("_always")
def test_rows_in_no_conflict_are_one_class() -> None:
    number = np.arange(1000)
    table = pa.table({"id": number, "zip": number // 10, "city": number // 20})
    rules = distinct(candling.parse_constraints("key(id)\nzip -> city"))
    classes = read_core(open_table(table), rules)
    assert isinstance(classes, Classes)
    assert (len(classes.weights), classes.rows) == (1, 1000)


@pytest.mark.usefixtures("_always")
def test_an_almost_unique_column_splits_nothing_where_it_breaks_nothing() -> None:
    number = np.arange(1000)
    city = np.where(number == 5, 7, number // 10)
    table = pa.table({"id": number, "zip": number // 10, "city": city})
    rules = distinct(candling.parse_constraints("key(id)\nzip -> city"))
    opened = open_table(table)
    assert len(read_classes(opened, rules).weights) == 1000
    classes = read_core(opened, rules)
    assert isinstance(classes, Classes)
    assert sorted(classes.weights) == [1, 9, 990]  # zip 0 with its two cities, and all the rest


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize("kind", ["number", "text", "date", "moment", "endless"])
def test_an_order_without_equal_columns_is_swept_in_parts(kind: str) -> None:
    rng = np.random.default_rng(0)
    first, second = rng.permutation(600), np.arange(600) // 3
    second[np.argsort(first)] = np.arange(600) // 3  # rises with the first
    for at in rng.integers(0, 600, 5):
        second[at] = rng.integers(0, 200)
    columns = {
        "number": pa.array(first),
        "text": pa.array([f"{i:05}" for i in first]),
        "date": pa.array(first.astype(np.int32)).cast(pa.date32()),
        "moment": pa.array(first * 10**9).cast(pa.timestamp("us")),
        "endless": pa.array(np.where(first > 590, np.inf, first * 1e300)),
    }
    table = pa.table({"a": columns[kind], "b": second})
    for ops in ("<>", "<<", "><", ">>"):
        rules = candling.parse_constraints(f"not(t1.a {ops[0]} t2.a and t1.b {ops[1]} t2.b)")
        ours = candling.analyze(table, rules)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(room, "SMALL", 10**6)
            assert numbers(ours) == numbers(candling.analyze(table, rules))
        kept = len(ours._facts.classes.weights)
        assert kept == ours._facts.graph.classes + 1 or ops in ("<<", ">>")


def test_the_sql_of_every_engine_is_known(engine_table: Tables) -> None:
    """Windows have partitions, and only the rules' columns are read."""
    table = open_table(engine_table(SCHEMA.empty_table()))
    rules = distinct(candling.parse_constraints(RULES))
    query = table.sql(room.core_query(table, rules, ()), names_of(rules))
    (sql,) = sqlglot.transpile(query, read=engine_table.engine, pretty=True)
    sql = re.sub(r"candling_(t\d+|source_\w+)|ibis_\w+", "source", sql) + "\n"  # differ by run
    path = GOLDEN / f"core-{engine_table.engine}.sql"
    if os.environ.get("CANDLING_UPDATE_GOLDEN"):
        path.write_text(sql, encoding="utf-8")
    assert sql == path.read_text(encoding="utf-8")
    windows = re.findall(r"OVER \(\s*(\w+ \w+)", sql)
    assert set(windows) == {"PARTITION BY"}


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize("kind", ["csv", "json", "pattern", "query"])
def test_what_is_slow_to_read_is_copied_once(kind: str, tmp_path: Path) -> None:
    table = pa.table({"zip": [1, 1, 2, None], "city": ["a", "b", "c", "d"], "more": [1, 2, 3, 4]})
    rules = candling.parse_constraints("zip -> city\nkey(zip)")
    data: Any = tmp_path / ("*.csv" if kind == "pattern" else f"t.{kind}")
    if kind == "query":
        backend = ibis.duckdb.connect()
        stored = backend.create_table("t", ibis.memtable(table))
        data = stored.mutate(zip=stored.zip + 1)
    elif kind == "json":
        data.write_text("\n".join(json.dumps(row) for row in table.to_pylist()))
    else:
        csv.write_csv(table, tmp_path / "t.csv")
    assert numbers(candling.analyze(data, rules)) == numbers(candling.analyze(table, rules))
    if kind == "query":
        assert backend.con.sql("select table_name from duckdb_tables()").fetchall() == [("t",)]
