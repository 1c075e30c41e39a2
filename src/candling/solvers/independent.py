"""Heaviest independent sets of small hard graphs, by OR-tools' CP-SAT."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from candling.graph.arcs import Arcs

LARGEST = 4_000_000  # arcs that the exact solver is asked to look at


@dataclass(frozen=True, slots=True)
class IndependentSet:
    """Nodes without an arc between them."""

    chosen: npt.NDArray[np.bool_]
    heaviest: bool  # proved


def independent_set(arcs: Arcs, values: list[int], seconds: float) -> IndependentSet | None:
    """The heaviest independent set of one component, or the best one found in time.

    None if there is no time, or the graph is too large to begin with.
    """
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
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    inside = np.array([solver.boolean_value(variable) for variable in chosen], bool)
    return IndependentSet(inside, status == cp_model.OPTIMAL)
