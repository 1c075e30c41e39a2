"""One draw of the threshold and the value together, sampled exactly.

Level i and value y are drawn with probability proportional to exp W_i(y), where

    W_i(y) = - ln S_i - tau i ln 2 - [i >= 1]                                  a public prior
             - R ((y - f_i)/S_i)+ - (L - c) ((f_i - y)/S_i)+ - c kappa_i(y)    Laplace, tilted
             + [i >= 1] eta min(0, y/S_i - K)                                  only if deserved
    kappa_i(y) = max{0, (f_i - y)/S_i, max_{l > i} (f_l - y)/max(S_l, 2 S_i)}

with c = .36 eps, eta = .15 eps, R = eps - c, L = eps - c/2 - eta, K = 30/eps, tau = 1.25. All is in
units of the lattice, so f, y and S are integers. On each level W is concave and piecewise linear:
its mass is a sum of geometric series, and inverting their distribution functions in interval
arithmetic, with as many random bits as it takes, samples it without an error.
"""

from __future__ import annotations

import math
import secrets
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from candling.privacy.levels import Levels

TAU = Fraction(5, 4)
CHUNK = 128  # random bits drawn at a time

Bits = Callable[[int], int]


@dataclass(frozen=True, slots=True)
class Shape:
    """The slopes of the draw, per row of one person, at a given epsilon."""

    tilt: Fraction  # c
    desert: Fraction  # eta
    right: Fraction  # R
    left: Fraction  # L
    knee: Fraction  # K

    @classmethod
    def of(cls, epsilon: Fraction) -> Shape:
        """The tuned constants; the proof holds for any."""
        c, eta = Fraction(36, 100) * epsilon, Fraction(15, 100) * epsilon
        return cls(c, eta, epsilon - c, epsilon - c / 2 - eta, 30 / epsilon)


@dataclass(frozen=True, slots=True)
class Segment:
    """Lattice points first, first + way, ..., whose weights fall by exp(slope) a step or stay."""

    level: int
    first: int  # the heaviest point
    way: int  # +1 or -1
    count: int | None  # None: without end
    height: Fraction  # W at `first`, without the level's prior
    slope: Fraction  # of W per step: 0 or less


@dataclass(frozen=True, slots=True)
class JointDraw:
    """A level and a value, drawn together."""

    level: int
    value: int
    sensitivity: int
    shape: Shape

    def lower(self, miss: float) -> int:
        """A bound that exceeds f_level with probability `miss` or less, whatever the table.

        The test inverted here is proved conservative under the tilt: docs/privacy.md, Theorem 9.
        """
        low, high = self.value - 1, self.value
        reach = self.sensitivity
        while self._tail(low) >= miss:
            high, low, reach = low, low - reach, 2 * reach
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._tail(middle) >= miss else (middle, high)
        return high

    def _tail(self, candidate: int) -> float:
        """An upper bound on P(value >= the released one | level), were f_level = candidate."""
        s = self.sensitivity
        slow, fast, down = (float(x) for x in tail_rates(self.shape, self.level))
        steps = self.value - candidate
        knee = math.ceil(self.shape.knee * s) if self.level else candidate
        before = min(max(knee - candidate, 0), steps)  # steps at the slow rate
        # Weights relative to that of the candidate: first `before` steps slow, then fast.
        a, b, d = slow / s, fast / s, down / s
        at_knee = math.exp(-a * before)
        at_value = at_knee * math.exp(-b * (steps - before))
        rest_slow = max(knee - self.value, 0)
        tail = at_value * (_series_of(a, rest_slow) + math.exp(-a * rest_slow) * _series_of(b))
        body = _series_of(a, before) + at_knee * _series_of(b, steps - before)
        below = math.exp(-d) * _series_of(d)
        return tail / (tail + body + below)


def _series_of(rate: float, terms: float = math.inf) -> float:
    """The sum of exp(-rate k) over k below `terms`."""
    return math.expm1(-rate * terms) / math.expm1(-rate)


