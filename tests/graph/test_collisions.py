"""Nodes whose fingerprints collide on purpose are still told apart."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from candling.graph import independent
from candling.graph.conflict_graph import Arcs
from candling.graph.independent import collapse


def arcs_of(nodes: int, edges: list[tuple[int, int]]) -> Arcs:
    both = np.array(sorted([*edges, *((v, u) for u, v in edges)]), np.int32).reshape(-1, 2)
    return Arcs(nodes, both[:, 0].copy(), both[:, 1].copy())


def test_equal_signatures_do_not_make_twins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(independent, "_mix", np.zeros_like)  # every node looks like every other
    path = arcs_of(4, [(0, 1), (1, 2), (2, 3)])
    left = collapse(path, [1] * 4, union=operator.mul, join=operator.add)
    assert (left.finished, left.arcs.nodes) == ([], 4)  # a path of four has no twins
    star = arcs_of(4, [(0, 1), (0, 2), (0, 3)])
    assert collapse(star, [1] * 4, union=operator.mul, join=operator.add).finished == [2]
