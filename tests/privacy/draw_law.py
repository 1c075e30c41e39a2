"""The law of a levels draw on a finite piece of its lattice, by brute force, and its audit.

Written from the docstring of `levels_draw` in floats; it shares the constants with the library and
no code.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt

from candling.privacy import Hint, LevelsDraw, Statistic
from candling.privacy import levels_draw as module
from candling.privacy.levels_draw import UNKNOWN, Constants

Floats = npt.NDArray[np.float64]
Levels = tuple[int, ...]

DEPTH = 34.0  # exp(-DEPTH) of the mass is outside of a window, times a small polynomial
SHALLOW = 26.0  # enough for ratios, where that much is nothing beside EXACT of the audit


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
class Terms:
    """The numbers of the law at a given epsilon."""

    epsilon: float
    c: float
    theta: float

    @property
    def slowest(self) -> float:
        """Weights fall by this much or more per sensitivity of the furthest number, either way."""
        return self.epsilon - (1 + self.theta) * self.c


@dataclass(frozen=True)
class Recipe:
    """What the law is made of. As it stands it is right; a test plants a mistake in a field."""

    constants: Constants = UNKNOWN
    hint: Hint | None = None
    right: Callable[[Terms], float] = lambda t: t.epsilon - t.c
    left: Callable[[Terms], float] = lambda t: t.epsilon - t.theta * t.c
    unit: Callable[[int, int, float], float] = lambda later, own, theta: max(later, own / theta)
    shortfall: Callable[[Sequence[Floats]], Floats] = largest
    own_noise: frozenset[int] = field(default_factory=frozenset)  # left out of the maxima


RIGHT = Recipe()


def terms(epsilon: float, recipe: Recipe = RIGHT) -> Terms:
    """From the constants of the recipe."""
    constants = recipe.constants
    return Terms(epsilon, c=float(constants.tilt) * epsilon, theta=float(constants.theta))


def log_prior(statistics: Sequence[Statistic], levels: Sequence[int], recipe: Recipe) -> float:
    """Of a combination of levels."""
    hint, log2 = recipe.hint, math.log(2)
    centre = 10**9
    if hint is not None:
        enough = float(module.ENOUGH) * max(1.0, float(hint.rows)) / max(1.0, float(hint.repair))
        centre = max(0, round(math.log2(enough)))
    weight = 0.0
    inside: list[int] = []
    outside: list[int] = []
    for statistic, i in zip(statistics, levels, strict=True):
        weight -= math.log(statistic.sensitivities[i])
        penalty = recipe.constants.penalty
        most = 10**9
        if statistic.within_rows:
            penalty, most = recipe.constants.within_rows, centre
        if statistic.counts_rows:
            penalty = recipe.constants.rows
        weight -= float(penalty.first) * (i > 0) + float(penalty.power) * log2 * min(i, most)
        weight -= float(module.BEYOND) * log2 * max(0, i - most)
        if not statistic.counts_rows:
            (inside if statistic.within_rows else outside).append(i)
    if hint is not None and len(inside) == len(outside) == 1:
        weight -= float(module.ORDER) * max(0, inside[0] - outside[0])
    return weight


def exponent(
    statistics: Sequence[Statistic],
    epsilon: float,
    levels: Sequence[int],
    outputs: Sequence[Floats],
    recipe: Recipe = RIGHT,
) -> Floats:
    """The log of the weight, prior included, of outputs in the units of the statistics."""
    t = terms(epsilon, recipe)
    right, left = recipe.right(t), recipe.left(t)
    ups, downs, shortfalls = [], [], []
    weight = np.full((), log_prior(statistics, levels, recipe))
    for k, (statistic, i, y) in enumerate(zip(statistics, levels, outputs, strict=True)):
        f, s = statistic.values, statistic.sensitivities
        up, down = np.maximum(0, (y - f[i]) / s[i]), np.maximum(0, (f[i] - y) / s[i])
        shortfall = down
        for later in range(i + 1, len(f)):
            unit = recipe.unit(s[later], s[i], t.theta)
            shortfall = np.maximum(shortfall, (f[later] - y) / unit)
        if k in recipe.own_noise:
            weight = weight - right * up - (left - t.c) * down - t.c * shortfall
        else:
            ups.append(up)
            downs.append(down)
            shortfalls.append(shortfall)
    if ups:
        weight = weight - right * largest(ups) - (left - t.c) * largest(downs)
        weight = weight - t.c * recipe.shortfall(shortfalls)
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


def window(
    *tables: Sequence[Statistic],
    epsilon: float,
    recipe: Recipe = RIGHT,
    depth: float = DEPTH,
) -> Window:
    """Around the values of all tables: weights fall by the slowest rate or faster."""
    reach = depth / terms(epsilon, recipe).slowest
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
    within = within or window(statistics, epsilon=epsilon, recipe=recipe, depth=depth)
    log = {
        levels: np.asarray(exponent(statistics, epsilon, levels, within.axes(levels), recipe))
        for levels in within.first
    }
    return normalised(within.first, log)


def library_law(draw: LevelsDraw, within: Window) -> Law:
    """By `log_weight` and `prior` of the library: slow, so for tiny windows."""
    log = {}
    for levels, first in within.first.items():
        line = np.empty(within.sizes[levels])
        for place in np.ndindex(line.shape):
            values = [a + int(b) for a, b in zip(first, place, strict=True)]
            line[place] = float(draw.log_weight(levels, values))
        log[levels] = line + float(draw.prior(levels).log())
    return normalised(within.first, log)


@dataclass(frozen=True)
class Ratios:
    """The largest log P'/P and the largest log P/P' over a window."""

    grown: float
    shrunk: float

    @property
    def worst(self) -> float:
        return max(self.grown, self.shrunk)


def log_ratios(one: Law, two: Law) -> Ratios:
    """Over all of a window that the laws share."""
    assert one.first == two.first
    changes = [two.log[levels] - one.log[levels] for levels in one.log]
    return Ratios(
        max(float(change.max()) for change in changes),
        max(float(-change.min()) for change in changes),
    )


def formula_ratios(
    one: Sequence[Statistic],
    two: Sequence[Statistic],
    epsilon: float,
    recipe: Recipe = RIGHT,
) -> Ratios:
    """How far the formula tells two tables apart, `two` being the larger one."""
    within = window(one, two, epsilon=epsilon, recipe=recipe, depth=SHALLOW)
    return log_ratios(*(law(table, epsilon, recipe, within=within) for table in (one, two)))


# Random tables


def random_statistic(
    rng: random.Random, levels: int, *, sensitivities: Sequence[int] = (1, 2, 3, 5)
) -> Statistic:
    """Sensitivities in any order; values with ties, rising or not, near and far of each other."""
    s = tuple(rng.choice(sensitivities) for _ in range(levels))
    far = rng.choice((0, 3, 12, 60))
    values = [rng.choice((0, far, far, rng.randint(0, far))) for _ in range(levels)]
    if rng.random() < 0.5:
        values.sort()
    thresholds = tuple(sorted(rng.sample((1, 2, 3, 4, 8, 50, 90), levels)))
    step = rng.choice((Fraction(1), Fraction(1), Fraction(1, 2)))
    return Statistic(tuple(values), s, step, thresholds, within_rows=rng.random() < 0.5)


def random_moves(rng: random.Random, statistic: Statistic) -> Statistic:
    """The statistic after a person's rows were added."""
    last = rng.randrange(len(statistic.values))
    moves: list[Callable[[int, int], int]] = [
        lambda _, s: s,
        lambda _, s: 0,
        lambda _, s: rng.randint(0, s),
        lambda _, s: rng.choice((0, s)),
        lambda i, s: s if i <= last else 0,
        lambda i, s: 0 if i <= last else s,
    ]
    move = rng.choice(moves)
    grown = tuple(
        f + move(i, s)
        for i, (f, s) in enumerate(zip(statistic.values, statistic.sensitivities, strict=True))
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
) -> Iterator[tuple[list[Statistic], list[Statistic]]]:
    """Pairs of neighbours; a shape has the number of levels of each statistic."""
    rng = random.Random(seed)
    for _ in range(count):
        statistics = [
            random_statistic(rng, levels, sensitivities=sensitivities)
            for levels in rng.choice(shapes)
        ]
        yield statistics, neighbours(rng, statistics)


# Tables on which all terms of the law move at once


def pressed(statistics: int, person: int) -> list[Statistic]:
    """Statistics of which nearly all draws choose the second level.

    The first level is far too low, and of the third a steep prior keeps them away. So the second
    remains, with a shortfall.
    """
    f, gap = 160 * person, 10 * person
    levels = Statistic((0, f, f + gap), (person, 2 * person, 2 * person + 1))
    return [levels] * statistics


def pressed_further(table: Sequence[Statistic]) -> list[Statistic]:
    """The same with a person more, who adds all they may to two levels and nothing to the third."""
    return [
        replace(s, values=(s.values[0] + s.sensitivities[0], s.values[1] + s.sensitivities[1],
                           s.values[2]))
        for s in table
    ]  # fmt: skip
