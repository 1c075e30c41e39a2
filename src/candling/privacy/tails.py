"""How far the numbers of one draw may be off, whatever the table: docs/privacy.md, Theorem 9.

Given its levels, the law of a draw is exp(-R max v+ - (L - c) max v-) times a tilt that a table may
shape. The tilt never falls when a number goes up, and by how much it changes is limited. So the
sign pattern of v and, given it, how far the positive and the negative numbers reach are bounded by
laws in which all is known: sums over sign patterns of products of two integrals, one over how far
up the numbers reach (u), one over how far down (w).

Floats: these are bounds made from public numbers, after the draw; they are rounded against us.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

NODES, WEIGHTS = np.polynomial.legendre.leggauss(3)
CELLS = 240  # of an axis, at least
MOST_CELLS = 400  # of an axis, where they end at lattice points
FINE = 128  # a sensitivity from which on one lattice point more or less makes no difference
ROUNDING = 1 + 2e-3  # covers the error of the integrals


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates at which the law of a draw falls, per sensitivity."""

    right: float  # R
    left: float  # L, where the tilt is that of the number furthest below
    slow_left: float  # L - c
    rise: float  # by which the tilt grows at most when all numbers above 0 go up by one
    fall: float  # by which it falls at most when all numbers below 0 go down by one


