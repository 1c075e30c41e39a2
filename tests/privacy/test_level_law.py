"""The law of one statistic: shortfall, weights, runs of the lattice, masses and draws."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from candling.privacy import Statistic, laws
from candling.privacy.laws import LevelLaw, Segment, Shortfall, Slopes
from tests.privacy.draw_law import random_statistic
from tests.privacy.statistics import fits

THETA = Fraction(1, 2)
THETAS = [THETA, Fraction(2, 3), Fraction(1)]


def formula(statistic: Statistic, level: int, theta: Fraction, y: int) -> Fraction:
    """Kappa, from its definition."""
    f, s = statistic.values, statistic.sensitivities
    entries = [Fraction(0), Fraction(f[level] - y, s[level])]
    entries += [
        (f[later] - y) / max(Fraction(s[later]), s[level] / theta)
        for later in range(level + 1, len(f))
    ]
    return max(entries)


def weight(statistic: Statistic, level: int, theta: Fraction, slopes: Slopes, y: int) -> Fraction:
    """W, from its definition."""
    f, s = statistic.values[level], statistic.sensitivities[level]
    up, down = Fraction(max(0, y - f), s), Fraction(max(0, f - y), s)
    shortfall = formula(statistic, level, theta, y)
    return -slopes.right * up - slopes.left * down - slopes.tilt * shortfall


def random_slopes(rng: random.Random) -> Slopes:
    def some() -> Fraction:
        return Fraction(rng.randint(1, 12), 6)

    return Slopes(some(), some(), rng.choice((Fraction(0), some())))


def cases(seed: int, count: int) -> Iterator[tuple[Statistic, int, Fraction, Slopes, LevelLaw]]:
    """Slopes, thetas and sensitivities in all proportions: weights may rise above the value."""
    rng = random.Random(seed)
    for _ in range(count):
        statistic = random_statistic(rng, rng.randint(1, 5), sensitivities=(1, 2, 3, 7, 20))
        level, theta = rng.randrange(len(statistic.values)), rng.choice(THETAS)
        slopes = random_slopes(rng)
        shortfall = Shortfall(statistic, level, theta)
        f, s = statistic.values[level], statistic.sensitivities[level]
        yield statistic, level, theta, slopes, LevelLaw(f, s, shortfall, slopes)


def test_shortfalls_and_weights_are_the_formula() -> None:
    for statistic, level, theta, slopes, law in cases(seed=41, count=300):
        for y in range(min(statistic.values) - 25, max(statistic.values) + 6, 3):
            assert law.shortfall(y) == formula(statistic, level, theta, y)
            assert law.log_weight(y) == weight(statistic, level, theta, slopes, y)


def test_of_equal_values_the_smallest_sensitivity_counts_wherever_it_stands() -> None:
    for sensitivities in ((1, 800, 2), (1, 2, 800)):
        statistic = Statistic((0, 1000, 1000), sensitivities)
        assert Shortfall(statistic, 0, THETA)(0) == 1000 / max(Fraction(2), 1 / THETA)


def test_bends_are_where_the_slope_changes() -> None:
    for statistic, level, theta, _, law in cases(seed=42, count=100):
        bends = law.shortfall.bends
        assert bends == sorted(set(bends))
        low, high = min(statistic.values) - 200, max(statistic.values) + 3
        slopes = [
            formula(statistic, level, theta, y + 1) - formula(statistic, level, theta, y)
            for y in range(low, high)
        ]
        changes = {low + k + 1 for k, (a, b) in enumerate(pairwise(slopes)) if a != b}
        near = {math.floor(b) for b in bends} | {math.ceil(b) for b in bends}
        assert changes <= near, "no bend is forgotten"


def ends(segment: Segment) -> tuple[float, float]:
    """The first and the last lattice point."""
    last = math.inf if segment.count is None else segment.count - 1
    both = segment.first, segment.first + segment.way * last
    return min(both), max(both)


def test_every_lattice_point_is_in_exactly_one_segment() -> None:
    for *_, law in cases(seed=43, count=200):
        pieces = sorted(ends(segment) for segment in law.segments)
        assert pieces[0][0] == -math.inf
        assert pieces[-1][1] == math.inf
        assert all(a[1] + 1 == b[0] for a, b in pairwise(pieces))


def test_segments_hold_the_weight_and_start_at_the_heaviest_point() -> None:
    rng = random.Random(44)
    for statistic, level, theta, slopes, law in cases(seed=45, count=200):
        for segment in law.segments:
            far = 10**6 if segment.count is None else segment.count - 1
            assert segment.slope < 0 or (segment.slope == 0 and segment.count is not None)
            for k in {0, min(1, far), far, rng.randint(0, far)}:
                expected = weight(statistic, level, theta, slopes, segment.first + segment.way * k)
                assert segment.height + segment.slope * k == expected, "exact: these are fractions"


def enumerated(
    statistic: Statistic, level: int, theta: Fraction, slopes: Slopes
) -> dict[int, float]:
    """Weights on all of the lattice but for 1e-13 of them."""
    reach = math.ceil(32 / min(slopes.right, slopes.left) * max(statistic.sensitivities))
    points = range(min(statistic.values) - reach, max(statistic.values) + reach + 1)
    y = np.array(points, dtype=float)
    f, s = statistic.values, statistic.sensitivities
    own = (y - f[level]) / s[level]
    shortfall = np.maximum(0, -own)
    for later in range(level + 1, len(f)):
        unit = max(s[later], s[level] / float(theta))
        shortfall = np.maximum(shortfall, (f[later] - y) / unit)
    log = -float(slopes.right) * np.maximum(0, own) - float(slopes.left) * np.maximum(0, -own)
    mass = np.exp(log - float(slopes.tilt) * shortfall)
    return dict(zip(points, mass.tolist(), strict=True))


def test_masses_agree_with_brute_force() -> None:
    for statistic, level, theta, slopes, law in cases(seed=46, count=60):
        expected = math.fsum(enumerated(statistic, level, theta, slopes).values())
        assert math.isclose(float(law.mass()), expected, rel_tol=1e-9)


# A tilt that pulls up, one that outweighs the slope (a top between two values), none, a tie.
DRAWN = {
    "tilted": (Statistic((0, 20, 25), (2, 3, 5)), Slopes(Fraction(1), Fraction(1), Fraction(1, 2))),
    "top far above": (
        Statistic((0, 30), (2, 2)),
        Slopes(Fraction(1, 3), Fraction(1, 2), Fraction(2)),
    ),
    "flat top": (Statistic((0, 12), (7, 7)), Slopes(THETA, Fraction(1), Fraction(1))),
    "not tilted": (
        Statistic((4, 20, 20), (3, 3, 4)),
        Slopes(Fraction(1, 2), Fraction(2), Fraction(0)),
    ),
}


def drawn(name: str, count: int) -> tuple[list[int], dict[int, float], list[dict[int, float]]]:
    """Draws, their law, and the laws at other slopes."""
    statistic, slopes = DRAWN[name]
    law = LevelLaw(
        statistic.values[0], statistic.sensitivities[0], Shortfall(statistic, 0, THETA), slopes
    )
    bits = random.Random(47).getrandbits

    def at(factor: float) -> dict[int, float]:
        k = Fraction(factor).limit_denominator(1000)
        wrong = Slopes(k * slopes.right, k * slopes.left, k * slopes.tilt)
        mass = enumerated(statistic, 0, THETA, wrong)
        total = math.fsum(mass.values())
        return {y: m / total for y, m in mass.items()}

    return [law.draw(bits) for _ in range(count)], at(1), [at(1.3), at(1 / 1.3)]


def test_the_flat_top_is_flat() -> None:
    statistic, slopes = DRAWN["flat top"]
    law = LevelLaw(0, 7, Shortfall(statistic, 0, THETA), slopes)
    assert any(s.slope == 0 and s.count is not None and s.count > 2 for s in law.segments)


@pytest.mark.parametrize("name", DRAWN)
def test_draws_follow_the_law_and_no_other(name: str) -> None:
    values, law, others = drawn(name, 4_000)
    assert fits(values, law, cells=16)
    assert not any(fits(values, other, cells=16) for other in others)


@pytest.mark.parametrize("chunk", [1, 3])
@pytest.mark.parametrize("name", DRAWN)
def test_few_bits_at_a_time_give_the_same_law(
    name: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(laws, "CHUNK", chunk)
    values, law, _ = drawn(name, 500)
    assert fits(values, law, cells=8)
