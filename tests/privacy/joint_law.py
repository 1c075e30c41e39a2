"""The law of the joint draw on a finite piece of its lattice, by brute force, and its audit."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from candling.privacy import Statistic
from candling.privacy.joint import JointDistribution

Floats = npt.NDArray[np.float64]
TAU = 1.25


def formula(levels: Statistic, epsilon: float, y: npt.NDArray[np.int64]) -> Floats:
    """W_i(y) as DESIGN.md has it, a line for each level: shares no code with the library."""
    f, s = levels.values, levels.sensitivities
    c, eta = 0.36 * epsilon, 0.15 * epsilon
    right, left, knee = epsilon - c, epsilon - c / 2 - eta, 30 / epsilon
    lines = []
    for i in range(len(f)):
        kappa = np.maximum(0, (f[i] - y) / s[i])
        for j in range(i + 1, len(f)):
            kappa = np.maximum(kappa, (f[j] - y) / max(s[j], 2 * s[i]))
        w = -math.log(s[i]) - TAU * i * math.log(2) - (i >= 1) - c * kappa
        w -= right * np.maximum(0, (y - f[i]) / s[i])
        w -= (left - c) * np.maximum(0, (f[i] - y) / s[i])
        if i:
            w += eta * np.minimum(0, y / s[i] - knee)
        lines.append(w)
    return np.array(lines)


@dataclass(frozen=True)
class Law:
    """log P(level, value) for the values first, first + 1, ...; nothing to speak of is outside."""

    first: int
    log: Floats

    def as_dict(self) -> dict[tuple[int, int], float]:
        """The probabilities, level by level and in the order of the values."""
        return {
            (level, self.first + k): math.exp(w)
            for level, line in enumerate(self.log)
            for k, w in enumerate(line)
            if w > -45
        }


def window(levels: Statistic, epsilon: Fraction) -> npt.NDArray[np.int64]:
    """Values beyond which 1e-12 of the mass is, at most: it falls by 0.31 epsilon/S or faster."""
    reach = math.ceil(max(levels.sensitivities) * 90 / float(epsilon)) + 50
    return np.arange(min(levels.values) - reach, max(levels.values) + reach + 1)


def law(distribution: JointDistribution, y: npt.NDArray[np.int64] | None = None) -> Law:
    """The law that the segments of a distribution, which are all it draws from, stand for."""
    if y is None:
        y = window(distribution.levels, distribution.epsilon)
    sensitivities = distribution.levels.sensitivities
    log = np.full((len(sensitivities), len(y)), -np.inf)
    for segment in distribution._segments:
        steps = (y - segment.first) * segment.way
        inside = (steps >= 0) & (steps < (math.inf if segment.count is None else segment.count))
        i = segment.level
        prior = -math.log(sensitivities[i]) - TAU * i * math.log(2) - (i >= 1)
        log[i, inside] = prior + float(segment.height) + float(segment.slope) * steps[inside]
    top = log.max()
    return Law(int(y[0]), log - top - math.log(np.exp(log - top).sum()))


def profile(rng: random.Random, *, problematic: bool, most: int = 6) -> Statistic:
    """Random levels with non-decreasing values, concave or not."""
    size = rng.randint(2, most)
    sensitivities = [2**i + 1 if problematic else 2 * 2**i for i in range(size)]
    largest = rng.choice([0, 3, 30, 300, 2000])
    values = sorted(rng.randint(0, largest) for _ in range(size))
    step = Fraction(1) if problematic else Fraction(1, 2)
    return Statistic(tuple(values), tuple(sensitivities), step)


def unordered(rng: random.Random) -> Statistic:
    """Random levels whose sensitivities follow no order, often with equal values above others."""
    size = rng.randint(3, 5)
    sensitivities = tuple(rng.choice((1, 2, 3, 7, 20, 60)) for _ in range(size))
    largest = rng.choice([0, 40, 400, 2000])
    values = [rng.choice((0, largest, largest, rng.randint(0, largest))) for _ in range(size)]
    if rng.random() < 0.5:
        values.sort()
    return Statistic(tuple(values), sensitivities, Fraction(1))


def neighbour(rng: random.Random, levels: Statistic, growth: Sequence[int]) -> Statistic:
    """The levels after a row was added that moves level i by 0 to growth[i]."""
    moves: list[Callable[[int], int]] = [
        lambda s: s,
        lambda _: 0,
        lambda s: rng.randint(0, s),
        lambda s: rng.choice((0, s)),
        lambda s: rng.choice((0, 1, s - 1, s)),
    ]
    move = rng.choice(moves)
    values = tuple(f + move(s) for f, s in zip(levels.values, growth, strict=True))
    return Statistic(values, levels.sensitivities, levels.step)


def log_ratio(one: JointDistribution, two: JointDistribution) -> float:
    """The largest |log P(level, value) / P'(level, value)|, over all of the window."""
    windows = [window(d.levels, d.epsilon) for d in (one, two)]
    y = np.arange(min(w[0] for w in windows), max(w[-1] for w in windows) + 1)
    return float(np.abs(law(one, y).log - law(two, y).log).max())
