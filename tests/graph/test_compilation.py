"""Short loops are interpreted, long ones compiled: both give the same, and neither too late."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import candling
from candling.graph import build_conflicts, compilation
from candling.graph.compilation import Compiled
from candling.graph.compilation import compile_on_use as made
from candling.graph.repair import exact_repair, fractional_repair
from candling.graph.witness import doubled_minimal_inconsistent_levels, problematic_levels
from candling.rules import compile_rules
from candling.tables import Classes, open_table, read_classes

RULES = (
    "A -> B",
    "key(A, B)",
    "A, C -> D",
    "!(t1.A = t2.A & t1.C <= t2.C & t1.D >= t2.D)",
    "!(t1.B = t2.B & t1.C < t2.C & t1.D > t2.D)",
    "!(t1.C <= t2.C & t1.D <= t2.D & t1.B != t2.B)",
)


def table(seed: int) -> Classes:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(0, 60))
    columns = {name: rng.integers(0, rng.integers(1, 9), rows) for name in "ABCD"}
    rules = "\n".join(rng.choice(RULES, 3, replace=False))
    return read_classes(
        open_table(pa.table(columns)), compile_rules(candling.parse_constraints(rules))
    )


def everything(classes: Classes, explicit: int) -> tuple[Any, ...]:
    graph = build_conflicts(classes, explicit=explicit)
    relaxed = fractional_repair(graph)
    return (
        graph.pairs,
        np.sort(graph.degrees).tolist(),
        problematic_levels(graph, 8),
        doubled_minimal_inconsistent_levels(graph, 8),
        relaxed.value,
        exact_repair(graph, relaxed, time_limit=60),
    )


@pytest.mark.parametrize("explicit", [-1, 10**6])
@pytest.mark.parametrize("seed", range(12))
def test_both_ways_give_the_same(monkeypatch: pytest.MonkeyPatch, seed: int, explicit: int) -> None:
    classes = table(seed)
    found = []
    for small in (True, False):
        monkeypatch.setattr(Compiled, "_is_small", lambda *_, small=small: small)
        found.append(everything(classes, explicit))
    assert found[0] == found[1]
    assert isinstance(found[0][4], Fraction)


@made
def _square(values, squares):  # type: ignore[no-untyped-def]
    for i in range(len(values)):
        squares[i] = values[i] * values[i]


def test_what_overflows_in_an_entry_does_not_in_between() -> None:
    values, squares = np.full(3, 2**20, np.int32), np.zeros(3, np.int64)
    Compiled(_square.function)._interpret((values, squares))  # type: ignore[attr-defined]
    assert squares.tolist() == [2**40] * 3


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    values, squares = np.arange(3), np.zeros(3, np.int64)
    fresh = Compiled(_square.function)  # type: ignore[attr-defined]
    monkeypatch.setattr(compilation, "_spent", 0.0)
    assert fresh._is_small((values, squares))
    assert not fresh._is_small((np.zeros(compilation.SMALL + 1),))
    monkeypatch.setattr(compilation, "_spent", compilation.PATIENCE + 1)
    assert not fresh._is_small((values, squares))
    monkeypatch.setattr(compilation, "_spent", 0.0)
    assert not Compiled(fresh.function, interpretable=False)._is_small((values, squares))


def test_a_small_table_loads_no_compiler_and_no_ibis(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("A,B\n1,1\n1,2\n2,3\n")
    program = (
        "import sys, candling\n"
        "rules = 'A -> B\\nnot(t1.A < t2.A and t1.B = t2.B and t1.A != 7)'\n"
        "candling.release('t.csv', candling.parse_constraints(rules), epsilon=1)\n"
        "heavy = {'numba', 'ibis', 'sqlglot', 'highspy', 'pandas', 'scipy'} & {*sys.modules}\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path)
