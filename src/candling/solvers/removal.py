"""Which rows to take out so that every rule holds: as few as can be proved, at most twice as many.

The value alone is `repair.exact_repair`; this finds a set that has it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from candling.graph import ConflictGraph
from candling.graph.arcs import Arcs
from candling.solvers.independent import independent_set
from candling.solvers.repair import FractionalRepair, fractional_repair, integral_cover
from candling.solvers.twins import collapse

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Removal:
    """How many rows of each class to take out; any rows of the class will do."""

    rows: npt.NDArray[np.int64]
    smallest: bool  # proved to be; else at most twice as many


def smallest_removal(graph: ConflictGraph, *, time_limit: float) -> Removal:
    """The fewest rows whose removal leaves no conflict, or the fewest found in time.

    As in `exact_repair`, classes of share 1 go and those of share 0 stay. Of those of share 1/2
    all may go, which is what makes it at most twice the smallest; as many as possible stay.
    """
    relaxed = fractional_repair(graph)
    stays = relaxed.cover == 0
    arcs = graph.arcs.without_loops()
    half = relaxed.cover == 1
    open_ = half.copy()
    settled, staying = _settled(graph, arcs, relaxed, half)
    stays |= staying
    open_ &= ~settled
    smallest = True
    if open_.any():
        nodes = np.flatnonzero(open_)
        values = np.where(graph.loops, 1, graph.weights)[open_]
        chosen, smallest = _heaviest(arcs.induced(open_), values, time_limit)
        stays[nodes[chosen]] = True
    # Of a class whose own rows conflict, one row can stay.
    kept_rows = np.where(stays, np.where(graph.loops, 1, graph.weights), 0)
    return Removal(graph.weights - kept_rows, smallest)


def _settled(
    graph: ConflictGraph, arcs: Arcs, relaxed: FractionalRepair, half: Mask
) -> tuple[Mask, Mask]:
    """Which classes need no search, and which of them stay."""
    inner = arcs.induced(half)
    integral = integral_cover(graph, inner, relaxed, half)
    stays = integral.settled & ~integral.covered
    weights = graph.weights[half]
    both_stay = stays[inner.sources] & stays[inner.targets]
    settled, staying = np.zeros_like(half), np.zeros_like(half)
    if not both_stay.any() and 2 * weights[stays].sum() == weights[integral.settled].sum():
        settled[half], staying[half] = integral.settled, stays
    return settled, staying


def _heaviest(
    arcs: Arcs, values: npt.NDArray[np.int64], time_limit: float
) -> tuple[npt.NDArray[np.int64], bool]:
    """A heavy set of nodes without arcs between them, and whether none is heavier."""
    leaves = [_Staying(int(value), node) for node, value in enumerate(values)]
    collapsed = collapse(arcs, leaves, union=_both, join=lambda a, b: max(a, b, key=_weight))
    staying = list(collapsed.finished)
    proved = True
    deadline = time.monotonic() + time_limit
    for nodes, part in collapsed.arcs.split():
        inside = [collapsed.values[i] for i in nodes]
        weights = [_weight(value) for value in inside]
        best = independent_set(part, weights, deadline - time.monotonic())
        proved &= best.heaviest
        staying += [inside[i] for i in np.flatnonzero(best.chosen)]
    return np.fromiter(_nodes(staying), np.int64), proved


@dataclass(frozen=True, slots=True)
class _Staying:
    """Nodes that stay together: one, or those of two others. A tree, as lists would be copied."""

    weight: int
    node: int = -1
    parts: tuple[_Staying, ...] = ()


def _weight(staying: _Staying) -> int:
    return staying.weight


def _both(a: _Staying, b: _Staying) -> _Staying:
    return _Staying(a.weight + b.weight, parts=(a, b))


def _nodes(staying: list[_Staying]) -> Iterator[int]:
    waiting = list(staying)
    while waiting:  # a tree, of which every part waits once
        one = waiting.pop()
        if one.node >= 0:
            yield one.node
        waiting += one.parts
