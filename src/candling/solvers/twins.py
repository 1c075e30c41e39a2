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
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from candling.deadline import must_progress
from candling.graph.arcs import Arcs
from candling.memory import runs

T = TypeVar("T")
Merge = Callable[[T, T], T]


@dataclass(frozen=True, slots=True)
class Collapsed(Generic[T]):
    """Values of the components that became single nodes, and what remains of the others."""

    finished: list[T]
    arcs: Arcs
    values: list[T]


def collapse(arcs: Arcs, values: list[T], *, union: Merge[T], join: Merge[T]) -> Collapsed[T]:
    """Merge twins until there are none; `union` merges false twins, `join` true ones.

    Every round but the last leaves fewer nodes.
    """
    finished: list[T] = []
    while arcs.nodes:
        keep = arcs.degrees > 0
        finished += [values[i] for i in np.flatnonzero(~keep)]
        for closed, merge in ((False, union), (True, join)):
            for group in _twins(arcs, keep, closed=closed):
                values[group[0]] = reduce(merge, (values[i] for i in group))
                keep[group[1:]] = False
        if keep.all():
            break
        before = arcs.nodes
        arcs, values = arcs.induced(keep), [values[i] for i in np.flatnonzero(keep)]
        must_progress(arcs.nodes < before)
    return Collapsed(finished, arcs, values)


def _twins(
    arcs: Arcs, among: npt.NDArray[np.bool_], *, closed: bool
) -> list[npt.NDArray[np.int64]]:
    """Groups of nodes with the same neighbours, themselves included if `closed`.

    A signature finds candidates; what counts is the comparison of the neighbours themselves.
    """
    nodes = np.flatnonzero(arcs.degrees > 0)
    if len(nodes) == 0:
        return []
    marks = _mix(np.arange(arcs.nodes, dtype=np.uint64))
    signature = np.empty(len(nodes), np.uint64)
    offsets = np.append(arcs.offsets[nodes], len(arcs.targets))
    for start, stop in runs(offsets):
        near = marks[arcs.targets[offsets[start] : offsets[stop]]]
        signature[start:stop] = np.bitwise_xor.reduceat(near, offsets[start:stop] - offsets[start])
    if closed:
        signature ^= marks[nodes]
    signature, nodes = signature[among[nodes]], nodes[among[nodes]]
    groups = []
    for candidates in _equal(signature, nodes):
        same: dict[bytes, list[int]] = {}
        for node in candidates.tolist():
            own = arcs.targets[arcs.offsets[node] : arcs.offsets[node + 1]]
            if closed:
                own = np.insert(own, np.searchsorted(own, node), node)
            same.setdefault(own.tobytes(), []).append(node)
        groups += [np.array(group) for group in same.values() if len(group) > 1]
    return groups


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
    by_signature = np.argsort(signature, kind="stable")
    signature, order = signature[by_signature], nodes[by_signature]
    # A group is a run of equal ones, from one before its first to its last.
    edge = np.diff((signature[1:] == signature[:-1]).astype(np.int8), prepend=0, append=0)
    starts, stops = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)
    return [order[a : b + 1] for a, b in zip(starts, stops, strict=True)]
