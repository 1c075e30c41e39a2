"""Compiled loops over the pairs of distinct rows behind the pairs of classes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from candling.graph.compilation import compile_on_use

Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]


@compile_on_use
def count_expanded(
    offsets: Longs, neighbours: Ints, members: Ints, ends: Longs, weights: Longs
) -> int:
    """How many pairs of distinct rows the graph stands for; equal rows that conflict count once."""
    total = 0
    for c in range(len(offsets) - 1):
        own = ends[c + 1] - ends[c]
        for d in neighbours[offsets[c] : offsets[c + 1]]:
            if d > c:
                total += own * (ends[d + 1] - ends[d])
            elif d == c:
                total += own * (own - 1) // 2
                for at in range(ends[c], ends[c + 1]):
                    total += weights[members[at]] > 1
    return total


@compile_on_use
def expand(
    offsets: Longs,
    neighbours: Ints,
    members: Ints,
    ends: Longs,
    weights: Longs,
    left: Ints,
    right: Ints,
) -> None:
    """Write these pairs into `left` and `right`; a class of equal rows pairs with itself."""
    at = 0
    for c in range(len(offsets) - 1):
        for d in neighbours[offsets[c] : offsets[c + 1]]:
            if d < c:
                continue
            for i in range(ends[c], ends[c + 1]):
                u = members[i]
                if d == c and weights[u] > 1:
                    left[at], right[at] = u, u
                    at += 1
                for j in range(i + 1 if d == c else ends[d], ends[d + 1]):
                    left[at], right[at] = u, members[j]
                    at += 1
