"""The compiled loops of edge addition."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from candling.graph.compilation import compile_always

Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]


@compile_always
def add_edges(
    offsets: Longs, neighbours: Ints, starts: Longs, bounds: Ints, degrees: Ints, kept: Longs
) -> None:
    """Take the pairs of rows in order, at every bound at once; degrees[row, bound] starts at 0."""
    for c in range(len(offsets) - 1):
        for u in range(starts[c], starts[c + 1]):
            of_u = degrees[u]
            before = of_u.copy()
            for d in neighbours[offsets[c] : offsets[c + 1]]:
                if d < c:
                    continue
                for v in range(u + 1 if d == c else starts[d], starts[d + 1]):
                    of_v = degrees[v]
                    # Without a branch, so that all bounds are compared in a few instructions.
                    for k in range(len(bounds)):
                        add = np.int32((of_u[k] < bounds[k]) & (of_v[k] < bounds[k]))
                        of_u[k] += add
                        of_v[k] += add
            for k in range(len(bounds)):
                kept[k] += of_u[k] - before[k]


@compile_always
def add_edges_by_row(
    offsets: Longs, neighbours: Ints, order: Longs, bounds: Ints, degrees: Ints, kept: Longs
) -> None:
    """Take each row of `order` with the earlier rows that it conflicts with, at every bound.

    Neighbours ascend: those after the row itself are not looked at.
    """
    for v in order:
        of_v = degrees[v]
        before = of_v.copy()
        for u in neighbours[offsets[v] : offsets[v + 1]]:
            if u >= v:
                break
            of_u = degrees[u]
            for k in range(len(bounds)):
                add = np.int32((of_u[k] < bounds[k]) & (of_v[k] < bounds[k]))
                of_u[k] += add
                of_v[k] += add
        for k in range(len(bounds)):
            kept[k] += of_v[k] - before[k]
