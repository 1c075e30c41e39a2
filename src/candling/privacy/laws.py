"""Random choices in which no float decides, and the law of a statistic at one level.

Each function answers what an infinite stream of fair bits, read as a number U in [0, 1), says.
Probabilities are enclosed in ball arithmetic; where the bits read so far and the enclosures leave
two answers, more bits are read and more digits computed (docs/privacy.md, Theorem 8).

Level i and value y have weight prior_i exp W_i(y), where

    W_i(y) = - right ((y - f_i)/S_i)+ - left ((f_i - y)/S_i)+ - tilt kappa_i(y)
    kappa_i(y) = max{0, (f_i - y)/S_i, max_{l > i} (f_l - y)/max(S_l, S_i/theta)}

kappa is the shortfall: by how many sensitivities y is below what its own or a later level says.
All is in units of the lattice, so f, y and S are whole numbers. On each level W is concave and
piecewise linear: its mass is a sum of geometric series, and points are drawn without an error.
"""

from __future__ import annotations

import secrets
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

from candling.privacy.statistic import Statistic
from candling.records import dataclass

CHUNK = 128  # random bits drawn at a time
GUARD = 64  # digits beyond those of the bits

Bits = Callable[[int], int]
Masses = Callable[[], Iterable[Any]]
SYSTEM: Bits = secrets.randbits


def ball(value: Fraction | int) -> Any:
    """A fraction as a ball of the current precision."""
    from flint import arb, fmpq

    return arb(fmpq(value.numerator, value.denominator))


