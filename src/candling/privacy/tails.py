"""How far the numbers of one draw may be off, whatever the table: docs/privacy.md, Theorem 9.

For drawn levels, let P(a, b) be the law of v with weight exp(-a max v+ - b max v-), and Z(a, b) the
sum of its weights. On every table the law of the draw has tails no heavier than Z(slow) / Z(fast)
times those of P(slow). Both follow from an integral over how far the numbers may be up (u) and down
(w), given which each is uniform on its lattice between -w and u.

Floats: these are bounds made from public numbers, after the draw; they are rounded against us.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

NODES, WEIGHTS = np.polynomial.legendre.leggauss(2)
CELLS = 100  # of an axis
MOST_CELLS = 200  # of an axis, where they end at lattice points
FINE = 128  # a sensitivity from which on one lattice point more or less makes no difference
ROUNDING = 1 + 1e-4  # covers the error of the integrals


@dataclass(frozen=True, slots=True)
class Rates:
    """By how much, per sensitivity up and down, weights fall at least (slow) and at most (fast)."""

    slow: tuple[float, float]
    fast: tuple[float, float]


@dataclass(frozen=True, slots=True)
class CardNoise:
    """The noise of one number of a draw, in units of its lattice."""

    sensitivity: int
    others: tuple[int, ...]  # sensitivities of the other numbers of the draw, at the drawn levels
    rates: Rates

    def above(self, miss: float) -> int:
        """A d of 0 or more such that the noise is above d with probability `miss` or less."""
        return self._reach(miss, way=0)

    def below(self, miss: float) -> int:
        """A d of 0 or more such that the noise is below -d with probability `miss` or less."""
        return self._reach(miss, way=1)

    def _reach(self, miss: float, *, way: int) -> int:
        own = min(self.sensitivity, FINE)
        others = tuple(sorted(min(s, FINE) for s in self.others))
        reach = _reach(own, others, self.rates, miss, way)
        return -(-reach * self.sensitivity // own)

    @property
    def mean_absolute_error(self) -> float:
        """Of a draw from levels that lose nothing."""
        own = min(self.sensitivity, FINE)
        everyone = tuple(sorted([own, *(min(s, FINE) for s in self.others)]))
        rates = self.rates.fast
        mean = _integral(everyone, rates, rates[0]).mean_absolute(own)
        return mean * self.sensitivity / own


@lru_cache(maxsize=4096)
def _reach(own: int, others: tuple[int, ...], rates: Rates, miss: float, way: int) -> int:
    """The smallest d of 0 or more with a tail beyond it of `miss` or less."""
    everyone, unit = tuple(sorted([own, *others])), rates.fast[0]
    least = _integral(everyone, rates.fast, unit).log_least
    tail = _integral(everyone, rates.slow, unit).tail(own, way)
    limit = miss * math.exp(least) / ROUNDING
    low, high = -1, 1
    while tail(high + 1) > limit:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if tail(middle + 1) <= limit else (middle, high)
    return high


@lru_cache(maxsize=8)  # each holds a matrix
def _integral(
    sensitivities: tuple[int, ...], rates: tuple[float, float], unit: float
) -> _Integral:
    return _Integral(sensitivities, rates, unit)


class _Integral:
    """The law exp(-a max v+ - b max v-) as an integral over (u, w), on Gauss points of cells.

    Cells end at the lattice points of the coarsest numbers, so that their counts are exact. Of the
    others floor(S u) + floor(S w) + 1 is taken as S (u + w) + 1 or, for `log_least`, 2 less. So
    FINE may stand for any sensitivity above it. Counts are taken times unit / S.
    """

    def __init__(
        self, sensitivities: tuple[int, ...], rates: tuple[float, float], unit: float
    ) -> None:
        self._sensitivities, self._unit = sensitivities, unit
        reaches = [(2 * len(sensitivities) + 40) / rate for rate in rates]
        self._coarsest = min(sensitivities)
        if self._coarsest == FINE or max(reaches) * self._coarsest > MOST_CELLS:
            self._coarsest = 0  # none has exact counts
        axes = [self._axis(*axis) for axis in zip(reaches, rates, strict=True)]
        self._points, self._masses = zip(*axes, strict=True)

    def _axis(self, reach: float, rate: float) -> tuple[Floats, Floats]:
        """Points, and the mass of the density rate exp(-rate u) that belongs to each."""
        if self._coarsest:
            parts = math.ceil(1.5 * rate / self._coarsest)
            count = math.ceil(reach * self._coarsest) * parts
            ends = np.linspace(0, count / (self._coarsest * parts), count + 1)
        else:
            ends = np.linspace(0, reach, CELLS + 1)
        half = np.diff(ends)[:, None] / 2
        points = (ends[:-1, None] + half * (1 + NODES)).ravel()
        return points, (half * WEIGHTS).ravel() * rate * np.exp(-rate * points)

    def _steps(self, sensitivity: int, way: int) -> Floats:
        """How many lattice points there are up to each point of an axis: not too few."""
        steps = sensitivity * self._points[way]
        exact: Floats = np.floor(steps)
        return exact if sensitivity == self._coarsest else steps

    def _counts(self, sensitivity: int) -> Floats:
        """How many lattice points there are between -w and u: not too few."""
        up, down = (self._steps(sensitivity, way) for way in (0, 1))
        return up[:, None] + down + 1

    def _log_product(self, *, least: bool = False) -> Floats:
        """Of the counts of all numbers."""
        found = np.zeros((len(self._points[0]), len(self._points[1])))
        for s, times in Counter(self._sensitivities).items():
            counts = self._counts(s)
            if least and s != self._coarsest:
                counts = np.maximum(counts - 2, 1e-300)
            found += times * np.log(counts * (self._unit / s))
        return found

    @cached_property
    def _log_counts(self) -> Floats:
        return self._log_product()

    @cached_property
    def log_least(self) -> float:
        """The log of the sum of all weights, or less."""
        return self._log_sum(self._log_product(least=True))

    def _log_sum(self, logs: Floats) -> float:
        top = float(logs.max())
        return top + math.log(self._masses[0] @ np.exp(logs - top) @ self._masses[1])

    def tail(self, s: int, way: int) -> Callable[[int], float]:
        """Of a number of sensitivity s: the sum of the weights at x or more steps up, or down."""
        others = self._log_counts - np.log(self._counts(s) * (self._unit / s))
        top = float(others.max())
        if way == 0:
            weights = np.exp(others - top) @ self._masses[1] * self._masses[0]
        else:
            weights = self._masses[0] @ np.exp(others - top) * self._masses[1]
        steps, scale = self._steps(s, way), math.exp(top) * self._unit / s
        return lambda x: float(weights @ np.maximum(steps - x + 1, 0)) * scale

    def mean_absolute(self, s: int) -> float:
        """Of a number of sensitivity s: the mean distance from 0, in steps."""
        up, down = self._steps(s, 0)[:, None], self._steps(s, 1)
        distance = (up * (up + 1) + down * (down + 1)) / 2 / self._counts(s)
        logs = self._log_counts
        weights = np.exp(logs - logs.max())
        whole = self._masses[0] @ weights @ self._masses[1]
        return float(self._masses[0] @ (weights * distance) @ self._masses[1] / whole)
