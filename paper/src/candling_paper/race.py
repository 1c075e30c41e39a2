"""Race to the top (R2T): noise on every threshold, less what the noise may add, and the largest."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from candling.measures import MINIMAL_INCONSISTENT, PROBLEMATIC
from candling.privacy import LEVELS
from candling_paper.all_rows import AllRows
from candling_paper.laplace import DiscreteLaplace, add_laplace, laplace_noise
from candling_paper.levels import Bound, Levels

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
        return self.value + self.penalty - self.noise.upper_tail(miss / self.runners)


@dataclass(frozen=True, slots=True)
class R2T:
    """The largest of the noisy values at all thresholds, each less its noise's quantile; or 0.

    Neighbours: tables that differ in the rows of one person. Sensitivity: as the levels state; none
    needs to be monotone. Cost: epsilon, in equal parts for all thresholds. Proof: docs/privacy.md,
    Theorem 14.
    """

    miss: float = MISS

    def __call__(
        self,
        levels: Levels,
        epsilon: Fraction,
        bound: Callable[[], Bound] | None = None,  # noqa: ARG002 - all thresholds run
    ) -> R2TDraw:
        runners, step = len(levels.values), levels.step
        draws = []
        pairs = zip(levels.values, levels.sensitivities, strict=True)
        for i, (value, s) in enumerate(pairs):
            noise = laplace_noise(s, epsilon / runners)
            penalty = noise.upper_tail(self.miss / runners)
            won = add_laplace(value, noise) - penalty
            draws.append(R2TDraw(i, won, step, noise, penalty, runners))
        return max(draws, key=lambda draw: draw.value)  # the first of equals


@dataclass(frozen=True, slots=True)
class EveryPower:
    """The flows at the powers of a base that is itself a power of two."""

    base: int

    def __post_init__(self) -> None:
        if self.base < 2 or self.base.bit_count() != 1:
            raise ValueError(f"the base of a race is 2, 4, 8 or so, not {self.base}")

    def thresholds(self, limit: float | None) -> tuple[int, ...]:
        """From 1 to the first that is not below the limit."""
        count = math.ceil(LEVELS / self._step)
        powers = tuple(self.base**i for i in range(count))
        if limit is None:
            return powers
        return powers[: 1 + sum(power < limit for power in powers)]

    def step(self, measure: str) -> Fraction:
        """That of the measure."""
        return _MEASURES[measure].step

    def growth(self, measure: str, threshold: int) -> int:
        """That of the measure."""
        return _MEASURES[measure].growth(threshold)

    def monotone(self, measure: str) -> bool:  # noqa: ARG002
        """No flow falls."""
        return True

    def values(self, rows: AllRows, measure: str, thresholds: Sequence[int]) -> tuple[int, ...]:
        """Some of the measure's own levels."""
        levels = _MEASURES[measure].levels(rows.facts)
        return tuple(levels[t.bit_length() - 1] for t in thresholds)

    @property
    def _step(self) -> int:
        return self.base.bit_length() - 1


_MEASURES = {measure.name: measure for measure in (MINIMAL_INCONSISTENT, PROBLEMATIC)}
