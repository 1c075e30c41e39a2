"""Flows between persons: linear programs on pairs, all small neighbours, planted mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candling
from candling.graph import person_conflicts as module
from candling.graph import person_network
from candling.graph.person_conflicts import person_conflicts
from candling.graph.person_filling import Filling
from candling.graph.person_flow import person_repair, person_witnesses
from candling.privacy.statistic import POWERS
from candling.tables import open_table, read_rows
from candling.tables.classes import OwnedClasses
from tests.effort import reduce
from tests.graph.owned import (
    RULES,
    OwnedRows,
    conflicts_program,
    draw_rows,
    own,
    problematic_program,
    repair_program,
    solve,
)
from tests.graph.test_on_disk import nothing_fits

LEVELS = (1, 2, 3, 4, 8, 64)
PROGRAMS = {
    "repair": repair_program,
    "problematic": problematic_program,
    "minimal_inconsistent": conflicts_program,
}
tables = st.builds(draw_rows, st.sampled_from(sorted(RULES)), st.integers(0, 2**32))


@settings(max_examples=reduce(1000, 16))
@given(tables, st.sampled_from((1, 2, 6)))
def test_numbers_are_those_of_linear_programs(table: OwnedRows, few: int) -> None:
    wanted = {
        name: tuple(solve(program(table), capacity) for capacity in LEVELS)
        for name, program in PROGRAMS.items()
    }
    owned = table.owned
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(person_network, "FEW", few)  # hubs in small groups too
        assert tuple(person_repair(owned, capacity) for capacity in LEVELS) == wanted["repair"]
        assert person_witnesses(owned, LEVELS) == wanted["problematic"]
        assert person_conflicts(owned, LEVELS) == wanted["minimal_inconsistent"]
        patch.setattr(module, "WRITTEN", 0)  # without pairs
        assert person_conflicts(owned, LEVELS) == wanted["minimal_inconsistent"]


def draw_dense(kind: int, rng: np.random.Generator) -> tuple[str, dict[str, np.ndarray]]:
    """Rules, and columns of hundreds of rows under which most of them conflict."""
    rows = int(rng.integers(100, 700))
    persons = rng.integers(0, int(rng.integers(2, rows)), rows)
    if kind == 1:  # one person with a third of the rows
        persons[: rows // 3] = 0
    names = {c: rng.integers(0, int(rng.integers(1, 200)), rows) for c in "bd"}
    few = {c: rng.integers(0, int(rng.integers(1, 6)), rows) for c in "ac"}
    if kind == 2:  # few wrong values in large groups
        names["b"] = np.where(rng.random(rows) < 0.05, names["b"], 0)
    rules = ["a -> b", "a -> b\nc -> d", "a -> b", "key(b)", "a -> b\nkey(d)\nnot(t1.c < t2.a)"]
    return rules[kind], {"patient": persons, **few, **names}


def own_columns(columns: dict[str, np.ndarray], rules: str) -> OwnedClasses:
    """The classes of each person of a table."""
    table = open_table(pa.table(columns))
    classes = read_rows(table, list(candling.parse_constraints(rules)))
    return own(classes, columns["patient"].tolist())


def test_proofs_from_both_sides_agree_with_flows(monkeypatch: pytest.MonkeyPatch) -> None:
    proved = []
    fill = Filling.fill

    def note(*arguments: Any) -> int | None:
        proved.append(fill(*arguments) is not None)
        return fill(*arguments)

    monkeypatch.setattr(Filling, "fill", note)
    for number in range(reduce(40, 2)):
        rules, columns = draw_dense(number % 5, np.random.default_rng(number))
        owned = own_columns(columns, rules)
        found = person_conflicts(owned, POWERS)
        with monkeypatch.context() as patch:
            patch.setattr(module, "WRITTEN", 0)
            assert person_conflicts(owned, POWERS) == found
    assert len(proved) > 100
    assert all(proved)


def test_pairs_that_no_proof_saves_go_to_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        rules, columns = draw_dense(number + 2, np.random.default_rng(number))
        owned = own_columns(columns, rules)
        found = person_conflicts(owned, POWERS)
        with monkeypatch.context() as patch, nothing_fits(1000) as sizes:
            patch.setattr(Filling, "fill", lambda *_: None)
            patch.setattr(module, "WRITTEN", 0)
            assert person_conflicts(owned, POWERS) == found
        assert sizes
