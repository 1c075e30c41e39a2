"""The smallest repair: its size as a linear program and exactly, and the rows to delete.

`exact_repair` gives the size alone, `smallest_removal` a set of that size.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from candling.graph import ConflictGraph, Graph
from candling.graph.conflict_graph import Arcs
from candling.graph.flow import Amounts
from candling.graph.independent import collapse, independent_set
from candling.graph.repair_kernels import strong_parts, use_both_ways
from candling.graph.witness import Witnesses, witnesses
from candling.records import dataclass
from candling.system.limits import new_array, pieces

LARGEST = 10_000_000  # arcs among which a search for the smallest repair makes sense


@dataclass(frozen=True, slots=True)
class FractionalRepair:
    """An optimal half-integral vertex cover, and the dual flow that proves it."""

    value: Fraction  # without the self-inconsistent rows
    cover: npt.NDArray[np.int8]  # per class, twice the share of each of its rows: 0, 1 or 2
    flow: Amounts | None  # along graph.neighbours, where these are written down


def fractional_repair(graph: Graph, *, known: Witnesses | None = None) -> FractionalRepair:
    """The minimum fractional vertex cover, F(1,1)/2, from a maximum flow and its minimum cut."""
    own = witnesses(graph, 1) if known is None else known
    return FractionalRepair(Fraction(own.first, 2), own.cover, own.flow)


def exact_repair(graph: Graph, relaxed: FractionalRepair, *, time_limit: float) -> int | None:
    """The minimum vertex cover in rows; None if it is not proved within `time_limit` seconds.

    Nemhauser and Trotter: some minimum cover has every class of share 1 and none of share 0, so
    only the classes of share 1/2 are open. Components in which an integral solution of the same
    value exists are settled; the rest is solved exactly.
    """
    whole = int(graph.weights[relaxed.cover == 2].sum())
    half = relaxed.cover == 1
    if relaxed.flow is None:  # the pairs in question are written down now
        inside = graph.within(half)
        rest = exact_repair(inside, fractional_repair(inside), time_limit=time_limit)
        return None if rest is None else whole + rest
    graph = graph.within(np.ones(graph.classes, bool))
    open_ = half.copy()
    arcs = graph.arcs.without_loops()
    open_[half] = ~integral_cover(graph, arcs.restrict(half), relaxed, half).settled
    whole += int(graph.weights[half & ~open_].sum()) // 2
    if not open_.any():
        return whole
    staying = _heaviest(graph, arcs.restrict(open_), open_, time_limit)
    return None if staying is None else whole + int(graph.weights[open_].sum()) - staying


@dataclass(frozen=True, slots=True)
class Integral:
    """What is known of the classes of share 1/2 without search."""

    settled: npt.NDArray[np.bool_]  # an integral cover of the same value exists in its component
    covered: npt.NDArray[np.bool_]  # whether the class is in such a cover, where it is settled


def integral_cover(
    graph: ConflictGraph, arcs: Arcs, relaxed: FractionalRepair, half: npt.NDArray[np.bool_]
) -> Integral:
    """Which of the half classes lie in a component that has an integral cover of the same value.

    By complementary slackness such a cover takes exactly one end of every edge that carries flow,
    and at least one end of every other: a 2-SAT formula, satisfiable iff no class is in one
    strong component of the implications with its own negation. A loop is never settled here.
    """
    if relaxed.flow is None:
        raise AssertionError("a graph with its pairs has the flow along them")
    n = arcs.nodes
    used = new_array(len(arcs.sources), np.bool_, graph.memory)
    end = 0
    for piece in pieces(len(graph.neighbours)):
        one, two = graph.sources[piece], graph.neighbours[piece]
        here = relaxed.flow[piece][(one != two) & half[one] & half[two]] > 0
        start, end = end, end + len(here)
        used[start:end] = here
    # Literal u: in the cover; literal n + u: not in it.
    strong, *stacks = (np.empty(2 * n, np.int64) for _ in range(4))
    if n:
        use_both_ways(arcs.offsets, arcs.targets, arcs.offsets[:-1].copy(), used)
        strong_parts(arcs.offsets, arcs.targets, used, strong, *stacks)
    contradiction = (strong[:n] == strong[n:]) | graph.loops[half]
    component = arcs.components()
    bad = np.bincount(component, contradiction) > 0
    # Strong components have numbers from the sinks on, and what is implied last is true; who needs
    # more than that a cover exists checks this one.
    return Integral(~bad[component], strong[:n] < strong[n:])


def _heaviest(
    graph: ConflictGraph, arcs: Arcs, open_: npt.NDArray[np.bool_], time_limit: float
) -> int | None:
    """The weight of the heaviest consistent set among the classes in `open_`, joined by `arcs`."""
    if len(arcs.sources) > LARGEST:
        return None
    # Of a class whose own rows conflict, one part can stay.
    values: list[int] = np.where(graph.loops, graph.part, graph.weights)[open_].tolist()
    collapsed = collapse(arcs, values, union=operator.add, join=max)
    total = sum(collapsed.finished)
    deadline = time.monotonic() + time_limit
    for nodes, part in collapsed.arcs.split():
        values = [collapsed.values[i] for i in nodes]
        best = independent_set(part, values, deadline - time.monotonic())
        if not best.heaviest:
            return None
        total += sum(values[i] for i in np.flatnonzero(best.chosen).tolist())
    return total


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
    settled, staying = _settle_classes(graph, arcs, relaxed, half)
    stays |= staying
    open_ &= ~settled
    smallest = True
    if open_.any():
        nodes = np.flatnonzero(open_)
        values = np.where(graph.loops, 1, graph.weights)[open_]
        chosen, smallest = _keep_heaviest(arcs.restrict(open_), values, time_limit)
        stays[nodes[chosen]] = True
    # Of a class whose own rows conflict, one row can stay.
    kept_rows = np.where(stays, np.where(graph.loops, 1, graph.weights), 0)
    return Removal(graph.weights - kept_rows, smallest)


def _settle_classes(
    graph: ConflictGraph, arcs: Arcs, relaxed: FractionalRepair, half: Mask
) -> tuple[Mask, Mask]:
    """Which classes need no search, and which of them stay."""
    inner = arcs.restrict(half)
    integral = integral_cover(graph, inner, relaxed, half)
    stays = integral.settled & ~integral.covered
    weights = graph.weights[half]
    both_stay = stays[inner.sources] & stays[inner.targets]
    settled, staying = np.zeros_like(half), np.zeros_like(half)
    if not both_stay.any() and 2 * weights[stays].sum() == weights[integral.settled].sum():
        settled[half], staying[half] = integral.settled, stays
    return settled, staying


def _keep_heaviest(
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
