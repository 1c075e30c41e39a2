"""The published ways to choose a threshold, with sensitivities that hold.

Score of threshold t: its value, less the noise's standard deviation. (The paper subtracts the value
at the largest threshold from all scores, which changes no choice.) Selection is OpenDP's noisy max,
which picks a worse threshold than the exponential mechanism with no larger probability.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from candling.privacy import Drawn, Statistic, add_laplace, laplace_draw, laplace_noise, noisy_max

CHOICE = Fraction(2, 5)  # of epsilon, as in the paper: 0.4 to choose, 0.6 for the noise
BOUND = Fraction(1, 4)  # of that, for the bound on the degrees
DEVIATIONS = Fraction(math.sqrt(2))  # of Laplace noise, in units of its scale


@dataclass(frozen=True, slots=True)
class Last:
    """The last threshold, and all of epsilon for the noise (Algorithm 2 without a choice).

    Neighbours: tables that differ in the rows of one person. Sensitivity: that of the level. Cost:
    epsilon. Proof: docs/privacy.md, Theorems 1 and 12.
    """

    def __call__(self, statistic: Statistic, epsilon: Fraction) -> Drawn:
        return laplace_draw(statistic, epsilon, len(statistic.values) - 1)

    def expected_error(self, sensitivity: int, epsilon: Fraction) -> float:
        """That of the noise."""
        return laplace_noise(sensitivity, epsilon).mean_absolute_error


@dataclass(frozen=True, slots=True)
class Exponential:
    """One choice among all thresholds (Algorithms 2 and 3).

    Neighbours: tables that differ in the rows of one person. Sensitivity: the scores move within
    a window as wide as the largest sensitivity, or twice that if they can fall. Cost: epsilon, 0.4
    of it for the choice. Proof: docs/privacy.md, Theorem 12.
    """

    def __call__(self, statistic: Statistic, epsilon: Fraction) -> Drawn:
        rest = (1 - CHOICE) * epsilon
        return laplace_draw(statistic, rest, choose(statistic, CHOICE * epsilon, rest))

    def expected_error(self, sensitivity: int, epsilon: Fraction) -> float:
        """That of the noise."""
        return laplace_noise(sensitivity, (1 - CHOICE) * epsilon).mean_absolute_error


@dataclass(frozen=True, slots=True)
class Hierarchical:
    """Two choices, the second among what the first leaves (Algorithms 2 and 4).

    With `degree_bound`, a noisy bound on the largest degree comes first. The candidates are then
    those below it and the bound itself, rounded up to the next threshold of the statistic; one of
    `between` is a candidate in no other way, unless it is the last of all.

    Not the same as the published form: that adds noise for every FD, ours needs one draw (Theorem
    11). And that keeps the number of rows as a candidate above the bound, with a score that no row
    changes because it is said to lose nothing. Here the bound is the last candidate: scores that
    are compared with a fixed one would need nearly twice the noise.

    Neighbours, sensitivity and proof: as for the exponential mechanism, by composition; the rounded
    bound is released, as far as the choices that follow are concerned. Cost: epsilon: 0.1 for the
    bound (if asked for), what is left of 0.4 in two halves, 0.6 for the noise.
    """

    degree_bound: bool = True
    between: tuple[int, ...] = ()

    def __call__(self, statistic: Statistic, epsilon: Fraction) -> Drawn:
        part, rest = CHOICE * epsilon, (1 - CHOICE) * epsilon
        thresholds = statistic.thresholds[: len(statistic.values)]
        last = len(thresholds) - 1
        left = [i for i, t in enumerate(thresholds) if i == last or t not in self.between]
        if self.degree_bound and statistic.bound is not None:
            bound = statistic.bound()
            noise = laplace_noise(bound.sensitivity, BOUND * part)
            last = min(last, bisect_left(thresholds, add_laplace(bound.value, noise)))
            left = [*(i for i in left if i < last), last]
            part -= BOUND * part
        for _ in range(2):
            left = left[: choose(only(statistic, left), part / 2, rest) + 1]
        return laplace_draw(statistic, rest, left[-1])

    def expected_error(self, sensitivity: int, epsilon: Fraction) -> float:
        """That of the noise."""
        return laplace_noise(sensitivity, (1 - CHOICE) * epsilon).mean_absolute_error


def choose(statistic: Statistic, epsilon: Fraction, rest: Fraction) -> int:
    """A level with nearly the best score, if `rest` is left for the noise; costs epsilon."""
    scores = [
        value - DEVIATIONS * s / rest
        for value, s in zip(statistic.values, statistic.sensitivities, strict=True)
    ]
    largest = Fraction(max(statistic.sensitivities))
    if statistic.monotone:
        return noisy_max(scores, window=largest, epsilon=epsilon, monotone=True)
    return noisy_max(scores, window=2 * largest, epsilon=epsilon)


def only(statistic: Statistic, levels: Sequence[int]) -> Statistic:
    """Some of the levels alone, ascending."""
    values, sensitivities, thresholds = (
        tuple(every[i] for i in levels)
        for every in (statistic.values, statistic.sensitivities, statistic.thresholds)
    )
    return replace(statistic, values=values, sensitivities=sensitivities, thresholds=thresholds)
