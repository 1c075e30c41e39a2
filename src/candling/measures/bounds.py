"""Where the true values lie, as far as released and public numbers tell.

Every end of an interval rests on tails of draws: that the noise of a draw was not above (or below)
some quantile. If the tails that an interval rests on fail with probabilities m1, m2, ..., it misses
with probability m1 + m2 + ... or less, whatever the draws have to do with each other (the union
bound). `split_miss` is the one place that deals out the probability to miss; which tails an
interval rests on is decided by the request, never by the data. Proofs: docs/privacy.md, Theorem 15.

What was stated (public_rows, max_rows) is taken for true: intervals that use it hold if it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from candling.errors import UsageError
from candling.measures.grade import LEVEL
from candling.privacy import Draw, Drawn

BORROWED = 0.05  # of the probability to miss, for each tail of a draw that is not the number's own

# The smallest repair lies between these multiples of the number that is released as the repair.
SMALLEST = {
    "exact": (Fraction(1), Fraction(1)),
    "lower_bound": (Fraction(1), Fraction(2)),
    "cover": (Fraction(1, 2), Fraction(1)),
}

Ends = tuple[float | None, float | None]


class Bounds(Protocol):
    """Where the true value lies, as far as the released numbers tell."""

    def interval(self, level: float) -> Ends:
        """Bounds that hold together with probability `level` or more; None where there is none."""


def split_miss(miss: float, *, own: int, borrowed: int) -> tuple[float, float]:
    """The probability to miss for each of `own` and of `borrowed` tails; all add up to `miss`.

    `own` tails are of the number's own draw, `borrowed` ones of other draws: these move the
    interval less, so they get less.
    """
    each = BORROWED * miss
    return (miss - borrowed * each) / own, each


# Draws


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
class RowsBounds:
    """The number of rows: stated, bounded by what was stated, or released with noise."""

    noisy: NumberBounds | None
    least: int = 0  # public
    most: int | None = None  # public; None only where there is a noisy number

    @property
    def tails(self) -> int:
        """How many tails an end rests on: 0 if it is public."""
        return int(self.noisy is not None)

    @property
    def value(self) -> int:
        """The number to show, or the most that there can be."""
        return self._within(0 if self.noisy is None else round(self.noisy.value))

    def low(self, miss: float) -> int:
        """Above the number of rows with probability `miss` or less."""
        return self.least if self.noisy is None else self._within(math.ceil(self.noisy.low(miss)))

    def high(self, miss: float) -> int:
        """Below the number of rows with probability `miss` or less."""
        return self._within(0 if self.noisy is None else math.floor(self.noisy.high(miss)))

    def interval(self, level: float) -> Ends:
        """Both ends; the same twice if it was stated."""
        own, _ = split_miss(1 - level, own=2, borrowed=0)
        return self.low(own), self.high(own)

    def _within(self, rows: int) -> int:
        """A noisy number kept within what is public; without noise, the most."""
        if self.most is None:
            return rows
        return self.most if self.noisy is None else min(rows, self.most)


# Numbers that are read off draws


@dataclass(frozen=True, slots=True)
class RepairBounds:
    """The smallest repair, from a noisy number of some kind and what is known of the rows."""

    released: NumberBounds
    kind: str
    rows: RowsBounds | None

    def low(self, miss: float) -> int:
        """Above the smallest repair, a whole number, with probability `miss` or less."""
        return math.ceil(SMALLEST[self.kind][0] * self.released.low(miss))

    def high(self, miss: float) -> int:
        """Below the smallest repair with probability `miss` or less."""
        return math.floor(SMALLEST[self.kind][1] * self.released.high(miss))

    def interval(self, level: float) -> Ends:
        """Two tails of its own draw; that no more than all rows go borrows one of theirs."""
        borrowed = 0 if self.rows is None else self.rows.tails
        own, other = split_miss(1 - level, own=2, borrowed=borrowed)
        high = self.high(own)
        if self.rows is not None:
            high = min(high, self.rows.high(other))
        return min(self.low(own), high), high


@dataclass(frozen=True, slots=True)
class ProblematicBounds:
    """Rows in conflict: below, what the draw tells; above, all rows."""

    draw: Draw
    rows: RowsBounds | None

    def interval(self, level: float) -> Ends:
        """One tail of its own draw, one of the rows'."""
        low, rows = self._ends(level)
        return (low, None) if rows is None else (min(low, rows), rows)

    def per_row(self, level: float) -> tuple[Fraction, Fraction]:
        """The same as a share of the rows: it holds whenever the interval does."""
        low, rows = self._ends(level)
        return min(Fraction(1), _per_row(low, rows)), Fraction(1)

    def _ends(self, level: float) -> tuple[int, int | None]:
        borrowed = 0 if self.rows is None else self.rows.tails
        own, other = split_miss(1 - level, own=1, borrowed=borrowed)
        low = _whole_low(self.draw, own)
        return low, None if self.rows is None else self.rows.high(other)


