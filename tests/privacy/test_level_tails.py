"""How far the numbers of a levels draw may be off: bounds against enumerated laws of any table."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from candling.privacy import Drawn, LevelsDraw, LevelsNoise, Statistic
from candling.privacy import levels_draw as module
from candling.privacy.levels_draw import BY_REPAIR, UNKNOWN, Constants, Shape
from tests.privacy.draw_law import Recipe, law, random_statistic

MISSES = (0.1, 0.05, 0.01, 1e-4)
EXACT = 1 + 1e-9  # what floats of an enumeration may add
KNOWN = (UNKNOWN, *BY_REPAIR.values())


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


def misses(
    table: Sequence[Statistic],
    epsilon: float,
    recipe: Recipe,
    monkeypatch: pytest.MonkeyPatch,
    chosen: Sequence[float] = MISSES,
) -> dict[str, float]:
    """How often noise is beyond its bounds at the worst, over what they say, for given levels."""
    with monkeypatch.context() as patch:
        patch.setattr(module, "constants_for", lambda *_: recipe.constants)
        draw = LevelsDraw(table, Fraction(epsilon), recipe.hint)
    known = law(draw.statistics, epsilon, recipe, depth=20)
    most = {"above": 0.0, "below": 0.0}
    for levels in known.log:
        for k, bound in enumerate(draw.noises(levels)):
            noise = known.noise(draw.statistics, k, levels)
            for miss in chosen:
                missed = beyond(noise, bound.upper_tail(miss), bound.lower_tail(miss))
                for side, m in zip(most, missed, strict=True):
                    most[side] = max(most[side], m / miss)
    return most


# Any table, given the levels


def random_constants(rng: random.Random) -> Constants:
    """Such that weights fall on both sides, now and then by little."""
    while True:
        tilt = Fraction(rng.randint(1, 50), 100)
        theta = rng.choice((Fraction(1, 4), Fraction(1, 2), Fraction(2, 3), Fraction(1)))
        if 1 - (1 + theta) * tilt >= Fraction(1, 5):
            return replace(UNKNOWN, tilt=tilt, theta=theta)


def leaning(rng: random.Random, levels: int, sensitivities: Sequence[int]) -> Statistic:
    """A statistic whose later levels are far above the earlier ones, in most cases."""
    statistic = random_statistic(rng, levels, sensitivities=sensitivities)
    far = rng.choice((0, 5, 40, 400))
    values = sorted(rng.choice((0, far, rng.randint(0, far))) for _ in range(levels))
    return replace(statistic, values=tuple(values))


@pytest.mark.parametrize(
    ("shapes", "epsilon", "count"),
    [
        ([(2,), (3,), (5,)], 2.0, 150),
        ([(1, 2), (2, 2), (3, 2)], 6.0, 100),
        ([(1, 1, 2), (2, 1, 2)], 9.0, 12),
    ],
)
def test_bounds_miss_as_rarely_as_they_say(
    shapes: Sequence[Sequence[int]], epsilon: float, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For all levels alone, likely or not: so also in all. Also with other constants."""
    rng = random.Random(51)
    most: dict[str, float] = {}
    for _ in range(count):
        shape = rng.choice(shapes)
        sensitivities = {1: (1, 2, 3, 7), 2: (1, 2, 3), 3: (1, 2)}[len(shape)]
        table = [leaning(rng, n, sensitivities) for n in shape]
        recipe = Recipe(rng.choice(KNOWN) if rng.random() < 0.4 else random_constants(rng))
        for side, missed in misses(table, epsilon, recipe, monkeypatch, (0.1, 0.01)).items():
            most[side] = max(most.get(side, 0.0), missed)
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
def test_bounds_on_extreme_tables(
    name: str, sensitivities: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the library's constants, alone and beside a statistic that says little."""
    levels = Statistic(TABLES[name], sensitivities)
    for constants in KNOWN:
        assert max(misses([levels], 2.0, Recipe(constants), monkeypatch, (0.05,)).values()) <= EXACT
    table = [Statistic((4, 5), (1, 2)), levels]
    for constants in KNOWN[:2]:
        assert max(misses(table, 6.0, Recipe(constants), monkeypatch, (0.05,)).values()) <= EXACT


@pytest.mark.parametrize("constants", KNOWN)
def test_bounds_are_not_absurdly_wide(constants: Constants) -> None:
    """Beside the quantiles of a table that tilts nothing."""
    table = [Statistic((10**6,) * 2, (2, 3)), Statistic((10**6,) * 2, (1, 2))]
    known = law(table, 3.0, Recipe(constants), depth=20)
    shape = Shape.of(Fraction(3), constants)
    for levels in known.log:
        own = [s.sensitivities[i] for s, i in zip(table, levels, strict=True)]
        for k in range(2):
            noise = known.noise(table, k, levels)
            mirrored = {-z: p for z, p in noise.items()}
            bound = shape.noise(own[k], (own[1 - k],))
            for miss in (0.05, 0.01):
                assert bound.upper_tail(miss) <= 6 * quantile(noise, miss)
                assert bound.lower_tail(miss) <= 6 * quantile(mirrored, miss)


# Where nothing tilts, the law is known


def level(own: int, others: tuple[int, ...], rate: float) -> LevelsNoise:
    """The noise of a law without a tilt."""
    return LevelsNoise(own, others, rate, rate, rate)


def enumerate_noise(own: int, others: tuple[int, ...], rate: float) -> dict[int, float]:
    """The law exp(-rate (max v+ + max v-)) of the one number."""
    reach = math.ceil(30 / rate)
    z = np.arange(-reach * own, reach * own + 1.0)
    axes = [np.arange(-reach * s, reach * s + 1) / s for s in (own, *others)]
    v = np.meshgrid(*axes, indexing="ij", sparse=True)
    up, down = np.zeros(()), np.zeros(())
    for w in v:
        up, down = np.maximum(up, w), np.maximum(down, -w)
    mass = np.exp(-rate * (up + down)).sum(axis=tuple(range(1, len(axes))))
    return dict(zip(z.astype(int).tolist(), (mass / mass.sum()).tolist(), strict=True))


@pytest.mark.parametrize("rate", [0.5, 1.0, 3.0, 9.0])
@pytest.mark.parametrize(
    ("own", "others"),
    [
        (1, ()), (3, ()), (50, ()), (1, (1,)), (3, (2,)), (1, (5,)), (3, (60,)), (50, (1,)),
        (50, (5,)), (1, (1, 1)), (3, (1, 2)), (1, (2, 3)),
    ],
)  # fmt: skip
def test_without_a_tilt_bounds_are_quantiles(
    own: int, others: tuple[int, ...], rate: float
) -> None:
    """Never too narrow, and too wide by a hundredth of a sensitivity where lattices are fine."""
    known = enumerate_noise(own, others, rate)
    mirrored = {-z: p for z, p in known.items()}
    bound = level(own, others, rate)
    for miss in MISSES[:3]:
        for ours, exact in (
            (bound.upper_tail(miss), quantile(known, miss)),
            (bound.lower_tail(miss), quantile(mirrored, miss)),
        ):
            assert 0 <= ours - exact <= 1 + 0.05 * own
    error = math.fsum(p * abs(z) for z, p in known.items())
    assert math.isclose(bound.mean_absolute_error, error, rel_tol=0.03, abs_tol=1e-9)


@pytest.mark.parametrize("sensitivity", [65_538, 10**9, 10**18])
def test_bounds_on_fine_lattices_miss_as_rarely_as_they_say(sensitivity: int) -> None:
    """Of a single number with equal slopes, whose tail is known."""
    bound = level(sensitivity, (), 1.0)
    for miss in np.geomspace(0.4, 1e-4, 60):
        missed = math.exp(-(bound.upper_tail(float(miss)) + 1) / sensitivity) / 2
        assert 0.96 < missed / miss <= EXACT


# Shapes that a release may have


@pytest.mark.parametrize("constants", KNOWN)
@pytest.mark.parametrize("epsilon", ["1/1000000", "1", "100"])
@pytest.mark.parametrize("person", [1, 10**6])
def test_bounds_are_finite_and_found_at_once(
    person: int, epsilon: str, constants: Constants
) -> None:
    shape = Shape.of(Fraction(epsilon), constants)
    for own, *others in (
        (2, 2), (2, 2**30), (2**30 + 1, 2), (2**40 + 1, 2**41), (2**40 + 1,), (2, 3, 2**30),
        (2**20, 2**20, 2**20),
    ):  # fmt: skip
        started = time.process_time()
        noise = shape.noise(person * own, tuple(person * other for other in others))
        bounds = [noise.upper_tail(miss) for miss in (0.05, 0.01, 1e-9)]
        assert bounds == sorted(bounds)
        assert 0 <= noise.lower_tail(0.05) < math.inf
        assert 0 <= noise.mean_absolute_error < math.inf
        if epsilon != "100":
            assert bounds[0] >= noise.sensitivity / float(Fraction(epsilon))
        assert time.process_time() - started < 3


def test_noise_that_cannot_be_computed_with_is_refused() -> None:
    fine = LevelsNoise(3, (4,), 0.6, 0.7, 0.4)
    wrong: list[tuple[str, Any]] = [
        *(("sensitivity", size) for size in (0, 10**25)),
        *(("others", sizes) for sizes in ((0,), (4, 10**25), (1, 1, 1))),
        *(("right", rate) for rate in (0.2, 1e9, math.nan)),
        *(("left", rate) for rate in (0.0, math.inf)),
        *(("slow", rate) for rate in (0.0, 0.65, math.nan)),
    ]
    for name, value in wrong:
        with pytest.raises(ValueError, match="out of range"):
            replace(fine, **{name: value})


def test_a_draw_is_bounded_on_both_sides() -> None:
    noise = level(3, (1,), 1.0)
    drawn = Drawn(0, 100, Fraction(1), noise)
    assert drawn.lower(0.05) == 100 - noise.upper_tail(0.05)
    assert drawn.upper(0.05) == 100 + noise.lower_tail(0.05)
