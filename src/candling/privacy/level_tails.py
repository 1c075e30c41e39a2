"""How far the numbers of a levels draw may be off, whatever the table: docs/privacy.md, Theorem 9.

Given its levels, the law of a draw is exp(-R max v+ - (L - c) max v-) times a tilt that a table may
shape, within known limits. So tails are bounded by laws in which all is known: sums over which
numbers are above 0, of products of two integrals, one over how far up the numbers reach (u), one
over how far down (w).

Floats: these are bounds made from public numbers, after the draw; they are rounded against us.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

from candling.records import dataclass

Floats = npt.NDArray[np.float64]

FINE = 128  # lattice points per unit of decay from which on one more or less makes no difference
FAR = 46  # units of decay after which nothing is left
MOST = 3  # numbers of a draw
ROUNDING = 1 + 1e-6  # covers what is beyond, and the error of floats
COARSEST, SLOWEST, FASTEST = 10**24, 1e-9, 1e4  # of sensitivities and rates: beyond any release


@dataclass(frozen=True, slots=True)
class LevelsNoise:
    """The noise of one number of a levels draw, in units of its lattice.

    Rates are per sensitivity of the number furthest away.
    """

    sensitivity: int  # at the drawn level
    others: tuple[int, ...]  # those of the other numbers of the draw
    right: float  # R: the rate above
    left: float  # L: the rate below, where the tilt is that of the number furthest below
    slow: float  # L - c = R - theta c: the rate on both sides that no tilt undercuts

    def __post_init__(self) -> None:
        sizes = (self.sensitivity, *self.others)
        rates = (self.right, self.left)
        if not (
            len(sizes) <= MOST
            and all(1 <= size <= COARSEST for size in sizes)
            and all(SLOWEST <= self.slow <= rate <= FASTEST for rate in rates)
        ):
            raise ValueError("these parameters are out of range")

    def upper_tail(self, miss: float) -> int:
        """A d of 0 or more such that the noise is above d with probability `miss` or less."""
        return self._steps(_find_upper_tail(*self._laws(), miss))

    def lower_tail(self, miss: float) -> int:
        """A d of 0 or more such that the noise is below -d with probability `miss` or less."""
        return self._steps(_find_lower_tail(*self._laws(), miss))

    @property
    def mean_absolute_error(self) -> float:
        """The mean absolute error of the noise, at levels that lose nothing."""
        own, others, left, _ = self._laws()
        return _mean_absolute(own, others, left) * self.sensitivity / self.right / own

    def _laws(self) -> tuple[float, tuple[float, ...], float, float]:
        """Lattice points per unit of decay, at most FINE, and the rates in units of `right`."""
        own, *others = (min(FINE, s / self.right) for s in (self.sensitivity, *self.others))
        return own, tuple(others), self.left / self.right, self.slow / self.right

    def _steps(self, steps: int) -> int:
        finer = self.sensitivity / self.right / FINE
        return steps if finer < 1 else math.ceil(steps * finer)


class _Axis:
    """Integrals over how far numbers reach one way, of rate * exp(-rate u) times their counts.

    Cells end at the lattice points of all numbers. A number with FINE points has more in truth:
    its counts are bounded from both sides.
    """

    def __init__(self, points: tuple[float, ...], rate: float) -> None:
        reach = max(FAR / rate, *(3 / p for p in points))
        lattices = [np.arange(math.ceil(reach * p) + 2) / p for p in points]
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
        return float((self._mass * counts).sum())  # no BLAS: its threads wait for each other


class _Law:
    """The law exp(-up max v+ - down max v-) of one number and others, of which there may be none.

    Of the others, some are above 0 and reach as far as u allows, the rest are not and reach as far
    down as w does: a sum over which of them are, of products of two integrals.
    """

    def __init__(
        self, own: float, others: tuple[float, ...], up: float, down: float, *, least: bool
    ) -> None:
        points = (own, *others)
        self._up, self._down = _Axis(points, up), _Axis(points, down)
        self._own_up, *above = (np.maximum(self._up.counts(p, least=least), 0) for p in points)
        self._own_down, *beneath = (self._down.counts(p, least=least) + 1 for p in points)
        self._beside_up: Floats = np.zeros_like(self._own_up)
        self._beside_down: Floats = np.zeros_like(self._own_down)
        for signs in product((True, False), repeat=len(others)):
            ups = _multiply(above, signs, like=self._own_up)
            downs = _multiply(beneath, [not sign for sign in signs], like=self._own_down)
            self._beside_up += ups * self._down.sum(downs)
            self._beside_down += downs * self._up.sum(ups)

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


def _multiply(counts: Sequence[Floats], used: Sequence[bool], *, like: Floats) -> Floats:
    """The product of some of the counts, by cell; of none it is 1."""
    result = np.ones_like(like)
    for own, use in zip(counts, used, strict=True):
        if use:
            result = result * own
    return result


@lru_cache(maxsize=4096)
def _find_upper_tail(
    own: float, others: tuple[float, ...], left: float, slow_rate: float, miss: float
) -> int:
    slow = _Law(own, others, slow_rate, slow_rate, least=False)
    least = _Law(own, others, 1.0, left, least=True)
    # Alone it falls above 0 at least as fast as the slow law, from whatever it has there.
    above = least.above if others else slow.above
    total = above + least.beneath
    return _smallest(lambda x: slow.reaching_up(x) / total, miss)


@lru_cache(maxsize=4096)
def _find_lower_tail(
    own: float, others: tuple[float, ...], _left: float, slow: float, miss: float
) -> int:
    """As if there were no tilt, which only pushes numbers up."""
    most, least = (_Law(own, others, 1.0, slow, least=bound) for bound in (False, True))
    total = least.above + least.beneath
    return _smallest(lambda x: most.reaching_down(x) / total, miss)


@lru_cache(maxsize=1024)
def _mean_absolute(own: float, others: tuple[float, ...], left: float) -> float:
    """Of a law in which the tilt is that of the number furthest below."""
    law = _Law(own, others, 1.0, left, least=False)
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
