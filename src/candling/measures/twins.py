"""Collapsing twins: what remains of a cograph is one node per component.

Two nodes are false twins if they have the same neighbours, true twins if they also are
neighbours. A graph is a cograph iff collapsing twins leads to single nodes, and along the way a
value per node can be carried that knows the whole module: for the number of maximal independent
sets, false twins multiply and true twins add; for the heaviest independent set, false twins add
and of true twins the heavier stays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from candling.measures.subgraph import Arcs

Merge = Callable[[int, int], int]


@dataclass(frozen=True, slots=True)
class Collapsed:
    """Values of the components that became single nodes, and what remains of the others."""

    finished: list[int]
    arcs: Arcs
    values: list[int]


def collapse(arcs: Arcs, values: list[int], *, union: Merge, join: Merge) -> Collapsed:
    """Merge twins until there are none; `union` merges false twins, `join` true ones."""
    finished: list[int] = []
    while arcs.nodes:
        degree = np.bincount(arcs.sources, minlength=arcs.nodes)
        keep = degree > 0
        finished += [values[i] for i in np.flatnonzero(~keep)]
        open_, closed = _signatures(arcs, degree)
        for signature, merge in ((open_, union), (closed, join)):
            for group in _equal(signature, keep):
                values[group[0]] = reduce(merge, (values[i] for i in group))
                keep[group[1:]] = False
        if keep.all():
            break
        arcs, values = arcs.induced(keep), [values[i] for i in np.flatnonzero(keep)]
    return Collapsed(finished, arcs, values)


def _signatures(
    arcs: Arcs, degree: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """128 bits per node for its neighbours, without itself and with itself."""
    nodes = np.arange(arcs.nodes, dtype=np.uint64)
    marks = np.stack([_mix(nodes * np.uint64(2)), _mix(nodes * np.uint64(2) + np.uint64(1))])
    open_ = np.zeros_like(marks)
    some = degree > 0
    starts = (np.cumsum(degree) - degree)[some]
    if len(starts):
        open_[:, some] = np.bitwise_xor.reduceat(marks[:, arcs.targets], starts, axis=1)
    return open_, open_ ^ marks


def _mix(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finaliser of SplitMix64: equal inputs alone give equal outputs, the rest looks random."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _equal(
    signature: npt.NDArray[np.uint64], among: npt.NDArray[np.bool_]
) -> list[npt.NDArray[np.int64]]:
    """The groups of two or more nodes with equal signatures."""
    nodes = np.flatnonzero(among)
    order = nodes[np.lexsort(signature[:, nodes])]
    same = (signature[:, order[1:]] == signature[:, order[:-1]]).all(axis=0)
    groups = np.split(order, np.flatnonzero(~same) + 1) if same.any() else []
    return [g for g in groups if len(g) > 1]
