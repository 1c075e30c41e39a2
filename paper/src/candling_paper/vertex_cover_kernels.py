"""The compiled loop of the vertex cover."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from candling.graph.compiled import compiled

Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]


@compiled
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
