"""Each person keeps the same rows on every engine: a choice that depends on their rows alone."""

from __future__ import annotations

import math
from collections import Counter
from datetime import date
from decimal import Decimal
from random import Random
from typing import Any

import ibis
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import candling
from candling.errors import UsageError
from candling.graph.person_conflicts import person_conflicts
from candling.graph.person_flow import person_repair, person_witnesses
from candling.rules import compile_rules
from candling.tables import (
    Cut,
    OwnedClasses,
    core,
    count_persons_above,
    count_rows_within,
    open_table,
    read_core,
    read_owned,
    require_person,
)
from candling.tables.persons import limit_rows_per_person
from tests.backends import Tables
from tests.effort import examples
from tests.persons import Row, kept_rows
from tests.strategies import TableAndRules, tables_and_rules, to_arrow

RULES = compile_rules(candling.parse_constraints("a -> b\nnot(t1.c < t2.c and t1.d > t2.d)"))
COLUMNS = ["a", "b", "c", "d"]
PEOPLE: dict[str, tuple[pa.DataType, list[Any]]] = {
    "int": (pa.int64(), [-(2**63), -1, 0, 7, 2**63 - 1, None]),
    "text": (pa.string(), ["", "ann", "Ann", "zoë", "it's:1", "\U0001f600", None]),
    "float": (pa.float64(), [-0.0, 0.0, 0.5, -1.5, 1e300, math.inf, math.nan, None]),
    "large float": (pa.float64(), [9e15, 1e17, 1e17 + 16, -1e17, -1e20, 3.8e25, 3.9e25, None]),
    "decimal": (
        pa.decimal128(20, 3),
        [*map(Decimal, ("1.500", "-1.500", "0.001", "99999999999999999.999")), None],
    ),
    "fine": (pa.decimal128(38, 30), [*map(Decimal, ("0.5", "-0.25", "99999999")), None]),
    "finest": (pa.decimal128(38, 38), [*map(Decimal, ("0.5", "-0.25", "0")), None]),
    "wide": (
        pa.decimal128(38, 0),
        [*(Decimal(n) for n in (10**37, 10**38 - 1, -(10**38) + 1, 2**63, 2**63 + 1, -3, 0)), None],
    ),
    "bool": (pa.bool_(), [True, False, None]),
    "date": (pa.date32(), [date(1960, 2, 29), date(2020, 1, 1), None]),
    "bytes": (pa.binary(), [b"", b"\x00\xff", b"ab", None]),
}
VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "a": (pa.int64(), [0, 1, 2, None]),
    "b": (pa.string(), ["x", "X", "é", "", None]),
    "c": (pa.float64(), [-0.0, 0.0, -2.5, 1e300, math.nan, None]),
    "d": (pa.decimal128(10, 2), [Decimal("1.50"), Decimal("-0.01"), None]),
}


def table_of(person: str, seed: int, rows: int = 120) -> tuple[pa.Table, list[Row]]:
    random = Random(f"{person} {seed}")
    columns = {"person": PEOPLE[person], **VALUES}
    drawn = [{name: random.choice(of) for name, (_, of) in columns.items()} for _ in range(rows)]
    schema = pa.schema([(name, dtype) for name, (dtype, _) in columns.items()])
    return pa.Table.from_pylist(drawn, schema=schema), drawn


def counted(rows: list[Row]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row.values()) for row in rows)


def on_engine(
    table: Any, rules: Any, person: tuple[str, ...], most: int
) -> Counter[tuple[Any, ...]]:
    """The rows that an engine keeps, of the columns that the rules read."""
    opened = limit_rows_per_person(open_table(table), rules, Cut(person, most))
    names = [name for name, column in opened.columns.items() if column.sql != "null"]
    arrow = opened.fetch(opened.select(names), opened.types(names))
    found = zip(*(arrow.column(i).to_pylist() for i in range(len(names))), strict=True)
    return Counter(tuple(map(_number, row)) for row in found)


def _number(value: Any) -> Any:
    return value + 0.0 if isinstance(value, float) else value


