"""The joint draw: its law, its privacy by exact likelihood ratios, its bounds and its sampler."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from candling.privacy import Joint, Levels
from candling.privacy import joint as module
from candling.privacy.joint import JointDistribution, JointDraw, Segment
from tests.privacy.joint_law import formula, law, log_ratio, neighbour, profile, unordered, window
from tests.privacy.statistics import fits

DRAWS = 20_000
EPSILONS = [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4)]

# A star of 40 edges; values that grow up to the last level; nothing; and a plateau far up.
STAR = Levels(
    tuple(min(2**i, 40) + 1 for i in range(41)), tuple(2**i + 1 for i in range(41)), Fraction(1)
)
RISING = Levels((10, 40, 90, 200, 900), (2, 4, 8, 16, 32), Fraction(1, 2))
NOTHING = Levels((0,) * 41, tuple(2 * 2**i for i in range(41)), Fraction(1, 2))
PLATEAU = Levels((300, 500, 600, 600), (2, 3, 5, 9), Fraction(1))


def small(levels: Levels) -> Levels:
    """The first levels: the further ones have next to no mass, and no room on a finite lattice."""
    return Levels(levels.values[:8], levels.sensitivities[:8], levels.step)


def any_order(seed: int, count: int) -> Iterator[JointDistribution]:
    """As `distributions`, with sensitivities that need not rise."""
    rng = random.Random(seed)
    for _ in range(count):
        yield JointDistribution(unordered(rng), rng.choice(EPSILONS))


def distributions(seed: int, count: int) -> Iterator[JointDistribution]:
    rng = random.Random(seed)
    for _ in range(count):
        levels = profile(rng, problematic=rng.random() < 0.5)
        yield JointDistribution(levels, rng.choice(EPSILONS))


# The law


def test_the_log_weight_is_the_formula() -> None:
    rng = random.Random(1)
    for distribution in (*distributions(seed=2, count=40), *any_order(seed=22, count=60)):
        levels, top = distribution.levels, max(distribution.levels.values)
        y = np.array([rng.randint(-200, 2 * top + 200) for _ in range(20)])
        expected = formula(levels, float(distribution.epsilon), y)
        for i, s in enumerate(levels.sensitivities):
            prior = -math.log(s) - 1.25 * i * math.log(2) - (i >= 1)
            ours = [prior + float(distribution.log_weight(i, int(v))) for v in y]
            assert np.allclose(ours, expected[i], rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("levels", [STAR, RISING, NOTHING, PLATEAU])
def test_draws_follow_the_law_and_no_other(levels: Levels) -> None:
    """Seeded: passes for good or fails for good. The seed is reachable in tests only."""
    levels = small(levels)
    bits = random.Random(20).getrandbits
    distribution = JointDistribution(levels, Fraction(1))
    drawn = [(d.level, d.value) for d in (distribution.draw(bits) for _ in range(DRAWS))]
    assert fits(drawn, law(distribution).as_dict(), cells=20)
    for wrong in (Fraction(13, 10), Fraction(10, 13)):
        other = law(JointDistribution(levels, wrong)).as_dict()
        assert not fits(drawn, other, cells=20)


def test_draws_from_the_system_follow_the_law() -> None:
    """The right law is refused with probability 1e-10 at most."""
    distribution = JointDistribution(RISING, Fraction(1))
    drawn = [(d.level, d.value) for d in (distribution.draw() for _ in range(DRAWS))]
    assert fits(drawn, law(distribution).as_dict(), cells=20)


@pytest.mark.parametrize("chunk", [1, 3])
def test_few_bits_at_a_time_give_the_same_law(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nearly every draw then needs several looks at the bits, which 128 bits never show."""
    monkeypatch.setattr(module, "CHUNK", chunk)
    bits = random.Random(21).getrandbits
    distribution = JointDistribution(RISING, Fraction(1))
    drawn = [(d.level, d.value) for d in (distribution.draw(bits) for _ in range(DRAWS // 2))]
    assert fits(drawn, law(distribution).as_dict(), cells=20)


def test_the_mechanism_draws_from_its_distribution() -> None:
    draws = [Joint()(PLATEAU, Fraction(1)) for _ in range(300)]
    assert all(d.sensitivity == PLATEAU.sensitivities[d.level] for d in draws)
    known = law(JointDistribution(PLATEAU, Fraction(1))).as_dict()
    assert fits(((d.level, d.value) for d in draws), known, cells=6)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sensitivity", [1, 2, 7, 40])
def test_the_expected_error_is_that_of_a_saturated_level(
    sensitivity: int, epsilon: Fraction
) -> None:
    one = JointDistribution(Levels((500,), (sensitivity,), Fraction(1)), epsilon)
    error = math.fsum(p * abs(y - 500) for (_, y), p in law(one).as_dict().items())
    assert math.isclose(Joint().expected_error(sensitivity, epsilon), error, rel_tol=1e-9)


# Privacy


def test_likelihood_ratios_of_neighbours_are_within_epsilon() -> None:
    """Exact on a lattice, over random neighbouring profiles, concave or not."""
    rng = random.Random(3)
    worst = 0.0
    for distribution in distributions(seed=4, count=200):
        levels, epsilon = distribution.levels, distribution.epsilon
        other = neighbour(rng, levels, levels.sensitivities)
        ratio = log_ratio(distribution, JointDistribution(other, epsilon))
        worst = max(worst, ratio / float(epsilon))
    assert worst <= 1 + 1e-9
    assert worst > 0.8, "the audit looks where it hurts"


def test_likelihood_ratios_need_no_order_among_the_sensitivities() -> None:
    """Theorem 8 assumes none: the law on a lattice, over random neighbours."""
    rng = random.Random(23)
    worst = 0.0
    for distribution in any_order(seed=24, count=150):
        levels, epsilon = distribution.levels, distribution.epsilon
        other = neighbour(rng, levels, levels.sensitivities)
        ratio = log_ratio(distribution, JointDistribution(other, epsilon))
        worst = max(worst, ratio / float(epsilon))
    assert 0.8 < worst <= 1 + 1e-9


def test_of_equal_values_the_smallest_sensitivity_counts_wherever_it_stands() -> None:
    """Neighbours that told each other apart by e**177 while the first of equal values counted."""
    sensitivities = (1, 800, 2)
    tied, grown = (
        JointDistribution(Levels(values, sensitivities, Fraction(1)), Fraction(1))
        for values in ((0, 1000, 1000), (0, 1000, 1001))
    )
    assert log_ratio(tied, grown) <= 1 + 1e-9


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_likelihood_ratios_of_a_star_and_of_nothing(epsilon: Fraction) -> None:
    for with_centre in (small(STAR), RISING, PLATEAU):
        sizes = zip(with_centre.values, with_centre.sensitivities, strict=True)
        without = Levels(
            tuple(max(0, f - s) for f, s in sizes), with_centre.sensitivities, with_centre.step
        )
        one, two = (JointDistribution(x, epsilon) for x in (with_centre, without))
        assert log_ratio(one, two) <= float(epsilon) * (1 + 1e-9)


def test_the_audit_sees_a_sensitivity_of_t_where_it_is_t_plus_1() -> None:
    """Planted: `problematic` with sensitivity t, while a row moves it by up to t + 1."""
    rng = random.Random(5)
    worst = 0.0
    for _ in range(60):
        levels = profile(rng, problematic=True)
        growth = levels.sensitivities
        wrong = Levels(levels.values, tuple(s - 1 for s in growth), levels.step)
        one = JointDistribution(wrong, Fraction(1))
        two = JointDistribution(neighbour(rng, wrong, growth), Fraction(1))
        worst = max(worst, log_ratio(one, two))
    assert worst > 1.2


def test_the_audit_sees_noise_at_half_scale() -> None:
    """Planted: the draw at 2 epsilon, claimed to cost epsilon."""
    rng = random.Random(6)
    worst = 0.0
    for distribution in distributions(seed=7, count=60):
        levels, epsilon = distribution.levels, distribution.epsilon
        other = neighbour(rng, levels, levels.sensitivities)
        one, two = (JointDistribution(x, 2 * epsilon) for x in (levels, other))
        worst = max(worst, log_ratio(one, two) / float(epsilon))
    assert worst > 1.2


# Lower bounds


def least_value_bounded_above(f: int, distribution: JointDistribution, i: int, miss: float) -> int:
    """The least y whose lower bound exceeds f."""
    s, shape = distribution.levels.sensitivities[i], distribution._shape
    low, high = f, f + 1  # a bound is never above its value, so that of f is not above f
    while JointDraw(i, high, s, shape).lower(miss) <= f:
        low, high = high, 2 * high - f
    while high - low > 1:
        middle = (low + high) // 2
        above = JointDraw(i, middle, s, shape).lower(miss) > f
        low, high = (low, middle) if above else (middle, high)
    return high


@pytest.mark.parametrize("miss", [0.05, 0.01])
def test_lower_bounds_miss_as_rarely_as_they_say(miss: float) -> None:
    """On every level alone, so also in all: P(bound > f_level | level) <= miss."""
    closest = 0.0
    for distribution in distributions(seed=9, count=60):
        known = law(distribution)
        for i, f in enumerate(distribution.levels.values):
            first = least_value_bounded_above(f, distribution, i, miss)
            line = np.exp(known.log[i] - known.log[i].max())
            missed = float(line[max(0, first - known.first) :].sum() / line.sum())
            assert missed <= miss * (1 + 1e-9)
            closest = max(closest, missed)
    assert closest > miss / 4, "the bound is of use"


def extremal_tail(y: int, candidate: int, level: int, sensitivity: int, epsilon: float) -> float:
    """The share of y and above if weights fall as slowly above the candidate as the docs allow."""
    fast, down = 0.46 * epsilon / sensitivity, 0.67 * epsilon / sensitivity
    slow, knee = fast, 0
    if level:
        slow, knee = 0.31 * epsilon / sensitivity, math.ceil(30 / epsilon * sensitivity)
        down += 0.15 * epsilon / sensitivity
    reach = math.ceil(60 * sensitivity / epsilon)
    points = np.arange(candidate, max(y, knee) + reach)
    steps = np.where(points < knee, slow, fast)
    weights = np.exp(-np.concatenate([[0.0], np.cumsum(steps[:-1])]))
    below = math.fsum(math.exp(-down * k) for k in range(1, reach))
    return float(weights[points >= y].sum() / (weights.sum() + below))


@pytest.mark.parametrize(("level", "sensitivity"), [(0, 1), (0, 2), (1, 3), (3, 9)])
@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(4)])
def test_the_tail_of_a_candidate_is_the_extremal_one(
    level: int, sensitivity: int, epsilon: Fraction
) -> None:
    shape = JointDistribution(PLATEAU, epsilon)._shape
    knee = math.ceil(shape.knee * sensitivity)
    for y in (-30, 0, 5, knee - 1, knee, knee + 7):
        for candidate in {y, y - 1, y - 3, y - 40, min(y, knee), min(y, knee - 1)}:
            tail = JointDraw(level, y, sensitivity, shape)._tail(candidate)
            expected = extremal_tail(y, candidate, level, sensitivity, float(epsilon))
            assert math.isclose(tail, expected, rel_tol=1e-9)


@pytest.mark.parametrize(("level", "sensitivity"), [(0, 1), (0, 2), (1, 3), (3, 9)])
@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(4)])
def test_a_lower_bound_is_the_least_candidate_that_the_value_does_not_refute(
    level: int, sensitivity: int, epsilon: Fraction
) -> None:
    shape = JointDistribution(PLATEAU, epsilon)._shape
    knee = math.ceil(shape.knee * sensitivity)
    for y in (-30, 0, 5, knee - 1, knee, knee + 7):
        for miss in (0.003, 0.05, 0.3, 0.6, 0.95):
            bound = JointDraw(level, y, sensitivity, shape).lower(miss)
            tails = {
                g: extremal_tail(y, g, level, sensitivity, float(epsilon))
                for g in (bound - 1, bound)
            }
            assert bound <= y
            assert tails[bound - 1] < miss * (1 + 1e-9)
            assert bound == y or tails[bound] >= miss * (1 - 1e-9)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2)])
