"""Flows between persons: linear programs on pairs, all small neighbours, planted mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candling.graph import person_network
from candling.graph.person_conflicts import person_conflicts
from candling.graph.person_flow import person_repair, person_witnesses
from tests.effort import examples
from tests.graph.owned import (
    RULES,
    OwnedRows,
    conflicts_program,
    draw_rows,
    problematic_program,
    repair_program,
    solve,
)

LEVELS = (1, 2, 3, 4, 8, 64)
tables = st.builds(draw_rows, st.sampled_from(sorted(RULES)), st.integers(0, 2**32))


@settings(max_examples=examples(300))
@given(tables, st.sampled_from((1, 2, 6)))
def test_repairs_are_those_of_the_linear_program(table: OwnedRows, few: int) -> None:
    program = repair_program(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(person_network, "FEW", few)  # hubs in small groups too
        for capacity in LEVELS:
            assert person_repair(table.owned, capacity) == solve(program, capacity)


@settings(max_examples=examples(300))
@given(tables, st.sampled_from((1, 2, 6)))
def test_witnesses_are_those_of_the_linear_program(table: OwnedRows, few: int) -> None:
    program = problematic_program(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(person_network, "FEW", few)
        found = person_witnesses(table.owned, LEVELS)
    assert found == tuple(solve(program, capacity) for capacity in LEVELS)


@settings(max_examples=examples(300))
@given(tables)
def test_conflicts_are_those_of_the_linear_program(table: OwnedRows) -> None:
    program = conflicts_program(table)
    found = person_conflicts(table.owned, LEVELS)
    assert found == tuple(solve(program, capacity) for capacity in LEVELS)