def tail_rates(shape: Shape, level: int) -> tuple[Fraction, Fraction, Fraction]:
    """How fast, per sensitivity, weights fall above f at least (below the knee, beyond it), and
    below f at most.
    """
    fast = shape.right - shape.tilt / 2
    if level == 0:
        return fast, fast, shape.left
    return fast - shape.desert, fast, shape.left + shape.desert


@dataclass(frozen=True)
class Joint:
    """The joint draw.

    Neighbours: tables that differ in the rows of one person. Sensitivity: as stated by the levels.
    Cost: epsilon. Proof: docs/privacy.md, Theorem 8.
    """

    def __call__(self, levels: Levels, epsilon: Fraction) -> JointDraw:
        return JointDistribution(levels, epsilon).draw()

    def expected_error(self, sensitivity: int, epsilon: Fraction) -> float:
        """Laplace with rate R above and L below, as at a saturated level."""
        shape = Shape.of(epsilon)
        up, down = float(shape.right) / sensitivity, float(shape.left) / sensitivity
        mass = _series_of(up) + math.exp(-down) * _series_of(down)
        error = sum(math.exp(-rate) * _series_of(rate) ** 2 for rate in (up, down))
        return error / mass


@dataclass(frozen=True)
class JointDistribution:
    """The distribution of the joint draw for one table: private itself, only draws leave."""

    levels: Levels
    epsilon: Fraction
    _known: dict[int, tuple[list[int], list[int]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def draw(self, bits: Bits = secrets.randbits) -> JointDraw:
        """A fresh draw. `bits` is the source of randomness, replaced in tests only."""
        self.levels.require_monotone()
        segment = self._segment(bits)
        value = segment.first + segment.way * _offset(segment, bits)
        sensitivity = self.levels.sensitivities[segment.level]
        return JointDraw(segment.level, value, sensitivity, self._shape)

    def log_weight(self, level: int, value: int) -> Fraction:
        """W without the prior, which `log_prior` gives."""
        shape, f, s = self._shape, self.levels.values, self.levels.sensitivities
        x = Fraction(value - f[level], s[level])
        zero = Fraction(0)
        weight = -shape.right * max(x, zero) - (shape.left - shape.tilt) * max(-x, zero)
        weight -= shape.tilt * max(line(value) for _, line in self._shortfalls[level])
        if level:
            weight += shape.desert * min(zero, Fraction(value, s[level]) - shape.knee)
        return weight

    @cached_property
    def _shape(self) -> Shape:
        return Shape.of(self.epsilon)

    @cached_property
    def _shortfalls(self) -> list[list[tuple[Fraction, _Line]]]:
        """Per level the lines whose maximum is kappa, and where each takes over."""
        f, s = self.levels.values, self.levels.sensitivities
        found = []
        for level in range(len(f)):
            # Of lines that are 0 at the same value only the steepest is ever the highest above 0.
            # No order among the sensitivities is assumed: any later level may have it.
            steepest: dict[int, int] = {}
            for j in range(level + 1, len(f)):
                unit = max(s[j], 2 * s[level])
                steepest[f[j]] = min(unit, steepest.get(f[j], unit))
            lines = [_Line(Fraction(0), Fraction(0)), _Line.falling(f[level], s[level])]
            lines += [_Line.falling(value, unit) for value, unit in steepest.items()]
            found.append(_envelope(lines))
        return found

    @cached_property
    def _segments(self) -> list[Segment]:
        found: list[Segment] = []
        for level in range(len(self.levels.values)):
            breaks = {Fraction(self.levels.values[level])}
            breaks |= {taken for taken, _ in self._shortfalls[level][1:]}
            if level:
                breaks.add(self._shape.knee * self.levels.sensitivities[level])
            # W is linear between consecutive breaks; a lattice point at a break closes a segment.
            ends = sorted({math.floor(b) for b in breaks})
            found.append(self._run(level, None, ends[0]))
            found += [self._run(level, a + 1, b) for a, b in pairwise(ends)]
            found.append(self._run(level, ends[-1] + 1, None))
        return found

    def _run(self, level: int, low: int | None, high: int | None) -> Segment:
        """The lattice points low..high, on which W is linear."""
        if low is None and high is not None:
            top = self.log_weight(level, high)
            return Segment(level, high, -1, None, top, self.log_weight(level, high - 1) - top)
        if low is None:
            raise AssertionError("a run has an end")
        first = self.log_weight(level, low)
        if high is None:
            return Segment(level, low, 1, None, first, self.log_weight(level, low + 1) - first)
        if high == low:
            return Segment(level, low, 1, 1, first, Fraction(0))
        last = self.log_weight(level, high)
        slope = (last - first) / (high - low)
        if slope > 0:
            return Segment(level, high, -1, high - low + 1, last, -slope)
        return Segment(level, low, 1, high - low + 1, first, slope)

    def _segment(self, bits: Bits) -> Segment:
        """A segment, with probability in proportion to its mass."""
        drawn, size = bits(CHUNK), CHUNK
        while True:
            lower, upper = self._cumulated(size)
            k = bisect_right(upper, drawn)
            if k < len(lower) and drawn + 1 <= lower[k]:
                return self._segments[k]
            drawn, size = drawn << CHUNK | bits(CHUNK), size + CHUNK

    def _cumulated(self, size: int) -> tuple[list[int], list[int]]:
        """Bounds on 2**size times the distribution function over the segments."""
        if size not in self._known:
            from flint import arb, ctx

            with ctx.workprec(size + 64):
                top = max(s.height for s in self._segments)
                masses = [self._mass(s, top) for s in self._segments]
                total = sum(masses, arb(0))
                lower, upper, so_far = [], [], arb(0)
                for mass in masses:
                    so_far += mass
                    ball = so_far / total * arb(2) ** size
                    lower.append(int(ball.lower().floor().unique_fmpz()))
                    upper.append(int(ball.upper().ceil().unique_fmpz()))
            lower[-1] = upper[-1] = 2**size  # the last one is the total, over itself
            self._known[size] = lower, upper
        return self._known[size]

    def _mass(self, segment: Segment, top: Fraction) -> Any:
        """The weight of a whole segment, as a ball; heights are taken relative to `top`."""
        from flint import arb

        level = segment.level
        prior = arb(2) ** _ball(-TAU * level) / self.levels.sensitivities[level]
        exponent = _ball(segment.height - top - (1 if level else 0))
        return prior * exponent.exp() * _series(segment)


@dataclass(frozen=True, slots=True)
class _Line:
    """y -> start + slope y."""

    start: Fraction
    slope: Fraction

    @classmethod
    def falling(cls, zero: int, unit: int) -> _Line:
        return cls(Fraction(zero, unit), Fraction(-1, unit))

    def __call__(self, y: int | Fraction) -> Fraction:
        return self.start + self.slope * y


def _envelope(lines: list[_Line]) -> list[tuple[Fraction, _Line]]:
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


def _ball(value: Fraction) -> Any:
    from flint import arb, fmpq

    return arb(fmpq(value.numerator, value.denominator))


def _series(segment: Segment) -> Any:
    """The sum of exp(slope * k) over the points of a segment, as a ball."""
    from flint import arb

    if segment.slope == 0:
        return arb(segment.count)
    ratio = _ball(segment.slope).expm1()
    if segment.count is None:
        return -1 / ratio
    return _ball(segment.slope * segment.count).expm1() / ratio


def _offset(segment: Segment, bits: Bits) -> int:
    """How many steps from the segment's heaviest point, by its exact conditional distribution."""
    if segment.count == 1:
        return 0
    from flint import arb, ctx

    drawn, size = bits(CHUNK), CHUNK
    while True:
        with ctx.workprec(size + 64):
            uniform = arb(2 * drawn + 1, 1) / arb(2) ** (size + 1)
            if segment.slope == 0 and segment.count is not None:
                steps = uniform * segment.count
            else:
                # The smallest k with (1 - q**(k+1)) / (1 - q**n) > u, for q = exp(slope).
                lost = arb(-1)
                if segment.count is not None:
                    lost = _ball(segment.slope * segment.count).expm1()
                steps = (uniform * lost).log1p() / _ball(segment.slope)
            whole = steps.floor().unique_fmpz() if steps.is_finite() else None
        if whole is not None:
            return int(whole)
        drawn, size = drawn << CHUNK | bits(CHUNK), size + CHUNK