def test_lower_bounds_grow_with_the_value(epsilon: Fraction) -> None:
    shape = JointDistribution(PLATEAU, epsilon)._shape
    for level, sensitivity in ((0, 2), (0, 4), (1, 3), (3, 9), (6, 65)):
        # Through the knee, where the rate changes.
        knee = math.ceil(shape.knee * sensitivity)
        values = sorted({*range(-20, 20), *range(knee - 20, knee + 20), *range(-400, 4000, 97)})
        bounds = [JointDraw(level, y, sensitivity, shape).lower(0.05) for y in values]
        assert bounds == sorted(bounds)
        assert all(b <= y for b, y in zip(bounds, values, strict=True))


def test_bounds_at_the_smallest_epsilon_and_with_many_rows_per_person() -> None:
    for person in (1, 10**6, 10**12):
        levels = Levels((0, 0), (2 * person, 3 * person), Fraction(1))
        draw = JointDistribution(levels, Fraction(1, 10**6)).draw()
        assert draw.lower(0.05) <= draw.value


# The sampler's inside


def covered(segment: Segment) -> tuple[float, float]:
    """The first and the last lattice point of a segment."""
    last = math.inf if segment.count is None else segment.count - 1
    ends = segment.first, segment.first + segment.way * last
    return min(ends), max(ends)


