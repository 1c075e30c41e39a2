"""Up to three statistics with levels in one draw: levels and values at once, sampled exactly.

Let v_k = (y_k - f_k)/S_k for the values f_k and sensitivities S_k of statistic k at its drawn
level, and kappa_k its shortfall (see `laws`). Levels and outputs have weight

    exp( prior - R max_k v_k+ - (L - c) max_k v_k- - c max_k kappa_k )

with R = epsilon - c and L = epsilon - theta c.

What an earlier draw released may steer this one (docs/privacy.md, Theorem 10). A level t says at
most (t + 1) times the smallest repair (rows in conflict) or t times (conflicts). So a small repair
leaves nothing to be gained from levels: none are offered. A statistic that is never above the
number of rows needs no threshold far above rows/repair, and none needs one above the rows.

The sampler proposes and rejects. A maximum is at least any weighted mean, so the weight is at most
a product of laws of one statistic each, with slopes in proportion. A proposal from that product is
accepted with probability exp(-gap), the gap being an exact fraction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from candling.privacy.laws import (
    SYSTEM,
    Bits,
    Choice,
    LevelLaw,
    Shortfall,
    Slopes,
    ball,
    happens,
)
from candling.privacy.level_tails import MOST, LevelsNoise
from candling.privacy.plain_draw import PlainDraw, PlainNoise
from candling.privacy.statistic import Drawn, Statistic
from candling.records import dataclass

ENOUGH = Fraction("2.7")  # times rows/repair is as high a threshold as rows in conflict need
BEYOND = Fraction(8)  # the power of t that levels beyond that cost
ORDER = Fraction(3)  # nats for each level that a statistic within the rows is above the other


@dataclass(frozen=True, slots=True)
class Hint:
    """What is known of the table when levels are drawn: released by an earlier draw, or stated."""

    repair: Fraction  # as drawn, in rows; may be negative
    rows: Fraction  # as drawn or stated; may be negative
    most_rows: int  # no threshold above it is offered
    rows_per_person: int
    by_person: bool = False  # thresholds are for all rows of a person


@dataclass(frozen=True, slots=True)
class Penalty:
    """What a level beyond the first costs: e**-first, and t**-power for its threshold t."""

    power: Fraction
    first: Fraction


@dataclass(frozen=True, slots=True)
class Constants:
    """The shape of a draw. Tuned by research/levels.py; the proof holds for any."""

    tilt: Fraction  # c, a part of epsilon
    theta: Fraction
    penalty: Penalty
    within_rows: Penalty
    rows: Penalty = Penalty(Fraction(2), Fraction(0))  # of the number of rows itself


_USUAL, _FREE = Penalty(Fraction("1.75"), Fraction(2)), Penalty(Fraction(0), Fraction(2))
UNKNOWN = Constants(Fraction("0.36"), Fraction("0.5"), _USUAL, _USUAL)  # without a hint
BY_REPAIR = {  # from which repair on, times epsilon over the rows of a person
    Fraction(20): Constants(
        Fraction("0.45"), Fraction("0.3"), Penalty(Fraction("1.6"), Fraction(0)), _FREE
    ),
    Fraction(100): Constants(
        Fraction("0.4"), Fraction("0.5"), Penalty(Fraction(2), Fraction(0)), _FREE
    ),
}
PERSONS = Constants(  # the same for all repairs from the least of these on
    Fraction("0.45"), Fraction("0.3"), Penalty(Fraction("1.5"), Fraction(0)),
    Penalty(Fraction(0), Fraction(0)),
)  # fmt: skip


def constants_for(hint: Hint | None, epsilon: Fraction) -> Constants | None:
    """The constants of a draw at this epsilon; None if levels of conflicts are not worth it."""
    if hint is None:
        return UNKNOWN
    repair = hint.repair * epsilon / hint.rows_per_person
    if hint.by_person:
        return PERSONS if repair >= min(BY_REPAIR) else None
    return next((BY_REPAIR[least] for least in reversed(BY_REPAIR) if repair >= least), None)


def enough_levels(hint: Hint) -> int:
    """The level whose threshold is next to ENOUGH rows/repair, by its logarithm."""
    ratio = ENOUGH * max(hint.rows, Fraction(1)) / max(hint.repair, Fraction(1))
    # The nearest whole number to log2(ratio) is half of that of log2(2 ratio**2), rounded down.
    double = 2 * ratio * ratio
    return max(0, (double.numerator // double.denominator or 1).bit_length() - 1) // 2


@dataclass(frozen=True, slots=True)
class Shape:
    """The slopes of the draw at a given epsilon. The proof holds for any with left > tilt."""

    right: Fraction  # R
    left: Fraction  # L
    tilt: Fraction  # c
    theta: Fraction

    @classmethod
    def of(cls, epsilon: Fraction, constants: Constants) -> Shape:
        """The slopes of constants."""
        tilt = constants.tilt * epsilon
        return cls(epsilon - tilt, epsilon - constants.theta * tilt, tilt, constants.theta)

    def noise(self, sensitivity: int, others: tuple[int, ...]) -> LevelsNoise:
        """The public part of the noise of a number (docs/privacy.md, Theorem 9)."""
        rates = (self.right, self.left, self.left - self.tilt)
        return LevelsNoise(sensitivity, others, *map(float, rates))


class LevelsDraw:
    """The law of a draw of up to three statistics with levels. Private itself: only draws leave.

    Neighbours: tables that differ in the rows of one person. Sensitivity: as the statistics state.
    Cost: epsilon. Proof: docs/privacy.md, Theorem 8.
    """

    def __init__(
        self, statistics: Sequence[Statistic], epsilon: Fraction, hint: Hint | None
    ) -> None:
        """Prepare a draw.

        Args:
            statistics: what gets noise: up to three statistics that never fall.
            epsilon: what the draw costs.
            hint: what is known of the table, if its repair and its rows are.
        """
        if any(s.falls for s in statistics) or not 1 <= len(statistics) <= MOST:
            raise ValueError(f"up to {MOST} statistics that do not fall can have levels")
        self.epsilon, self._hint = epsilon, hint
        constants = constants_for(hint, epsilon)
        self.statistics = [_offer_levels(s, hint, constants) for s in statistics]
        self._plain = None
        if not any(s.has_levels for s in self.statistics):
            self._plain = PlainDraw(self.statistics, epsilon, rows=None)
            self.statistics = self._plain.statistics
            return
        self.constants = UNKNOWN if constants is None else constants
        self.shape = Shape.of(epsilon, self.constants)

    def draw(self, bits: Bits = SYSTEM) -> tuple[Drawn, ...]:
        """A fresh draw, one for each statistic. `bits` is replaced in tests only."""
        if self._plain:
            return self._plain.draw(bits)
        while True:
            levels, proposed, envelope = self._propose(bits)
            if len(levels) == 1 or happens(envelope - self.log_weight(levels, proposed), bits):
                return self.read_draw(levels, proposed)

    def read_draw(self, levels: Sequence[int], values: Sequence[int]) -> tuple[Drawn, ...]:
        """The released values of a draw with these levels and values."""
        if self._plain:
            return self._plain.read_draw(values)
        return tuple(
            Drawn(i, y, s.step, noise)
            for s, i, y, noise in zip(
                self.statistics, levels, values, self.noises(levels), strict=True
            )
        )

    def noises(self, levels: Sequence[int]) -> tuple[LevelsNoise | PlainNoise, ...]:
        """The public part of the noise of each statistic, at these levels."""
        if self._plain:
            return self._plain.noises
        own = [s.sensitivities[i] for s, i in zip(self.statistics, levels, strict=True)]
        return tuple(self.shape.noise(s, other) for s, other in zip(own, _others(own), strict=True))

    def log_weight(self, levels: Sequence[int], values: Sequence[int]) -> Fraction:
        """The exponent of the weight without the prior, which `prior` gives."""
        shape, drawn = self.shape, list(zip(self.statistics, levels, values, strict=True))
        away = [Fraction(y - s.values[i], s.sensitivities[i]) for s, i, y in drawn]
        up, down = max(Fraction(0), *away), max(Fraction(0), *(-v for v in away))
        shortfalls = zip(self._shortfalls, levels, values, strict=True)
        short = max([down, *(own[i](y) for own, i, y in shortfalls)])
        return -shape.right * up - (shape.left - shape.tilt) * down - shape.tilt * short

    def prior(self, levels: Sequence[int]) -> Any:
        """The public weight of a combination of levels, as a ball of the current precision."""
        weight = self._penalize(levels)
        for statistic, level in zip(self.statistics, levels, strict=True):
            weight /= statistic.sensitivities[level]
        return weight

    def _penalize(self, levels: Sequence[int]) -> Any:
        nats, twos = Fraction(0), Fraction(0)
        for statistic, level in zip(self.statistics, levels, strict=True):
            inside, penalty = statistic.within_rows, self.constants.penalty
            if inside:
                penalty = self.constants.within_rows
            elif statistic.counts_rows:
                penalty = self.constants.rows
            enough = level if self._enough is None or not inside else min(level, self._enough)
            nats += penalty.first * (level > 0)
            twos += penalty.power * enough + BEYOND * (level - enough)
        nats += ORDER * self._above(levels)
        return ball(-nats).exp() * ball(2) ** ball(-twos)

    @cached_property
    def _enough(self) -> int | None:
        return None if self._hint is None else enough_levels(self._hint)

    def _above(self, levels: Sequence[int]) -> int:
        """By how many levels a statistic within the rows is above the other."""
        conflicts = [
            (s.within_rows, i)
            for s, i in zip(self.statistics, levels, strict=True)
            if not s.counts_rows
        ]
        within, others = ([i for inside, i in conflicts if inside is own] for own in (True, False))
        if self._hint is None or len(within) != 1 or len(others) != 1:
            return 0
        return max(0, within[0] - others[0])

    @cached_property
    def _shortfalls(self) -> list[list[Shortfall]]:
        theta = self.shape.theta
        return [[Shortfall(s, i, theta) for i in range(len(s.values))] for s in self.statistics]

    # Proposals

    @cached_property
    def _levels(self) -> list[tuple[int, ...]]:
        """All combinations of levels."""
        return list(product(*(range(len(s.values)) for s in self.statistics)))

    @cached_property
    def _tilts(self) -> list[tuple[Fraction, ...]]:
        """Ways to share the tilt: in equal parts, or all to one statistic."""
        count = len(self.statistics)
        if count == 1:
            return [(Fraction(1),)]
        alone = [tuple(Fraction(k == own) for k in range(count)) for own in range(count)]
        return [(Fraction(1, count),) * count, *alone]

    @cached_property
    def _laws(self) -> list[list[list[LevelLaw]]]:
        """The factor of each statistic, by way to share the tilt and by level."""
        return [
            [self._factors(k, way[k]) for way in self._tilts] for k in range(len(self.statistics))
        ]

    def _factors(self, k: int, share: Fraction) -> list[LevelLaw]:
        shape, count, statistic = self.shape, len(self.statistics), self.statistics[k]
        slopes = Slopes(shape.right / count, (shape.left - shape.tilt) / count, shape.tilt * share)
        found = zip(statistic.values, statistic.sensitivities, self._shortfalls[k], strict=True)
        return [LevelLaw(f, s, shortfall, slopes) for f, s, shortfall in found]

    def _level_masses(self) -> list[list[list[Any]]]:
        """As `_laws`, at the current precision, over the sensitivities."""
        return [
            [[law.mass() / law.sensitivity for law in levels] for levels in ways]
            for ways in self._laws
        ]

    @cached_property
    def _ways(self) -> list[int]:
        """For each combination of levels, the way whose proposals are rejected least often."""
        from flint import ctx

        with ctx.workprec(53):
            logs = [[[float(m.log()) for m in levels] for levels in ways]
                    for ways in self._level_masses()]  # fmt: skip
        ways = range(len(self._tilts))
        return [
            min(ways, key=lambda way: sum(own[way][i] for own, i in zip(logs, levels, strict=True)))
            for levels in self._levels
        ]

    @cached_property
    def _choice(self) -> Choice:
        return Choice()

    def _masses(self) -> Iterator[Any]:
        """The mass of the envelope for each combination of levels."""
        masses = self._level_masses()
        for levels, way in zip(self._levels, self._ways, strict=True):
            mass = self._penalize(levels)
            for own, level in zip(masses, levels, strict=True):
                mass *= own[way][level]
            yield mass

    def _propose(self, bits: Bits) -> tuple[tuple[int, ...], list[int], Fraction]:
        """Levels and values from the envelope, and the exponent of its weight there."""
        chosen = self._choice.draw(self._masses, bits)
        levels, way = self._levels[chosen], self._ways[chosen]
        laws = [own[way][level] for own, level in zip(self._laws, levels, strict=True)]
        values = [law.draw(bits) for law in laws]
        envelope = sum(
            (law.log_weight(y) for law, y in zip(laws, values, strict=True)), Fraction(0)
        )
        return levels, values, envelope


def _offer_levels(
    statistic: Statistic, hint: Hint | None, constants: Constants | None
) -> Statistic:
    """The statistic with the levels that may be of use."""
    if statistic.counts_rows:  # the repair tells nothing of its levels
        return statistic
    most = 1 if constants is None else hint.most_rows if hint else None
    if most is None:
        return statistic
    count = 1 + sum(t < most for t in statistic.thresholds[: len(statistic.values) - 1])
    return replace(
        statistic,
        values=statistic.values[:count],
        sensitivities=statistic.sensitivities[:count],
    )


def _others(sensitivities: Sequence[int]) -> list[tuple[int, ...]]:
    """For each of them the other ones."""
    return [(*sensitivities[:k], *sensitivities[k + 1 :]) for k in range(len(sensitivities))]


def expected_errors(
    statistics: Sequence[Statistic], epsilon: Fraction, *, hinted: bool
) -> list[list[float]]:
    """The mean absolute error of the noise, for each statistic at each of its levels.

    Nothing but what is public of the statistics is looked at; levels that lose something are off by
    that, too. The other statistic is taken to be at its last level, and the repair to be large.
    """
    constants = BY_REPAIR[max(BY_REPAIR)] if hinted else UNKNOWN
    shape = Shape.of(epsilon, constants)
    last = [s.sensitivities[-1] for s in statistics]
    return [
        [shape.noise(s, other).mean_absolute_error * float(statistic.step)
         for s in statistic.sensitivities]
        for statistic, other in zip(statistics, _others(last), strict=True)
    ]  # fmt: skip
