"""How far the numbers of one draw may be off: quantiles against enumerated laws of any table."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from candling.privacy import Drawn, OneDraw, Statistic
from candling.privacy import one_draw as module
from candling.privacy.one_draw import ALONE, MANY, TOGETHER, Constants, Shape
from candling.privacy.tails import CardNoise, Rates
from tests.privacy.draw_law import RIGHT, Recipe, law, random_statistic

MISSES = (0.1, 0.05, 0.01, 1e-4)
EXACT = 1 + 1e-9  # what floats of an enumeration may add


def rates(epsilon: float, constants: Constants | None = None) -> Rates:
    return Shape.of(Fraction(epsilon), constants, rows=True).rates


def card_noise(k: int, sensitivities: Sequence[int], slopes: Rates) -> CardNoise:
    """Of the k-th of numbers without levels."""
    return CardNoise(sensitivities[k], (*sensitivities[:k], *sensitivities[k + 1 :]), slopes)


def beyond(noise: Mapping[int, float], above: int, below: int) -> tuple[float, float]:
    """The probabilities of more than `above`, and of less than -`below`."""
    return (
        math.fsum(p for z, p in noise.items() if z > above),
        math.fsum(p for z, p in noise.items() if z < -below),
    )


def quantile(noise: Mapping[int, float], miss: float) -> int:
    """The smallest d of 0 or more that noise exceeds with probability `miss` or less."""
    tail, d = 0.0, max(noise)
    while d > 0 and tail + noise[d] <= miss:
        tail += noise[d]
        d -= 1
    return d


Kind = tuple[str, str]  # of a statistic, and the side of its bound


def kind_of(table: Sequence[Statistic], k: int, rows: int | None) -> str:
    if table[k].has_levels:
        return "levels"
    return "rows" if k == rows else "number"


def misses(
    table: Sequence[Statistic], epsilon: float, recipe: Recipe, chosen: Sequence[float] = MISSES
) -> dict[Kind, float]:
    """How often noise is beyond its bounds at the worst, over what they say, for given levels."""
    draw = OneDraw(table, Fraction(epsilon), recipe.rows)
    known = law(draw.statistics, epsilon, recipe, depth=20)
    most: dict[Kind, float] = {}
    for levels in known.log:
        drawn = draw.read_draw(levels, [s.values[i] for s, i in zip(table, levels, strict=True)])
        for k, one in enumerate(drawn):
            noise, kind = known.noise(draw.statistics, k, levels), kind_of(table, k, recipe.rows)
            for miss in chosen:
                missed = beyond(noise, one.noise.upper_tail(miss), one.noise.lower_tail(miss))
                for side, m in zip(("above", "below"), missed, strict=True):
                    most[kind, side] = max(most.get((kind, side), 0.0), m / miss)
    return most


def use(recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the library draw with the constants of a recipe."""
    if recipe.constants is not None:
        monkeypatch.setattr(module, "constants_for", lambda _count: recipe.constants)


# Any table, given the levels


def random_constants(rng: random.Random) -> Constants:
    """Such that weights fall on both sides, now and then by little."""
    while True:
        tilt, desert = (Fraction(rng.randint(0, 45), 100) for _ in range(2))
        theta = rng.choice((Fraction(1, 4), Fraction(1, 2), Fraction(2, 3), Fraction(1)))
        beyond = Fraction(rng.choice((0, 1, 10, 30)), 100)
        if tilt and 1 - (1 + theta) * tilt - desert - beyond >= Fraction(1, 5):
            return Constants(tilt, theta, desert, Fraction(rng.choice((5, 12, 45, 200))), beyond)


def leaning(rng: random.Random, levels: int, sensitivities: Sequence[int]) -> Statistic:
    """A statistic whose later levels are far above the earlier ones, in most cases."""
    statistic = random_statistic(rng, levels, sensitivities=sensitivities)
    far = rng.choice((0, 5, 40, 400))
    values = sorted(rng.choice((0, far, rng.randint(0, far))) for _ in range(levels))
    thresholds = tuple(sorted(rng.sample((1, 2, 8, 20, 60, 2000), levels)))
    return replace(statistic, values=tuple(values), thresholds=thresholds)


def leaning_table(rng: random.Random, shape: Sequence[int]) -> list[Statistic]:
    """Numbers without levels first; of these the rows, few or many."""
    sensitivities = {1: (1, 2, 3, 7), 2: (1, 2, 3), 3: (1, 2)}[len(shape)]
    return [
        leaning(rng, n, sensitivities)
        if n > 1
        else Statistic((rng.choice((0, 1, 5, 30, 1000)),), (rng.choice(sensitivities[:2]),))
        for n in shape
    ]


