"""What a row can change in the true values behind a release, on random tables and rules."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import candling
from candling.releases import Facts
from candling.releases.statistics import LOG_GRID, LOG_ROUNDING
from candling.solvers.chain import chain
from tests.registered import facts_of
from tests.strategies import TableAndRules, tables_and_rules

LEVELS = 6  # thresholds up to 32: tables have nine rows at the most


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[TableAndRules, TableAndRules]:
    """A table and the same without one of its rows."""
    columns, rows, rules = draw(tables_and_rules().filter(lambda drawn: len(drawn[1]) > 0))
    gone = draw(st.integers(0, len(rows) - 1))
    return (columns, rows, rules), (columns, rows[:gone] + rows[gone + 1 :], rules)


@pytest.mark.slow
@settings(
    deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pair=neighbours())
def test_a_row_moves_every_value_within_its_stated_range(
    pair: tuple[TableAndRules, TableAndRules],
) -> None:
    large, small = (facts_of(table) for table in pair)
    assert large.constraints == small.constraints
    assert large.classes.rows - small.classes.rows == 1
    for i in range(LEVELS):
        t = 2**i
        assert 0 <= large.problematic[i] - small.problematic[i] <= t + 1
        doubled = large.doubled_minimal_inconsistent[i] - small.doubled_minimal_inconsistent[i]
        assert 0 <= doubled <= 2 * t
    for one, two in zip(
        [large.repair, *large.repair_by_rule], [small.repair, *small.repair_by_rule], strict=True
    ):
        assert one.step == two.step, "the step is up to the rules"
        assert one.growth * one.step == 1
        assert 0 <= one.value - two.value <= one.growth
    if not chain(large.constraints).broken_by:
        one_log, two_log = large.maximal_consistent_log2, small.maximal_consistent_log2
        assert -1e-9 <= one_log - two_log <= 1 + 1e-9
        moved = round(one_log * LOG_GRID) - round(two_log * LOG_GRID)
        assert -LOG_ROUNDING <= moved <= LOG_GRID + LOG_ROUNDING
    reaches_the_measures(large, candling.Study(pair[0][2], large).exact())


def reaches_the_measures(facts: Facts, exact: candling.Exact) -> None:
    """No extension exceeds its measure, and the last one reaches it."""
    assert facts.problematic == sorted(facts.problematic)
    assert facts.doubled_minimal_inconsistent == sorted(facts.doubled_minimal_inconsistent)
    assert facts.problematic[-1] == exact.problematic
    assert facts.doubled_minimal_inconsistent[-1] == 2 * exact.minimal_inconsistent
    repair = facts.repair
    assert repair.value * repair.step == exact.repair
    if repair.kind == "exact":
        assert exact.repair == exact.repair_exact
