"""OPT2, the successor of R2T: the smallest threshold at which few rows have too many conflicts.

From the public code of its authors (hkustDB/DPSQL, src/algorithm/OptSJA.py, commit 297a261), which
is the only description that we could read: whether the article (doi 10.1145/3697831) says the same
is not known. The noise here is of floating-point numbers, as there: for experiments, not for a
release.

Neighbours: tables that differ in one row. Let D(r) be the fewest rows, in fractions, without which
no row has more than r conflicts. The code tests N - D(r), where N counts the rows that are in a
conflict, and compares it with N less a margin. N moves by as much as a row has conflicts, but it is
on both sides: what is compared is D(r) alone. Leaving out the row that was added too makes it fit
the larger table, so D(r) grows by 0 to 1. The search is the sparse vector technique for queries of
sensitivity 1 with noise of scale 3/epsilon on the margin and 6/epsilon on each query, which costs
2/3 of epsilon; the truncated count, which a row moves by r, gets noise of scale 3r/epsilon for the
rest.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from candling.graph import ConflictGraph, build_graph
from candling.measures.facts import Facts
from candling_paper.all_rows import AllRows
from candling_paper.published_race import kept_not_private

MISS = 0.1  # beta, its default
CERTAIN = 10  # scales of noise: further from a decision it would be another once in 40,000 times
CLOSE = 1e-6  # conflicts by which a row may have too many


class Search:
    """What OPT2 asks of one table. Private."""

    def __init__(self, rows: AllRows) -> None:
        self._facts: Facts = rows.facts
        self._graph: ConflictGraph = build_graph(rows.classes)
        self._removals: dict[int, float] = {}
        self._kept: dict[int, float] = {}

    def __repr__(self) -> str:
        return "Search()"  # nothing true in a repr

    @cached_property
    def largest_degree(self) -> int:
        """Beyond it no row has too many conflicts."""
        return int(self._graph.degrees.max(initial=0))

    def kept(self, threshold: int) -> float:
        """The truncated number of pairs, which a row moves by 0 to `threshold`."""
        if threshold not in self._kept:
            (self._kept[threshold],) = kept_not_private(self._facts, [threshold])
        return self._kept[threshold]

    def removals(self, threshold: int, enough: float) -> float:
        """D(threshold), or a lower bound that is at least `enough`."""
        if threshold >= self.largest_degree:
            return 0.0
        if threshold not in self._removals:
            bound = self._lower_bound(threshold)
            if bound >= enough:
                return bound
            self._removals[threshold] = fewest_removals(self._graph, threshold)
        return self._removals[threshold]

    def _lower_bound(self, threshold: int) -> float:
        """What is left has no more pairs than the truncation keeps, and rows take their degrees."""
        graph = self._graph
        lost = graph.pairs - self.kept(threshold)
        order = np.argsort(-graph.degrees)
        degrees, weights = graph.degrees[order], graph.weights[order]
        gone = np.cumsum(degrees * weights)
        last = int(np.searchsorted(gone, lost))
        before = float(gone[last - 1]) if last else 0.0
        return float(weights[:last].sum()) + (lost - before) / max(float(degrees[last]), 1.0)


def fewest_removals(graph: ConflictGraph, threshold: int) -> float:
    """The linear program of D(threshold); rows of a class share a value, as averaging shows.

    With x of every row gone, a row u keeps the sum of max(0, 1 - x(u) - x(v)) over its conflicts v.
    That is convex, so it is at most the threshold if all its tangents are: those that an answer
    breaks are added until it breaks none. Only rows with more conflicts than the threshold have
    any.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, vstack

    weights, offsets = graph.weights, graph.offsets
    parts = np.maximum(graph.part, 1)
    heavy = np.flatnonzero(graph.degrees > threshold)
    gone = np.zeros(len(weights))
    cuts: list[csr_array] = []
    limits: list[float] = []
    while True:
        broken = False
        for u in heavy:
            neighbours = graph.neighbours[offsets[u] : offsets[u + 1]]
            near = weights[neighbours] - np.where(neighbours == u, parts[u], 0)
            stay = 1 - gone[u] - gone[neighbours]
            there = stay > 0
            if float(near[there] @ stay[there]) <= threshold + CLOSE:
                continue
            broken = True
            columns, slopes = np.append(neighbours[there], u), near[there]
            values = -np.append(slopes, slopes.sum()).astype(float)
            row = csr_array((values, (np.zeros_like(columns), columns)), shape=(1, len(weights)))
            cuts.append(row)  # what stands twice is added up
            limits.append(threshold - float(slopes.sum()))
        if not broken:
            return float(weights @ gone)
        found = linprog(weights, A_ub=vstack(cuts), b_ub=limits, bounds=(0, 1), method="highs")
        if not found.success:
            raise ArithmeticError(f"a linear program of OPT2 was not solved: {found.message}")
        gone = found.x


def opt2(search: Search, epsilon: float, rng: np.random.Generator) -> tuple[int, float]:
    """A threshold and a noisy number of pairs; costs epsilon."""
    margin = 6 / epsilon * math.log(1 / MISS)
    shift = float(rng.laplace(scale=3 / epsilon))
    far = margin + abs(shift) + CERTAIN * 6 / epsilon
    threshold = 1
    while True:
        noise = float(rng.laplace(scale=6 / epsilon))
        if search.removals(threshold, far) <= margin - shift + noise:
            break
        threshold *= 2
    return threshold, search.kept(threshold) + float(rng.laplace(scale=3 * threshold / epsilon))
