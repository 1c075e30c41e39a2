"""Loops that must end: a table on which one did not, and planted bugs that stop instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import candling
from candling.errors import CandlingError
from candling.graph import BlockGraph, build_conflicts, build_graph, flow, witness
from candling.graph.repair import fractional_repair
from candling.graph.witness import doubled_minimal_inconsistent_levels, problematic_levels
from candling.graph.witness_kernels import STUCK, give_first
from candling.rules import compile_rules
from candling.system.limits import must_progress
from candling.tables import Classes, open_table, read_classes

RULES = "!(t1.A = t2.A & t1.C <= t2.C)\nC -> B"
# The search found a path that could not be taken, as a row looked no further than its own class.
A = """10 0 0 6 1 4 15 2 2 11 8 15 13 5 0 9 5 9 0 23 15 20 2 12 22 10 6 6 14 5 9 29 5 0 16 16 15 4 8
    3 27 7 7 10 2 3 4 15 9 9 8 11 1 12 14 8 14 3 4 6 2 2 14 1 0 1 7 1"""
B = """1 4 0 0 0 1 0 6 1 1 0 2 7 1 0 1 3 1 3 0 0 0 0 0 4 0 2 2 1 4 7 2 1 0 1 4 1 5 0 4
    7 1 0 4 3 2 0 1 0 7 3 1 0 3 3 6 6 0 0 0 0 1 1 1 3 0 0 4"""
C = """1 0 0 1 0 2 2 2 1 1 0 2 1 0 0 0 2 0 2 0 0 0 1 0 2 1 0 2 0 0 0 2 0 1 0 0 0 1 2 0
    0 1 1 1 0 0 0 0 0 1 0 0 2 1 1 0 2 0 0 2 2 0 0 0 0 1 2 1"""
EXTRA = 7  # the row without which it ended


def classes(*, without: int | None = None) -> Classes:
    columns = {
        name: [int(v) for v in text.split()] for name, text in zip("ABC", (A, B, C), strict=True)
    }
    for column in columns.values():
        if without is not None:
            del column[without]
    table = open_table(pa.table(columns))
    return read_classes(table, compile_rules(candling.parse_constraints(RULES)))


@pytest.mark.parametrize("without", [None, EXTRA])
def test_a_row_looks_beyond_its_own_class(without: int | None) -> None:
    table = classes(without=without)
    graph, whole = build_conflicts(table, explicit=-1), build_graph(table)
    assert isinstance(graph, BlockGraph)
    assert problematic_levels(graph, 8) == problematic_levels(whole, 8)
    assert fractional_repair(graph).value == fractional_repair(whole).value
    expected = doubled_minimal_inconsistent_levels(whole, 8)
    assert doubled_minimal_inconsistent_levels(graph, 8) == expected


PIECES = (
    "!(t1.A = t2.A & t1.C <= t2.C)",
    "!(t1.B = t2.B & t1.D >= t2.D)",
    "!(t1.A = t2.A & t1.B <= t2.B & t1.C >= t2.C)",
    "!(t1.C <= t2.C & t1.D <= t2.D)",
    "!(t1.A = t2.A & t1.B < t2.B & t1.C > t2.C)",
    "C -> B",
    "A -> B",
    "key(A, B)",
    "key(C)",
)


@pytest.mark.parametrize("seed", range(30))
def test_many_classes_that_are_their_own_neighbours(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(3, 110))
    columns = {
        name: np.floor(rng.integers(1, 30) * rng.random(rows) ** 2).astype(int) for name in "ABCD"
    }
    rules = compile_rules(
        candling.parse_constraints("\n".join(rng.choice(PIECES, 2, replace=False)))
    )
    table = read_classes(open_table(pa.table(columns)), rules)
    graph, whole = build_conflicts(table, explicit=-1), build_graph(table)
    assert problematic_levels(graph, 8) == problematic_levels(whole, 8)
    assert fractional_repair(graph).value == fractional_repair(whole).value


def test_no_progress_is_a_bug_and_not_the_callers() -> None:
    must_progress(True)
    with pytest.raises(AssertionError, match=r"^a loop made no progress$") as caught:
        must_progress(False)
    assert not isinstance(caught.value, CandlingError)


def gains(amount: int) -> Callable[..., int]:
    def kernel(*_: object) -> int:
        return amount

    return kernel


@pytest.mark.parametrize("amount", [0, STUCK])
@pytest.mark.parametrize("module", [flow, witness])
def test_a_phase_that_gains_nothing_stops(
    monkeypatch: pytest.MonkeyPatch, module: Any, amount: int
) -> None:
    monkeypatch.setattr(module, "augment", gains(amount))
    table = classes()
    graph = build_conflicts(table, explicit=-1) if module is witness else build_graph(table)
    with pytest.raises(AssertionError, match="no progress"):
        fractional_repair(graph)


@pytest.mark.parametrize("module", [flow, witness])
def test_paths_that_grow_no_longer_stop(monkeypatch: pytest.MonkeyPatch, module: Any) -> None:
    """A phase that claims a gain without one would find the same paths again."""
    monkeypatch.setattr(module, "augment", gains(1))
    table = classes()
    graph = build_conflicts(table, explicit=-1) if module is witness else build_graph(table)
    with pytest.raises(AssertionError, match="no progress"):
        fractional_repair(graph)


def test_a_list_that_runs_in_a_circle_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    def circle(*arguments: Any) -> int:
        given = whole(*arguments)
        arguments[12][:] = np.arange(len(arguments[12]))  # `following`: every row after itself
        return int(given)

    whole = give_first
    monkeypatch.setattr(witness, "give_first", circle)
    with pytest.raises(AssertionError, match="no progress"):
        fractional_repair(build_conflicts(classes(), explicit=-1))


def test_a_core_that_is_filled_by_nothing_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(graph: BlockGraph, core: Any, *_: object) -> Any:
        return np.zeros_like(core)

    monkeypatch.setattr(flow, "_find_saturable", nothing)
    with pytest.raises(AssertionError, match="no progress"):
        doubled_minimal_inconsistent_levels(build_conflicts(classes(), explicit=-1), 3)
