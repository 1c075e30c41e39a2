"""How far the numbers of a levels draw may be off, whatever the table: docs/privacy.md, Theorem 9.

Given its levels, the law of a draw is exp(-R max v+ - (L - c) max v-) times a tilt that a table may
shape, within known limits. So tails are bounded by laws in which all is known: sums over which
numbers are above 0, of products of two integrals, one over how far up the numbers reach (u), one
over how far down (w).

Floats: these are bounds made from public numbers, after the draw; they are rounded against us.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from candling.records import dataclass

Floats = npt.NDArray[np.float64]

FINE = 128  # lattice points per unit of decay from which on one more or less makes no difference
FAR = 46  # units of decay after which nothing is left
ROUNDING = 1 + 1e-6  # covers what is beyond, and the error of floats
COARSEST, SLOWEST, FASTEST = 10**24, 1e-9, 1e4  # of sensitivities and rates: beyond any release


@dataclass(frozen=True, slots=True)
class LevelsNoise:
    """The noise of one number of a levels draw, in units of its lattice.

    Rates are per sensitivity of the number furthest away.
    """

    sensitivity: int  # at the drawn level
    other: int | None  # that of the other number of the draw
    right: float  # R: the rate above
    left: float  # L: the rate below, where the tilt is that of the number furthest below
    slow: float  # L - c = R - theta c: the rate on both sides that no tilt undercuts

    def __post_init__(self) -> None:
        sizes = [self.sensitivity] if self.other is None else [self.sensitivity, self.other]
        rates = (self.right, self.left)
        if not (
            all(1 <= size <= COARSEST for size in sizes)
            and all(SLOWEST <= self.slow <= rate <= FASTEST for rate in rates)
        ):
            raise ValueError("there is no such noise")

    def upper_tail(self, miss: float) -> int:
        """A d of 0 or more such that the noise is above d with probability `miss` or less."""
        return self._steps(_find_upper_tail(*self._laws(), miss))

    def lower_tail(self, miss: float) -> int:
        """A d of 0 or more such that the noise is below -d with probability `miss` or less."""
        return self._steps(_find_lower_tail(*self._laws(), miss))

    @property
    def mean_absolute_error(self) -> float:
        """The mean absolute error of the noise, at levels that lose nothing."""
        own, other, left, _ = self._laws()
        return _mean_absolute(own, other, left) * self.sensitivity / self.right / own

    def _laws(self) -> tuple[float, float, float, float]:
        """Lattice points per unit of decay, at most FINE, and the rates in units of `right`."""
        own, other = (min(FINE, s / self.right) for s in (self.sensitivity, self.other or 0))
        return own, other, self.left / self.right, self.slow / self.right

    def _steps(self, steps: int) -> int:
        finer = self.sensitivity / self.right / FINE
        return steps if finer < 1 else math.ceil(steps * finer)


class _Axis:
    """Integrals over how far numbers reach one way, of rate * exp(-rate u) times their counts.

    Cells end at the lattice points of both numbers. A number with FINE points has more in truth:
    its counts are bounded from both sides.
    """

    def __init__(self, points: tuple[float, float], rate: float) -> None:
        reach = max(FAR / rate, *(3 / p for p in points if p))
        lattices = [np.arange(math.ceil(reach * p) + 2) / p for p in points if p]
        self._ends: Floats = np.unique(np.concatenate(lattices))
        self._mass: Floats = -np.diff(np.exp(-rate * self._ends))

    def counts(self, points: float, *, least: bool = False) -> Floats:
        """How many lattice points are above 0 and not beyond u, by cell."""
        low, high = self._ends[:-1], self._ends[1:]
        found: Floats = points * high
        if points < FINE:
            found = np.floor(points * (low + high) / 2)
        elif least:
            found = points * low - 1
        return found

    def sum(self, counts: Floats) -> float:
        """The integral of a function that is constant in each cell."""
        return float(self._mass @ counts)


class _Law:
    """The law exp(-up max v+ - down max v-) of one number and another, which may be missing."""

    def __init__(self, own: float, other: float, up: float, down: float, *, least: bool) -> None:
        points = (own, other)
        self._up, self._down = _Axis(points, up), _Axis(points, down)
        self._own_up, self._other_up = (
            np.maximum(self._up.counts(p, least=least), 0) for p in points
        )
        own_down, other_down = (self._down.counts(p, least=least) for p in points)
        self._own_down, self._other_down = own_down + 1, other_down + 1
        # What the other adds, by cell of the number itself: on its side, or on the opposite one.
        self._beside_up = self._other_up + self._down.sum(self._other_down)
        self._beside_down = self._other_down + self._up.sum(self._other_up)

    @property
    def above(self) -> float:
        """The weight of all numbers above 0."""
        return self.reaching_up(1)

    @property
    def beneath(self) -> float:
        """The weight of 0 and all numbers below."""
        return self.reaching_down(0)

    def reaching_up(self, x: int) -> float:
        """The weight of x or more, for an x of 1 or more."""
        return self._up.sum(np.maximum(self._own_up - x + 1, 0) * self._beside_up)

    def reaching_down(self, x: int) -> float:
        """The weight of -x or less, for an x of 0 or more."""
        return self._down.sum(np.maximum(self._own_down - x, 0) * self._beside_down)

    def distance(self) -> float:
        """The sum of |z| times its weight."""
        up, down = self._own_up, self._own_down
        above = self._up.sum(up * (up + 1) / 2 * self._beside_up)
        return above + self._down.sum(down * (down - 1) / 2 * self._beside_down)


@lru_cache(maxsize=4096)
def _find_upper_tail(own: float, other: float, left: float, slow_rate: float, miss: float) -> int:
    slow = _Law(own, other, slow_rate, slow_rate, least=False)
    least = _Law(own, other, 1.0, left, least=True)
    # Alone it falls above 0 at least as fast as the slow law, from whatever it has there.
    above = least.above if other else slow.above
    total = above + least.beneath
    return _smallest(lambda x: slow.reaching_up(x) / total, miss)


@lru_cache(maxsize=4096)
def _find_lower_tail(own: float, other: float, _left: float, slow: float, miss: float) -> int:
    """As if there were no tilt, which only pushes numbers up."""
    most, least = (_Law(own, other, 1.0, slow, least=bound) for bound in (False, True))
    total = least.above + least.beneath
    return _smallest(lambda x: most.reaching_down(x) / total, miss)


@lru_cache(maxsize=1024)
def _mean_absolute(own: float, other: float, left: float) -> float:
    """Of a law in which the tilt is that of the number furthest below."""
    law = _Law(own, other, 1.0, left, least=False)
    return law.distance() / (law.above + law.beneath)


def _smallest(tail: Callable[[int], float], miss: float) -> int:
    """The smallest d of 0 or more with a tail beyond it of `miss` or less."""
    limit = miss / ROUNDING
    low, high = -1, 1
    while tail(high + 1) > limit:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if tail(middle + 1) <= limit else (middle, high)
    return high