@pytest.mark.parametrize(
    ("shapes", "epsilon", "count"),
    [
        ([(2,), (3,), (5,)], 2.0, 100),
        ([(1, 2), (1, 3), (2, 2)], 6.0, 100),
        ([(1, 1, 2), (1, 2, 2)], 16.0, 30),
    ],
)
def test_bounds_miss_as_rarely_as_they_say(
    shapes: Sequence[Sequence[int]],
    epsilon: float,
    count: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For all levels alone, likely or not: so also in all. The library's constants and any other.

    The most that a threshold costs is scaled down and up, so that it ends within windows or never.
    """
    rng = random.Random(51)
    most: dict[Kind, float] = {}
    for _ in range(count):
        table = leaning_table(rng, rng.choice(shapes))
        known = (ALONE, TOGETHER, MANY)
        constants = rng.choice(known) if rng.random() < 0.4 else random_constants(rng)
        rows = rng.choice((0, 0, None)) if not table[0].has_levels else None
        recipe = Recipe(rows=rows, constants=constants)
        monkeypatch.setattr(module, "MOST", Fraction(rng.choice((1, 10, 1000))))
        use(recipe, monkeypatch)
        for kind, missed in misses(table, epsilon, recipe, (0.1, 0.01)).items():
            most[kind] = max(most.get(kind, 0.0), missed)
    assert max(most.values()) <= EXACT
    assert min(most.values()) > 0.2, "the bounds are of use"


# A level far below what the next one says, clean, a star, equal values, later levels below.
TABLES = {
    "far below": (0, 400, 400),
    "clean": (0, 0, 0),
    "star": (2, 3, 41),
    "plateau": (300, 300, 300),
    "falling": (100, 50, 0),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("sensitivities", [(2, 3, 5), (7, 1, 1), (1, 12, 1)])
def test_bounds_on_extreme_tables(name: str, sensitivities: tuple[int, ...]) -> None:
    """With the library's constants; rows far below half of a threshold, near it, or many."""
    levels = Statistic(TABLES[name], sensitivities, thresholds=(1, 200, 20_000))
    assert max(misses([levels], 2.0, RIGHT, (0.05,)).values()) <= EXACT
    for rows in (0, 95, 10_000):
        table = [Statistic((rows,), (1,)), levels]
        for index in (0, None):
            found = misses(table, 4.0, Recipe(rows=index), (0.05,))
            assert max(found.values()) <= EXACT


def test_bounds_are_not_absurdly_wide() -> None:
    """Beside the quantiles of a table that tilts nothing."""
    table = [Statistic((10**6,), (1,)), Statistic((10**6,) * 2, (1, 2), thresholds=(1, 2))]
    known = law(table, 2.0, Recipe(rows=0), depth=20)
    draw = OneDraw(table, Fraction(2), rows=0)
    for levels in known.log:
        for k, drawn in enumerate(draw.read_draw(levels, (0, 0))):
            noise = known.noise(table, k, levels)
            mirrored = {-z: p for z, p in noise.items()}
            for miss in (0.05, 0.01):
                assert drawn.noise.upper_tail(miss) <= 3 * quantile(noise, miss)
                assert drawn.noise.lower_tail(miss) <= 3 * quantile(mirrored, miss)


# Without levels the law is known


KINDS = [(1,), (3,), (50,), (1, 1), (2, 2), (1, 5), (2, 60), (1, 1, 5), (3, 3, 3)]


@pytest.mark.parametrize(
    ("sensitivities", "epsilon"),
    [(kind, epsilon) for kind in KINDS for epsilon in (0.5, 1.0, 3.0, 10.0)
     if len(kind) < 3 or epsilon >= 1],
)  # fmt: skip
def test_without_levels_bounds_are_quantiles(
    sensitivities: tuple[int, ...], epsilon: float
) -> None:
    """At most two steps of the lattice too wide, and never too narrow."""
    table = [Statistic((0,), (s,)) for s in sensitivities]
    known = law(table, epsilon, depth=20)
    for k in range(len(table)):
        noise = known.noise(table, k, (0,) * len(table))
        bound = card_noise(k, sensitivities, rates(epsilon))
        for miss in MISSES:
            exact = quantile(noise, miss)
            assert bound.upper_tail(miss) - exact in (0, 1, 2)
            assert bound.lower_tail(miss) - exact in (0, 1, 2)


def equal_noise(count: int, right: float, left: float) -> dict[int, float]:
    """The law of each of many numbers, with these slopes a step.

    Given how far all may be up (i) and down (j), each is uniform between -j and i.
    """
    size = math.ceil((2 * count + 60) / min(right, left))
    i, j = np.arange(size)[:, None], np.arange(size)
    log = -right * i - left * j + (count - 1) * np.log(i + j + 1)
    each = np.exp(log - log.max())
    above = np.cumsum(each.sum(axis=1)[::-1])[::-1]
    beneath = np.cumsum(each.sum(axis=0)[::-1])[::-1]
    mass = np.concatenate([beneath[:0:-1], above])
    return dict(zip(range(1 - size, size), (mass / mass.sum()).tolist(), strict=True))


def test_the_law_of_many_numbers_is_that_of_the_enumeration() -> None:
    table = [Statistic((0,), (2,)), Statistic((0,), (2,))]
    known = law(table, 2.0).noise(table, 0, (0, 0))
    ours = equal_noise(2, 1.0, 1.0)
    assert all(math.isclose(ours[z], p, abs_tol=1e-9) for z, p in known.items() if z in ours)


@pytest.mark.parametrize(("count", "sensitivity"), [(1, 1), (4, 1), (4, 6), (10, 2), (60, 1)])
def test_bounds_of_many_numbers_are_quantiles(count: int, sensitivity: int) -> None:
    noise = equal_noise(count, 1 / sensitivity, 1 / sensitivity)
    bound = card_noise(0, (sensitivity,) * count, rates(1.0))
    for miss in MISSES:
        exact = quantile(noise, miss)
        assert bound.upper_tail(miss) - exact in (0, 1)
        assert bound.lower_tail(miss) - exact in (0, 1)


@pytest.mark.parametrize("sensitivity", [65_536, 10**9])
def test_bounds_on_fine_lattices_miss_as_rarely_as_they_say(sensitivity: int) -> None:
    """One number has discrete Laplace noise, whose tail is known."""
    rate = 1 / sensitivity
    bound = card_noise(0, (sensitivity,), rates(1.0))
    for miss in np.geomspace(0.4, 1e-4, 60):
        missed = math.exp(-rate * (bound.upper_tail(float(miss)) + 1)) / (1 + math.exp(-rate))
        assert 0.98 < missed / miss <= EXACT


def test_bounds_of_unequal_slopes_are_not_exchanged() -> None:
    """With weights that fall faster on one side, and no tilt."""
    slopes = Rates(right=1.0, left=3.0, slow_left=3.0, rise=0.0, fall=0.0)
    noise = equal_noise(2, 0.5, 1.5)
    mirrored = {-z: p for z, p in noise.items()}
    bound = card_noise(0, (2, 2), slopes)
    for miss in MISSES:
        assert bound.upper_tail(miss) - quantile(noise, miss) in (0, 1)
        assert bound.lower_tail(miss) - quantile(mirrored, miss) in (0, 1)
    assert bound.upper_tail(0.01) > bound.lower_tail(0.01)


# Errors


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize(("count", "sensitivity"), [(1, 1), (2, 1), (4, 6), (10, 2), (60, 1)])
def test_mean_absolute_errors_of_equal_sensitivities(
    count: int, sensitivity: int, epsilon: float
) -> None:
    rate = epsilon / sensitivity
    noise = equal_noise(count, rate, rate)
    error = math.fsum(p * abs(z) for z, p in noise.items())
    ours = card_noise(0, (sensitivity,) * count, rates(epsilon)).mean_absolute_error
    assert math.isclose(ours, error, rel_tol=1e-2)


@pytest.mark.parametrize("count", [1, 2, 4, 20])
def test_on_fine_lattices_each_further_number_costs_a_third_of_a_sensitivity(count: int) -> None:
    noise = card_noise(0, (10**6,) * count, rates(1.0))
    assert math.isclose(noise.mean_absolute_error, (count + 2) / 3 * 10**6, rel_tol=1e-3)


@pytest.mark.parametrize("sensitivities", [(1, 5), (1, 9), (2, 60), (1, 1, 5)])
def test_mean_absolute_errors_of_different_sensitivities(sensitivities: tuple[int, ...]) -> None:
    table = [Statistic((0,), (s,)) for s in sensitivities]
    known = law(table, 1.0, depth=20)
    for k in range(len(table)):
        noise = known.noise(table, k, (0,) * len(table))
        error = math.fsum(p * abs(z) for z, p in noise.items())
        ours = card_noise(k, sensitivities, rates(1.0)).mean_absolute_error
        assert math.isclose(ours, error, rel_tol=0.03)


# Shapes that a release may have


@pytest.mark.parametrize("levels", [True, False])
@pytest.mark.parametrize("epsilon", ["1/1000000", "100"])
@pytest.mark.parametrize("person", [1, 10**6])
@pytest.mark.parametrize("count", [4, 60, 200])
def test_bounds_are_finite_and_found_at_once(
    count: int, person: int, epsilon: str, levels: bool
) -> None:
    constants = module.constants_for(count) if levels else None
    slopes = Shape.of(Fraction(epsilon), constants, rows=True).rates
    sensitivities = (*(person for _ in range(count - 1)), person * (2**20 + 1))
    for k in (0, count - 1):
        started = time.process_time()
        noise = card_noise(k, sensitivities, slopes)
        if levels and k:
            noise = replace(noise, own=None)
        bounds = [noise.upper_tail(miss) for miss in (0.05, 0.01)]
        assert bounds == sorted(bounds)
        assert 0 <= noise.lower_tail(0.05) < math.inf
        assert 0 <= noise.mean_absolute_error < math.inf
        if epsilon != "100":
            assert bounds[0] >= sensitivities[k] / float(Fraction(epsilon))
            assert noise.mean_absolute_error > 0.9 * sensitivities[k] / float(Fraction(epsilon)) / 2
        assert time.process_time() - started < 3


def test_a_draw_is_bounded_on_both_sides() -> None:
    noise = card_noise(1, (1, 3), rates(1.0))
    drawn = Drawn(0, 100, Fraction(1), noise)
    assert drawn.lower(0.05) == 100 - noise.upper_tail(0.05)
    assert drawn.upper(0.05) == 100 + noise.lower_tail(0.05)
