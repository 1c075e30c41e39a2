"""Pairs in a given order, made by hand."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from candling.graph.conflict_graph import adjacency
from candling_paper.ordered import OrderedPairs


def pairs_of(
    nodes: int, edges: Iterable[tuple[int, int]], *, weights: list[int] | None = None
) -> OrderedPairs:
    """The pairs of a graph; node i comes i-th, and (i, i) is a class of rows that conflict."""
    drawn = np.array(sorted(edges), np.int32).reshape(-1, 2)
    offsets, neighbours = adjacency(nodes, drawn[:, 0].copy(), drawn[:, 1].copy())
    heavy = np.ones(nodes, np.int64) if weights is None else np.array(weights, np.int64)
    return OrderedPairs(0, np.arange(nodes), heavy, offsets, neighbours)
