"""Noise for numbers without levels: all of them in one draw, sampled exactly.

On a lattice on which every number has the sensitivity S, noise z_0 of the number of rows and z_g of
each of `numbers` other ones has probability in proportion to

    q**max(|z_0|, max_g |2 z_g - z_0|),    q = exp(-epsilon / S).

A row that is added moves the rows by one and every other number by no more than that, so this is
epsilon-DP (docs/privacy.md, Theorem 7). For one other number, such as the repair, it is independent
discrete Laplace noise on bad rows (repair) and on good ones (rows - repair). The other numbers have
the same law with the rows in the draw as without them: rows cost nothing.

The sampler rejects nothing: draw m >= 1 with weight q**m m**(numbers + 1), draw whole numbers
U_0, U_1, ... uniformly from 0 to m - 1, and take z_g = U_g - U_0 and z_0 = m - 1 - 2 U_0. A power
is a sum over ways to fall into classes (Stirling numbers of the second kind), m**n = sum of
stirling(n, k) k! C(m, k), so m is a mixture, over k, of k plus a sum of k + 1 geometric numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Any, Protocol

from candling.privacy.laws import SYSTEM, Bits, Choice, ball, draw_below, geometric
from candling.privacy.statistic import Drawn, Statistic
from candling.records import dataclass

ROUNDING = 1 + 1e-9  # covers the error of floats in a tail
SMALLEST, LARGEST, MOST = 1e-3, 1e30, 1000  # of the scale, and numbers: beyond any release


class SymmetricNoise(Protocol):
    """Noise with the same law up and down."""

    def reaches(self, x: int) -> float:
        """The probability of x or more, for an x of 1 or more."""


@dataclass(frozen=True, slots=True)
class PlainNoise:
    """The noise of one number of a plain draw, in units of its lattice: the same up and down."""

    scale: float  # sensitivity / epsilon
    numbers: int  # in the draw, without the rows
    of_rows: bool = False

    def __post_init__(self) -> None:
        fine = SMALLEST <= self.scale <= LARGEST and 0 <= self.numbers <= MOST
        if not (fine and self.numbers >= (not self.of_rows)):
            raise ValueError("these parameters are out of range")

    def upper_tail(self, miss: float) -> int:
        """A d of 0 or more such that the noise is above d with probability `miss` or less."""
        return find_tail(self, miss)

    def lower_tail(self, miss: float) -> int:
        """A d of 0 or more such that the noise is below -d with probability `miss` or less."""
        return find_tail(self, miss)

    def reaches(self, x: int) -> float:
        """The probability of x or more, for an x of 1 or more."""
        return _rows_reach(self, x) if self.of_rows else _number_reaches(self, x)

    @property
    def mean_absolute_error(self) -> float:
        """The mean of |noise|."""
        n, rate = self.numbers, 1 / self.scale
        if rate > 1:  # a few tails: the formula below would subtract equal numbers
            return 2 * math.fsum(self.reaches(x) for x in range(1, 2 + int(60 / rate)))
        sums = power_sums(rate, n + 2)
        # By m it is (m - 1/m) / 3, for the rows (m - [m is odd]/m) / 2.
        size = (n + 2) * sums[n + 2] / sums[n + 1] / rate
        inverse = rate * sums[n] / sums[n + 1] / (n + 1)
        if not self.of_rows:
            return (size - inverse) / 3
        even = rate * power_sums(2 * rate, n)[n] / sums[n + 1] / (n + 1) / 2
        return (size - inverse + even) / 2


class PlainDraw:
    """The law of a draw of statistics without levels. Private itself: only draws leave.

    Neighbours: tables that differ in up to k rows, the rows of one person. Sensitivity: j rows more
    move the number of rows by j, and a statistic of sensitivity S by 0 to j S / k, or down by up to
    its `falls`. Cost: epsilon. Proof: docs/privacy.md, Theorem 7.
    """

    def __init__(
        self, statistics: Sequence[Statistic], epsilon: Fraction, rows: int | None
    ) -> None:
        """Prepare a draw.

        Args:
            statistics: what gets noise.
            epsilon: what the draw costs.
            rows: the index of the number of rows, whose sensitivity is k, if it is among them.
        """
        if rows is not None and statistics[rows].falls:
            raise ValueError("the number of rows does not fall")
        self.statistics = on_common_lattice(statistics)
        self.epsilon = epsilon
        (sensitivity,) = self.statistics[0].sensitivities
        # Beside rows a fall counts twice; without rows that is more than is needed.
        self.rate = epsilon / (sensitivity + 2 * max(s.falls for s in self.statistics))
        self._rows, self._numbers = rows, len(statistics) - (rows is not None)

    def draw(self, bits: Bits = SYSTEM) -> tuple[Drawn, ...]:
        """A fresh draw, one for each statistic. `bits` is replaced in tests only."""
        size = _size(self.rate, self._numbers).draw(bits)
        origin = draw_below(size, bits)
        return self.read_draw([
            statistic.values[0]
            + (size - 1 - 2 * origin if k == self._rows else draw_below(size, bits) - origin)
            for k, statistic in enumerate(self.statistics)
        ])  # fmt: skip

    def read_draw(self, values: Sequence[int]) -> tuple[Drawn, ...]:
        """The released values of a draw with these values, on the common lattice."""
        return tuple(
            Drawn(0, y, s.step, noise)
            for y, s, noise in zip(values, self.statistics, self.noises, strict=True)
        )

    @property
    def noises(self) -> tuple[PlainNoise, ...]:
        """The public laws of the noise, on the common lattice. No value is looked at."""
        scale = float(1 / self.rate)
        return tuple(
            PlainNoise(scale, self._numbers, k == self._rows) for k in range(len(self.statistics))
        )


def on_common_lattice(statistics: Sequence[Statistic]) -> list[Statistic]:
    """The same statistics, each on a lattice on which all have the same sensitivity."""
    if any(s.has_levels for s in statistics):
        raise ValueError("a plain draw has no levels")
    common = math.lcm(*(s.sensitivities[0] for s in statistics))
    return [s.refine(common // s.sensitivities[0]) for s in statistics]


# The sampler


@dataclass(frozen=True)
class Size:
    """m from 1 on, with weight exp(-rate m) times a sum of factor * m**power, of 1 or more."""

    rate: Fraction
    powers: tuple[tuple[int, int], ...]  # factor and power

    def draw(self, bits: Bits) -> int:
        """A fresh one."""
        k = self._choice.draw(self._masses, bits) + 1
        return k + sum(geometric(self.rate, bits) for _ in range(k + 1))

    @cached_property
    def _choice(self) -> Choice:
        return Choice()

    def _masses(self) -> Iterator[Any]:
        """For k from 1 on: stirling(power, k) k! times the sum of C(m, k) q**m."""
        odds = 1 / ball(self.rate).expm1()  # q / (1 - q)
        for k in range(1, 1 + max(power for _, power in self.powers)):
            ways = sum(factor * stirling(p)[k] for factor, p in self.powers if p >= k)
            yield ways * math.factorial(k) * odds**k


@lru_cache(maxsize=256)
def _size(rate: Fraction, numbers: int) -> Size:
    return Size(rate, ((1, numbers + 1),))


@cache
def stirling(n: int) -> tuple[int, ...]:
    """In how many ways n things fall into k = 0 to n classes, none of them empty."""
    row = [1]
    for _ in range(n):
        row = [
            k * ways + before
            for k, (ways, before) in enumerate(zip([*row, 0], [0, *row], strict=True))
        ]
    return tuple(row)


# Tails: sums of powers times a geometric sequence, all of whose terms are positive. Floats: these
# are bounds made from public numbers after the draw.


@lru_cache(maxsize=4096)
def find_tail(noise: SymmetricNoise, miss: float) -> int:
    """The smallest d of 0 or more that the noise exceeds with probability `miss` or less."""
    limit = miss / ROUNDING
    low, high = -1, 1
    while noise.reaches(high + 1) > limit:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if noise.reaches(middle + 1) <= limit else (middle, high)
    return high


@lru_cache(maxsize=1024)
def power_sums(rate: float, most: int) -> tuple[float, ...]:
    """For s = 0 to `most`: rate**(s + 1) / s! times T_s, the sum over j >= 1 of j**s exp(-rate j).

    T_s = (1 + sum over i < s of C(s, i) T_i) / (exp(rate) - 1). The factor keeps all in range.
    """
    powers = [1.0]  # rate**n / n!
    for n in range(1, most + 1):
        powers.append(powers[-1] * rate / n)
    sums: list[float] = []
    for s in range(most + 1):
        earlier = math.fsum(powers[s - i] * sums[i] for i in range(s))
        sums.append((rate * powers[s] + earlier) / math.expm1(rate))
    return tuple(sums)


def _number_reaches(noise: PlainNoise, x: int) -> float:
    """By sums over j >= 1 of (x+j)**(numbers-1) j(j+1)/2 q**(x+j), and of m**(numbers+1) q**m.

    Of the m**2 ways to choose U_g and U_0, (m-x)(m-x+1)/2 have U_g - U_0 >= x.
    """
    n, rate = noise.numbers, 1 / noise.scale
    sums = power_sums(rate, n + 1)
    total = 0.0
    for e in range(n):
        pairs = (e + 1) * ((e + 2) * sums[e + 2] + rate * sums[e + 1]) / 2
        total += pairs * weigh_power(rate * x, n - 1 - e)
    return total / (n * (n + 1) * sums[n + 1])


def _rows_reach(noise: PlainNoise, x: int) -> float:
    """By sums over j >= 1 of (x+j)**numbers floor((j+1)/2) q**(x+j), and of m**(numbers+1) q**m.

    Of the m ways to choose U_0, floor((m-x+1)/2) have m - 1 - 2 U_0 >= x. Odd and even j are summed
    apart, as powers of q**2.
    """
    n, rate = noise.numbers, 1 / noise.scale
    halves = power_sums(2 * rate, n + 1)
    total = 0.0
    for e in range(n + 1):
        both = weigh_power(rate * (x - 1), n - e) + weigh_power(rate * x, n - e)
        total += (e + 1) * halves[e + 1] / 4 * both
    return total / ((n + 1) * power_sums(rate, n + 1)[n + 1])


def weigh_power(x: float, power: int) -> float:
    """x**power / power! e**-x, without leaving the range of floats."""
    if x == 0:
        return 1.0 if power == 0 else 0.0
    return math.exp(power * math.log(x) - math.lgamma(power + 1) - x)