@dataclass(frozen=True, slots=True)
class ConflictsBounds:
    """Conflicts (minimal_inconsistent): below, what the draw tells; above, by repair and rows."""

    draw: Draw
    rows: RowsBounds | None
    repair: RepairBounds | None

    def interval(self, level: float) -> Ends:
        """One tail of its own draw, one of the rows' and one of the repair's where it is there."""
        low, repair, rows = self._ends(level)
        if rows is None:
            return low, None
        most = most_conflicts(rows if repair is None else repair, rows)
        return min(low, most), most

    def per_row(self, level: float) -> tuple[Fraction, Fraction]:
        """The same for each row: it holds whenever the interval does."""
        low, repair, rows = self._ends(level)
        if not rows:
            return Fraction(0), Fraction(0)  # no rows, no conflicts
        most = most_conflicts(rows if repair is None else repair, rows)
        # A smaller table may have one conflict for each of its rows, all of them alone.
        high = max(Fraction(most, rows), Fraction(min(1, most)))
        return min(_per_row(low, rows), high), high

    def _ends(self, level: float) -> tuple[int, int | None, int | None]:
        borrowed = 0
        if self.rows is not None:
            borrowed = self.rows.tails + int(self.repair is not None)
        own, other = split_miss(1 - level, own=1, borrowed=borrowed)
        low = _whole_low(self.draw, own)
        if self.rows is None:
            return low, None, None
        return low, None if self.repair is None else self.repair.high(other), self.rows.high(other)


def most_conflicts(repair: int, rows: int) -> int:
    """The most conflicts of a table of this many rows or fewer, with a repair no larger.

    A conflict is a row of the repair alone, or a pair with a row of the repair in it: of n rows,
    r(r-1)/2 + r(n-r) pairs at most.
    """
    r = min(repair, rows)
    return max(r, r * rows - r * (r + 1) // 2)


@dataclass(frozen=True, slots=True)
class DrasticBounds:
    """Inconsistent for sure only if the noisy repair is more than noise explains."""

    repair: NumberBounds

    def interval(self, level: float) -> Ends:
        """1 to 1, or 0 to 1: that a table is consistent can never be told."""
        return int(self.repair.drawn.lower(1 - level) > 0), 1


@dataclass(frozen=True, slots=True)
class FromZero:
    """Bounds whose low end is 0, because the card says that it found no sign of a conflict."""

    bounds: Bounds

    def interval(self, level: float) -> Ends:
        """A lower low end holds no less often."""
        low, high = self.bounds.interval(level)
        return None if low is None else 0, high


# Bounds without a draw


@dataclass(frozen=True, slots=True)
class FixedBounds:
    """The same bounds at every level."""

    low: float | None
    high: float | None

    def interval(self, level: float) -> Ends:  # noqa: ARG002
        """The bounds."""
        return self.low, self.high


@dataclass(frozen=True, slots=True)
class StoredBounds:
    """The bounds that were shown once; what was known of the noise is gone."""

    low: float | None
    high: float | None

    def interval(self, level: float) -> Ends:
        """The bounds, at the level at which they were shown."""
        if level != LEVEL:
            raise UsageError(
                f"A stored release knows its bounds at {LEVEL} only, not at {level}.", code="U207"
            )
        return self.low, self.high


def number(value: Fraction) -> int | float:
    """A fraction as the plainest number."""
    return int(value) if value.denominator == 1 else float(value)


def _whole_low(draw: Draw, miss: float) -> int:
    """Above the true measure, a whole number, with probability `miss` or less."""
    return math.ceil(max(Fraction(0), draw.lower(miss) * draw.step))


def _per_row(low: int, rows: int | None) -> Fraction:
    """For each of at most `rows` rows; where there are none, nothing."""
    return Fraction(low, rows) if rows else Fraction(0)
