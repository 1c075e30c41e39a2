"""The law of one statistic: a level and a value, with a weight that falls away from the truth.

Level i and value y have weight prior_i exp W_i(y), where

    W_i(y) = - right ((y - f_i)/S_i)+ - left ((f_i - y)/S_i)+ - tilt kappa_i(y)
             - desert [i >= 1] (knee - y/S_i)+
    kappa_i(y) = max{0, (f_i - y)/S_i, max_{l > i} (f_l - y)/max(S_l, S_i/theta)}

kappa is the shortfall: by how many sensitivities y is below what its own or a later level says. The
last term asks of a level beyond the first that its value is many sensitivities. All is in units of
the lattice, so f, y and S are whole numbers. On each level W is concave and piecewise linear: its
mass is a sum of geometric series, and points are drawn without an error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from candling.privacy.exact_random import Bits, Choice, ball, geometric
from candling.privacy.statistic import Statistic


@dataclass(frozen=True, slots=True)
class Slopes:
    """How fast weights fall, for each sensitivity away from the truth."""

    right: Fraction
    left: Fraction
    tilt: Fraction
    desert: Fraction = Fraction(0)
    knee: Fraction = Fraction(0)


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
        f, s = statistic.values, statistic.sensitivities
        # Of lines that are 0 at the same value only the steepest is ever the highest above 0. No
        # order among the sensitivities is assumed: any later level may have it.
        steepest: dict[int, Fraction] = {}
        for later in range(level + 1, len(f)):
            unit = max(Fraction(s[later]), s[level] / theta)
            steepest[f[later]] = min(unit, steepest.get(f[later], unit))
        lines = [_Line(Fraction(0), Fraction(0)), _Line.falling(f[level], Fraction(s[level]))]
        lines += [_Line.falling(value, unit) for value, unit in steepest.items()]
        self._hull = _highest(lines)

    def __call__(self, value: int) -> Fraction:
        return max(line(value) for _, line in self._hull)

    @property
    def bends(self) -> list[Fraction]:
        """Where one line takes over from another."""
        return [taken for taken, _ in self._hull[1:]]


@dataclass(frozen=True)
class LevelLaw:
    """The law on one level, up to the prior. Private itself: only draws leave."""

    value: int  # f of this level
    sensitivity: int
    shortfall: Shortfall
    slopes: Slopes  # without `desert` at the first level

    def log_weight(self, value: int) -> Fraction:
        """W."""
        away = Fraction(value - self.value, self.sensitivity)
        slopes = self.slopes
        weight = -slopes.right * max(away, Fraction(0)) - slopes.left * max(-away, Fraction(0))
        if slopes.desert:
            lacking = slopes.knee - Fraction(value, self.sensitivity)
            weight -= slopes.desert * max(lacking, Fraction(0))
        return weight - slopes.tilt * self.shortfall(value) if slopes.tilt else weight

    def mass(self) -> Any:
        """The sum of all weights, as a ball of the current precision."""
        return sum(segment.mass() for segment in self.segments)

    def draw(self, bits: Bits) -> int:
        """A value."""
        return self.segments[self._choice.draw(bits)].draw(bits)

    @cached_property
    def _choice(self) -> Choice:
        return Choice(lambda: [segment.mass() for segment in self.segments])

    @cached_property
    def segments(self) -> list[Segment]:
        """All lattice points, in runs on which W is linear."""
        breaks = {Fraction(self.value), *self.shortfall.bends}
        if self.slopes.desert:
            breaks.add(self.slopes.knee * self.sensitivity)
        # A lattice point at a break closes a segment.
        ends = sorted({math.floor(b) for b in breaks})
        inner = [self._run(a + 1, b) for a, b in pairwise(ends)]
        return [self._run(None, ends[0]), *inner, self._run(ends[-1] + 1, None)]

    def _run(self, low: int | None, high: int | None) -> Segment:
        """The lattice points low..high, on which W is linear."""
        if low is None and high is not None:
            top = self.log_weight(high)
            return Segment(high, -1, None, top, self.log_weight(high - 1) - top)
        if low is None:
            raise AssertionError("a run has an end")
        first = self.log_weight(low)
        if high is None:
            return Segment(low, 1, None, first, self.log_weight(low + 1) - first)
        if high == low:
            return Segment(low, 1, 1, first, Fraction(0))
        last = self.log_weight(high)
        slope = (last - first) / (high - low)
        if slope > 0:
            return Segment(high, -1, high - low + 1, last, -slope)
        return Segment(low, 1, high - low + 1, first, slope)


@dataclass(frozen=True, slots=True)
class _Line:
    """y -> start + slope y."""

    start: Fraction
    slope: Fraction

    @classmethod
    def falling(cls, zero: int, unit: Fraction) -> _Line:
        return cls(zero / unit, -1 / unit)

    def __call__(self, y: int | Fraction) -> Fraction:
        return self.start + self.slope * y


def _highest(lines: list[_Line]) -> list[tuple[Fraction, _Line]]:
    """The lines that are the maximum somewhere, from left to right, with where they take over."""
    steepest = sorted({(line.slope, line.start) for line in lines})
    hull: list[tuple[Fraction, _Line]] = []
    for slope, start in steepest:
        line = _Line(start, slope)
        since: Fraction | None = None
        while hull:
            taken, last = hull[-1]
            if last.slope == line.slope:  # sorted: this one is higher
                hull.pop()
                continue
            since = (last.start - line.start) / (line.slope - last.slope)
            if len(hull) > 1 and since <= taken:
                hull.pop()
                continue
            break
        hull.append((since if hull and since is not None else Fraction(0), line))
    return hull
