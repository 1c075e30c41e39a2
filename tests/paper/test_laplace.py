"""Discrete Laplace noise: its law, its accounting and its tails."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candling_paper.laplace import DiscreteLaplace, _measurement, add_laplace, laplace_noise
from candling_paper.levels import Levels, draw_level
from tests.effort import examples
from tests.privacy.statistics import fits

DRAWS = 10_000


def law(scale: float, centre: int = 0) -> dict[int, float]:
    """P(Z = z) on all but 1e-15 of the mass."""
    decay = math.exp(-1 / scale)
    reach = math.ceil(35 * scale)
    return {
        centre + z: (1 - decay) / (1 + decay) * decay ** abs(z) for z in range(-reach, reach + 1)
    }


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, Fraction(1)), (3, Fraction(1, 2))])
def test_draws_have_the_right_scale_and_no_other(sensitivity: int, epsilon: Fraction) -> None:
    """The right law is refused, or a wrong one taken, with probability 1e-9 at most."""
    noise = laplace_noise(sensitivity, epsilon)
    drawn = [add_laplace(1000, noise) for _ in range(DRAWS)]
    scale = float(sensitivity / epsilon)
    assert fits(drawn, law(scale, 1000), cells=8)
    assert not fits(drawn, law(scale * 1.3, 1000), cells=8)
    assert not fits(drawn, law(scale / 1.3, 1000), cells=8)
    assert not fits(drawn, law(scale, 1000 + sensitivity), cells=8), "the noise has no bias"


@settings(max_examples=examples(60))
@given(
    sensitivity=st.integers(1, 10**6), epsilon=st.fractions("1/1000", 100, max_denominator=10**9)
)
def test_noise_never_spends_more_than_epsilon(sensitivity: int, epsilon: Fraction) -> None:
    noise = laplace_noise(sensitivity, epsilon)
    spent = _measurement(noise.scale).map(sensitivity)
    assert Fraction(spent) <= epsilon
    assert Fraction(noise.scale) * epsilon >= sensitivity
    assert noise.scale <= sensitivity / epsilon * (1 + 1e-12), "and wastes nothing"


scales = st.floats(0.05, 300)


@settings(max_examples=examples(60))
@given(scale=scales, distance=st.integers(1, 400))
def test_the_tail_is_that_of_the_law(scale: float, distance: int) -> None:
    decay = math.exp(-1 / scale)
    # Summed from the far end, where terms are small, up to the distance.
    far = distance + math.ceil(45 * scale)
    mass = math.fsum(decay**z for z in range(distance, far + 1)) * (1 - decay) / (1 + decay)
    assert math.isclose(DiscreteLaplace(scale).tail(distance), mass, rel_tol=1e-9, abs_tol=1e-300)


@settings(max_examples=examples(60))
@given(scale=scales, miss=st.floats(1e-9, 0.5))
def test_above_is_the_smallest_distance_that_misses_so_rarely(scale: float, miss: float) -> None:
    noise = DiscreteLaplace(scale)
    distance = noise.upper_tail(miss)
    assert distance >= 0
    assert noise.tail(distance + 1) <= miss
    if distance > 0:
        assert noise.tail(distance) > miss * (1 - 1e-9)


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.7, 40.0, 3e4])
def test_above_is_rounded_against_us_where_a_quantile_ends(scale: float) -> None:
    noise = DiscreteLaplace(scale)
    for distance in (1, 2, 3, 10, 50):
        miss = math.nextafter(noise.tail(distance), 0)  # a little less than P(Z >= distance)
        if miss < 0.5:
            assert noise.upper_tail(miss) == distance


@pytest.mark.parametrize("miss", [0.05, 0.025, 0.01])
def test_above_agrees_with_the_law_summed_up(miss: float) -> None:
    for scale in (0.2, 1.0, 2.0, 7.3, 60.0):
        known = law(scale)
        distance = next(
            d
            for d in range(10**6)
            if math.fsum(p for z, p in known.items() if z > d) <= miss + 1e-14
        )
        assert DiscreteLaplace(scale).upper_tail(miss) == distance


@pytest.mark.parametrize("scale", [1e9, 5e11, 6.5e11, 3e12, 1e14, 1e17])
def test_quantiles_of_the_widest_noise(scale: float) -> None:
    """An epsilon of 1e-6 is allowed, and log2 is counted in steps of 2**-16."""
    assert math.isclose(
        DiscreteLaplace(scale).upper_tail(0.025), scale * math.log(20), rel_tol=1e-6
    )


@given(scale=scales, miss=st.floats(1e-9, 0.5))
def test_the_noise_is_symmetric(scale: float, miss: float) -> None:
    assert DiscreteLaplace(scale).lower_tail(miss) == DiscreteLaplace(scale).upper_tail(miss)


@given(scales)
def test_the_mean_absolute_error_is_that_of_the_law(scale: float) -> None:
    mean = math.fsum(abs(z) * p for z, p in law(scale).items())
    assert math.isclose(DiscreteLaplace(scale).mean_absolute_error, mean, rel_tol=1e-9)


def test_a_draw_is_that_of_the_level_with_its_noise() -> None:
    levels = Levels((10**6, 10**9), (2, 3), (1, 2), Fraction(1, 2))
    for level, (value, sensitivity) in enumerate(zip((10**6, 10**9), (2, 3), strict=True)):
        drawn = draw_level(levels, Fraction(1), level)
        assert drawn.level == level
        assert drawn.step == Fraction(1, 2)
        assert drawn.noise == laplace_noise(sensitivity, Fraction(1))
        assert abs(drawn.value - value) < 1000
        reach = drawn.noise.upper_tail(0.05)
        assert (drawn.lower(0.05), drawn.upper(0.05)) == (drawn.value - reach, drawn.value + reach)
