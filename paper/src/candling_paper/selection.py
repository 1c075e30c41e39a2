"""The published ways to choose a threshold, with sensitivities that hold.

Score of threshold t: its value, less the noise's standard deviation. (The paper subtracts the value
at the largest threshold from all scores, which changes no choice.) Selection is OpenDP's noisy max,
which picks a worse threshold than the exponential mechanism with no larger probability.
"""

from __future__ import annotations

import math
from bisect import bisect_left
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

    With `degree_bound`, a noisy bound on the largest degree first takes away the thresholds beyond
    the next one. The published bound adds noise for every FD; ours needs one draw (Theorem 11).

    Neighbours, sensitivity and proof: as for the exponential mechanism, by composition. Cost:
    epsilon: 0.1 for the bound (if asked for), what is left of 0.4 in two halves, 0.6 for the noise.
    """

    degree_bound: bool = True

    def __call__(self, statistic: Statistic, epsilon: Fraction) -> Drawn:
        part, rest = CHOICE * epsilon, (1 - CHOICE) * epsilon
        left = statistic
        if self.degree_bound and statistic.bound is not None:
            bound = statistic.bound()
            noise = laplace_noise(bound.sensitivity, BOUND * part)
            cap = add_laplace(bound.value, noise)
            left = first(statistic, bisect_left(statistic.thresholds, cap) + 1)
            part -= BOUND * part
        for _ in range(2):
            left = first(left, choose(left, part / 2, rest) + 1)
        return laplace_draw(left, rest, len(left.values) - 1)

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


def first(statistic: Statistic, count: int) -> Statistic:
    """The first levels alone."""
    return replace(
        statistic, values=statistic.values[:count], sensitivities=statistic.sensitivities[:count]
    )
