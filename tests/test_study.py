"""The whole way from a table and its rules to the exact measures, against the oracle."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count

import ibis
import pytest
from hypothesis import HealthCheck, given, settings

import candling
from tests import oracle
from tests.strategies import TableAndRules, tables_and_rules, to_arrow


@pytest.fixture(scope="module")
def register() -> Callable[[TableAndRules], ibis.Table]:
    """Puts a table into one DuckDB for all examples: a new one for each would be slow."""
    backend, names = ibis.duckdb.connect(), count()

    def put(drawn: TableAndRules) -> ibis.Table:
        columns, rows, _ = drawn
        data = ibis.memtable(to_arrow(columns, rows))
        return backend.create_table(f"t{next(names)}", data, temp=True)

    return put


@pytest.mark.parametrize("quarter", range(4))  # so that several processes share the work
@settings(
    deadline=None, max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(drawn=tables_and_rules())
def test_every_measure_agrees_with_the_oracle(
    register: Callable[[TableAndRules], ibis.Table], quarter: int, drawn: TableAndRules
) -> None:
    _, rows, rules = drawn
    ours, true = candling.exact(register(drawn), rules), oracle.conflicts(rows, rules)
    assert ours.rows == len(rows)
    assert ours.drastic == oracle.drastic(true)
    assert ours.minimal_inconsistent == oracle.minimal_inconsistent(true)
    assert ours.problematic == oracle.problematic(true)
    assert ours.repair == oracle.repair(true)
    assert ours.repair_exact == oracle.repair_exact(true)
    assert ours.max_degree == oracle.max_degree(true)
    assert ours.maximal_consistent_log2 is not None
    number = oracle.maximal_consistent(true)
    assert math.isclose(ours.maximal_consistent_log2, math.log2(number), abs_tol=1e-9)