def test_every_lattice_point_is_in_exactly_one_segment_of_its_level() -> None:
    for distribution in distributions(seed=10, count=100):
        by_level = defaultdict(list)
        for segment in distribution._segments:
            by_level[segment.level].append(covered(segment))
        assert sorted(by_level) == list(range(len(distribution.levels.values)))
        for pieces in by_level.values():
            pieces.sort()
            assert pieces[0][0] == -math.inf
            assert pieces[-1][1] == math.inf
            assert all(a[1] + 1 == b[0] for a, b in pairwise(pieces))


def test_segments_hold_the_log_weight_and_start_at_the_heaviest_point() -> None:
    rng = random.Random(11)
    for distribution in distributions(seed=12, count=60):
        for segment in distribution._segments:
            far = 10**6 if segment.count is None else segment.count - 1
            assert segment.slope < 0 or segment.count is not None
            assert segment.slope <= 0
            for k in {0, min(1, far), far, rng.randint(0, far)}:
                weight = distribution.log_weight(segment.level, segment.first + segment.way * k)
                assert weight == segment.height + segment.slope * k, "exact: these are fractions"


def test_weights_are_concave_on_each_level() -> None:
    for distribution in distributions(seed=13, count=30):
        for level in range(len(distribution.levels.values)):
            ends = [s for s in distribution._segments if s.level == level]
            points = sorted({int(e) + k for s in ends for e in covered(s) if math.isfinite(e)
                             for k in (-1, 0, 1)})  # fmt: skip
            weights = [distribution.log_weight(level, y) for y in points]
            slopes = [
                (b - a) / (y - x) for (x, a), (y, b) in pairwise(zip(points, weights, strict=True))
            ]
            assert slopes == sorted(slopes, reverse=True)


