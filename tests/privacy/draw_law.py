"""The law of one draw on a finite piece of its lattice, by brute force, and its audit.

Written from the docstring of `one_draw` in floats; it shares the constants with the library and
no code.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
import numpy.typing as npt

from candling.privacy import OneDraw, Statistic
from candling.privacy import one_draw as module
from candling.privacy.one_draw import prior as library_prior

Floats = npt.NDArray[np.float64]
Levels = tuple[int, ...]

DEPTH = 34.0  # exp(-DEPTH) of the mass is outside of a window, times a small polynomial


def largest(parts: Sequence[Floats]) -> Floats:
    """Coordinatewise."""
    total = parts[0]
    for part in parts[1:]:
        total = np.maximum(total, part)
    return total


def summed(parts: Sequence[Floats]) -> Floats:
    """Coordinatewise."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


@dataclass(frozen=True)
class Recipe:
    """What the law is made of. As it stands it is right; a test plants a mistake in a field."""

    right: Callable[[float, float, float], float] = lambda epsilon, c, _theta: epsilon - c
    left: Callable[[float, float, float], float] = lambda epsilon, c, theta: epsilon - theta * c
    unit: Callable[[int, int, float], float] = lambda later, own, theta: max(later, own / theta)
    shortfall: Callable[[Sequence[Floats]], Floats] = largest
    pays_for_falls: bool = True
    own_noise: frozenset[int] = field(default_factory=frozenset)  # left out of the maxima


RIGHT = Recipe()


def paid(statistics: Sequence[Statistic], epsilon: float, recipe: Recipe = RIGHT) -> float:
    """What is left of epsilon where statistics may fall."""
    if not recipe.pays_for_falls:
        return epsilon
    return epsilon / (1 + max(s.falls / min(s.sensitivities) for s in statistics))


def log_prior(statistic: Statistic, level: int) -> float:
    """Of a level, from the constants of the library."""
    if len(statistic.values) == 1:
        return 0.0
    threshold, sensitivity = statistic.thresholds[level], statistic.sensitivities[level]
    first = 0.0 if level == 0 else float(module.FIRST)
    return -float(module.TAU) * math.log(threshold) - math.log(sensitivity) - first


def exponent(
    statistics: Sequence[Statistic],
    epsilon: float,
    levels: Sequence[int],
    outputs: Sequence[Floats],
    recipe: Recipe = RIGHT,
) -> Floats:
    """The log of the weight, prior included, of outputs in the units of the statistics."""
    epsilon = paid(statistics, epsilon, recipe)
    tilted = any(len(s.values) > 1 for s in statistics)
    c, theta = float(module.TILT) * epsilon if tilted else 0.0, float(module.THETA)
    right, left = recipe.right(epsilon, c, theta), recipe.left(epsilon, c, theta)
    ups, downs, shortfalls = [], [], []
    weight = np.zeros(())
    for k, (statistic, i, y) in enumerate(zip(statistics, levels, outputs, strict=True)):
        f, s = statistic.values, statistic.sensitivities
        up, down = np.maximum(0, (y - f[i]) / s[i]), np.maximum(0, (f[i] - y) / s[i])
        shortfall = down
        for later in range(i + 1, len(f)):
            unit = recipe.unit(s[later], s[i], theta)
            shortfall = np.maximum(shortfall, (f[later] - y) / unit)
        weight = weight + log_prior(statistic, i)
        if k in recipe.own_noise:
            weight = weight - right * up - (left - c) * down - c * shortfall
        else:
            ups.append(up)
            downs.append(down)
            shortfalls.append(shortfall)
    if ups:
        weight = weight - right * largest(ups) - (left - c) * largest(downs)
        weight = weight - c * recipe.shortfall(shortfalls)
    return weight


SIDES = (-1, 0, 1)


def side(value: int | Floats, statistic: Statistic, level: int) -> Floats:
    """Below, about at or above the truth."""
    away = (np.asarray(value) - statistic.values[level]) / statistic.sensitivities[level]
    return np.where(np.abs(away) <= 0.5, 0, np.sign(away))


