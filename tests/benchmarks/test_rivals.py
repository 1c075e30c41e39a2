"""What rivals are told, and that those at hand count what brute force counts."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.rivals import RIVALS
from candling.rules import parse_constraints

RULES = parse_constraints(
    "key(Area, Phone)\n"
    "Zip -> City\n"
    "City, Zip -> Area\n"
    "not(t1.City = t2.City and t1.Pay > t2.Pay and t1.Tax < t2.Tax)\n"
)
ROWS: list[dict[str, Any]] = [
    {"Area": 1, "Phone": 1, "Zip": 1, "City": "a", "Pay": 10, "Tax": 1},
    {"Area": 1, "Phone": 1, "Zip": 1, "City": "b", "Pay": 20, "Tax": 3},
    {"Area": 2, "Phone": 1, "Zip": 1, "City": "b", "Pay": 30, "Tax": 2},
    {"Area": 2, "Phone": 2, "Zip": None, "City": "c", "Pay": 10, "Tax": 1},
    {"Area": 3, "Phone": 2, "Zip": None, "City": "d", "Pay": 20, "Tax": 2},
    {"Area": 4, "Phone": 2, "Zip": 2, "City": "d", "Pay": 10, "Tax": 3},
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.parquet"
    pq.write_table(pa.Table.from_pylist(ROWS), path)
    return path


def conflicting_pairs() -> int:
    def conflict(a: dict[str, Any], b: dict[str, Any]) -> bool:
        return any(
            all(
                (left := first[p.left.name]) is not None
                and (right := second[p.right.name]) is not None  # type: ignore[union-attr]
                and p.op.compare(left, right)
                for p in rule.predicates
            )
            for rule in RULES
            for first, second in ((a, b), (b, a))
        )

    return sum(conflict(a, b) for a, b in combinations(ROWS, 2))


def count(way: str, table: Path) -> dict[str, int]:
    rival = RIVALS[way]
    return rival.run(table, rival.translate(RULES))


def test_the_union_of_self_joins_counts_every_conflicting_pair_once(table: Path) -> None:
    assert conflicting_pairs() == 4

    assert count("DuckDB, union of self-joins", table) == {"pairs": 4}


def test_aggregates_count_the_groups_that_break_a_dependency_and_leave_null_out(
    table: Path,
) -> None:
    # Zip 1 has two cities, and city b with zip 1 has two areas; two cities have no zip.
    assert count("DuckDB, aggregates", table) == {"groups": 2}


def test_groups_are_those_of_every_set_of_columns_that_a_rule_reads(table: Path) -> None:
    # (Area, Phone): 5; (Zip, City): 5; (City, Zip, Area): 6; (City, Pay, Tax): 6
    assert count("DuckDB, groups", table) == {"groups": 22}


def test_desbordante_gets_dependencies_as_numbers_of_columns() -> None:
    lines = RIVALS["Desbordante, FDs"].translate(RULES)

    names = RULES.columns
    told = [
        ([names[i] for i in line["lhs_indices"]], [names[i] for i in line["rhs_indices"]])
        for line in map(json.loads, lines)
    ]
    assert told == [(["Zip"], ["City"]), (["City", "Zip"], ["Area"])]


def test_desbordante_gets_denial_constraints_in_its_own_language() -> None:
    assert RIVALS["Desbordante, DC violations"].translate(RULES) == [
        "!(s.Area == t.Area and s.Phone == t.Phone)",
        "!(s.Zip == t.Zip and s.City != t.City)",
        "!(s.City == t.City and s.Zip == t.Zip and s.Area != t.Area)",
        "!(s.City == t.City and s.Pay > t.Pay and s.Tax < t.Tax)",
    ]


def test_a_rule_that_cannot_be_translated_is_refused_and_not_left_out() -> None:
    rules = parse_constraints("not(t1.Zip = t2.Zip and t1.Pay > 100)")

    with pytest.raises(ValueError, match="constants"):
        RIVALS["Desbordante, DCs hold"].translate(rules)
