"""The vertex cover of Algorithm 5: both rows of every pair that is not covered yet, in order."""

from __future__ import annotations

from collections.abc import Sequence

from candling_paper.ordered import OrderedPairs
from candling_paper.vertex_cover_kernels import match

SENSITIVITY = 2


def vertex_cover(pairs: OrderedPairs) -> int:
    """The size of the greedy cover, and the rows that break a rule alone.

    It is made of both rows of a maximal set of disjoint pairs: at least the smallest repair, and at
    most twice as much.

    Neighbours: tables that differ in one row. Sensitivity 2: the two runs differ along one
    alternating path (docs/privacy.md, Theorem 13).
    """
    free = pairs.weights.copy()
    return pairs.self_inconsistent + 2 * int(match(pairs.offsets, pairs.neighbours, free))


def steps(edges: Sequence[tuple[object, object]]) -> list[int]:
    """The cover's size after each edge in turn: the plain algorithm, for examples and tests."""
    covered: set[object] = set()
    sizes = []
    for u, v in edges:
        if u not in covered and v not in covered:
            covered |= {u, v}
        sizes.append(len(covered))
    return sizes
