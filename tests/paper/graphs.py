"""Pairs in a given order, made by hand."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from candling.conflicts.graph import adjacency
from candling.paper.ordered import OrderedPairs

Edges = frozenset[tuple[int, int]]


def pairs_of(
    nodes: int, edges: Iterable[tuple[int, int]], *, weights: list[int] | None = None
) -> OrderedPairs:
    """The pairs of a graph; node i comes i-th, and (i, i) is a class of rows that conflict."""
    drawn = np.array(sorted(edges), np.int32).reshape(-1, 2)
    offsets, neighbours = adjacency(nodes, drawn[:, 0].copy(), drawn[:, 1].copy())
    heavy = np.ones(nodes, np.int64) if weights is None else np.array(weights, np.int64)
    return OrderedPairs(0, heavy, offsets, neighbours)


def every_graph(nodes: int) -> Iterable[Edges]:
    pairs = list(combinations(range(nodes), 2))
    for mask in range(2 ** len(pairs)):
        yield frozenset(p for i, p in enumerate(pairs) if mask >> i & 1)


def without(edges: Edges, node: int) -> Edges:
    """The graph without a node, the others renumbered in order."""
    return frozenset((u - (u > node), v - (v > node)) for u, v in edges if node not in (u, v))
