"""What a row can change in the true values behind a release, on random tables and rules."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import candling
from candling.measures import BY_RULE, MAXIMAL_CONSISTENT, MINIMAL_INCONSISTENT, PROBLEMATIC, REPAIR
from candling.measures.facts import Facts
from candling.measures.maximal_consistent import LOG_GRID, LOG_ROUNDING
from tests.effort import examples
from tests.registered import facts_of
from tests.strategies import TableAndRules, tables_and_rules

LEVELS = 6  # thresholds up to 32: tables have nine rows at the most


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[TableAndRules, TableAndRules]:
    """A table and the same without one of its rows."""
    columns, rows, rules = draw(tables_and_rules().filter(lambda drawn: len(drawn[1]) > 0))
    gone = draw(st.integers(0, len(rows) - 1))
    return (columns, rows, rules), (columns, rows[:gone] + rows[gone + 1 :], rules)


@settings(max_examples=examples(80), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=neighbours())
def test_a_row_moves_every_value_within_its_stated_range(
    pair: tuple[TableAndRules, TableAndRules],
) -> None:
    large, small = (facts_of(table) for table in pair)
    assert large.rules == small.rules
    assert large.classes.rows - small.classes.rows == 1
    for i in range(LEVELS):
        t = 2**i
        for measure in (PROBLEMATIC, MINIMAL_INCONSISTENT):
            moved = measure.levels(large)[i] - measure.levels(small)[i]
            assert 0 <= moved <= measure.growth(t)
    for one, two in zip(
        [REPAIR.number(large), *BY_RULE.numbers(large)],
        [REPAIR.number(small), *BY_RULE.numbers(small)],
        strict=True,
    ):
        assert one.step == two.step, "the step is up to the rules"
        assert one.growth * one.step == 1
        assert 0 <= one.value - two.value <= one.growth
    if not large.rules.chain.broken_by:
        one_log, two_log = MAXIMAL_CONSISTENT.log2(large), MAXIMAL_CONSISTENT.log2(small)
        assert -1e-9 <= one_log - two_log <= 1 + 1e-9
        moved = round(one_log * LOG_GRID) - round(two_log * LOG_GRID)
        assert -LOG_ROUNDING <= moved <= LOG_GRID + LOG_ROUNDING
    reaches_the_measures(large, candling.Exact(large.exact(), large.rules.lines))


def reaches_the_measures(facts: Facts, exact: candling.Exact) -> None:
    """No extension exceeds its measure, and the last one reaches it."""
    assert list(PROBLEMATIC.levels(facts)) == sorted(PROBLEMATIC.levels(facts))
    assert list(MINIMAL_INCONSISTENT.levels(facts)) == sorted(MINIMAL_INCONSISTENT.levels(facts))
    assert PROBLEMATIC.levels(facts)[-1] == exact.problematic
    assert MINIMAL_INCONSISTENT.levels(facts)[-1] == 2 * exact.minimal_inconsistent
    repair = REPAIR.number(facts)
    assert repair.value * repair.step == exact.repair
    if repair.kind == "exact":
        assert exact.repair == exact.repair_exact
