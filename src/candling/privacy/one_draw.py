"""All statistics of a release in one draw: levels and values at once, sampled exactly.

Let v_k = (y_k - f_k)/S_k for the values f_k and sensitivities S_k of statistic k at its drawn
level, and kappa_k its shortfall (see `level_law`). Levels and outputs have weight

    exp( prior - R max_k v_k+ - (L - c) max_k v_k- - c max_k kappa_k )

with R = epsilon - c and L = epsilon - theta c. A statistic without levels has kappa_k = v_k-. Where
no statistic has levels, c is 0 and this is the K-norm mechanism of a box and its mirror image.

The sampler proposes and rejects. A maximum is at least any weighted mean, so the weight is at most
a product of laws of one statistic each (`level_law`) and of one block of all statistics without
levels (`block`), with slopes in proportion. A proposal from that product is accepted with
probability exp(-gap), the gap being an exact fraction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from candling.privacy.block import BlockNoise
from candling.privacy.exact_random import SYSTEM, Bits, Choice, ball, happens
from candling.privacy.level_law import LevelLaw, Shortfall, Slopes
from candling.privacy.statistic import Drawn, Statistic
from candling.privacy.tails import CardNoise, Rates

TILT = Fraction(1, 4)  # c, of epsilon
THETA = Fraction(7, 20)
TAU = Fraction(5, 4)  # a threshold t has prior t**-TAU / S
FIRST = Fraction(1)  # and e**-FIRST beyond the first
FINE = 8  # sensitivities of lattices on which one step more or less makes little difference
COARSEST = 4  # times the smallest sensitivity: what shares the lattice of the block


@dataclass(frozen=True, slots=True)
class Shape:
    """The slopes of the draw at a given epsilon."""

    right: Fraction  # R
    left: Fraction  # L
    tilt: Fraction  # c
    theta: Fraction

    @classmethod
    def of(cls, epsilon: Fraction, *, levels: bool) -> Shape:
        """The tuned constants; the proof holds for any with left >= tilt."""
        tilt = TILT * epsilon if levels else Fraction(0)
        return cls(epsilon - tilt, epsilon - THETA * tilt, tilt, THETA)

    @property
    def rates(self) -> Rates:
        """What the tails of the draw are bounded by (docs/privacy.md, Theorem 9)."""
        return Rates(
            slow=(float(self.right - self.theta * self.tilt), float(self.left - self.tilt)),
            fast=(float(self.right), float(self.left)),
        )


class OneDraw:
    """The law of the draw for one table. Private itself: only draws leave.

    Neighbours: tables that differ in the rows of one person. Sensitivity: as the statistics state;
    all move in the same direction, but for `falls`. Cost: epsilon. Proof: docs/privacy.md,
    Theorem 8.
    """

    def __init__(self, statistics: Sequence[Statistic], epsilon: Fraction) -> None:
        for statistic in statistics:
            statistic.require_monotone()
        self.statistics = with_block(statistics)
        self.epsilon = epsilon / (1 + slack(statistics))  # of statistics that do not fall at all
        self.shape = Shape.of(self.epsilon, levels=any(s.has_levels for s in statistics))

    def draw(self, bits: Bits = SYSTEM) -> tuple[Drawn, ...]:
        """A fresh draw, one for each statistic. `bits` is replaced in tests only."""
        while True:
            levels, proposed, envelope = self._proposed(bits)
            if happens(envelope - self.log_weight(levels, proposed), bits):
                return self.drawn(levels, proposed)

    def log_weight(self, levels: Sequence[int], values: Sequence[int]) -> Fraction:
        """The exponent of the weight without the prior, whose mass `prior` gives."""
        shape = self.shape
        away = self._away(levels, values)
        up, down = max(Fraction(0), *away), max(Fraction(0), *(-v for v in away))
        short = max([down, *(self._shortfalls[k][levels[k]](values[k]) for k in self._levelled)])
        return -shape.right * up - (shape.left - shape.tilt) * down - shape.tilt * short

    def drawn(self, levels: Sequence[int], values: Sequence[int]) -> tuple[Drawn, ...]:
        """What a draw of these levels and values gives out."""
        sensitivities = tuple(
            s.sensitivities[i] for s, i in zip(self.statistics, levels, strict=True)
        )
        return tuple(
            Drawn(i, y, s.step, self._noise(k, sensitivities))
            for k, (s, i, y) in enumerate(zip(self.statistics, levels, values, strict=True))
        )

    def _noise(self, k: int, sensitivities: tuple[int, ...]) -> CardNoise:
        """What is public of the noise of one statistic, at the drawn levels."""
        others = sensitivities[:k] + sensitivities[k + 1 :]
        return CardNoise(sensitivities[k], others, self.shape.rates)

    def _away(self, levels: Sequence[int], values: Sequence[int]) -> list[Fraction]:
        """V."""
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
        """The statistics that get their noise together."""
        return block_of(self.statistics)

    @cached_property
    def _single(self) -> list[int]:
        """Those that get it one by one."""
        return [k for k in range(len(self.statistics)) if k not in self._block]

    @cached_property
    def _levelled(self) -> list[int]:
        """Those with a threshold to choose."""
        return [k for k in self._single if self.statistics[k].has_levels]

    @cached_property
    def _levels(self) -> list[tuple[int, ...]]:
        """All combinations of levels of the single statistics."""
        return list(product(*(range(len(self.statistics[k].values)) for k in self._single)))

    @cached_property
    def _tilts(self) -> list[dict[int, Fraction]]:
        """Ways to give out the tilt: in proportion, or to those with levels, or to one of them."""
        count = len(self.statistics)
        levelled = self._levelled
        ways = [dict.fromkeys(range(count), Fraction(1, count))]
        if self.shape.tilt:
            ways += [{k: Fraction(1)} for k in levelled]
            if len(levelled) > 1:
                ways.append(dict.fromkeys(levelled, Fraction(1, len(levelled))))
        return ways

    def _law(self, k: int, level: int, way: int) -> LevelLaw:
        """The factor of a single statistic."""
        return self._laws[k, level, self._tilts[way].get(k, Fraction(0))]

    @cached_property
    def _laws(self) -> dict[tuple[int, int, Fraction], LevelLaw]:
        shape, count = self.shape, len(self.statistics)
        found = {}
        for k in self._single:
            statistic = self.statistics[k]
            for share in {way.get(k, Fraction(0)) for way in self._tilts}:
                slopes = Slopes(
                    shape.right / count, (shape.left - shape.tilt) / count, shape.tilt * share
                )
                for level, (f, s) in enumerate(
                    zip(statistic.values, statistic.sensitivities, strict=True)
                ):
                    shortfall = self._shortfalls[k][level]
                    found[k, level, share] = LevelLaw(f, s, shortfall, slopes)
        return found

    @cached_property
    def _noises(self) -> list[BlockNoise]:
        """The factor of the block, for each way to give out the tilt."""
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

    @cached_property
    def _ways(self) -> list[int]:
        """For each combination of levels, the way that proposes least in vain."""
        from flint import ctx

        with ctx.workprec(64):
            laws = {key: _log(law.mass()) for key, law in self._laws.items()}
            noises = [_log(noise.mass()) for noise in self._noises]
        ways = range(len(self._tilts))

        def total(levels: tuple[int, ...], way: int) -> float:
            shares = self._tilts[way]
            singles = zip(self._single, levels, strict=True)
            return noises[way] + sum(laws[k, i, shares.get(k, Fraction(0))] for k, i in singles)

        return [min(ways, key=lambda way: total(levels, way)) for levels in self._levels]

    @cached_property
    def _choice(self) -> Choice:
        return Choice(lambda: list(self._masses()))

    def _masses(self) -> Iterator[Any]:
        """The mass of the envelope for each combination of levels."""
        shares = self._tilts
        priors = {k: [prior(self.statistics[k], i) for i in range(len(self.statistics[k].values))]
                  for k in self._single}  # fmt: skip
        needed = {
            (k, i, shares[way].get(k, Fraction(0)))
            for levels, way in zip(self._levels, self._ways, strict=True)
            for k, i in zip(self._single, levels, strict=True)
        }
        laws = {key: self._laws[key].mass() * priors[key[0]][key[1]] for key in needed}
        noises = [noise.mass() for noise in self._noises]
        for levels, way in zip(self._levels, self._ways, strict=True):
            mass = noises[way]
            for k, i in zip(self._single, levels, strict=True):
                mass *= laws[k, i, shares[way].get(k, Fraction(0))]
            yield mass

    def _proposed(self, bits: Bits) -> tuple[list[int], list[int], Fraction]:
        """Levels and values from the envelope, and the exponent of its weight there."""
        chosen = self._choice.draw(bits)
        way = self._ways[chosen]
        levels, values = [0] * len(self.statistics), [0] * len(self.statistics)
        envelope = Fraction(0)
        for k, level in zip(self._single, self._levels[chosen], strict=True):
            law = self._law(k, level, way)
            levels[k], values[k] = level, law.draw(bits)
            envelope += law.log_weight(values[k])
        noise = self._noises[way]
        vector = noise.draw(bits)
        for k, z in zip(self._block, vector, strict=True):
            values[k] = self.statistics[k].values[0] + z
        envelope -= noise.right * max(0, *vector, 0) + noise.left * max(0, *(-z for z in vector), 0)
        return levels, values, envelope


def expected_errors(statistics: Sequence[Statistic], epsilon: Fraction) -> list[list[float]]:
    """The mean absolute error of the noise, for each statistic at each of its levels.

    Nothing but what is public of the statistics is looked at; levels that lose something are off by
    that, too. Where statistics have levels, the others are taken to be at one so large that it does
    not matter which.
    """
    draw = OneDraw(statistics, epsilon)
    large = tuple(s.sensitivities[-1] for s in draw.statistics)
    found = []
    for k, statistic in enumerate(draw.statistics):
        others, step = large[:k] + large[k + 1 :], float(statistic.step)
        errors = [
            step * CardNoise(s, others, draw.shape.rates).mean_absolute_error
            for s in statistic.sensitivities
            if s <= FINE or not statistic.has_levels
        ]
        last = statistic.sensitivities[len(errors) - 1]  # beyond, errors grow with sensitivities
        found.append(
            errors + [errors[-1] * s / last for s in statistic.sensitivities[len(errors) :]]
        )
    return found


def prior(statistic: Statistic, level: int) -> Any:
    """The public weight of a level, as a ball of the current precision."""
    if not statistic.has_levels:
        return ball(1)
    weight = ball(statistic.thresholds[level]) ** ball(-TAU) / statistic.sensitivities[level]
    return weight * ball(-FIRST).exp() if level else weight


def slack(statistics: Sequence[Statistic]) -> Fraction:
    """By how much of its sensitivity a statistic can fall when rows are added, at the most."""
    return max(Fraction(s.falls, min(s.sensitivities)) for s in statistics)


def block_of(statistics: Sequence[Statistic]) -> list[int]:
    """Statistics without levels whose lattices are about equally fine."""
    single = {k: s.sensitivities[0] for k, s in enumerate(statistics) if not s.has_levels}
    finest = min(single.values(), default=0)
    return [k for k, s in single.items() if s <= COARSEST * finest]


def with_block(statistics: Sequence[Statistic]) -> list[Statistic]:
    """The same statistics, those of the block on a lattice on which they move equally far."""
    found = list(statistics)
    block = block_of(statistics)
    common = math.lcm(*(statistics[k].sensitivities[0] for k in block))
    for k in block:
        found[k] = found[k].refined(common // found[k].sensitivities[0])
    return found


def _log(mass: Any) -> float:
    return float(mass.log())
