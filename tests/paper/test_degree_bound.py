"""The degree bound holds, and moves by no more than its sensitivity."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings

import candling
from candling.engines import open_table, read_classes
from candling.graph import degree_bound
from candling.graph.degree_bound import equality_sets
from candling.rules import compile_rules
from tests import oracle
from tests.strategies import TableAndRules, tables_and_rules, to_arrow


def bound_of(table: pa.Table, rules: candling.ConstraintSet) -> tuple[int, int]:
    found = degree_bound(read_classes(open_table(table), compile_rules(rules)))
    return found.value, found.sensitivity


@settings(deadline=None, max_examples=100)
@given(tables_and_rules())
def test_it_bounds_every_degree_and_is_stable(drawn: TableAndRules) -> None:
    columns, rows, rules = drawn
    value, sensitivity = bound_of(to_arrow(columns, rows), rules)
    assert value >= oracle.max_degree(oracle.conflicts(rows, rules))
    if rows:
        fewer, same = bound_of(to_arrow(columns, rows[1:]), rules)
        assert same == sensitivity
        assert 0 <= value - fewer <= sensitivity


def test_supersets_and_repeats_are_dropped() -> None:
    rules = candling.parse_constraints("A -> B\nA, C -> D\nA -> D\nkey(E, A)\nkey(E)")
    assert equality_sets(tuple(rules)) == (frozenset("A"), frozenset("E"))


def test_a_rule_without_equality_columns_lets_all_rows_meet() -> None:
    rules = candling.parse_constraints("A -> B\nnot(t1.A < t2.A and t1.B > t2.B)")
    table = pa.table({"A": [1, 2, 3], "B": [3, 2, 1]})
    assert bound_of(table, rules) == (2, 1)
