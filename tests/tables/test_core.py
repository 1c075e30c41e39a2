"""The core that the engine keeps has the conflicts of the table, on every engine."""

from __future__ import annotations

import json
import math
import operator
import os
import re
from decimal import Decimal
from itertools import permutations, product
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv

import candling
from candling.measures import BY_RULE, MAXIMAL_CONSISTENT, MINIMAL_INCONSISTENT, PROBLEMATIC, REPAIR
from candling.releases.session import Study
from candling.rules import compile_rules
from candling.rules.compile import chain
from candling.tables import Classes, open_table, read_classes, read_core
from candling.tables import core as room
from candling_paper.datasets import datasets, existing_folder
from candling_paper.noise import rnoise
from tests.backends import Tables
from tests.effort import examples
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
CHAINED = pa.schema(dict.fromkeys("abcd", pa.int64()))
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
        REPAIR.number(facts),
        PROBLEMATIC.levels(facts),
        MINIMAL_INCONSISTENT.levels(facts),
        BY_RULE.numbers(facts),
    )
    if chain(facts.rules).broken_by:
        return found
    return (*found, MAXIMAL_CONSISTENT.log2(facts))


def agree(drawn: TableAndRules, table: Any) -> None:
    """The core gives the numbers of all rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "SMALL", -1)
        ours = candling.analyze(table, drawn[2])
        core = ours._facts.classes
        assert core.complete is not None or not core.rules  # rules that nothing can break
    assert numbers(ours) == numbers(candling.analyze(registered(drawn), drawn[2]))


@settings(max_examples=examples(150))
@given(drawn=tables_and_rules())
def test_the_core_has_the_numbers_of_the_table(drawn: TableAndRules) -> None:
    agree(drawn, registered(drawn))


CHAINS = (
    "a -> b\nkey(a, c)",
    "a -> b\na -> c\na, d -> c",
    "a -> b\na, c -> d\nkey(a, c, d)",
    "a -> b\na, b -> c\na, b, c -> d",
)
_cells = st.one_of(st.none(), st.integers(0, 2))


@settings(max_examples=examples(25))
@given(
    rules=st.sampled_from(CHAINS).map(candling.parse_constraints),
    rows=st.lists(st.tuples(*4 * [_cells]), min_size=1, max_size=9),
)
def test_a_core_counts_the_subsets_of_a_chain(
    rules: candling.ConstraintSet, rows: list[tuple[int | None, ...]]
) -> None:
    """Rows whose right side the engine left out count under the later rules, and one row moves the
    logarithm by 0 to 1.
    """

    def log(some: list[tuple[int | None, ...]]) -> float:
        table = pa.table({name: [row[i] for row in some] for i, name in enumerate("abcd")}, CHAINED)
        return MAXIMAL_CONSISTENT.log2(candling.analyze(table, rules)._facts)

    direct = log(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "SMALL", -1)
        core, before = log(rows), log(rows[:-1])
    assert core == pytest.approx(direct)
    assert -1e-9 <= core - before <= 1 + 1e-9


@pytest.mark.usefixtures("_always")
def test_one_row_moves_the_count_of_a_core_by_one_at_most() -> None:
    rules = candling.parse_constraints("a -> b\nkey(a, c)")
    small = pa.table({"a": [1] * 20, "b": [1] * 20, "c": [i // 2 for i in range(20)]})
    large = pa.concat_tables([small, pa.table({"a": [1], "b": [2], "c": [99]})])
    logs = [MAXIMAL_CONSISTENT.log2(candling.analyze(t, rules)._facts) for t in (small, large)]
    assert logs == [pytest.approx(10), pytest.approx(math.log2(2**10 + 1))]


# Fewer on Spark, where a query takes seconds however small the table is.
def test_drawn_tables_on_every_engine(engine_table: Tables) -> None:
    @settings(max_examples=examples(10 if engine_table.engine == "spark" else 40))
    @given(drawn=tables_and_rules())
    def check(drawn: TableAndRules) -> None:
        agree(drawn, engine_table(to_arrow(drawn[0], drawn[1])))

    check()


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.long) for name in ("adult", "flight", "stock")),
        *("hospital", "tax"),
    ],
)
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
    rules = compile_rules(candling.parse_constraints("key(id)\nzip -> city"))
    classes = read_core(open_table(table), rules)
    assert isinstance(classes, Classes)
    assert (len(classes.weights), classes.rows) == (1, 1000)


@pytest.mark.usefixtures("_always")
def test_an_almost_unique_column_splits_nothing_where_it_breaks_nothing() -> None:
    number = np.arange(1000)
    city = np.where(number == 5, 7, number // 10)
    table = pa.table({"id": number, "zip": number // 10, "city": city})
    rules = compile_rules(candling.parse_constraints("key(id)\nzip -> city"))
    opened = open_table(table)
    assert len(read_classes(opened, rules).weights) == 1000
    classes = read_core(opened, rules)
    assert isinstance(classes, Classes)
    assert sorted(classes.weights) == [1, 9, 990]  # zip 0 with its two cities, and all the rest


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize(
    "kind", ["number", "far", "below", "fraction", "text", "date", "moment", "endless"]
)
def test_an_order_without_equal_columns_is_swept_in_parts(kind: str) -> None:
    rng = np.random.default_rng(0)
    first, second = rng.permutation(600), np.arange(600) // 3
    second[np.argsort(first)] = np.arange(600) // 3  # rises with the first
    for at in rng.integers(0, 600, 5):
        second[at] = rng.integers(0, 200)
    columns = {
        "number": pa.array(first),
        "far": pa.array(first + 10**6),  # scales that neither begin nor end near 0
        "below": pa.array(first - 10**6),
        "fraction": pa.array(first / 300 - 1),  # 0 is among them, and what is close to it
        "text": pa.array([f"{i:05}" for i in first]),
        "date": pa.array(first.astype(np.int32)).cast(pa.date32()),
        "moment": pa.array(first * 10**9).cast(pa.timestamp("us")),
        "endless": pa.array(
            np.select([first < 10, first > 590], [-np.inf, np.inf], (first - 300) * 1e300)
        ),
    }
    table = pa.table({"a": columns[kind], "b": second})
    for ops in ("<>", "<<", "><", ">>"):
        rules = candling.parse_constraints(f"not(t1.a {ops[0]} t2.a and t1.b {ops[1]} t2.b)")
        ours = candling.analyze(table, rules)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(room, "SMALL", 10**6)
            assert numbers(ours) == numbers(candling.analyze(table, rules))
        kept = len(ours._facts.classes.weights)
        in_conflict = int((ours._facts.graph.class_of >= 0).sum())
        assert kept == in_conflict + 1 or ops in ("<<", ">>")


# Six values in their order, of which a rule names the third.
MOMENTS = [-1, 0, 10**15, 10**15 + 1, 10**15 + 10**6, 2 * 10**15]  # microseconds
VALUES = {
    "integer": (pa.int64(), [-(2**63) + 1, -1, 7, 8, 9, 2**63 - 1], "7"),
    "integer by a fraction": (pa.int64(), [-1, 0, 1, 2, 3, 4], "1.0"),
    "no sign": (pa.uint64(), [0, 1, 2**63, 2**63 + 1, 2**63 + 2, 2**64 - 1], str(2**63)),
    "double": (pa.float64(), [-math.inf, -0.5, 0.0, 0.5, 1.0, math.inf], "0"),
    "double by a fraction": (pa.float64(), [-1.0, 0.0, 0.1, 0.5, 1.0, 2.0], "0.1"),
    "float": (pa.float32(), [-1.0, 0.0, 2.0, 2.5, 3.0, 4.0], "2"),
    # A constant is rounded as its column is.
    "large float": (pa.float32(), [2.0**k for k in (22, 23, 24, 25, 26, 27)], "16777217"),
    "decimal": (pa.decimal128(10, 2), [Decimal(n) / 2 for n in (0, 1, 3, 4, 5, 6)], "1.5"),
    "text": (pa.string(), ["", "a", "b", "b ", "ba", "é"], "'b'"),
    "date": (pa.date32(), [-1, 0, 11016, 11017, 11018, 20000], "2000-02-29"),
    "date by a moment": (pa.date32(), [-1, 0, 11016, 11017, 11018, 20000], "2000-02-29T00:00:00"),
    "moment": (pa.timestamp("us"), MOMENTS, "2001-09-09T01:46:40"),
    "fine moment": (pa.timestamp("ns"), [m * 1000 for m in MOMENTS], "2001-09-09T01:46:40"),
    "moment by a date": (
        pa.timestamp("s"),
        [-1, 0, 951_782_400, 951_782_401, 10**9, 2 * 10**9],
        "2000-02-29",
    ),
}


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize("kind", VALUES)
def test_a_constant_means_the_same_in_the_engine(kind: str) -> None:
    dtype, values, constant = VALUES[kind]
    plain = pa.int32() if kind.startswith("date") else pa.int64()
    temporal = pa.types.is_temporal(dtype)
    column = pa.array(values, plain).cast(dtype) if temporal else pa.array(values, dtype)
    for op, rows in {"<": 2, "=": 1, ">": 3}.items():
        rules = candling.parse_constraints(f"not(t1.v {op} {constant})")
        found = candling.analyze(pa.table({"v": column}), rules)
        assert found._facts.classes.complete is not None, "this is the core, not all rows"
        assert found.exact().problematic == rows


INSTANTS = [0, 86_400, 951_782_400, 951_868_800]  # midnights, in seconds
SAME = {
    "date": [second // 86_400 for second in INSTANTS],
    "microseconds": [second * 10**6 for second in INSTANTS],
    "nanoseconds": [second * 10**9 for second in INSTANTS],
}
UNITS = {"microseconds": pa.timestamp("us"), "nanoseconds": pa.timestamp("ns")}


def moments(kind: str, chosen: list[int]) -> pa.Array:
    """Some of the same midnights, as a column of this type."""
    values = [SAME[kind][index] for index in chosen]
    if kind == "date":
        return pa.array(values, pa.int32()).cast(pa.date32())
    return pa.array(values, pa.int64()).cast(UNITS[kind])


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize(
    ("one", "two"),
    [("date", "microseconds"), ("date", "nanoseconds"), ("nanoseconds", "microseconds")],
)
def test_columns_of_two_units_compare_by_what_they_mean(one: str, two: str) -> None:
    left, right = [0, 1, 2, 3, 1, 2], [0, 1, 3, 2, 2, 0]
    table = pa.table({"v": moments(one, left), "w": moments(two, right)})
    for text, op in (("<", operator.lt), ("=", operator.eq), (">", operator.gt)):
        alone = candling.parse_constraints(f"not(t1.v {text} t1.w)")
        broken = sum(op(a, b) for a, b in zip(left, right, strict=True))
        assert candling.analyze(table, alone).exact().problematic == broken


LAID = {
    "equal rows, else rising": [(1, 5), (1, 5), (2, 6), (3, 7)],
    "equal rows, else falling": [(1, 7), (1, 7), (2, 6), (3, 5)],
    "one first value twice": [(1, 5), (1, 6), (2, 7), (3, 8)],
    "one second value twice": [(1, 5), (2, 5), (3, 6), (4, 7)],
    "one second value twice, falling": [(1, 7), (2, 7), (3, 6), (4, 5)],
}
COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize("laid", LAID)
@pytest.mark.parametrize("grouped", [False, True])
def test_ties_count_where_an_order_says_so(laid: str, *, grouped: bool) -> None:
    rows = LAID[laid]
    a, b = zip(*rows, strict=True)
    table = pa.table({"a": a, "b": b, "g": [1] * len(rows)})
    same = "t1.g = t2.g and " if grouped else ""
    for first, second in product(["<", "<="], COMPARE):
        rules = candling.parse_constraints(f"not({same}t1.a {first} t2.a and t1.b {second} t2.b)")
        pairs = [
            {i, j}
            for (i, x), (j, y) in permutations(enumerate(rows), 2)
            if COMPARE[first](x[0], y[0]) and COMPARE[second](x[1], y[1])
        ]
        assert candling.analyze(table, rules).exact().problematic == len(set().union(*pairs))


def test_the_sql_of_every_engine_is_known(engine_table: Tables) -> None:
    """Windows have partitions, and only the rules' columns are read."""
    table = open_table(engine_table(SCHEMA.empty_table()))
    rules = compile_rules(candling.parse_constraints(RULES))
    query = room.core_query(table, rules, ()).sql()
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
