"""Truncation of nodes: every row with too many conflicts is left out, before the others are
counted.

Kasiviswanathan, Nissim, Raskhodnikova and Smith, *Analyzing Graphs with Node Differential Privacy*,
TCC 2013, with the smooth sensitivity of Nissim, Raskhodnikova and Smith (STOC 2007). It is the
simplest of the projections that the paper had tried and says to be worse. The noise is of
floating-point numbers: for experiments, not for a release.

Neighbours: tables that differ in one row. A row that is added changes which rows are left out:
itself, and those with exactly D conflicts before. So the truncated tables differ in at most 1 + N
rows, each with at most D conflicts, where N counts the rows with D or D + 1 conflicts. In a table
that differs in k rows, N counts at most the rows with D - k to D + k + 1 conflicts here, and k
more. The largest of (1 + k + N_k) e^(-bk) over k is therefore a b-smooth bound (of neighbours it
differs by a factor of at most e^b).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from candling.graph import ConflictGraph, build_graph
from candling.graph.conflict_graph import owners
from candling_paper.all_rows import AllRows
from candling_paper.degree_bound import bound_degrees
from candling_paper.laplace import add_laplace, laplace_noise
from candling_paper.levels import Bound

BOUND = Fraction(1, 10)  # of epsilon, for the bound on the degrees that the rules give
LEAST = 64  # a smaller bound would be near the degree of the many rows that have no conflict
# Of the density proportional to 1 / (1 + z^4): the steepest of its logarithm, and how fast that of
# z h(z) changes when z is stretched. Each may use half of the budget.
STEEPEST = 3**0.75
STRETCHED = 3.0


@dataclass(frozen=True)
class Truncated:
    """A table for truncation at any bound. Private."""

    graph: ConflictGraph
    rows: int  # with or without conflicts
    bound: Bound  # on the degrees, from the rules

    def __repr__(self) -> str:
        return "Truncated()"  # nothing true in a repr

    @classmethod
    def of(cls, rows: AllRows) -> Truncated:
        """The table as truncation sees it."""
        classes = rows.classes
        return cls(build_graph(classes), int(classes.weights.sum()), bound_degrees(classes))

    def draw(self, epsilon: Fraction, rng: np.random.Generator) -> tuple[int, float]:
        """A bound on the degrees and a noisy number of pairs; costs epsilon."""
        noise = laplace_noise(self.bound.sensitivity, BOUND * epsilon)
        degree = max(LEAST, add_laplace(self.bound.value, noise))
        rest = float((1 - BOUND) * epsilon)
        smooth = self.smooth_bound(degree, rest / (2 * STRETCHED))
        scale = degree * smooth * 2 * STEEPEST / rest
        return degree, self.pairs(degree) + scale * heavy_noise(rng)

    def pairs(self, degree: int) -> int:
        """Pairs of rows that both have no more conflicts than that."""
        graph = self.graph
        light = graph.degrees <= degree
        sources = owners(graph.offsets, None)
        here = light[sources] & light[graph.neighbours]
        left, right = sources[here], graph.neighbours[here]
        own = np.maximum(graph.part[right], 1)
        near = np.where(left == right, graph.weights[right] - own, graph.weights[right])
        return int((graph.weights[left] * near).sum()) // 2

    def smooth_bound(self, degree: int, decay: float) -> float:
        """The b-smooth bound on how many rows come or go."""
        without = self.rows - int(self.graph.weights.sum())
        degrees = np.append(self.graph.degrees, 0)
        weights = np.append(self.graph.weights, without)
        # A row's k: from which on it is counted.
        first = np.where(degrees <= degree, degree - degrees, degrees - degree - 1)
        counts = np.bincount(first, weights=weights)
        steps = np.arange(len(counts) + math.ceil(1 / decay) + 1)
        near = np.pad(np.cumsum(counts), (0, len(steps) - len(counts)), mode="edge")
        return float(((1 + steps + near) * np.exp(-decay * steps)).max())


def heavy_noise(rng: np.random.Generator) -> float:
    """A number of density proportional to 1 / (1 + z^4), by rejection from Cauchy's."""
    most = (1 + math.sqrt(2)) / 2  # of (1 + z^2) / (1 + z^4)
    while True:
        z = float(rng.standard_cauchy())
        if rng.random() * most <= (1 + z * z) / (1 + z**4):
            return z


def log_density(z: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Of the noise, up to a constant."""
    return -np.log1p(z**4)
