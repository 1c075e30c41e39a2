"""The repair measure: how few rows must go, as a linear program and exactly."""

from __future__ import annotations

import operator
import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from candling.graph import ConflictGraph, Graph
from candling.graph.arcs import Arcs
from candling.memory import new_array, pieces
from candling.solvers.flow import Amounts
from candling.solvers.independent import independent_set
from candling.solvers.repair_kernels import strong_parts, use_both_ways
from candling.solvers.twins import collapse
from candling.solvers.witness import Witnesses, witnesses

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
    open_[half] = ~integral_cover(graph, arcs.induced(half), relaxed, half).settled
    whole += int(graph.weights[half & ~open_].sum()) // 2
    if not open_.any():
        return whole
    staying = _heaviest(graph, arcs.induced(open_), open_, time_limit)
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
