"""Releases by the flow by persons: one draw of statistics whose levels are rows per person.

`own_levels` lets each statistic have its own level, through the product's own sampler. `one_level`
has the same level for all: the law of Theorem 8 with a prior on equal levels only. It is simulated
in floats, by weighting noise without tilt: for measurements, never a release.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from candling.privacy.one_draw import FIRST, TAU, Constants, constants_for

from benchmarks.prior_law import box_noise
from candling.card import Card
from candling.measures import MEASURES, ROWS, Numbers
from candling.measures.drastic import FALSE_ALARM
from candling.measures.measure import NumberBounds
from candling.measures.repair import RepairBounds
from candling.model.card import Noisy
from candling.privacy import Drawn, OneDraw, Statistic
from candling.releases.request import make_request
from candling.releases.run import compute_grade, grade_of
from candling.rules import Rules

Floats = npt.NDArray[np.float64]
Rng = np.random.Generator
PROPOSALS = 400  # for each draw that is kept
REACH = Fraction(5, 2)  # sensitivities over epsilon: what noise alone makes of two equal numbers


def own_levels(
    statistics: dict[str, Statistic], rules: Rules, epsilon: Fraction, draws: int
) -> list[Card]:
    """Cards of the default release, with these statistics in place of those by rows.

    The intervals on them are for the statistics at their drawn levels. All of these are at most the
    measure, so numbers that contradict each other are raised, and none is lowered.
    """
    law = OneDraw(list(statistics.values()), epsilon)
    return [
        _card(dict(zip(statistics, law.draw(), strict=True)), statistics, rules, epsilon)
        for _ in range(draws)
    ]


def own_levels_and_stated(
    statistics: dict[str, Statistic], stated: Statistic, rules: Rules, epsilon: Fraction, draws: int
) -> list[Card]:
    """The same with `repair` twice: with levels, and `stated` at one level for everybody.

    The low end of the interval is that of the levels; the high end, and so the grade, rests on the
    stated one, which no person within that level is cut from. Where the two are equal but for
    noise, the value is that with levels: it has less noise.
    """
    law = OneDraw([*statistics.values(), stated], epsilon)
    reach = REACH * stated.sensitivities[0] * stated.step / epsilon
    cards = []
    for _ in range(draws):
        *drawn, wide = law.draw()
        numbers = dict(zip(statistics, drawn, strict=True))
        fine = numbers["repair"]
        card = _card(numbers | {"repair": wide}, statistics | {"repair": stated}, rules, epsilon)
        measures = dict(card.measures)
        close = (wide.value - fine.value) * stated.step <= reach
        value = max(Fraction(0), (fine if close else wide).value * stated.step)
        bounds = measures["repair"].bounds
        assert isinstance(bounds, RepairBounds)
        both = TwoDraws(bounds.released, bounds.kind, bounds.rows, NumberBounds(fine))
        measures["repair"] = replace(measures["repair"], value=float(value), bounds=both)
        alarm = int(fine.value > fine.noise.upper_tail(FALSE_ALARM))
        measures["drastic"] = replace(measures["drastic"], value=alarm)
        rows = ROWS.find_bounds(_released(rules, epsilon, {"rows": numbers["rows"]}, statistics))
        grade = compute_grade(measures["repair"], both, measures["rows"], rows)
        cards.append(replace(card, measures=measures, grade=grade))
    return cards


@dataclass(frozen=True, slots=True)
class TwoDraws(RepairBounds):
    """The smallest repair: from below by one number, from above by another."""

    fine: NumberBounds

    def low(self, miss: float) -> int:
        """Above the smallest repair with probability `miss` or less."""
        return math.ceil(self.fine.low(miss))


def _card(
    drawn: dict[str, Drawn], statistics: dict[str, Statistic], rules: Rules, epsilon: Fraction
) -> Card:
    request = make_request(rules, epsilon=epsilon)
    numbers = _released(rules, epsilon, drawn, statistics)
    measures = {name: MEASURES[name].show(numbers) for name in request.measures}
    for name in ("problematic", "minimal_inconsistent"):
        least = max(measures[name].value, measures["repair"].value)  # type: ignore[type-var]
        measures[name] = replace(measures[name], value=least)
    grade = grade_of(measures, numbers)
    return Card(epsilon, request.person, measures, (), about=request.about(), grade=grade)


def _released(
    rules: Rules, epsilon: Fraction, drawn: dict[str, Drawn], statistics: dict[str, Statistic]
) -> Numbers:
    request = make_request(rules, epsilon=epsilon)
    noisy = {
        name: [Noisy(d, statistics[name].thresholds[d.level], kind)]
        for name, d in drawn.items()
        for kind in MEASURES[name].kinds(rules, request.setting)
    }
    return Numbers(request.asked, noisy, rules, request.setting, request.parts, request.draw)


@dataclass(frozen=True)
class Levels:
    """Values of several statistics, level by level, and what each may grow by."""

    values: Floats  # statistics by levels
    sensitivities: Floats  # the same
    thresholds: Floats  # by level

    @classmethod
    def of(cls, statistics: Sequence[Statistic]) -> Levels:
        """In the measures' own units."""
        steps = np.array([float(s.step) for s in statistics])[:, None]
        values = steps * np.array([s.values for s in statistics], float)
        sensitivities = steps * np.array([s.sensitivities for s in statistics], float)
        levels = values.shape[1]
        return cls(values, sensitivities, np.array(statistics[0].thresholds[:levels], float))


def one_level(levels: Levels, epsilon: float, draws: int, rng: Rng) -> tuple[Floats, Floats]:
    """Values (draws by statistics) and drawn thresholds where all statistics share one level."""
    d = len(levels.values)
    constants = constants_for(d)
    tilt = float(constants.tilt)
    right, left = 1 - tilt, 1 - float(constants.theta) * tilt - float(constants.value_penalty)
    n = PROPOSALS * draws
    v = box_noise(d, right * epsilon, (left - tilt) * epsilon, n, rng)
    weights = _weights(levels, v, constants, epsilon)
    flat = np.cumsum(weights.ravel())
    picked = np.searchsorted(flat, (np.arange(draws) + rng.random()) / draws * flat[-1])
    picked = rng.permutation(picked)
    at, level = np.divmod(picked, weights.shape[1])
    y = levels.values[:, level].T + levels.sensitivities[:, level].T * v[at]
    return y, levels.thresholds[level]


def _weights(levels: Levels, v: Floats, constants: Constants, epsilon: float) -> Floats:
    """Of each noise vector and level, the prior times the factors that noise alone has not."""
    theta, tilt = float(constants.theta), float(constants.tilt) * epsilon
    desert, knee = float(constants.value_penalty) * epsilon, float(constants.value_knee) / epsilon
    down = np.maximum(0, -v.min(axis=1))
    f, s = levels.values, levels.sensitivities
    weights = np.empty((len(v), f.shape[1]))
    for i in range(f.shape[1]):
        y = f[:, i] + s[:, i] * v
        short = down
        for later in range(i + 1, f.shape[1]):
            norm = np.maximum(s[:, later], s[:, i] / theta)
            short = np.maximum(short, ((f[:, later] - y) / norm).max(axis=1))
        exponent = -float(TAU) * np.log(levels.thresholds[i]) - tilt * short
        if i:
            lacking = np.maximum(0, (knee - y / s[:, i]).max(axis=1))
            exponent -= float(FIRST) + desert * lacking
        weights[:, i] = np.exp(exponent)
    return weights
