"""The degree bound holds, and moves by no more than its sensitivity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import given, settings

import candling
from candling_paper.all_rows import read_all_rows
from candling_paper.degree_bound import bound_degrees, equality_sets
from candling_paper.levels import Bound
from tests import oracle
from tests.effort import examples
from tests.strategies import TableAndRules, tables_and_rules, to_arrow


def bound_of(table: pa.Table, rules: candling.ConstraintSet) -> tuple[int, int]:
    found = bound_degrees(read_all_rows(table, rules).classes)
    return found.value, found.sensitivity


@settings(max_examples=examples(100))
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


def test_a_person_moves_it_by_all_of_their_rows() -> None:
    rules = candling.parse_constraints("a -> b\nc -> b")
    table = pa.table({"a": [1, 1, 1], "b": [1, 2, 1], "c": [1, 2, 3]})
    found = bound_degrees(read_all_rows(table, rules).classes, rows_per_person=3)
    assert found == Bound(2, 3 * 2)  # three rows agree on a, none on c; two sets


def test_it_holds_for_one_class_of_more_rows_than_fit_in_31_bits() -> None:
    classes = read_all_rows(pa.table({"a": [1]}), "key(a)").classes
    heavy = replace(classes, weights=np.array([2**31 + 7], np.int64), rows=2**31 + 7)
    assert bound_degrees(heavy).value == 2**31 + 6
