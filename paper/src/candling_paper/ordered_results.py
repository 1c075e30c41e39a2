"""The results of the authors' SQL query for R2T: pairs of rows in order. NOT PRIVATE.

The query joins the table with itself, so a pair that a dependency or a key forbids is two results,
one in each order, and a row's contribution is twice its degree. A rule that only one order breaks
(`t1.a < t2.a and t1.b < t2.b`) makes one result of a pair. That follows from the authors' figure
script, which halves what R2T answers; the queries themselves are not public.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from candling.graph.conflict_graph import owners
from candling.rules import Column, Constraint, ConstraintSet, Predicate
from candling.tables import Classes
from candling_paper.all_rows import AllRows
from candling_paper.ordered import OrderedPairs, ordered_pairs
from candling_paper.published_race import kept_not_private


@dataclass(frozen=True, slots=True)
class Results:
    """How many results the query has, and how many R2T keeps at each of its thresholds."""

    total: float
    kept: tuple[float, ...]


def results_not_private(
    rows: AllRows, rules: ConstraintSet, thresholds: Sequence[float]
) -> Results:
    """The results, and what the linear program keeps if no row may be in more than t of them.

    Where all pairs count twice, the program at t is twice that over unordered pairs at t/2.
    """
    once = one_way(rules)
    if not once:
        kept = kept_not_private(rows.facts, [t / 2 for t in thresholds])
        return Results(2.0 * rows.facts.graph.pairs, tuple(2 * k for k in kept))
    both = replace(
        rows.classes,
        rules=tuple(r for r in rows.classes.rules if r.constraint.canonical not in once),
    )
    return _counted(rows.classes, [rows.pairs, ordered_pairs(both)], thresholds)


def one_way(rules: ConstraintSet) -> set[Constraint]:
    """The pair rules that are not broken in the other order too, in their canonical form."""
    pairs = [rule for rule in rules if rule.rows == 2]
    written = {_as_written(rule.predicates) for rule in pairs}
    return {r.canonical for r in pairs if _as_written(r.predicates, swap=True) not in written}


def _as_written(predicates: Iterable[Predicate], *, swap: bool = False) -> frozenset[object]:
    """The predicates in one form of all that say the same, or that of the rows exchanged."""
    found: set[object] = set()
    for p in predicates:
        left, op, right = p.left, p.op, p.right
        if not isinstance(right, Column):
            found.add((_row(left, swap), left.name, op, right))
            continue
        ends = [(_row(left, swap), left.name), (_row(right, swap), right.name)]
        if ends[0] > ends[1]:
            ends, op = ends[::-1], op.flipped
        found.add((*ends, op))
    return frozenset(found)


def _row(column: Column, swap: bool) -> int:
    return 3 - column.row if swap else column.row


def _counted(
    classes: Classes, graphs: Sequence[OrderedPairs], thresholds: Sequence[float]
) -> Results:
    """The program over pairs that count once for each of the graphs that has them."""
    weights = classes.weights
    arcs = [_arcs(graph) for graph in graphs]
    left = np.concatenate([a[0] for a in arcs])
    right = np.concatenate([a[1] for a in arcs])
    others = np.where(left == right, weights[right] - 1, weights[right])
    capacity = weights[left] * others
    total = float(capacity.sum()) / 2

    def at(threshold: int) -> float:
        return _flow(weights, left, right, capacity, threshold) / 2

    kept = []
    for threshold in thresholds:
        whole = math.floor(threshold)
        low = at(whole)
        high = low if whole == threshold else at(whole + 1)
        kept.append(low + (threshold - whole) * (high - low))
    return Results(total, tuple(kept))


def _arcs(graph: OrderedPairs) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Both directions of every pair of distinct rows, as lines of the table."""
    sources = graph.lines[owners(graph.offsets, None)]
    return sources, graph.lines[graph.neighbours]


def _flow(
    weights: npt.NDArray[np.int64],
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    capacity: npt.NDArray[np.int64],
    threshold: int,
) -> int:
    """The largest flow of the double cover whose copies take no more than the threshold each."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_flow

    size = len(weights)
    source, sink = 2 * size, 2 * size + 1
    lines = np.arange(size)
    room = weights * threshold
    starts = np.concatenate([np.full(size, source), left, size + lines])
    ends = np.concatenate([lines, size + right, np.full(size, sink)])
    capacities = np.concatenate([room, np.minimum(capacity, room[left]), room])
    network = coo_array(
        (capacities.astype(np.int32), (starts, ends)), shape=(sink + 1, sink + 1)
    ).tocsr()  # which adds up what a pair has in several graphs
    return int(maximum_flow(network, source, sink).flow_value)
