"""The compiled loops of the vertex cover."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from candling.graph.compilation import compile_on_use

Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.int8]


@compile_on_use
def match(offsets: Longs, neighbours: Ints, free: Longs) -> int:
    """How many disjoint pairs are found in order; `free` counts the rows of each class and is used.

    The rows of a class come one after the other, and each takes the first free row it conflicts
    with: so it is enough to count.
    """
    pairs = 0
    for c in range(len(offsets) - 1):
        for d in neighbours[offsets[c] : offsets[c + 1]]:
            if d < c:
                continue
            taken = free[c] // 2 if d == c else min(free[c], free[d])
            free[c] -= taken
            free[d] -= taken
            pairs += taken
    return pairs


@compile_on_use
def match_in_order(left: Ints, right: Ints, order: Longs, covered: Bytes) -> int:
    """How many disjoint pairs are found if they are taken in this order; `covered` starts at 0."""
    pairs = 0
    for at in order:
        u, v = left[at], right[at]
        if not covered[u] and not covered[v]:
            covered[u] = covered[v] = 1
            pairs += 1
    return pairs
