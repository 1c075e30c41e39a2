"""Sets of functional dependencies whose smallest repair takes polynomial time.

The dichotomy of Livshits, Kimelfeld and Roy ("Computing Optimal Repairs for Functional
Dependencies", 2018): simplify by a common left-hand column, a consensus (empty left side) or a
marriage of two left sides; the smallest repair is polynomial iff nothing is left. The same steps
compute it. Being tractable is a property of the rules, never of the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from candling.conflicts.grouping import group_lines
from candling.constraints import Constraint, Kind, shape
from candling.engine import CodedRule
from candling.measures.progress import must_progress


@dataclass(frozen=True, slots=True)
class Dependency:
    """left -> right, over column names or indices."""

    left: frozenset[str]
    right: str


@dataclass(frozen=True, slots=True)
class _Step:
    """A simplification: which columns go, and what they are."""

    name: str  # "common", "consensus" or "marriage"
    columns: frozenset[str]
    sides: tuple[frozenset[str], ...] = ()


def tractable(constraints: Sequence[Constraint]) -> bool:
    """Whether the pair rules are plain functional dependencies on the polynomial side."""
    rules = dependencies(constraints)
    while rules:
        step = _next_step(rules)
        if step is None:
            return False
        before = _columns(rules)
        rules = _without(rules, step.columns)
        must_progress(_columns(rules) < before)  # a step takes a column out of all rules
    return rules is not None


def _columns(rules: tuple[Dependency, ...]) -> frozenset[str]:
    return frozenset[str]().union(*({*r.left, r.right} for r in rules))


def dependencies(constraints: Sequence[Constraint]) -> tuple[Dependency, ...] | None:
    """The rules as dependencies, or None if one is something else."""
    forms = [shape(c) for c in constraints if c.rows == 2]
    if any(f.kind is not Kind.FD or f.where for f in forms):
        return None
    rules = (Dependency(frozenset(f.equal), f.differ) for f in forms if f.differ is not None)
    return tuple(r for r in rules if r.right not in r.left)


def heaviest_consistent(
    rules: Sequence[CodedRule], codes: npt.NDArray[np.int32], weights: npt.NDArray[np.int64]
) -> int | None:
    """The weight of the heaviest consistent set of lines under tractable rules.

    None if a right side holds a NULL: a row with NULL there agrees with rows that disagree, which
    the simplifications do not know. A NULL in a left side alone agrees with nothing.
    """
    found = dependencies([rule.constraint for rule in rules])
    if found is None:
        return None
    columns = {
        name: codes[index].astype(np.int64) for rule in rules for name, index in rule.names.items()
    }
    for name, column in columns.items():
        missing = column < 0
        if missing.any():
            if any(name == d.right for d in found):
                return None
            column[missing] = -1 - np.arange(missing.sum())
    return _best(found, columns, weights)


def _best(
    rules: tuple[Dependency, ...],
    columns: dict[str, npt.NDArray[np.int64]],
    weights: npt.NDArray[np.int64],
) -> int:
    """The heaviest consistent set of lines, by the steps of the dichotomy."""
    if not rules:
        return int(weights.sum())
    step = _next_step(rules)
    if step is None:
        raise AssertionError("the rules are not tractable")
    rest = _without(rules, step.columns)

    def best(lines: npt.NDArray[np.int64]) -> int:
        return _best(rest, {name: c[lines] for name, c in columns.items()}, weights[lines])

    if step.name == "common":
        return sum(best(lines) for lines in _parts(_labels(step.columns, columns)))
    if step.name == "consensus":
        return max((best(lines) for lines in _parts(_labels(step.columns, columns))), default=0)
    one, two = (_labels(side, columns) for side in step.sides)
    couples = _parts(group_lines(np.stack([one, two])).label)
    return _heaviest_matching({(one[x[0]], two[x[0]]): best(x) for x in couples})


def _next_step(rules: tuple[Dependency, ...]) -> _Step | None:
    common = frozenset.intersection(*(r.left for r in rules))
    if common:
        return _Step("common", common)
    for r in rules:
        if not r.left:
            return _Step("consensus", frozenset({r.right}))
    lefts = sorted({r.left for r in rules}, key=sorted)
    for one, two in combinations(lefts, 2):
        if _closure(one, rules) == _closure(two, rules) and all(
            one <= r.left or two <= r.left for r in rules
        ):
            return _Step("marriage", one | two, (one, two))
    return None


def _closure(start: frozenset[str], rules: tuple[Dependency, ...]) -> frozenset[str]:
    found = start
    while True:  # grows in every round but the last, and has no more than all columns
        grown = found | {r.right for r in rules if r.left <= found}
        if grown == found:
            return found
        found = grown


def _without(rules: tuple[Dependency, ...], columns: frozenset[str]) -> tuple[Dependency, ...]:
    """The rules when all rows agree on `columns`."""
    return tuple(Dependency(r.left - columns, r.right) for r in rules if r.right not in columns)


def _labels(
    names: frozenset[str], columns: dict[str, npt.NDArray[np.int64]]
) -> npt.NDArray[np.int32]:
    return group_lines(np.stack([columns[name] for name in sorted(names)])).label


def _parts(label: npt.NDArray[np.int32]) -> list[npt.NDArray[np.int64]]:
    """The lines of each label."""
    order = np.argsort(label, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
    return [lines for lines in parts if len(lines)]


def _heaviest_matching(pairs: dict[tuple[int, int], int]) -> int:
    """The heaviest matching of a bipartite graph, as a flow of least cost."""
    from ortools.graph.python import min_cost_flow

    lefts = sorted({a for a, _ in pairs})
    rights = sorted({b for _, b in pairs})
    size = len(lefts) + len(rights)
    source, sink = size, size + 1
    left, right = {a: i for i, a in enumerate(lefts)}, {b: i for i, b in enumerate(rights)}
    network = min_cost_flow.SimpleMinCostFlow()
    for a in lefts:
        network.add_arc_with_capacity_and_unit_cost(source, left[a], 1, 0)
    for (a, b), weight in pairs.items():
        head = len(lefts) + right[b]
        network.add_arc_with_capacity_and_unit_cost(left[a], head, 1, -weight)
    for b in rights:
        network.add_arc_with_capacity_and_unit_cost(len(lefts) + right[b], sink, 1, 0)
    network.add_arc_with_capacity_and_unit_cost(source, sink, len(lefts), 0)
    network.set_node_supply(source, len(lefts))
    network.set_node_supply(sink, -len(lefts))
    if network.solve() != network.OPTIMAL:
        raise AssertionError("a matching always exists")
    return -int(network.optimal_cost())