@dataclass(frozen=True)
class Law:
    """log P by levels: an axis for each statistic, from `first` on in steps of 1."""

    first: Mapping[Levels, tuple[int, ...]]
    log: Mapping[Levels, Floats]

    def marginal(self, k: int) -> dict[tuple[int, int], float]:
        """The law of the level and the value of a statistic."""
        found: dict[tuple[int, int], float] = {}
        for levels, log in self.log.items():
            mass = np.exp(log).sum(axis=tuple(a for a in range(log.ndim) if a != k))
            for y, m in enumerate(mass.tolist(), self.first[levels][k]):
                found[levels[k], y] = found.get((levels[k], y), 0.0) + m
        return dict(sorted(found.items()))

    def sides(self, statistics: Sequence[Statistic]) -> dict[tuple[int, ...], float]:
        """The law of the levels, and of where each number is: see `side`."""
        found: dict[tuple[int, ...], float] = {}
        for levels, log in self.log.items():
            mass = np.exp(log)
            for k, (statistic, level) in enumerate(zip(statistics, levels, strict=True)):
                y = self.first[levels][k] + np.arange(log.shape[k], dtype=float)
                where = side(y, statistic, level)
                parts = [
                    mass.compress(where == w, axis=k).sum(axis=k, keepdims=True) for w in SIDES
                ]
                mass = np.concatenate(parts, axis=k)
            for place in np.ndindex(mass.shape):
                found[(*levels, *(SIDES[p] for p in place))] = float(mass[place])
        return found

    def noise(self, statistics: Sequence[Statistic], k: int, levels: Levels) -> dict[int, float]:
        """The law of the noise of a statistic, given the levels."""
        log = self.log[levels]
        mass = np.exp(log - log.max()).sum(axis=tuple(a for a in range(log.ndim) if a != k))
        start = self.first[levels][k] - statistics[k].values[levels[k]]
        return {start + j: float(m) for j, m in enumerate(mass / mass.sum())}


@dataclass(frozen=True)
class Window:
    """For each combination of levels, the piece of the lattice that holds nearly all mass."""

    first: Mapping[Levels, tuple[int, ...]]
    sizes: Mapping[Levels, tuple[int, ...]]

    def axes(self, levels: Levels) -> list[Floats]:
        """Values, each along an axis of its own."""
        count = len(levels)
        return [
            np.arange(first, first + size, dtype=float).reshape(
                [-1 if a == k else 1 for a in range(count)]
            )
            for k, (first, size) in enumerate(
                zip(self.first[levels], self.sizes[levels], strict=True)
            )
        ]


def combinations(statistics: Sequence[Statistic]) -> list[Levels]:
    """All levels of all statistics."""
    return list(product(*(range(len(s.values)) for s in statistics)))


def window(*tables: Sequence[Statistic], epsilon: float, depth: float = DEPTH) -> Window:
    """Around the values of all tables: weights fall by the slow rates of Theorem 9 or faster."""
    epsilon = paid(tables[0], epsilon)
    slowest = epsilon * (1 - float(module.TILT) * (1 + float(module.THETA)))
    reach = depth / slowest
    first, sizes = {}, {}
    for levels in combinations(tables[0]):
        starts, widths = [], []
        for k, i in enumerate(levels):
            values = [table[k].values[i] for table in tables]
            around = math.ceil(reach * tables[0][k].sensitivities[i])
            starts.append(min(values) - around)
            widths.append(max(values) - min(values) + 2 * around + 1)
        first[levels], sizes[levels] = tuple(starts), tuple(widths)
    return Window(first, sizes)


def normalised(first: Mapping[Levels, tuple[int, ...]], log: Mapping[Levels, Floats]) -> Law:
    """The law with these weights."""
    top = max(float(line.max()) for line in log.values())
    total = math.fsum(float(np.exp(line - top).sum()) for line in log.values())
    return Law(first, {levels: line - top - math.log(total) for levels, line in log.items()})


