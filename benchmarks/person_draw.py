"""Releases by the flow by persons: one draw of statistics whose levels are rows per person.

`own_levels` lets each statistic have its own level, through the product's own sampler and its own
card. `one_level` has the same level for all: the law of Theorem 8 with a prior on equal levels
only. It is simulated in floats, by weighting noise without tilt: for measurements, never a release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from benchmarks.prior_law import box_noise
from candling.card import Card
from candling.measures import Noisy, Numbers
from candling.privacy import OneDraw, Statistic
from candling.privacy.one_draw import FIRST, TAU, Constants, constants_for
from candling.releases.request import make_request
from candling.releases.run import _card
from candling.rules import Rules

Floats = npt.NDArray[np.float64]
Rng = np.random.Generator
PROPOSALS = 400  # for each draw that is kept


def own_levels(
    statistics: dict[str, Statistic], rules: Rules, epsilon: Fraction, draws: int
) -> list[Card]:
    """Cards of the default release, with these statistics in place of those by rows.

    The intervals on them are for the statistics at their drawn levels.
    """
    request = make_request(rules, epsilon=epsilon)
    law = OneDraw(list(statistics.values()), epsilon)
    cards = []
    for _ in range(draws):
        noisy = {
            name: [Noisy(drawn, statistic.thresholds[drawn.level])]
            for (name, statistic), drawn in zip(statistics.items(), law.draw(), strict=True)
        }
        numbers = Numbers(
            request.rules, request.setting, request.asked, request.parts, request.draw, noisy
        )
        cards.append(_card(request, numbers))
    return cards


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
    right, left = 1 - tilt, 1 - float(constants.theta) * tilt - float(constants.desert)
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
    desert, knee = float(constants.desert) * epsilon, float(constants.knee) / epsilon
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