def test_masses_agree_with_brute_force() -> None:
    from flint import ctx

    for distribution in distributions(seed=14, count=30):
        levels, epsilon = distribution.levels, float(distribution.epsilon)
        w = formula(levels, epsilon, window(levels, distribution.epsilon))
        top = max(s.height for s in distribution._segments)
        expected = np.exp(w - float(top)).sum(axis=1)
        ours = [0.0] * len(expected)
        with ctx.workprec(256):
            for segment in distribution._segments:
                ours[segment.level] += float(distribution._mass(segment, top))
        assert np.allclose(ours, expected, rtol=1e-9)


def test_cumulated_masses_are_enclosed_ever_more_tightly() -> None:
    for distribution in distributions(seed=15, count=20):
        lower, upper = distribution._cumulated(128)
        finer = distribution._cumulated(256)
        assert lower[-1] == upper[-1] == 2**128
        assert all(b - a <= 2 for a, b in zip(lower, upper, strict=True))
        for a, b, c, d in zip(lower, upper, *finer, strict=True):
            assert a <= b
            assert a << 128 <= c <= d <= b << 128


def test_bits_that_fall_on_a_border_are_followed_by_more() -> None:
    """The first 128 bits are those of a border between two segments: only the next ones decide."""
    rng = random.Random(16)
    asked = []
    for distribution in distributions(seed=17, count=20):
        lower, upper = distribution._cumulated(128)
        for k in range(len(lower) - 1):
            first = lower[k]
            if not 0 <= first < upper[k] <= 2**128:
                continue
            chunks = [first, *(rng.getrandbits(128) for _ in range(3))]
            given = iter(chunks)
            segment = distribution._segment(lambda size, given=given: next(given))  # type: ignore[misc]
            asked.append(len(chunks) - len(list(given)))
            point = 0
            for chunk in chunks:
                point = point << 128 | chunk
            finest = distribution._cumulated(512)[1]
            assert segment == distribution._segments[bisect_right(finest, point)]
    assert max(asked) > 1