@pytest.mark.parametrize(
    ("person", "most"), [*((person, 3) for person in PEOPLE), ("text", 1), ("text", 1000)]
)
def test_every_engine_keeps_the_rows_of_the_oracle(
    engine_table: Tables, person: str, most: int
) -> None:
    table, rows = table_of(person, most)
    expected = counted(kept_rows(rows, ["person"], most, COLUMNS))
    assert on_engine(engine_table(table), RULES, ("person",), most) == expected
    assert len(expected) >= 2


def test_a_person_can_have_several_columns(engine_table: Tables) -> None:
    random = Random(5)
    rows = [
        {"land": random.choice(["de", "fr", None]), "no": random.choice([1, 2, 3, None]),
         **{name: random.choice(of) for name, (_, of) in VALUES.items()}}
        for _ in range(150)
    ]  # fmt: skip
    schema = pa.schema([("land", pa.string()), ("no", pa.int64()),
                        *((name, dtype) for name, (dtype, _) in VALUES.items())])  # fmt: skip
    table = engine_table(pa.Table.from_pylist(rows, schema=schema))
    for person in (("land", "no"), ("no", "land")):
        expected = counted(kept_rows(rows, person, 5, COLUMNS))
        assert expected.total() == 6 * 5
        assert on_engine(table, RULES, person, 5) == expected


def test_the_order_of_the_rows_does_not_matter(engine_table: Tables) -> None:
    table, rows = table_of("text", 1, rows=200)
    shuffled = list(rows)
    Random(1).shuffle(shuffled)
    again = pa.Table.from_pylist(shuffled, schema=table.schema)
    both = [on_engine(engine_table(t), RULES, ("person",), 4) for t in (table, again)]
    assert both[0] == both[1]


def test_persons_are_counted(engine_table: Tables) -> None:
    table = pa.table({"p": ["a"] * 5 + ["b"] * 2 + ["c"] + [None] * 9, "q": [1] * 8 + [None] * 9})
    opened = open_table(engine_table(table))
    assert count_persons_above(opened, ["p"], [1, 2, 4, 8]) == [2, 1, 1, 0]
    assert count_persons_above(opened, ["p", "q"], [1, 2, 4, 8]) == [2, 1, 1, 0]
    assert count_persons_above(opened, ["q"], [1, 7, 8]) == [1, 1, 0]
    none = open_table(engine_table(table.slice(0, 0)))
    assert count_persons_above(none, ["p"], [1, 2]) == [0, 0]


@pytest.mark.parametrize("person", PEOPLE)
def test_rows_within_levels_are_counted(engine_table: Tables, person: str) -> None:
    table, rows = table_of(person, 7)
    levels = [1, 2, 5, 30, 1000]
    counts = [len(kept_rows(rows, ["person"], most, COLUMNS)) for most in levels]
    opened = open_table(engine_table(table))
    assert count_rows_within(opened, ["person"], levels) == counts
    named = [len(kept_rows(rows, ["person", "b"], most, COLUMNS)) for most in levels]
    assert count_rows_within(opened, ["person", "b"], levels) == named
    none = open_table(engine_table(table.slice(0, 0)))
    assert count_rows_within(none, ["person"], [1, 2]) == [0, 0]


def test_rules_that_read_the_person_computed_columns_and_positions(engine_table: Tables) -> None:
    table, rows = table_of("int", 3)
    text = "person -> b\ncheck (a + 1 > 0 or d is null)\nnot(t1.0 = t2.0 and t1.3 > t2.3)"
    rules = compile_rules(candling.parse_constraints(text))
    found = on_engine(engine_table(table), rules, ("person",), 2)
    sources = ["person", "b", "a", "d", "c"]
    in_place = sorted(sources, key=["person", *COLUMNS].index)
    # Sorted by the columns in the order in which the rules name them.
    expected = kept_rows(rows, ["person"], 2, list(dict.fromkeys(sources)))
    assert found == counted([{name: row[name] for name in in_place} for row in expected])
    core = read_core(open_table(engine_table(table)), rules, cut=Cut(("person",), 2))
    assert core.rows == len(expected)


