"""A statistic, which gets noise, and the value that is drawn for it."""

from __future__ import annotations

from dataclasses import field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

from candling.records import dataclass

LEVELS = 41  # thresholds 2**0 to 2**40: public, beyond any table
POWERS = tuple(2**i for i in range(LEVELS))


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number of the table in units of `step`, or one for each of several thresholds (levels).

    When a person's rows are added, values[i] grows by 0 to sensitivities[i], and nothing falls, but
    for `falls`. Where there are several, the measure behind it is never below any of them.
    Sensitivities may come in any order; what fits no proof raises ValueError, and is our bug.
    """

    values: tuple[int, ...] = field(repr=False)  # private: not in a repr
    sensitivities: tuple[int, ...]
    step: Fraction = Fraction(1)
    thresholds: tuple[int, ...] = POWERS  # public, ascending: of the values, from the first on
    falls: int = 0  # by how much rounding may let a value fall when rows are added
    within_rows: bool = False  # the measure is never above the number of rows
    counts_rows: bool = False  # it is the number of rows itself

    def __post_init__(self) -> None:
        # Checks public facts only; the number of values is public, too.
        if not self.values:
            raise ValueError("there are no thresholds to choose from")
        if len(self.values) != len(self.sensitivities):
            raise ValueError("every value needs its sensitivity")
        if any(s < 1 for s in self.sensitivities):
            raise ValueError("a sensitivity is 1 or more")
        if len(self.thresholds) < len(self.values):
            raise ValueError("every value needs its threshold")
        if any(a >= b for a, b in pairwise(self.thresholds)):
            raise ValueError("thresholds must ascend")
        if not 0 <= self.falls < min(self.sensitivities):
            raise ValueError("a value falls by less than it may grow")

    @property
    def has_levels(self) -> bool:
        """Whether there is a threshold to choose."""
        return len(self.values) > 1

    def refine(self, factor: int) -> Statistic:
        """The same on a lattice that is finer by a factor."""
        return replace(
            self,
            values=tuple(factor * value for value in self.values),
            sensitivities=tuple(factor * s for s in self.sensitivities),
            step=self.step / factor,
            falls=factor * self.falls,
        )


class Noise(Protocol):
    """The public part of the noise of a number, in units of its step."""

    def upper_tail(self, miss: float) -> int:
        """A d of 0 or more such that the noise exceeds d with probability `miss` or less."""

    def lower_tail(self, miss: float) -> int:
        """A d of 0 or more such that the noise is less than -d with probability `miss` or less."""


class Draw(Protocol):
    """A released (level, value), which knows how far it may be above the truth."""

    @property
    def level(self) -> int:
        """The index of the threshold."""

    @property
    def value(self) -> int:
        """The noisy value, in units of a step; may be negative."""

    @property
    def step(self) -> Fraction:
        """The unit of the value."""

    def lower(self, miss: float) -> int:
        """A bound that exceeds the statistic at the chosen level with probability `miss` or less.

        It is made from the released numbers alone.
        """


@dataclass(frozen=True, slots=True)
class Drawn:
    """A released (level, value), with noise on both sides."""

    level: int
    value: int
    step: Fraction
    noise: Noise

    def lower(self, miss: float) -> int:
        """Above the statistic at the level with probability `miss` or less."""
        return self.value - self.noise.upper_tail(miss)

    def upper(self, miss: float) -> int:
        """Below the statistic at the level with probability `miss` or less."""
        return self.value + self.noise.lower_tail(miss)
