"""Counting distinct elements if each person may add many: the mechanism of Knop and Steinke.

*Counting Distinct Elements Under Person-Level Differential Privacy*, NeurIPS 2023,
arXiv:2308.12947. A person may pay for at most t elements, which is a maximum flow; the mechanism
chooses t by the generalised exponential mechanism of Raskhodnikova and Smith with half of the
budget, and adds noise with the other half. Here a person is a row and the elements are the rows
that it conflicts with, so that the flow is F(t,1) of docs/privacy.md, Theorem 2: it has the same
arcs. In their problem a person adds no element of its own, so that theirs moves by t and this one
by t + 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from candling.privacy import Drawn, noisy_max
from candling_paper.levels import Bound, Levels, draw_level

MISS = 0.05  # beta: that the noise of a threshold is as large as its penalty takes it to be


@dataclass(frozen=True, slots=True)
class Distinct:
    """A threshold that balances what it loses against its noise, and a noisy count.

    Neighbours: tables that differ in the rows of one person. Sensitivity: a level's value moves by
    0 to s, so the difference of two levels by less than the sum of theirs, and every score by less
    than 1. Cost: epsilon, in halves. Proof: docs/privacy.md, Theorems 1, 2 and 6.
    """

    def __call__(
        self,
        levels: Levels,
        epsilon: Fraction,
        bound: Callable[[], Bound] | None = None,  # noqa: ARG002 - all thresholds are candidates
    ) -> Drawn:
        half = epsilon / 2
        scores = score(levels, float(half))
        level = noisy_max(scores, window=Fraction(2), epsilon=half)
        return draw_level(levels, half, level)


def score(levels: Levels, epsilon: float) -> list[Fraction]:
    """By how much each level is behind the one that is most ahead of it, in sensitivities."""
    noise = Fraction(math.log(1 / (2 * MISS)) / epsilon)
    doubt = Fraction(2 * math.log(len(levels.values) / MISS) / epsilon)
    pairs = list(zip(levels.values, levels.sensitivities, strict=True))
    worth = [value - (noise + doubt) * s for value, s in pairs]
    return [
        min((mine - other) / (s + t) for other, (_, t) in zip(worth, pairs, strict=True))
        for mine, (_, s) in zip(worth, pairs, strict=True)
    ]
