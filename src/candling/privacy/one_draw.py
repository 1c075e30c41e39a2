"""All statistics of a release in one draw: levels and values at once, sampled exactly.

Let v_k = (y_k - f_k)/S_k for the values f_k and sensitivities S_k of statistic k at its drawn
level, and kappa_k its shortfall (see `level_law`). Levels and outputs have weight

    exp( prior - R max_k v_k+ - (L - c) max_k v_k- - c max_k kappa_k
         - eta max_k (K - y_k/S_k)+ - min(most, nu (T/2 - rows)+) )

with R = epsilon - c and L = epsilon - theta c - eta - nu. A statistic without levels has
kappa_k = v_k-. The second line is for statistics with levels: one beyond the first must be deserved
by a value of many sensitivities, and no threshold helps that is far above the number of rows, T
being the largest drawn. Where no statistic has levels, c, eta and nu are 0 and this is the K-norm
mechanism of a box and its mirror image.

The sampler proposes and rejects. A maximum is at least any weighted mean, so the weight is at most
a product of laws of one statistic each (`level_law`) and of one block of all statistics without
levels (`block`), with slopes in proportion. A proposal from that product is accepted with
probability exp(-gap), the gap being an exact fraction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from typing import Any

import numpy as np

from candling.privacy.laws import (
    SYSTEM,
    Bits,
    BlockNoise,
    Choice,
    LevelLaw,
    Shortfall,
    Slopes,
    ball,
    happens,
)
from candling.privacy.statistic import Drawn, Statistic
from candling.privacy.tails import CardNoise, Rates

TAU = Fraction(5, 4)  # the largest threshold t has prior t**-TAU,
FIRST = Fraction(1)  # times e**-FIRST beyond the first,
FURTHER = Fraction(1, 2)  # and e**-FURTHER for each level of a further statistic
MOST = Fraction(10)  # nats that a threshold above the number of rows costs
COARSEST = 4  # times the smallest sensitivity: what shares the lattice of the block


@dataclass(frozen=True, slots=True)
class Constants:
    """The shape of a draw; all but the knee are parts of epsilon. Tuned by benchmarks/prior.py."""

    tilt: Fraction  # c
    theta: Fraction
    value_penalty: Fraction  # eta
    value_knee: Fraction  # K, in sensitivities over epsilon
    rows_penalty: Fraction  # nu


ALONE = Constants(Fraction("0.36"), Fraction(1, 2), Fraction("0.15"), Fraction(30), Fraction(0))
TOGETHER = Constants(
    Fraction("0.33"), Fraction(1, 2), Fraction("0.1"), Fraction(45), Fraction("0.01")
)
# With many numbers the sides must be equally steep, or nearly all numbers end up on one of them.
MANY = replace(TOGETHER, theta=Fraction(2, 3))
MANY_FROM = 7


@dataclass(frozen=True, slots=True)
class Shape:
    """The slopes of the draw at a given epsilon. The proof holds for any with left >= tilt."""

    right: Fraction  # R
    left: Fraction  # L
    tilt: Fraction = Fraction(0)  # c
    theta: Fraction = Fraction(1)
    value_penalty: Fraction = Fraction(0)  # eta
    value_knee: Fraction = Fraction(0)  # K
    rows_penalty: Fraction = Fraction(0)  # nu

    @classmethod
    def of(cls, epsilon: Fraction, constants: Constants | None, *, rows: bool = False) -> Shape:
        """The slopes of constants, for statistics with levels; None if there are none."""
        if constants is None:
            return cls(epsilon, epsilon)
        tilt, desert = constants.tilt * epsilon, constants.value_penalty * epsilon
        beyond = constants.rows_penalty * epsilon if rows else Fraction(0)
        return cls(
            epsilon - tilt,
            epsilon - constants.theta * tilt - desert - beyond,
            tilt,
            constants.theta,
            desert,
            constants.value_knee / epsilon,
            beyond,
        )

    @property
    def rates(self) -> Rates:
        """The rates that bound the tails of the draw (docs/privacy.md, Theorem 9)."""
        rise = self.theta * self.tilt + self.value_penalty + self.rows_penalty
        fall = self.tilt + self.value_penalty + self.rows_penalty
        rates = (self.right, self.left, self.left - self.tilt, rise, fall)
        return Rates(*map(float, rates))


class OneDraw:
    """The law of the draw for one table. Private itself: only draws leave.

    Neighbours: tables that differ in the rows of one person. Sensitivity: as the statistics state;
    all move in the same direction, but for `falls`. Cost: epsilon. Proof: docs/privacy.md,
    Theorem 8.
    """

    def __init__(
        self, statistics: Sequence[Statistic], epsilon: Fraction, rows: int | None = None
    ) -> None:
        """`rows` is the index of the statistic that no useful threshold exceeds, if there is."""
        self.statistics = with_block(statistics)
        self.epsilon = epsilon / (1 + slack(statistics))  # of statistics that do not fall at all
        levels = any(s.has_levels for s in statistics)
        constants = constants_for(len(statistics)) if levels else None
        self._rows = rows if levels else None
        self.shape = Shape.of(self.epsilon, constants, rows=self._rows is not None)

    def draw(self, bits: Bits = SYSTEM) -> tuple[Drawn, ...]:
        """A fresh draw, one for each statistic. `bits` is replaced in tests only."""
        while True:
            levels, proposed, envelope = self._propose(bits)
            if self._exact or happens(envelope - self.log_weight(levels, proposed), bits):
                return self.read_draw(levels, proposed)

    @cached_property
    def _exact(self) -> bool:
        """Whether the envelope is the law: there is one factor, and nothing beside it."""
        return len(self._single) + bool(self._block) == 1 and not self.shape.rows_penalty

    def log_weight(self, levels: Sequence[int], values: Sequence[int]) -> Fraction:
        """The exponent of the weight without the prior, which `prior` gives."""
        shape = self.shape
        away = self._measure_distances(levels, values)
        up, down = max(Fraction(0), *away), max(Fraction(0), *(-v for v in away))
        short = max([down, *(self._shortfalls[k][levels[k]](values[k]) for k in self._levelled)])
        weight = -shape.right * up - (shape.left - shape.tilt) * down - shape.tilt * short
        lacking = max(
            (
                shape.value_knee - Fraction(values[k], self.statistics[k].sensitivities[levels[k]])
                for k in self._levelled
                if levels[k]
            ),
            default=Fraction(0),
        )
        return (
            weight
            - shape.value_penalty * max(Fraction(0), lacking)
            - self._penalize_thresholds(levels, values)
        )

    def _penalize_thresholds(self, levels: Sequence[int], values: Sequence[int]) -> Fraction:
        """The cost of thresholds above the number of rows, in the exponent."""
        if self._rows is None:
            return Fraction(0)
        rows = self.statistics[self._rows]
        largest = max(self.statistics[k].thresholds[levels[k]] for k in self._levelled)
        # In sensitivities of the rows, as a person may own several.
        above = (largest / (2 * rows.step) - values[self._rows]) / rows.sensitivities[0]
        return min(MOST, self.shape.rows_penalty * max(Fraction(0), above))

    def read_draw(self, levels: Sequence[int], values: Sequence[int]) -> tuple[Drawn, ...]:
        """The released values of a draw with these levels and values."""
        sensitivities = tuple(
            s.sensitivities[i] for s, i in zip(self.statistics, levels, strict=True)
        )
        return tuple(
            Drawn(i, y, s.step, self._noise(k, sensitivities))
            for k, (s, i, y) in enumerate(zip(self.statistics, levels, values, strict=True))
        )

    def _noise(self, k: int, sensitivities: tuple[int, ...]) -> CardNoise:
        """The public part of the noise of one statistic, at the drawn levels."""
        others = sensitivities[:k] + sensitivities[k + 1 :]
        shape = self.shape
        if not shape.tilt:
            return CardNoise(sensitivities[k], others, shape.rates)
        if k in self._levelled:
            return CardNoise(sensitivities[k], others, shape.rates, None)
        jump = (shape.theta * shape.tilt + shape.value_penalty) / min(
            sensitivities[m] for m in self._levelled
        )
        own = Fraction(0)
        if self._rows is not None:
            own = shape.rows_penalty if k == self._rows else own
            jump += shape.rows_penalty / sensitivities[self._rows]
        return CardNoise(sensitivities[k], others, shape.rates, float(own), float(jump))

    def _measure_distances(self, levels: Sequence[int], values: Sequence[int]) -> list[Fraction]:
        """All v_k of the formula."""
        return [
            Fraction(y - s.values[i], s.sensitivities[i])
            for s, i, y in zip(self.statistics, levels, values, strict=True)
        ]

    @cached_property
    def _shortfalls(self) -> list[list[Shortfall]]:
        theta = self.shape.theta
        return [
            [Shortfall(s, level, theta) for level in range(len(s.values))] for s in self.statistics
        ]

    # Proposals

    @cached_property
    def _block(self) -> list[int]:
        """The statistics that get their noise together, as a block."""
        return block_of(self.statistics)

    @cached_property
    def _single(self) -> list[int]:
        """The statistics that get their noise one by one."""
        return [k for k in range(len(self.statistics)) if k not in self._block]

    @cached_property
    def _levelled(self) -> list[int]:
        """The statistics with a threshold to choose."""
        return [k for k in self._single if self.statistics[k].has_levels]

    @cached_property
    def _levels(self) -> list[tuple[int, ...]]:
        """All combinations of levels of the single statistics."""
        return list(product(*(range(len(self.statistics[k].values)) for k in self._single)))

    @cached_property
    def _tilts(self) -> list[dict[int, Fraction]]:
        """Ways to share the tilt: in proportion, among those with levels, or all to one of them."""
        count, levelled = len(self.statistics), self._levelled
        if not self.shape.tilt:
            return [{}]
        ways = [dict.fromkeys(range(count), Fraction(1, count))]
        if count > 1:
            ways += [{k: Fraction(1)} for k in levelled]
        if len(levelled) > 1:
            ways.append(dict.fromkeys(levelled, Fraction(1, len(levelled))))
        return ways

    @cached_property
    def _laws(self) -> dict[tuple[int, int], list[LevelLaw]]:
        """The factor of each single statistic by level, for each way to share the tilt."""
        shape, count = self.shape, len(self.statistics)
        laws: dict[tuple[int, int], list[LevelLaw]] = {}
        for k in self._single:
            statistic = self.statistics[k]
            known: dict[Fraction, list[LevelLaw]] = {}
            for way, share in enumerate(way.get(k, Fraction(0)) for way in self._tilts):
                if share in known:
                    laws[k, way] = known[share]
                    continue
                laws[k, way] = known[share] = []
                first = Slopes(
                    shape.right / count, (shape.left - shape.tilt) / count, shape.tilt * share
                )
                further = replace(
                    first,
                    value_penalty=shape.value_penalty / max(1, len(self._levelled)),
                    value_knee=shape.value_knee,
                )
                for level, (f, s) in enumerate(
                    zip(statistic.values, statistic.sensitivities, strict=True)
                ):
                    shortfall, slopes = self._shortfalls[k][level], further if level else first
                    laws[k, way].append(LevelLaw(f, s, shortfall, slopes))
        return laws

    @cached_property
    def _noises(self) -> list[BlockNoise]:
        """The factor of the block, for each way to share the tilt."""
        if not self._block:
            return [BlockNoise(0, Fraction(1), Fraction(1))] * len(self._tilts)
        shape, part = self.shape, Fraction(len(self._block), len(self.statistics))
        unit = self.statistics[self._block[0]].sensitivities[0]
        return [
            BlockNoise(
                len(self._block),
                shape.right * part / unit,
                ((shape.left - shape.tilt) * part + shape.tilt * share) / unit,
            )
            for share in (sum(way.get(k, Fraction(0)) for k in self._block) for way in self._tilts)
        ]

    def _single_masses(self) -> dict[tuple[int, int], list[Any]]:
        """As `_laws`, at the current precision; over its sensitivity if a statistic has levels."""
        masses: dict[tuple[int, int], list[Any]] = {}
        known: dict[int, list[Any]] = {}
        for (k, way), laws in self._laws.items():
            if id(laws) not in known:  # ways with the same share have the same laws
                levelled = self.statistics[k].has_levels
                known[id(laws)] = [m.mass() / (m.sensitivity if levelled else 1) for m in laws]
            masses[k, way] = known[id(laws)]
        return masses

    @cached_property
    def _ways(self) -> list[int]:
        """For each combination of levels, the way whose proposals are rejected least often."""
        from flint import ctx

        with ctx.workprec(53):
            masses = self._single_masses()
            noises = [_log(noise.mass()) for noise in self._noises]
        totals = []
        for way, noise in enumerate(noises):
            total = np.array(noise)
            for k in self._single:
                total = total[..., None] + np.array([_log(mass) for mass in masses[k, way]])
            totals.append(total.ravel())
        return [int(way) for way in np.argmin(totals, axis=0)]

    @cached_property
    def _choice(self) -> Choice:
        return Choice()

    def _masses(self) -> Iterator[Any]:
        """The mass of the envelope for each combination of levels."""
        singles = self._single_masses()
        noises = [noise.mass() for noise in self._noises]
        drawn = [self.statistics[k] for k in self._single]
        largest, further = cache(_largest_weight), cache(_further_weight)
        for levels, way in zip(self._levels, self._ways, strict=True):
            threshold, is_first, others = _largest_and_others(drawn, levels)
            mass = noises[way] * largest(threshold, is_first) * further(others)
            for k, level in zip(self._single, levels, strict=True):
                mass *= singles[k, way][level]
            yield mass

    def _propose(self, bits: Bits) -> tuple[list[int], list[int], Fraction]:
        """Levels and values from the envelope, and the exponent of its weight there."""
        chosen = self._choice.draw(self._masses, bits)
        way = self._ways[chosen]
        levels, values = [0] * len(self.statistics), [0] * len(self.statistics)
        envelope = Fraction(0)
        for k, level in zip(self._single, self._levels[chosen], strict=True):
            law = self._laws[k, way][level]
            levels[k], values[k] = level, law.draw(bits)
            envelope += law.log_weight(values[k])
        noise = self._noises[way]
        vector = noise.draw(bits)
        for k, z in zip(self._block, vector, strict=True):
            values[k] = self.statistics[k].values[0] + z
        up, down = max((0, *vector)), -min((0, *vector))
        envelope -= noise.right * up + noise.left * down
        return levels, values, envelope


def expected_errors(
    statistics: Sequence[Statistic], epsilon: Fraction, rows: int | None = None
) -> list[list[float]]:
    """The mean absolute error of the noise, for each statistic at each of its levels.

    Nothing but what is public of the statistics is looked at; levels that lose something are off by
    that, too. Where statistics have levels, the others are taken to be at one so large that it does
    not matter which.
    """
    draw = OneDraw(statistics, epsilon, rows)
    large = tuple(s.sensitivities[-1] for s in draw.statistics)
    return [
        [
            CardNoise(s, large[:k] + large[k + 1 :], draw.shape.rates).mean_absolute_error
            * float(statistic.step)
            for s in statistic.sensitivities
        ]
        for k, statistic in enumerate(draw.statistics)
    ]


def constants_for(count: int) -> Constants:
    """The constants for a draw of this many statistics, one of them with levels."""
    if count == 1:
        return ALONE
    return TOGETHER if count < MANY_FROM else MANY


def prior(statistics: Sequence[Statistic], levels: Sequence[int]) -> Any:
    """The public weight of a combination of levels, as a ball of the current precision."""
    lattice = math.prod(
        s.sensitivities[i] for s, i in zip(statistics, levels, strict=True) if s.has_levels
    )
    threshold, is_first, others = _largest_and_others(statistics, levels)
    return _largest_weight(threshold, is_first) * _further_weight(others) / lattice


def _largest_and_others(
    statistics: Sequence[Statistic], levels: Sequence[int]
) -> tuple[int, bool, int]:
    """The largest threshold, whether all levels are first ones, and the sum of all but the top."""
    drawn = [(i, s.thresholds[i]) for s, i in zip(statistics, levels, strict=True) if s.has_levels]
    if not drawn:
        return 1, True, 0
    top = max(i for i, _ in drawn)
    return max(t for _, t in drawn), not top, sum(i for i, _ in drawn) - top


def _largest_weight(threshold: int, is_first: bool) -> Any:
    """The cost of the largest threshold."""
    weight = ball(threshold) ** ball(-TAU)
    return weight if is_first else weight * ball(-FIRST).exp()


def _further_weight(others: int) -> Any:
    """The cost of all other levels."""
    return ball(-FURTHER * others).exp()


def slack(statistics: Sequence[Statistic]) -> Fraction:
    """The most that a statistic can fall when rows are added, as a part of its sensitivity."""
    return max(Fraction(s.falls, min(s.sensitivities)) for s in statistics)


def block_of(statistics: Sequence[Statistic]) -> list[int]:
    """Statistics without levels whose lattices are about equally fine."""
    single = {k: s.sensitivities[0] for k, s in enumerate(statistics) if not s.has_levels}
    finest = min(single.values(), default=0)
    return [k for k, s in single.items() if s <= COARSEST * finest]


def with_block(statistics: Sequence[Statistic]) -> list[Statistic]:
    """The same statistics, those of the block on a lattice on which they move equally far."""
    refined = list(statistics)
    block = block_of(statistics)
    common = math.lcm(*(statistics[k].sensitivities[0] for k in block))
    for k in block:
        refined[k] = refined[k].refine(common // refined[k].sensitivities[0])
    return refined


def _log(mass: Any) -> float:
    return float(mass.log())