def law(
    statistics: Sequence[Statistic],
    epsilon: float,
    recipe: Recipe = RIGHT,
    *,
    within: Window | None = None,
    depth: float = DEPTH,
) -> Law:
    """By the formula."""
    within = within or window(statistics, epsilon=epsilon, depth=depth)
    log = {
        levels: np.asarray(exponent(statistics, epsilon, levels, within.axes(levels), recipe))
        for levels in within.first
    }
    return normalised(within.first, log)


def library_law(draw: OneDraw, within: Window) -> Law:
    """By `log_weight` and `prior` of the library: slow, so for tiny windows."""
    log = {}
    for levels, first in within.first.items():
        line = np.empty(within.sizes[levels])
        for place in np.ndindex(line.shape):
            values = [a + int(b) for a, b in zip(first, place, strict=True)]
            line[place] = float(draw.log_weight(levels, values))
        for statistic, level in zip(draw.statistics, levels, strict=True):
            line += math.log(float(library_prior(statistic, level)))
        log[levels] = line
    return normalised(within.first, log)


def log_ratio(one: Law, two: Law) -> float:
    """The largest |log P / P'| over all of a window that the laws share."""
    assert one.first == two.first
    return max(float(np.abs(one.log[levels] - two.log[levels]).max()) for levels in one.log)


def formula_ratio(
    one: Sequence[Statistic],
    two: Sequence[Statistic],
    epsilon: float,
    recipe: Recipe = RIGHT,
) -> float:
    """How far the formula tells two tables apart."""
    within = window(one, two, epsilon=epsilon)
    return log_ratio(*(law(table, epsilon, recipe, within=within) for table in (one, two)))


# Random tables


def random_statistic(
    rng: random.Random,
    levels: int,
    *,
    sensitivities: Sequence[int] = (1, 2, 3, 5),
    falls: bool = False,
) -> Statistic:
    """Sensitivities in any order; values with ties, rising or not, near and far of each other."""
    s = tuple(rng.choice(sensitivities) for _ in range(levels))
    far = rng.choice((0, 3, 12, 60))
    values = [rng.choice((0, far, far, rng.randint(0, far))) for _ in range(levels)]
    if rng.random() < 0.5:
        values.sort()
    fall = rng.randint(0, min(s) - 1) if falls else 0
    thresholds = tuple(sorted(rng.sample((1, 2, 3, 4, 8, 50), levels)))
    return Statistic(tuple(values), s, thresholds=thresholds, falls=fall)


def random_moves(rng: random.Random, statistic: Statistic) -> Statistic:
    """The statistic after a person's rows were added."""
    moves: list[Callable[[int], int]] = [
        lambda s: s,
        lambda _: 0,
        lambda s: rng.randint(0, s),
        lambda s: rng.choice((0, s)),
        lambda s: rng.choice((0, s)),
    ]
    if statistic.falls:
        moves += [
            lambda _: -statistic.falls,
            lambda s: rng.choice((-statistic.falls, s)),
        ]
    move = rng.choice(moves)
    grown = tuple(
        f + move(s) for f, s in zip(statistic.values, statistic.sensitivities, strict=True)
    )
    return replace(statistic, values=grown)


def neighbours(rng: random.Random, statistics: Sequence[Statistic]) -> list[Statistic]:
    """The statistics of a table with one person more."""
    return [random_moves(rng, s) for s in statistics]


def random_tables(
    seed: int,
    count: int,
    shapes: Sequence[Sequence[int]],
    *,
    sensitivities: Sequence[int] = (1, 2, 3, 5),
    falls: bool = False,
) -> Iterator[tuple[list[Statistic], list[Statistic]]]:
    """Pairs of neighbours; a shape has the number of levels of each statistic."""
    rng = random.Random(seed)
    for _ in range(count):
        statistics = [
            random_statistic(rng, levels, sensitivities=sensitivities, falls=falls)
            for levels in rng.choice(shapes)
        ]
        yield statistics, neighbours(rng, statistics)