class Choice:
    """An index, with probability in proportion to its mass.

    `masses` computes all of them at the current precision; it is called once for each number of
    digits. It is not stored: as a method of the object that has the choice, it would make a cycle.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[list[int], list[int]]] = {}

    def draw(self, masses: Masses, bits: Bits) -> int:
        """A fresh choice."""
        drawn, size = bits(CHUNK), CHUNK
        while True:
            lower, upper = self.cumulate(masses, size)
            k = bisect_right(upper, drawn)
            if k < len(lower) and drawn + 1 <= lower[k]:
                return k
            drawn, size = drawn << CHUNK | bits(CHUNK), size + CHUNK

    def cumulate(self, masses: Masses, size: int) -> tuple[list[int], list[int]]:
        """Bounds on 2**size times the distribution function."""
        if size not in self._known:
            from flint import arb, ctx

            with ctx.workprec(size + GUARD):
                sums = list(accumulate(masses()))
                unit = arb(2) ** size / sums[-1]
                balls = [part * unit for part in sums]
                lower = [int(b.lower().floor().unique_fmpz()) for b in balls]
                upper = [int(b.upper().ceil().unique_fmpz()) for b in balls]
            lower[-1] = upper[-1] = 2**size  # the last one is the total, over itself
            self._known[size] = lower, upper
        return self._known[size]


def geometric(rate: Fraction, bits: Bits, count: int | None = None) -> int:
    """K with probability in proportion to exp(-rate k), of all k from 0 on or below `count`."""
    if count == 1:
        return 0
    from flint import arb, ctx

    drawn, size = bits(CHUNK), CHUNK
    while True:
        with ctx.workprec(size + GUARD):
            uniform = arb(2 * drawn + 1, 1) / arb(2) ** (size + 1)
            if rate == 0 and count is not None:
                steps = uniform * count
            else:
                # The smallest k with (1 - q**(k+1)) / (1 - q**n) > U, for q = exp(-rate).
                lost = arb(-1) if count is None else ball(-rate * count).expm1()
                steps = (uniform * lost).log1p() / ball(-rate)
            whole = steps.floor().unique_fmpz() if steps.is_finite() else None
        if whole is not None:
            return int(whole)
        drawn, size = drawn << CHUNK | bits(CHUNK), size + CHUNK


def happens(exponent: Fraction, bits: Bits) -> bool:
    """True with probability exp(-exponent), for an exponent of 0 or more."""
    if exponent < 0:
        raise AssertionError("a probability is at most 1")
    if exponent == 0:
        return True
    from flint import arb, ctx

    drawn, size = bits(CHUNK), CHUNK
    while True:
        with ctx.workprec(size + GUARD):
            limit = ball(-exponent).exp() * arb(2) ** size
            if drawn + 1 <= limit:  # true only if it is for every number of the ball
                return True
            if drawn >= limit:
                return False
        drawn, size = drawn << CHUNK | bits(CHUNK), size + CHUNK


def draw_below(count: int, bits: Bits) -> int:
    """A whole number from 0 to count - 1, all equally likely."""
    size = (count - 1).bit_length()
    while True:
        drawn = bits(size) if size else 0
        if drawn < count:
            return drawn


@dataclass(frozen=True, slots=True)
class Slopes:
    """How fast weights fall, per sensitivity away from the true value."""

    right: Fraction
    left: Fraction
    tilt: Fraction


@dataclass(frozen=True, slots=True)
class Segment:
    """Lattice points first, first + way, ..., whose weights fall by exp(slope) a step or stay."""

    first: int  # the heaviest point
    way: int  # +1 or -1
    count: int | None  # None: without end
    height: Fraction  # W at `first`
    slope: Fraction  # of W for each step: 0 or less

    def mass(self) -> Any:
        """The sum of the weights, as a ball of the current precision."""
        if self.count is None:
            series = -1 / ball(self.slope).expm1()
        elif self.slope == 0:
            series = ball(self.count)
        else:
            series = ball(self.slope * self.count).expm1() / ball(self.slope).expm1()
        return ball(self.height).exp() * series

    def draw(self, bits: Bits) -> int:
        """A point, by the weights."""
        return self.first + self.way * geometric(-self.slope, bits, self.count)


class Shortfall:
    """kappa of one level: the largest of some falling lines and 0."""

    def __init__(self, statistic: Statistic, level: int, theta: Fraction) -> None:
        from flint import fmpq  # exact fractions, ten times as fast as Python's

        f, s = statistic.values, statistic.sensitivities
        least = fmpq(s[level] * theta.denominator, theta.numerator)
        # Of lines that are 0 at the same value only the steepest is ever the highest above 0. No
        # order among the sensitivities is assumed: any later level may have it.
        steepest = {f[level]: fmpq(s[level])}
        for later in range(level + 1, len(f)):
            unit = max(fmpq(s[later]), least)
            steepest[f[later]] = min(unit, steepest.get(f[later], unit))
        lines = [(zero / unit, -1 / unit) for zero, unit in steepest.items()]
        self._hull = _highest([(fmpq(0), fmpq(0)), *lines])

    def __call__(self, value: int) -> Fraction:
        return _fraction(self.at(value))

    def at(self, value: int) -> Any:
        """The same as a fraction of the library flint."""
        return max(start + slope * value for _, start, slope in self._hull)

    @property
    def bends(self) -> list[Any]:
        """Where the highest line changes."""
        return [start for start, *_ in self._hull[1:]]


@dataclass(frozen=True)
class LevelLaw:
    """The law on one level, up to the prior. Private itself: only draws leave."""

    value: int  # f of this level
    sensitivity: int
    shortfall: Shortfall
    slopes: Slopes

    def log_weight(self, value: int) -> Fraction:
        """W."""
        return _fraction(self._weight(value))

    def _weight(self, value: int) -> Any:
        right, left, tilt = self._exact_slopes
        away = value - self.value
        weight = (-right * away if away > 0 else left * away) / self.sensitivity
        return weight - tilt * self.shortfall.at(value) if tilt else weight

    @cached_property
    def _exact_slopes(self) -> tuple[Any, ...]:
        slopes = self.slopes
        return tuple(map(_rational, (slopes.right, slopes.left, slopes.tilt)))

    def mass(self) -> Any:
        """The sum of all weights, as a ball of the current precision."""
        return sum(self._masses())

    def draw(self, bits: Bits) -> int:
        """A value."""
        return self.segments[self._choice.draw(self._masses, bits)].draw(bits)

    @cached_property
    def _choice(self) -> Choice:
        return Choice()

    def _masses(self) -> Iterator[Any]:
        """The mass of each segment."""
        return (segment.mass() for segment in self.segments)

    @cached_property
    def segments(self) -> list[Segment]:
        """All lattice points, in runs on which W is linear."""
        ends = {self.value, *(int(bend.floor()) for bend in self.shortfall.bends)}
        # A lattice point at a break closes a segment.
        ordered = sorted(ends)
        inner = [self._run(a + 1, b) for a, b in pairwise(ordered)]
        return [self._run(None, ordered[0]), *inner, self._run(ordered[-1] + 1, None)]

    def _run(self, low: int | None, high: int | None) -> Segment:
        """The lattice points low..high, on which W is linear."""
        if low is None and high is not None:
            top = self._weight(high)
            return _segment(high, -1, None, top, self._weight(high - 1) - top)
        if low is None:
            raise AssertionError("a run has an end")
        first = self._weight(low)
        if high is None:
            return _segment(low, 1, None, first, self._weight(low + 1) - first)
        if high == low:
            return _segment(low, 1, 1, first, 0 * first)
        last = self._weight(high)
        slope = (last - first) / (high - low)
        if slope > 0:
            return _segment(high, -1, high - low + 1, last, -slope)
        return _segment(low, 1, high - low + 1, first, slope)


def _segment(first: int, way: int, count: int | None, height: Any, slope: Any) -> Segment:
    return Segment(first, way, count, _fraction(height), _fraction(slope))


def _rational(value: Fraction) -> Any:
    from flint import fmpq

    return fmpq(value.numerator, value.denominator)


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _highest(lines: list[tuple[Any, Any]]) -> list[tuple[Any, Any, Any]]:
    """Of lines (start, slope) those that are the maximum somewhere, from left to right.

    Each with where it takes over from the one before.
    """
    hull: list[tuple[Any, Any, Any]] = []
    for slope, start in sorted({(slope, start) for start, slope in lines}):
        since = None
        while hull:
            taken, last_start, last_slope = hull[-1]
            if last_slope == slope:  # sorted: this one is higher
                hull.pop()
                continue
            since = (last_start - start) / (slope - last_slope)
            if len(hull) > 1 and since <= taken:
                hull.pop()
                continue
            break
        hull.append((since if hull else 0, start, slope))
    return hull
