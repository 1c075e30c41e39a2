"""The algorithms as the paper prints them: NOT PRIVATE, for experiments only.

`as_coded` is what the authors' public code does instead. The paper says that the budgets for the
choice and for the noise add up to epsilon, and not how large they are: 0.4 and 0.6 are the shares
that the code computes (it then spends more). What is wrong, each with a test in
tests/paper/test_claims.py:

- the exact number of rows is a candidate and the scale of noise, which gives it away;
- `problematic` gets noise for a sensitivity of t, and has t + 1;
- the scores are said to have a sensitivity of the largest threshold, and can have twice that;
- the noise is of floating-point numbers, whose gaps give values away.

The order of pairs is a stable one, that of their values. Randomness is numpy's, seeded, so that
runs can be repeated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from candling.graph.conflict_graph import loops_of
from candling.rules import Kind
from candling.tables import Classes
from candling_paper.all_rows import AllRows
from candling_paper.degree_bound import most_others
from candling_paper.edge_addition import Projections, edge_addition
from candling_paper.ordered import OrderedPairs
from candling_paper.thresholds import CANDIDATES
from candling_paper.vertex_cover import vertex_cover

CHOICE, BOUND, NOISE = 0.4, 0.25, 0.6  # of epsilon, of CHOICE, of epsilon again


@dataclass(frozen=True, slots=True)
class Answer:
    """A threshold and a noisy value. NOT PRIVATE."""

    threshold: int
    value: float


@dataclass
class NotPrivate:
    """All that the published algorithms look at in one table."""

    rows: int  # |V|: the exact number
    pairs: OrderedPairs
    groups: tuple[int, ...]  # of each FD and key, its largest group less one
    known: dict[int, tuple[int, int]] = field(default_factory=dict)  # by threshold

    def kept(self, measure: str, threshold: int) -> int:
        """Pairs or rows that edge addition keeps."""
        if threshold not in self.known:
            wanted = {threshold, self.rows, *CANDIDATES} - set(self.known)
            self._remember(edge_addition(self.pairs, sorted(wanted)))
        return self.known[threshold][measure == "problematic"]

    def _remember(self, made: Projections) -> None:
        self.known |= dict(
            zip(made.thresholds, zip(made.pairs, made.rows, strict=True), strict=True)
        )


def not_private(rows: AllRows) -> NotPrivate:
    """The table as the published algorithms see it."""
    return NotPrivate(max(rows.facts.rows, 1), rows.pairs, largest_groups(rows.classes))


def largest_groups(classes: Classes) -> tuple[int, ...]:
    """For each FD and key the size of its largest group, less one (the paper's degree bound)."""
    largest = []
    for rule in classes.rules:
        kind = rule.constraint.shape
        if kind.kind in (Kind.FD, Kind.KEY):
            largest.append(most_others(classes, [rule.names[name] for name in kind.equal]))
    return tuple(largest)


def exponential_not_private(
    table: NotPrivate, measure: str, epsilon: float, rng: np.random.Generator
) -> Answer:
    """Algorithms 2 and 3: one choice among the candidates up to the exact number of rows."""
    candidates = sorted({t for t in CANDIDATES if t < table.rows} | {table.rows})
    budgets = CHOICE * epsilon, NOISE * epsilon
    top = candidates[-1]
    chosen = _choose(table, measure, candidates, largest=top, epsilons=budgets, rng=rng)
    return _answer(table, measure, chosen, NOISE * epsilon, rng)


def hierarchical_not_private(
    table: NotPrivate,
    measure: str,
    epsilon: float,
    rng: np.random.Generator,
    *,
    degree_bound: bool = True,
) -> Answer:
    """Algorithms 2 and 4: a noisy bound on degrees, and two choices among what it leaves."""
    part = CHOICE * epsilon
    largest = table.rows
    if degree_bound and table.groups:
        scale = len(table.groups) / (BOUND * part)
        total = sum(table.groups) + rng.laplace(scale=scale, size=len(table.groups)).sum()
        largest = int(min(max(total, 1), table.rows))
        part -= BOUND * part
    candidates = sorted({t for t in CANDIDATES if t <= largest} | {largest, table.rows})
    budgets = part / 2, NOISE * epsilon
    for _ in range(2):
        largest = _choose(table, measure, candidates, largest=largest, epsilons=budgets, rng=rng)
        candidates = [t for t in candidates if t <= largest]
    return _answer(table, measure, largest, NOISE * epsilon, rng)


def baseline_rows_not_private(
    table: NotPrivate, measure: str, epsilon: float, rng: np.random.Generator
) -> Answer:
    """Baseline 1: the exact number of rows as the threshold, all of epsilon for the noise."""
    return _answer(table, measure, table.rows, epsilon, rng)


def baseline_degree_not_private(
    table: NotPrivate, measure: str, epsilon: float, rng: np.random.Generator
) -> Answer:
    """Baseline 2: the true largest degree as the threshold; its authors call it not private too."""
    return _answer(table, measure, largest_degree(table.pairs), epsilon, rng)


def vertex_cover_not_private(
    table: NotPrivate, epsilon: float, rng: np.random.Generator, *, slip: bool = False
) -> float:
    """Algorithm 5 with noise of scale 2/epsilon; with `slip`, of the scale epsilon/2 it prints."""
    scale = epsilon / 2 if slip else 2 / epsilon
    return vertex_cover(table.pairs) + float(rng.laplace(scale=scale))


def largest_degree(pairs: OrderedPairs) -> int:
    """The most pairs that one row is in, or 1."""
    if not len(pairs.weights):
        return 1
    near = np.add.reduceat(pairs.weights[pairs.neighbours], pairs.offsets[:-1])
    return max(int((near - loops_of(pairs.offsets, pairs.neighbours)).max()), 1)


def quality(kept: int, kept_by_largest: int, threshold: int, noise_epsilon: float) -> float:
    """The score of a threshold: minus what it loses, minus the noise's standard deviation."""
    return -(kept_by_largest - kept) - math.sqrt(2) * threshold / noise_epsilon


def probabilities(
    scores: Sequence[float], sensitivity: float, epsilon: float
) -> npt.NDArray[np.float64]:
    """Those of the exponential mechanism."""
    weights = np.exp((np.array(scores) - max(scores)) * epsilon / (2 * sensitivity))
    return np.asarray(weights / weights.sum(), np.float64)


def utility_bound(
    scores: Sequence[float], largest: int, lost: float, choice_epsilon: float, miss: float
) -> float:
    """The published bound on the error that holds but with probability `miss`.

    `lost` is what the largest threshold loses of the true value. It is not a bound where choosing
    has much more budget than the noise: docs/paper.md.
    """
    best = max(scores)
    ties = sum(score == best for score in scores)
    spread = 2 * largest / choice_epsilon * math.log(2 * len(scores) / (ties * miss))
    return lost - best + spread


def _choose(
    table: NotPrivate,
    measure: str,
    candidates: Sequence[int],
    *,
    largest: int,
    epsilons: tuple[float, float],
    rng: np.random.Generator,
) -> int:
    """A candidate, by the scores' exponential mechanism; epsilons for the choice and the noise."""
    choice, noise = epsilons
    top = table.kept(measure, largest)
    scores = [
        # All rows as the threshold is said to lose nothing.
        quality(top if t == table.rows else table.kept(measure, t), top, t, noise)
        for t in candidates
    ]
    return int(rng.choice(candidates, p=probabilities(scores, largest, choice)))


def _answer(
    table: NotPrivate, measure: str, threshold: int, epsilon: float, rng: np.random.Generator
) -> Answer:
    kept = table.kept(measure, threshold)
    return Answer(threshold, kept + float(rng.laplace(scale=threshold / epsilon)))
