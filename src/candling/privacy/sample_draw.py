"""Noise for the rows and the repair of a sample, and for numbers of the whole table beside them.

For persons a release speaks of two tables: of a sample with at most c rows of each person, and of
the whole table, in free numbers to which a person adds a stated amount at most. On a lattice on
which a person moves the rows of the sample, and every free number, by up to S, let `bad` be the
noise of the repair of the sample, `good` that of its other rows, and x_g that of the free numbers.
Noise z has probability in proportion to q**(A(z) + A(-z)), q = exp(-epsilon / S), where

    A(z) = max(good+ + bad+, max_g x_g+),    x+ = max(x, 0).

A person adds good rows and bad rows, S in all at most, and 0 to S to each x_g. So A of the move is
at most S, A of its opposite is 0, and this is epsilon-DP (docs/privacy.md, Theorem 7). Without free
numbers it is independent discrete Laplace noise on good and on bad rows.

The sampler rejects next to nothing: of whole numbers u, v >= 0 with u + v = m - 1 and points z with
A(z) <= u and A(-z) <= v there are m**d (2 m**3 + m) / 3, d being the free numbers. So draw m with
weight q**m times that, then one of these points; q**m summed over u >= A(z) and v >= A(-z) is in
proportion to q**(A(z) + A(-z)).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache

from candling.privacy.laws import SYSTEM, Bits, draw_below
from candling.privacy.plain_draw import (
    LARGEST,
    MOST,
    SMALLEST,
    Size,
    find_tail,
    on_common_lattice,
    power_sums,
    weigh_power,
)
from candling.privacy.statistic import Drawn, Statistic
from candling.records import dataclass

# How many points with noise of x or more there are for m = x + j, over m**d, or m**(d - 1) for the
# free numbers: the factors of x**a j**b, by (a, b). For rows it is no less than that.
_REACHING: Mapping[str, Mapping[tuple[int, int], Fraction]] = {
    "rows": {
        (1, 1): Fraction(1, 2), (1, 2): Fraction(1, 2), (0, 0): Fraction(1, 4),
        (0, 1): Fraction(1, 6), (0, 2): Fraction(1, 4), (0, 3): Fraction(1, 3),
    },
    "repair": {(0, 1): Fraction(1, 6), (0, 2): Fraction(1, 2), (0, 3): Fraction(1, 3)},
    "free": {
        (2, 1): Fraction(1, 4), (2, 2): Fraction(1, 4),
        (1, 1): Fraction(1, 12), (1, 2): Fraction(3, 4), (1, 3): Fraction(2, 3),
        (0, 1): Fraction(1, 6), (0, 2): Fraction(1, 6), (0, 3): Fraction(1, 3),
        (0, 4): Fraction(1, 3),
    },
}  # fmt: skip
# The same, summed over all x of 1 or more: the factors of m**b.
_DISTANCE: Mapping[str, Mapping[int, Fraction]] = {
    "rows": {4: Fraction(1, 8)},
    "repair": {4: Fraction(1, 12), 2: Fraction(-1, 12)},
    "free": {5: Fraction(13, 120), 3: Fraction(-1, 24), 1: Fraction(-1, 15)},
}
ROLES = tuple(_REACHING)


@dataclass(frozen=True, slots=True)
class SampleNoise:
    """The noise of one number of such a draw, in units of its lattice: the same up and down."""

    scale: float  # sensitivity / epsilon
    free: int  # how many free numbers there are
    role: str  # of the number: rows or repair of the sample, or free

    def __post_init__(self) -> None:
        fine = SMALLEST <= self.scale <= LARGEST and 0 <= self.free <= MOST
        if not (fine and self.role in ROLES and (self.free or self.role != "free")):
            raise ValueError("this noise does not exist")

    def upper_tail(self, miss: float) -> int:
        """A d of 0 or more such that the noise is above d with probability `miss` or less."""
        return find_tail(self, miss)

    def lower_tail(self, miss: float) -> int:
        """A d of 0 or more such that the noise is below -d with probability `miss` or less."""
        return find_tail(self, miss)

    def reaches(self, x: int) -> float:
        """The probability of x or more, for an x of 1 or more; of rows, no less than that."""
        rate, power = 1 / self.scale, self.free - (self.role == "free")
        sums = power_sums(rate, self.free + 4)
        found = 0.0
        for e in range(power + 1):
            ways = _log_choose(power, e)
            for (a, b), factor in _REACHING[self.role].items():
                p, s = power - e + a, e + b
                weight = weigh_power(rate * x, p)
                if weight:
                    size = math.lgamma(p + 1) + math.lgamma(s + 1) - math.lgamma(self.free + 4)
                    size += ways + (self.free + 3 - p - s) * math.log(rate)
                    found += float(factor) * weight * sums[s] * math.exp(size)
        return found / self._total

    @property
    def _total(self) -> float:
        """All points, in the unit of `reaches`."""
        rate, d = 1 / self.scale, self.free
        sums = power_sums(rate, d + 4)
        return (2 * sums[d + 3] + rate**2 * sums[d + 1] / ((d + 2) * (d + 3))) / 3

    @property
    def mean_absolute_error(self) -> float:
        """The mean of |noise|."""
        rate, d = 1 / self.scale, self.free
        if rate > 1:  # a few tails: the formula below would subtract equal numbers
            return 2 * math.fsum(self.reaches(x) for x in range(1, 2 + int(60 / rate)))
        sums, power = power_sums(rate, d + 5), d - (self.role == "free")
        found = 0.0
        for b, factor in _DISTANCE[self.role].items():
            s = power + b
            size = math.lgamma(s + 1) - math.lgamma(d + 4) + (d + 3 - s) * math.log(rate)
            found += float(factor) * sums[s] * math.exp(size)
        return 2 * found / self._total


class SampleDraw:
    """The law of a draw of the sample and of free numbers. Private itself: only draws leave.

    Neighbours: tables that differ in all rows of one person. Sensitivity: a person adds good rows
    and bad rows to the sample, c in all at most, and to a free number up to its sensitivity, or
    takes up to its `falls` away. Cost: epsilon. Proof: docs/privacy.md, Theorem 7.
    """

    def __init__(self, statistics: Sequence[Statistic], epsilon: Fraction) -> None:
        """Prepare a draw.

        Args:
            statistics: the rows of the sample, its repair, then the free numbers.
            epsilon: what the draw costs.
        """
        if any(s.falls for s in statistics[:2]):
            raise ValueError("neither the rows nor the repair of a sample fall")
        self.statistics = on_common_lattice(statistics)
        if len({s.step for s in self.statistics[:2]}) != 1:
            raise ValueError("the repair of a sample is a part of its rows")
        self.epsilon = epsilon
        (sensitivity,) = self.statistics[0].sensitivities
        self.rate = epsilon / (sensitivity + max(s.falls for s in self.statistics))

    def draw(self, bits: Bits = SYSTEM) -> tuple[Drawn, ...]:
        """A fresh draw, one for each statistic. `bits` is replaced in tests only."""
        free = len(self.statistics) - 2
        size = _size(self.rate, free).draw(bits)
        good, bad, down = draw_pair(size, bits)
        noise = [good + bad, bad, *(draw_below(size, bits) - down for _ in range(free))]
        return self.read_draw(
            [s.values[0] + z for s, z in zip(self.statistics, noise, strict=True)]
        )

    def read_draw(self, values: Sequence[int]) -> tuple[Drawn, ...]:
        """The released values of a draw with these values, on the common lattice."""
        return tuple(
            Drawn(0, y, s.step, noise)
            for y, s, noise in zip(values, self.statistics, self.noises, strict=True)
        )

    @property
    def noises(self) -> tuple[SampleNoise, ...]:
        """The public laws of the noise, on the common lattice. No value is looked at."""
        scale, free = float(1 / self.rate), len(self.statistics) - 2
        roles = ("rows", "repair", *("free" for _ in range(free)))
        return tuple(SampleNoise(scale, free, role) for role in roles)


def draw_pair(size: int, bits: Bits) -> tuple[int, int, int]:
    """Good and bad rows, and v: each point with u + v = size - 1 is equally likely.

    By the signs of the two there are four kinds. In each, what is above 0, what is below, and what
    is left of u and v are four whole numbers with a given sum: a choice of three bars among those.
    """
    kinds = [math.comb(size - low + 2, 3) for low in (0, 1, 1, 2)]
    chosen = draw_below(sum(kinds), bits)
    kind = 0
    while chosen >= kinds[kind]:
        chosen -= kinds[kind]
        kind += 1
    places = size + 2 - (0, 1, 1, 2)[kind]
    bars: set[int] = set()
    while len(bars) < 3:  # of at least three places: a repeat is drawn again
        bars = {draw_below(places, bits) for _ in range(3)}
    one, two, three = sorted(bars)
    first, second, third, fourth = one, two - one - 1, three - two - 1, places - three - 1
    if kind == 0:  # both of 0 or more, and the rest of u
        return first, second, fourth
    if kind == 3:  # both below 0, and the rest of v
        return -first - 1, -second - 1, first + second + third + 2
    above, below, down = first, -second - 1, second + 1 + fourth
    return (above, below, down) if kind == 1 else (below, above, down)


@lru_cache(maxsize=256)
def _size(rate: Fraction, free: int) -> Size:
    return Size(rate, ((2, free + 3), (1, free + 1)))


@cache
def _log_choose(n: int, k: int) -> float:
    return math.log(math.comb(n, k))
