"""The exact laws of the paper's sound mechanisms, written from the theorems."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from candling.privacy.budget import GRID
from candling_paper.levels import Levels
from tests.privacy.test_selection import law as noisy_max_law

Outcome = tuple[int, int]


def choice(levels: Levels, epsilon: float, rest: float, window: float) -> dict[int, float]:
    """Of the level, with scores rounded as the code rounds them."""
    scores = [
        math.floor((f - Fraction(math.sqrt(2)) * s / Fraction(rest)) * GRID) / GRID
        for f, s in zip(levels.values, levels.sensitivities, strict=True)
    ]
    return noisy_max_law(scores, (window + 2 / GRID) / epsilon)


def laplace(value: int, scale: float, at: int) -> float:
    decay = math.exp(-1 / scale)
    return (1 - decay) / (1 + decay) * decay ** abs(at - value)


def joint(
    levels: Levels, chosen: Mapping[int, float], rest: float, values: Sequence[int]
) -> dict[Outcome, float]:
    return {
        (i, y): p * laplace(levels.values[i], levels.sensitivities[i] / rest, y)
        for i, p in chosen.items()
        for y in values
    }


def exponential(
    levels: Levels, epsilon: float, values: Sequence[int], *, window: float
) -> dict[Outcome, float]:
    chosen = choice(levels, 0.4 * epsilon, 0.6 * epsilon, window)
    return joint(levels, chosen, 0.6 * epsilon, values)


def twice(
    levels: Levels,
    epsilon: float,
    values: Sequence[int],
    *,
    window: Callable[[Levels], float],
    cut: Callable[[Levels, int], Levels],
) -> dict[Outcome, float]:
    """Two choices without a degree bound."""
    chosen: dict[int, float] = {}
    rest = 0.6 * epsilon
    for first, p in choice(levels, 0.2 * epsilon, rest, window(levels)).items():
        left = cut(levels, first + 1)
        for second, q in choice(left, 0.2 * epsilon, rest, window(left)).items():
            chosen[second] = chosen.get(second, 0) + p * q
    return joint(levels, chosen, rest, values)


def largest_log_ratio(one: Mapping[Outcome, float], two: Mapping[Outcome, float]) -> float:
    return max(abs(math.log(one[o] / two[o])) for o in one)
