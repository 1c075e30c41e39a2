"""Race to the top (R2T): noise on every threshold, less what the noise may add, and the largest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from candling.privacy import DiscreteLaplace, Statistic, add_laplace, laplace_noise

MISS = 0.1  # probability that the answer exceeds the true value, as in the published runs


@dataclass(frozen=True, slots=True)
class R2TDraw:
    """The winner of the race."""

    level: int
    value: int
    step: Fraction
    noise: DiscreteLaplace  # of the winner
    penalty: int  # what was taken off it
    runners: int

    def lower(self, miss: float) -> int:
        """By a union over the runners: the winner's noise was below its quantile."""
        return self.value + self.penalty - self.noise.above(miss / self.runners)


@dataclass(frozen=True, slots=True)
class R2T:
    """The largest of the noisy values at all thresholds, each less its noise's quantile; or 0.

    Neighbours: tables that differ in the rows of one person. Sensitivity: as the levels state; none
    needs to be monotone. Cost: epsilon, in equal parts for all thresholds. Proof: docs/privacy.md,
    Theorem 14.
    """

    miss: float = MISS

    def __call__(self, statistic: Statistic, epsilon: Fraction) -> R2TDraw:
        runners, step = len(statistic.values), statistic.step
        draws = []
        pairs = zip(statistic.values, statistic.sensitivities, strict=True)
        for i, (value, s) in enumerate(pairs):
            noise = laplace_noise(s, epsilon / runners)
            penalty = noise.above(self.miss / runners)
            won = add_laplace(value, noise) - penalty
            draws.append(R2TDraw(i, won, step, noise, penalty, runners))
        return max(draws, key=lambda draw: draw.value)  # the first of equals

    def expected_error(self, sensitivity: int, epsilon: Fraction) -> float:
        """About the penalty: of 17 runners, as tables of 2**16 rows have them."""
        runners = 17
        scale = laplace_noise(sensitivity, epsilon / runners).scale
        return scale * math.log(runners / (2 * self.miss))