@dataclass(frozen=True, slots=True)
class CardNoise:
    """The noise of one number of a draw, in units of its lattice."""

    sensitivity: int
    others: tuple[int, ...]  # sensitivities of the other numbers of the draw, at the drawn levels
    rates: Rates
    own: float | None = 0.0  # the part of `rise` that is this number's own; None: it may be all
    jump: float = 0.0  # by which the tilt grows at most from one lattice point to the next

    def upper_tail(self, miss: float) -> int:
        """A d of 0 or more such that the noise is above d with probability `miss` or less."""
        own, others = self._canonical()
        return self._scale(_find_upper_tail(own, others, self.rates, (self.own, self.jump), miss))

    def lower_tail(self, miss: float) -> int:
        """A d of 0 or more such that the noise is below -d with probability `miss` or less."""
        own, others = self._canonical()
        return self._scale(_find_lower_tail(own, others, self.rates, miss))

    @property
    def mean_absolute_error(self) -> float:
        """The mean absolute error of the noise, at levels that lose nothing."""
        own, others = self._canonical()
        return _mean_absolute(own, others, self.rates) * self.sensitivity / own

    def _canonical(self) -> tuple[int, tuple[int, ...]]:
        """FINE stands for every sensitivity above it: few different bounds are needed."""
        return min(self.sensitivity, FINE), tuple(sorted(min(s, FINE) for s in self.others))

    def _scale(self, steps: int) -> int:
        own = min(self.sensitivity, FINE)
        return -(-steps * self.sensitivity // own)


@lru_cache(maxsize=4096)
def _find_upper_tail(
    own: int,
    others: tuple[int, ...],
    rates: Rates,
    tilt: tuple[float | None, float],  # this number's own part of `rise`, and the jump
    miss: float,
) -> int:
    unit = _unit(others, rates)
    slow = _Patterns(own, others, (rates.right - rates.rise, rates.slow_left), unit)
    fast = _Patterns(own, others, (rates.right, rates.slow_left + rates.fall), unit)
    least, rest = fast.positive(least=True), float(fast.negative(least=True).sum())
    own_rise, jump = tilt
    if own_rise is None and others:  # nowhere is the law above that of the slowest fall
        total = float(least.sum()) + rest
        return _smallest(lambda x: float(slow.weigh_tail(x).sum()) / total, miss)
    most, given = slow.positive(), slow.positive(least=True)

    def likeliest(x: int) -> float:
        """The tail if patterns have the chances, within bounds, that make it heaviest."""
        share = np.minimum(math.exp(jump) * slow.weigh_tail(x, own_rise or 0.0) / given, 1)
        order = np.argsort(-share)
        heavy, light = most[order], least[order]
        top = (heavy * share[order]).cumsum() + _after(light * share[order])
        return float((top / (heavy.cumsum() + _after(light) + rest)).max())

    return _smallest(likeliest, miss)


@lru_cache(maxsize=4096)
def _find_lower_tail(own: int, others: tuple[int, ...], rates: Rates, miss: float) -> int:
    """As if there were no tilt, which only pushes numbers up."""
    law = _Patterns(own, others, (rates.right, rates.slow_left), _unit(others, rates))
    total = float(law.positive(least=True).sum() + law.negative(least=True).sum())
    return _smallest(lambda x: float(law.reaching_down(x).sum()) / total, miss)


@lru_cache(maxsize=4096)
def _mean_absolute(own: int, others: tuple[int, ...], rates: Rates) -> float:
    """Of a law in which the tilt is that of the number furthest below."""
    unit = _unit(others, rates)
    law = _Patterns(own, others, (rates.right, rates.left), unit, count_all=True)
    return law.distance() / float(law.positive().sum() + law.negative().sum())


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


def _after(values: Floats) -> Floats:
    """For each position, the sum of everything after it."""
    later: Floats = values.sum() - values.cumsum()
    return later


def _unit(others: tuple[int, ...], rates: Rates) -> float:
    """The unit of distances, so that products of many of them do not overflow."""
    return rates.right / (1 + len(others))


class _Patterns:
    """The law exp(-a max v+ - b max v-), by which of the other numbers are above 0.

    `count_all`: not a bound but about right, with the counts at the points of the integrals.

    Others of one sensitivity are counted together. Cells of the integrals end at the lattice points
    of the coarsest numbers, so that their counts are exact. Of the rest floor(S u) is taken as S u
    or, where `least` is asked for, S u - 1. So FINE may stand for any sensitivity above it. Counts
    are taken relative to S.
    """

    def __init__(
        self,
        own: int,
        others: tuple[int, ...],
        rates: tuple[float, float],
        unit: float,
        *,
        count_all: bool = False,
    ) -> None:
        self._own, self._unit, self._count_all = own, unit, count_all
        classes = Counter(others)
        self._kinds = list(classes)
        counts = list(classes.values())
        self._up = np.array(list(product(*(range(n + 1) for n in counts))), np.float64)
        self._down = np.array(counts, np.float64) - self._up
        self._ways = np.array(
            [
                math.prod(math.comb(n, int(k)) for n, k in zip(counts, up, strict=True))
                for up in self._up
            ],
            np.float64,
        )
        self._coarsest = min([own, *others])
        reaches = [max((2 * len(others) + 42) / rate, 3 / self._coarsest) for rate in rates]
        if self._coarsest == FINE or max(reaches) * self._coarsest > MOST_CELLS:
            self._coarsest = 0  # none has exact counts
        axes = [self._axis(*axis) for axis in zip(reaches, rates, strict=True)]
        (self._u, self._u_mass), (self._w, self._w_mass) = axes

    def _axis(self, reach: float, rate: float) -> tuple[Floats, Floats]:
        """Points, and the mass of the density rate exp(-rate u) that belongs to each."""
        if self._coarsest:
            parts = math.ceil(1.5 * rate / self._coarsest)
            count = math.ceil(reach * self._coarsest) * parts
            ends = np.linspace(0, count / (self._coarsest * parts), count + 1)
        else:
            ends = np.linspace(0, reach, max(CELLS, math.ceil(2 * reach * rate)) + 1)
        half = np.diff(ends)[:, None] / 2
        points = (ends[:-1, None] + half * (1 + NODES)).ravel()
        return points, (half * WEIGHTS).ravel() * rate * np.exp(-rate * points)

    def _steps(self, s: int, points: Floats, *, least: bool = False) -> Floats:
        """How many lattice points of sensitivity s are above 0 and not above each point."""
        steps: Floats = s * points
        whole: Floats = np.floor(steps)
        if s == self._coarsest or (self._count_all and s < FINE):
            return whole
        fewer: Floats = np.maximum(steps - 1, 0)
        return fewer if least else steps

    def _others_up(self, points: Floats, *, least: bool = False) -> Floats:
        """By pattern and point: the product of the counts of the others that are above 0."""
        return self._product(self._up, [self._steps(s, points, least=least) for s in self._kinds])

    @cached_property
    def _most_up(self) -> Floats:
        return self._others_up(self._u) * self._u_mass

    @cached_property
    def _least_up(self) -> Floats:
        return self._others_up(self._u, least=True) * self._u_mass

    def _others_down(self, *, least: bool = False) -> Floats:
        """The same for the others that are 0 or below, with the masses of the points."""
        counts = [self._steps(s, self._w, least=least) + 1 for s in self._kinds]
        return self._product(self._down, counts) * self._w_mass

    @cached_property
    def _most_down(self) -> Floats:
        return self._others_down()

    @cached_property
    def _least_down(self) -> Floats:
        return self._others_down(least=True)

    def _product(self, powers: Floats, counts: list[Floats]) -> Floats:
        found = np.ones((len(powers), 1))
        for power, count, s in zip(powers.T, counts, self._kinds, strict=True):
            found = found * (count * (self._unit / s)) ** power[:, None]
        return found

    def _weigh(self, up: Floats, down: Floats) -> Floats:
        """The total of each pattern, from the values at each point."""
        weights: Floats = self._ways * up.sum(axis=1) * down.sum(axis=1)
        return weights

    def positive(self, *, least: bool = False) -> Floats:
        """The weight of each pattern, the number itself being above 0."""
        own = self._steps(self._own, self._u, least=least)
        if least:
            return self._weigh(self._least_up * own, self._least_down)
        return self._weigh(self._most_up * own, self._most_down)

    def negative(self, *, least: bool = False) -> Floats:
        """The same for a number that is 0 or below."""
        own = self._steps(self._own, self._w, least=least) + 1
        if least:
            return self._weigh(self._least_up, self._least_down * own)
        return self._weigh(self._most_up, self._most_down * own)

    def weigh_tail(self, x: int, rise: float = 0.0) -> Floats:
        """That the number is x or more, by a law that grows by e**rise per sensitivity above it."""
        own = np.maximum(self._steps(self._own, self._u) - x + 1, 0)
        return self._weigh(self._most_up * (own * np.exp(rise * self._u)), self._most_down)

    def reaching_down(self, x: int) -> Floats:
        """That the number is -x or less."""
        own = np.maximum(self._steps(self._own, self._w) - x + 1, 0)
        return self._weigh(self._most_up, self._most_down * own)

    def distance(self) -> float:
        """The sum of |z| times its weight."""
        up, down = self._steps(self._own, self._u), self._steps(self._own, self._w)
        above = self._weigh(self._most_up * (up * (up + 1) / 2), self._most_down)
        beneath = self._weigh(self._most_up, self._most_down * (down * (down + 1) / 2))
        return float(above.sum() + beneath.sum())
