"""Flows between persons: linear programs on pairs, all small neighbours, planted mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candling.graph import person_network
from candling.graph.person_flow import person_repair
from tests.effort import examples
from tests.graph.owned import RULES, draw_rows, repair_program, solve

LEVELS = (1, 2, 3, 4, 8, 64)
names = st.sampled_from(sorted(RULES))
numbers = st.integers(0, 2**32)


@settings(max_examples=examples(300))
@given(names, numbers, st.sampled_from((1, 2, 6)))
def test_repairs_are_those_of_the_linear_program(name: str, number: int, few: int) -> None:
    table = draw_rows(name, number)
    program = repair_program(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(person_network, "FEW", few)  # hubs in small groups too
        for capacity in LEVELS:
            assert person_repair(table.owned, capacity) == solve(program, capacity)
