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
        keep = arcs.degrees > 0
        finished += [values[i] for i in np.flatnonzero(~keep)]
        for closed, merge in ((False, union), (True, join)):
            for group in _twins(arcs, keep, closed=closed):
                values[group[0]] = reduce(merge, (values[i] for i in group))
                keep[group[1:]] = False
        if keep.all():
            break
        arcs, values = arcs.induced(keep), [values[i] for i in np.flatnonzero(keep)]
    return Collapsed(finished, arcs, values)


def _twins(
    arcs: Arcs, among: npt.NDArray[np.bool_], *, closed: bool
) -> list[npt.NDArray[np.int64]]:
    """Groups of nodes with the same neighbours, themselves included if `closed`.

    Told by 128 random-looking bits per node; the second half is only computed for what the first
    half leaves open.
    """
    nodes = np.flatnonzero(among)
    if len(nodes) == 0:
        return []
    groups = _equal(_signatures(arcs, nodes, 0, closed=closed), nodes)
    if not groups:
        return []
    nodes = np.concatenate(groups)
    sizes = [len(group) for group in groups]
    first = np.repeat(np.arange(len(groups), dtype=np.uint64), sizes)
    second = _signatures(arcs, nodes, 1, closed=closed)
    return _equal(np.stack([second, first]), nodes)


def _signatures(
    arcs: Arcs, nodes: npt.NDArray[np.int64], half: int, *, closed: bool
) -> npt.NDArray[np.uint64]:
    """64 bits for the neighbours of each of the nodes."""
    marks = _mix(np.arange(arcs.nodes, dtype=np.uint64) * np.uint64(2) + np.uint64(half))
    starts, degrees = arcs.offsets[nodes], arcs.degrees[nodes]
    targets = arcs.targets
    if len(nodes) < arcs.nodes:  # gather the arcs of these nodes alone
        ends = np.cumsum(degrees)
        inside = np.arange(ends[-1]) + np.repeat(starts - (ends - degrees), degrees)
        targets, starts = targets[inside], ends - degrees
    found: npt.NDArray[np.uint64] = np.bitwise_xor.reduceat(marks[targets], starts)
    return found ^ marks[nodes] if closed else found


def _mix(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finaliser of SplitMix64: equal inputs alone give equal outputs, the rest looks random."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _equal(
    signature: npt.NDArray[np.uint64], nodes: npt.NDArray[np.int64]
) -> list[npt.NDArray[np.int64]]:
    """The groups of two or more nodes with equal signatures."""
    signature = np.atleast_2d(signature)
    by_signature = np.lexsort(signature)
    signature, order = signature[:, by_signature], nodes[by_signature]
    same = (signature[:, 1:] == signature[:, :-1]).all(axis=0)
    # A group is a run of `same`, from one before its first to its last.
    edge = np.diff(same.astype(np.int8), prepend=0, append=0)
    starts, stops = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)
    return [order[a : b + 1] for a, b in zip(starts, stops, strict=True)]