def test_no_rule_reads_a_column(engine_table: Tables) -> None:
    opened = open_table(engine_table(pa.table({"p": [1, 1, 1, 2, None]})))
    assert read_core(opened, [], cut=Cut(("p",), 2)).rows == 3


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=tables_and_rules(), most=st.integers(1, 3), data=st.data())
def test_any_table_keeps_the_rows_of_the_oracle(
    drawn: TableAndRules, most: int, data: st.DataObject
) -> None:
    columns, rows, rules = drawn
    person = data.draw(st.permutations(sorted(columns)))[: data.draw(st.integers(1, 2))]
    compiled = compile_rules(rules)
    names = list(dict.fromkeys(name for rule in compiled for name in rule.columns))
    assume(names)
    found = on_engine(to_arrow(columns, rows), compiled, tuple(person), most)
    in_place = [name for name in columns if name in names]
    expected = kept_rows(rows, person, most, names)
    assert found == counted([{name: row[name] for name in in_place} for row in expected])


def test_columns_that_are_not_there_or_are_lists_are_refused() -> None:
    table = open_table(pa.table({"patient": [1], "tags": [[1]]}))
    require_person(table, ["patient"])
    with pytest.raises(UsageError, match=r"no column 'patent' .* Did you mean 'patient'"):
        require_person(table, ["patent"])
    with pytest.raises(UsageError, match="'tags' cannot identify persons"):
        require_person(table, ["tags"])


def test_points_in_time_name_nobody() -> None:
    table = open_table(pa.table({"at": pa.array([1], pa.timestamp("s"))}))
    with pytest.raises(UsageError, match="'at' cannot identify persons: it holds points in time"):
        require_person(table, ["at"])


IDS: dict[str, pa.Array] = {
    "int64": pa.array(range(300), pa.int64()),
    "uint64": pa.array([2**63 + 12_345 * i for i in range(300)], pa.uint64()),
    "decimal": pa.array([Decimal(10**30 + i) for i in range(300)], pa.decimal128(38, 0)),
    "float": pa.array([1e16 + 2.0 * i for i in range(300)], pa.float64()),
    "text": pa.array([f"P{i}" for i in range(300)]),
}


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_the_kept_rows_are_a_fair_sample_whatever_ids_look_like(kind: str, most: int) -> None:
    """Half of each person's rows break the rule; of the kept ones about half must, too."""
    ids = pa.array([person for person in IDS[kind] for _ in range(6)], IDS[kind].type)
    table = pa.table({"id": ids, "b": [0, 1, 2, 3, 4, 5] * 300})
    exact = candling.exact(table, "b <= 2", person="id", rows_per_person=most)
    assert abs(exact.repair / (300 * most) - 0.5) < 5 * math.sqrt(0.25 / (300 * most))


@pytest.mark.parametrize("kind", ["hugeint", "uhugeint"])
def test_numbers_that_are_taken_for_one_name_nobody(kind: str) -> None:
    backend = ibis.duckdb.connect()
    backend.raw_sql(f"create table t as select 2::{kind} as id")
    with pytest.raises(UsageError, match="Cast it to text"):
        require_person(open_table(backend.table("t")), ["id"])


def test_the_oracle_keeps_what_has_the_smallest_hashes() -> None:
    rows: list[Row] = [{"p": "ann", "a": value} for value in (3, 1, 2, None)]
    # md5("ann:1") is 71a5..., that of ann:2 5b53..., of ann:3 e78c... and of ann:4 64a0...
    assert [row["a"] for row in kept_rows(rows, ["p"], 2, ["a"])] == [2, None]
    assert kept_rows([{"p": None, "a": 1}], ["p"], 2, ["a"]) == []


@pytest.mark.parametrize("small", [10**6, -1])
def test_every_engine_gives_the_classes_of_each_person(
    engine_table: Tables, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether all rows come or those that may be in conflict, numbers of persons are the same."""
    monkeypatch.setattr(core, "SMALL", small)
    table, _ = table_of("text", 5)
    expected = numbers_of(read_owned(open_table(table), RULES, ["person"]))
    assert expected[0] > 4
    found = read_owned(open_table(engine_table(table)), RULES, ["person"])
    assert numbers_of(found) == expected
    two = [read_owned(open_table(t), RULES, ["person", "a"]) for t in (table, engine_table(table))]
    assert numbers_of(two[0]) == numbers_of(two[1])


def numbers_of(owned: OwnedClasses) -> list[int]:
    """Twice what one person may add little to: repair, rows in conflict, conflicts."""
    levels = (1, 3, 20)
    found = [person_repair(owned, 2), *person_witnesses(owned, levels)]
    return [*found, *person_conflicts(owned, levels)]
