"""What a mechanism that chooses a threshold is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

LEVELS = 41  # thresholds 2**0 to 2**40: public, beyond any table
POWERS = tuple(2**i for i in range(LEVELS))


@dataclass(frozen=True, slots=True)
class Bound:
    """No threshold above `value` changes anything; it moves by up to `sensitivity` per person."""

    value: int = field(repr=False)  # private: not in a repr
    sensitivity: int


@dataclass(frozen=True, slots=True)
class Levels:
    """A measure cut down at several thresholds, in units of `step`.

    When a person's rows are added, values[i] grows by 0 to sensitivities[i], and nothing falls; if
    not `monotone`, it moves by that much either way. The true measure is never below any of them.
    Sensitivities may come in any order; what fits no proof raises ValueError, and is our bug.
    """

    values: tuple[int, ...] = field(repr=False)  # private: not in a repr
    sensitivities: tuple[int, ...]
    step: Fraction
    bound: Callable[[], Bound] | None = None  # on the thresholds that matter; costs a look at all
    thresholds: tuple[int, ...] = POWERS  # public, ascending: of the values, from the first on
    monotone: bool = True

    def __post_init__(self) -> None:
        # Only public facts are looked at, and the number of values, which is public too.
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

    def require_monotone(self) -> None:
        """Refuse values that may fall: for mechanisms whose proof needs that none does."""
        if not self.monotone:
            raise TypeError("this mechanism needs values that no added row lets fall")


class Draw(Protocol):
    """A released (level, value), which knows how far it may be off."""

    @property
    def level(self) -> int:
        """The index of the threshold."""

    @property
    def value(self) -> int:
        """The noisy value, in units of the levels' step; may be negative."""

    def lower(self, miss: float) -> int:
        """A bound that exceeds the extension at the chosen level with probability `miss` or less.

        It is made from the released numbers alone.
        """


class Mechanism(Protocol):
    """Chooses a threshold and adds noise, for epsilon in all."""

    def __call__(self, levels: Levels, epsilon: Fraction) -> Draw: ...

    def expected_error(self, sensitivity: int, epsilon: Fraction) -> float:
        """The mean absolute error of the noise at a level that loses nothing, in steps."""