@pytest.mark.parametrize(
    ("count", "slope"),
    [(n, slope) for n in (1, 2, 5, None) for slope in ("0", "-1/3", "-2") if n or slope != "0"],
)
def test_a_point_of_a_segment_is_the_one_that_the_bits_name(
    count: int | None, slope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bits say that U lies in [a, a + 1) / 2**m: all of that is in the share of the point."""
    monkeypatch.setattr(module, "CHUNK", 4)
    segment = Segment(0, 100, 1, count, Fraction(0), Fraction(slope))
    q = math.exp(Fraction(slope))

    def below(k: int) -> float:
        """The mass of the points before the k-th, over that of all."""
        if count is not None and q == 1:
            return k / count
        return (1 - q**k) / (1 if count is None else 1 - q**count)

    rng = random.Random(25)
    for first in range(16):
        for _ in range(20):
            taken: list[int] = []

            def drawn(size: int, first: int = first, taken: list[int] = taken) -> int:
                assert size == 4
                taken.append(rng.getrandbits(4) if taken else first)
                return taken[-1]

            k = module._offset(segment, drawn)
            a = 0
            for chunk in taken:
                a = a << 4 | chunk
            m = 4 * len(taken)
            assert below(k) <= a / 2**m + 1e-12
            assert (a + 1) / 2**m <= below(k + 1) + 1e-12


@pytest.mark.parametrize("start", [0, 2**128 - 1])
def test_extreme_bits_are_no_trouble(start: int) -> None:
    for distribution in distributions(seed=18, count=10):
        chunks = iter([start, start, *(random.Random(19).getrandbits(128) for _ in range(9))])
        assert distribution.draw(lambda size, chunks=chunks: next(chunks)).sensitivity > 0  # type: ignore[misc]


@pytest.mark.parametrize("epsilon", ["1/1000000", "1/1000", "100"])
def test_any_epsilon_and_any_profile_can_be_drawn(epsilon: str) -> None:
    profiles = [
        *(STAR.values, NOTHING.values, (10**9,) * 41),
        tuple(min(4**i, 10**18) for i in range(41)),
    ]
    for values in profiles:
        levels = Levels(values, STAR.sensitivities, Fraction(1))
        distribution = JointDistribution(levels, Fraction(epsilon))
        for _ in range(20):
            draw = distribution.draw()
            assert 0 <= draw.level <= 40


def test_nothing_private_is_in_a_repr() -> None:
    levels = Levels((987_654_321,), (2,), Fraction(1))
    distribution = JointDistribution(levels, Fraction(1))
    distribution.draw()
    assert "987" not in repr(levels) + repr(distribution)
