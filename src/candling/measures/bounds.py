"""Ends of intervals, made from noisy numbers: where the true values lie.

Every end of an interval rests on tails of draws: that the noise of a draw was not above (or below)
some quantile. If the tails that an interval rests on fail with probabilities m1, m2, ..., it misses
with probability m1 + m2 + ... or less, whatever the draws have to do with each other (the union
bound). `split_miss` is the one place that deals out the probability to miss; which tails an
interval rests on is decided by the request, never by the data. Proofs: docs/privacy.md, Theorem 15.

What was stated (public_rows, max_rows) is taken for true: intervals that use it hold if it is. The
bounds of a measure stand in its own file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from candling.model.number import Bounds, Ends, Number
from candling.privacy import Draw, Drawn

_NEVER_MOVED = ("rows", "drastic")  # by what `drastic` says
BORROWED = 0.05  # of the probability to miss, for each tail of a draw that is not the number's own


class PerRowBounds(Bounds, Protocol):
    """Bounds that can be divided by the number of rows."""

    def per_row(self, level: float) -> tuple[Fraction, Fraction]:
        """Bounds of the measure divided by the rows: they hold whenever the interval does."""


def split_miss(miss: float, *, own: int, borrowed: int) -> tuple[float, float]:
    """The probability to miss for each of `own` and of `borrowed` tails; all add up to `miss`.

    `own` tails are of the number's own draw, `borrowed` ones of other draws: these move the
    interval less, so they get less.
    """
    each = BORROWED * miss
    return (miss - borrowed * each) / own, each


@dataclass(frozen=True, slots=True)
class NumberBounds:
    """Both sides of a number with noise."""

    drawn: Drawn
    upper: bool = True  # False: the noisy quantity is itself a lower bound only

    @property
    def value(self) -> Fraction:
        """The noisy number, or 0 if that is below."""
        return max(Fraction(0), self.drawn.value * self.drawn.step)

    def low(self, miss: float) -> Fraction:
        """Above the true number with probability `miss` or less."""
        return max(Fraction(0), self.drawn.lower(miss) * self.drawn.step)

    def high(self, miss: float) -> Fraction:
        """Below the true number with probability `miss` or less."""
        return max(Fraction(0), self.drawn.upper(miss) * self.drawn.step)

    def interval(self, level: float) -> Ends:
        """The noise's quantiles around the value; on one side only if the other means nothing."""
        if not self.upper:
            return number(self.low(1 - level)), None
        own, _ = split_miss(1 - level, own=2, borrowed=0)
        return number(self.low(own)), number(self.high(own))


@dataclass(frozen=True, slots=True)
class FromZero:
    """Bounds whose low end is 0, because the card says that it found no sign of a conflict."""

    bounds: Bounds

    def interval(self, level: float) -> Ends:
        """A lower low end holds no less often."""
        low, high = self.bounds.interval(level)
        return None if low is None else 0, high


@dataclass(frozen=True, slots=True)
class FixedBounds:
    """The same bounds at every level."""

    low: float | None
    high: float | None

    def interval(self, level: float) -> Ends:
        """The bounds."""
        return self.low, self.high


NO_BOUNDS = FixedBounds(None, None)


def number(value: Fraction) -> int | float:
    """A fraction as the plainest number."""
    return int(value) if value.denominator == 1 else float(value)


def whole_low(draw: Draw, miss: float) -> int:
    """Above the true measure, a whole number, with probability `miss` or less."""
    return math.ceil(max(Fraction(0), draw.lower(miss) * draw.step))


def divided(low: int, rows: int | None) -> Fraction:
    """`low` for each of at most `rows` rows; 0 where there are none."""
    return Fraction(low, rows) if rows else Fraction(0)


def start_at_zero(measure: Number, measures: Mapping[str, Number]) -> Number:
    """A number whose interval starts at 0 where the release saw no sign of a broken rule."""
    if measure.value is None or measure.name in _NEVER_MOVED or not no_sign(measures):
        return measure
    return replace(measure, bounds=FromZero(measure.bounds))


def no_sign(measures: Mapping[str, Number]) -> bool:
    """Whether the release says that it saw no sign of a broken rule."""
    return "drastic" in measures and measures["drastic"].value == 0
