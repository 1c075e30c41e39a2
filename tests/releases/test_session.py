"""The whole way from a table and its rules to the exact measures, against the oracle."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings

import candling
from tests import oracle
from tests.effort import examples
from tests.registered import registered
from tests.strategies import TableAndRules, tables_and_rules


@pytest.mark.parametrize("quarter", range(4))  # so that several processes share the work
@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=tables_and_rules())
def test_every_measure_agrees_with_the_oracle(quarter: int, drawn: TableAndRules) -> None:
    _, rows, rules = drawn
    ours, true = candling.exact(registered(drawn), rules), oracle.conflicts(rows, rules)
    assert ours.rows == len(rows)
    assert ours.drastic == oracle.drastic(true)
    assert ours.minimal_inconsistent == oracle.minimal_inconsistent(true)
    assert ours.problematic == oracle.problematic(true)
    assert ours.repair_linear == oracle.repair(true)
    assert ours.repair_exact == oracle.repair_exact(true)
    assert ours.repair_linear <= ours.repair <= oracle.repair_exact(true)
    assert ours.max_degree == oracle.max_degree(true)
    assert ours.maximal_consistent_log2 is not None
    number = oracle.maximal_consistent(true)
    assert math.isclose(ours.maximal_consistent_log2, math.log2(number), abs_tol=1e-9)
