"""The repair measure: how few rows must go, as a linear program and exactly."""

from __future__ import annotations

import operator
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from candling.conflicts import BlockGraph, ConflictGraph
from candling.constraints import Constraint
from candling.measures.chain import chain
from candling.measures.flow import max_flow
from candling.measures.subgraph import Arcs, arcs_of
from candling.measures.tractable import dependencies, heaviest_consistent, tractable
from candling.measures.twins import collapse
from candling.measures.witness import Witnesses, witnesses

LARGEST = 4_000_000  # arcs that the exact solver is asked to look at


@dataclass(frozen=True, slots=True)
class FractionalRepair:
    """An optimal half-integral vertex cover, and the dual flow that proves it."""

    value: Fraction  # without the self-inconsistent rows
    cover: npt.NDArray[np.int8]  # per class, twice the share of each of its rows: 0, 1 or 2
    flow: npt.NDArray[np.int64] | None  # along graph.neighbours, where these are written down


def exact_by_rules(constraints: Sequence[Constraint]) -> bool:
    """Whether these rules let the smallest repair be found in polynomial time on every table.

    So it is if their graph is always a cograph, or if they are tractable dependencies and a NULL in
    a right side frees a row from all of them. The data has no say in it.
    """
    shapes = chain(constraints)
    if not shapes.broken_by and not shapes.not_null:
        return True
    found = dependencies(constraints)
    return (
        found is not None
        and tractable(constraints)
        and all(d.right in {*other.left, other.right} for d in found for other in found)
    )


def fractional_repair(
    graph: ConflictGraph | BlockGraph, *, given: Witnesses | None = None
) -> FractionalRepair:
    """The minimum fractional vertex cover, F(1,1)/2, from a maximum flow and its minimum cut."""
    if isinstance(graph, BlockGraph):
        found = given or witnesses(graph, 1)
        return FractionalRepair(Fraction(found.counts[0], 2), found.cover, None)
    flow = max_flow(graph, 1, 1)
    cover = (~flow.left_reached).astype(np.int8) + flow.right_reached
    return FractionalRepair(Fraction(flow.value, 2), cover, flow.arcs)


def exact_repair(
    graph: ConflictGraph | BlockGraph, relaxed: FractionalRepair, *, time_limit: float
) -> int | None:
    """The minimum vertex cover in rows; None if it is not proved within `time_limit` seconds.

    Nemhauser and Trotter: some minimum cover has every class of share 1 and none of share 0, so
    only the classes of share 1/2 are open. Components in which an integral solution of the same
    value exists are settled; the rest is solved exactly.
    """
    whole = int(graph.weights[relaxed.cover == 2].sum())
    half = relaxed.cover == 1
    if isinstance(graph, BlockGraph):
        inside = graph.within(half)
        rest = exact_repair(inside, fractional_repair(inside), time_limit=time_limit)
        return None if rest is None else whole + rest
    open_ = half.copy()
    arcs = arcs_of(graph)
    open_[half] = ~_settled(graph, arcs.induced(half), relaxed, half)
    whole += int(graph.weights[half & ~open_].sum()) // 2
    if not open_.any():
        return whole
    kept = _heaviest(graph, arcs.induced(open_), open_, time_limit)
    return None if kept is None else whole + int(graph.weights[open_].sum()) - kept


def _settled(
    graph: ConflictGraph, arcs: Arcs, relaxed: FractionalRepair, half: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Which of the half classes lie in a component that has an integral cover of the same value.

    By complementary slackness such a cover takes exactly one end of every edge that carries flow,
    and at least one end of every other: a 2-SAT formula, satisfiable iff no class is in one
    strong component of the implications with its own negation. A loop is never settled here.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = arcs.nodes
    plain = graph.sources != graph.neighbours
    inside = half[graph.sources] & half[graph.neighbours]
    if relaxed.flow is None:
        raise AssertionError("a graph with its pairs has the flow along them")
    used = relaxed.flow[plain & inside] > 0
    # Literal u: in the cover; literal n + u: not in it.
    tails = np.concatenate([n + arcs.sources, arcs.sources[used], arcs.targets[used]])
    heads = np.concatenate([arcs.targets, n + arcs.targets[used], n + arcs.sources[used]])
    implications = coo_array((np.ones(len(tails), np.int8), (tails, heads)), shape=(2 * n, 2 * n))
    strong = connected_components(implications, directed=True, connection="strong")[1]
    contradiction = (strong[:n] == strong[n:]) | graph.loops[half]
    component = arcs.components()
    bad = np.bincount(component, contradiction) > 0
    result: npt.NDArray[np.bool_] = ~bad[component]
    return result


def _heaviest(
    graph: ConflictGraph, arcs: Arcs, open_: npt.NDArray[np.bool_], time_limit: float
) -> int | None:
    """The weight of the heaviest consistent set among the classes in `open_`, joined by `arcs`."""
    rules = [rule for rule in graph.rules if rule.constraint.rows == 2]
    if rules and tractable([rule.constraint for rule in rules]):
        kept = heaviest_consistent(rules, graph.codes[:, open_], graph.weights[open_])
        if kept is not None:
            return kept
    values = np.where(graph.loops, 1, graph.weights)[open_].tolist()
    collapsed = collapse(arcs, values, union=operator.add, join=max)
    total = sum(collapsed.finished)
    deadline = time.monotonic() + time_limit
    for nodes, part in collapsed.arcs.split():
        values = [collapsed.values[i] for i in nodes]
        kept = _solve(part, values, deadline - time.monotonic())
        if kept is None:
            return None
        total += kept
    return total


def _solve(arcs: Arcs, values: list[int], seconds: float) -> int | None:
    """The heaviest independent set of one component, by OR-tools' CP-SAT."""
    if seconds <= 0 or len(arcs.sources) > LARGEST:
        return None
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in range(arcs.nodes)]
    once = arcs.sources < arcs.targets
    for u, v in zip(arcs.sources[once].tolist(), arcs.targets[once].tolist(), strict=True):
        model.add_bool_or(chosen[u].negated(), chosen[v].negated())
    model.maximize(cp_model.LinearExpr.weighted_sum(chosen, values))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    if solver.solve(model) != cp_model.OPTIMAL:
        return None
    return round(solver.objective_value)
