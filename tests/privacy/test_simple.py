"""The simple mechanism: what it tells noisy max, what it spends, and its law as a whole."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from unittest import mock

import pytest

from candling.privacy import LEVELS, DiscreteLaplace, Levels, Simple, laplace_noise
from candling.privacy import simple as module
from candling.privacy.simple import SimpleDraw
from tests.privacy.statistics import fits
from tests.privacy.test_laplace import law as laplace_law
from tests.privacy.test_selection import law as selection_law

PROBLEMATIC = tuple(2**i + 1 for i in range(LEVELS))
DOUBLED = tuple(2 * 2**i for i in range(LEVELS))


@dataclass
class Selection:
    """What noisy max was asked."""

    scores: list[Fraction]
    window: Fraction
    epsilon: Fraction


@contextmanager
def watched() -> Iterator[list[Selection]]:
    """Records the selections; each of them chooses level 0."""
    seen: list[Selection] = []

    def record(scores: Sequence[Fraction], *, window: Fraction, epsilon: Fraction) -> int:
        seen.append(Selection(list(scores), window, epsilon))
        return 0

    with mock.patch.object(module, "noisy_max", record):
        yield seen


def selection(levels: Levels, epsilon: Fraction = Fraction(1)) -> Selection:
    with watched() as seen:
        Simple()(levels, epsilon)
    return seen[0]


def spread(one: Selection, two: Selection) -> Fraction:
    """The width of the smallest window that holds all changes of the scores."""
    changes = [b - a for a, b in zip(one.scores, two.scores, strict=True)]
    return max(changes) - min(changes)


def test_the_windows_of_the_two_measures() -> None:
    nothing = (0,) * LEVELS
    assert selection(Levels(nothing, DOUBLED, Fraction(1, 2))).window == Fraction(3, 2)
    assert selection(Levels(nothing, PROBLEMATIC, Fraction(1))).window == Fraction(5, 3)
    assert selection(Levels((4,), (2,), Fraction(1))).window == 1


def test_a_score_is_the_largest_shortfall_less_the_prior() -> None:
    told = selection(Levels((4, 7, 12), (2, 3, 5), Fraction(1)))
    assert told.window == Fraction(5, 3)
    prior = Fraction("1.35") * Fraction(5, 3) / Fraction("0.4")
    assert told.scores == [Fraction(-8, 5), -1 - prior, -2 * prior]


def test_scores_change_within_the_window_for_all_small_profiles() -> None:
    sensitivities = (1, 2, 3)
    moves = list(product(*(range(s + 1) for s in sensitivities)))
    with watched() as seen:
        for f in product(range(4), repeat=3):
            Simple()(Levels(f, sensitivities, Fraction(1)), Fraction(1))
            start = seen[-1]
            for d in moves:
                grown = tuple(a + b for a, b in zip(f, d, strict=True))
                Simple()(Levels(grown, sensitivities, Fraction(1)), Fraction(1))
                assert spread(start, seen[-1]) <= start.window


@pytest.mark.parametrize("sensitivities", [PROBLEMATIC, DOUBLED, tuple(3 * s for s in DOUBLED)])
def test_scores_change_within_the_window_for_random_profiles(
    sensitivities: tuple[int, ...],
) -> None:
    rng = random.Random(1)
    widest = Fraction(0)
    with watched() as seen:
        for _ in range(150):
            size = rng.randint(2, 7)
            s = sensitivities[:size]
            f = sorted(rng.randint(0, rng.choice((3, 100))) for _ in s)
            d = [rng.choice((0, x, rng.randint(0, x))) for x in s]
            grown = tuple(a + b for a, b in zip(f, d, strict=True))
            for values in (tuple(f), grown):
                Simple()(Levels(values, s, Fraction(1)), Fraction(1))
            assert spread(*seen[-2:]) <= seen[-1].window
            widest = max(widest, spread(*seen[-2:]) / seen[-1].window)
    assert widest > Fraction(4, 5), "the window is not far too wide"


def test_scores_change_within_the_window_whatever_the_order_of_the_sensitivities() -> None:
    """The widest change is reached: an early, large sensitivity over a later, small one."""
    rng = random.Random(2)
    widest = Fraction(0)
    with watched() as seen:
        for s in (1, 3, 1), (3, 3, 1), (3, 1, 2), (4, 2, 1), (1, 4, 2, 1):
            for _ in range(300):
                f = [rng.randint(0, 6) for _ in s]
                grown = tuple(a + rng.randint(0, b) for a, b in zip(f, s, strict=True))
                for values in (tuple(f), grown):
                    Simple()(Levels(values, s, Fraction(1)), Fraction(1))
                assert spread(*seen[-2:]) <= seen[-1].window
                widest = max(widest, spread(*seen[-2:]) / seen[-1].window)
    assert widest == 1
    assert selection(Levels((0, 0, 0), (3, 1, 2), Fraction(1))).window == 4
    assert selection(Levels((0, 0, 0), (4, 2, 1), Fraction(1))).window == 5


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(1, 3), Fraction("0.1")])
def test_the_two_steps_spend_exactly_epsilon(epsilon: Fraction) -> None:
    levels = Levels((5, 9), (2, 3), Fraction(1))
    with (
        mock.patch.object(module, "laplace_noise", wraps=laplace_noise) as noise,
        watched() as seen,
    ):
        draw = Simple()(levels, epsilon)
    spent = seen[0].epsilon
    (sensitivity, rest), _ = noise.call_args
    assert draw.noise == laplace_noise(sensitivity, rest)
    assert sensitivity == 2
    assert spent + rest == epsilon
    assert spent == epsilon * Fraction(2, 5)


def test_the_whole_mechanism_has_its_law() -> None:
    """The right law is refused with probability 1e-10 at most."""
    levels, epsilon = Levels((4, 7, 12), (2, 3, 5), Fraction(1)), Fraction(2)
    told = selection(levels, epsilon)
    draws = [Simple()(levels, epsilon) for _ in range(1_500)]
    chosen = selection_law([float(x) for x in told.scores], float(told.window / told.epsilon))
    known = {
        (level, value): p * q
        for level, p in chosen.items()
        for value, q in laplace_law(levels.sensitivities[level] / 1.2, levels.values[level]).items()
    }
    assert fits(((d.level, d.value) for d in draws), known, cells=10)
    assert {d.level for d in draws} == {0, 1, 2}


def test_the_lower_bound_is_the_value_less_the_quantile_of_the_noise() -> None:
    noise = DiscreteLaplace(3.0)
    for miss in (0.05, 0.01):
        assert SimpleDraw(2, 10, noise).lower(miss) == 10 - noise.one_sided(miss)


def test_all_levels_can_be_drawn_from() -> None:
    draw = Simple()(Levels((0,) * LEVELS, PROBLEMATIC, Fraction(1)), Fraction(1, 10**6))
    assert 0 <= draw.level < LEVELS


def test_the_expected_error_is_that_of_the_second_step() -> None:
    expected = laplace_noise(3, Fraction(3, 5)).mean_absolute_error
    assert Simple().expected_error(3, Fraction(1)) == expected
