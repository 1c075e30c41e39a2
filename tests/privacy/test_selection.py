"""Noisy max: its law, the window it pays for and the rounding of the scores."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opendp import measurements, metrics

from candling.privacy import noisy_max
from candling.privacy.budget import GRID
from tests.effort import examples
from tests.privacy.statistics import fits

DRAWS = 700


def law(scores: Sequence[float], scale: float) -> dict[int, float]:
    """The law of OpenDP's noisy max, permute-and-flip (McKenna and Sheldon, 2020).

    It is that of the largest score after exponential noise: with p_j = exp((x_j - max x) / scale),
    index i has probability p_i * sum over sets S of the others of (-1)**|S| / (|S|+1) * prod p_j.
    """
    top = max(scores)
    p = [math.exp((x - top) / scale) for x in scores]
    found = {}
    for i in range(len(p)):
        others = p[:i] + p[i + 1 :]
        found[i] = p[i] * math.fsum(
            (-1) ** size / (size + 1) * math.prod(chosen)
            for size in range(len(p))
            for chosen in combinations(others, size)
        )
    return found


@dataclass
class Seen:
    """What noisy max was told."""

    integers: list[int]
    scale: float
    monotone: bool
    distance: int
    spent: float


@contextmanager
def watched() -> Iterator[list[Seen]]:
    """Records how OpenDP is called; the selection itself is left out."""
    make, metric = measurements.make_noisy_max, metrics.linf_distance
    seen: list[Seen] = []
    monotone: list[bool] = []
    distances: list[int] = []

    @dataclass
    class Measurement:
        real: Any
        scale: float

        def map(self, distance: int) -> float:
            distances.append(distance)
            return float(self.real.map(distance))

        def __call__(self, integers: list[int]) -> int:
            spent = float(self.real.map(distances[-1]))
            seen.append(Seen(integers, self.scale, monotone[-1], distances[-1], spent))
            return 0

    def make_noisy_max(domain: Any, metric: Any, measure: Any, scale: float) -> Measurement:
        return Measurement(make(domain, metric, measure, scale=scale), scale)

    def linf_distance(T: str, monotonic: bool) -> Any:
        monotone.append(monotonic)
        return metric(T=T, monotonic=monotonic)

    with (
        mock.patch.object(measurements, "make_noisy_max", make_noisy_max),
        mock.patch.object(metrics, "linf_distance", linf_distance),
    ):
        yield seen


@pytest.mark.parametrize("monotone", [True, False])
def test_draws_have_the_right_scale_and_no_other(monotone: bool) -> None:
    """The right law is refused, or a wrong one taken, with probability 1e-9 at most."""
    window, epsilon = Fraction(2), Fraction(1)
    # One good candidate among many: how often it wins tells the scale best.
    many, ahead = 300, 12
    drawn = [
        noisy_max([0] * many + [ahead], window=window, epsilon=epsilon, monotone=monotone) == many
        for _ in range(DRAWS)
    ]

    def wins(scale: float) -> dict[bool, float]:
        step = math.exp(-ahead / scale)
        p = (1 - (1 - step) ** (many + 1)) / (many + 1) / step
        return {True: p, False: 1 - p}

    # The unit that rounding adds to the window is a millionth: invisible here.
    scale = float(window / epsilon)
    assert fits(drawn, wins(scale))
    assert not fits(drawn, wins(scale * 1.3))
    assert not fits(drawn, wins(scale / 1.3))


def test_the_win_of_one_among_equals_agrees_with_the_law() -> None:
    step = math.exp(-3 / 2)
    assert math.isclose(law([0, 0, 0, 0, 3], 2)[4], (1 - (1 - step) ** 5) / 5 / step)


def test_draws_follow_permute_and_flip() -> None:
    scores = [0, 0, 3, 5]
    drawn = [noisy_max(scores, window=Fraction(2), epsilon=Fraction(1)) for _ in range(DRAWS)]
    assert fits(drawn, law(scores, 2), cells=100)


def test_equal_scores_are_equally_likely() -> None:
    drawn = [noisy_max([7] * 4, window=Fraction(1), epsilon=Fraction(1)) for _ in range(500)]
    assert fits(drawn, dict.fromkeys(range(4), 0.25), cells=100)


windows = st.fractions("1/1000", 1000, max_denominator=10**7)
epsilons = st.fractions("1/1000", 20, max_denominator=10**6)


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[list[Fraction], list[Fraction], Fraction, bool]:
    """Scores of two tables whose changes lie within a window, which starts anywhere."""
    window, monotone = draw(windows), draw(st.booleans())
    size = draw(st.integers(2, 5))
    score = st.fractions(-100, 100, max_denominator=10**8)
    scores = [draw(score) for _ in range(size)]
    start = Fraction(0) if monotone else draw(score)
    part = st.one_of(st.sampled_from((Fraction(0), Fraction(1))), st.fractions(0, 1))
    moved = [x + start + window * draw(part) for x in scores]
    return scores, moved, window, monotone


@settings(max_examples=examples(60))
@given(neighbours(), epsilons)
def test_window_and_rounding_are_paid_for(
    drawn: tuple[list[Fraction], list[Fraction], Fraction, bool], epsilon: Fraction
) -> None:
    scores, moved, window, monotone = drawn
    with watched() as seen:
        for x in (scores, moved):
            noisy_max(x, window=window, epsilon=epsilon, monotone=monotone)
    one, two = seen
    assert one.scale == two.scale
    assert one.monotone == two.monotone == monotone
    assert all(Fraction(s.spent) <= epsilon for s in seen)
    changes = [b - a for a, b in zip(one.integers, two.integers, strict=True)]
    # What OpenDP takes the stated distance for: a monotone one is a window of its own width.
    charged = one.distance if monotone else 2 * one.distance
    assert max(changes) - min(changes) <= charged
    assert charged <= math.ceil(window * GRID) + 2, "and no more than rounding needs"
    assert Fraction(one.scale) * epsilon >= charged


@settings(max_examples=examples(60))
@given(neighbours(), epsilons)
def test_the_exact_laws_of_neighbours_are_within_epsilon(
    drawn: tuple[list[Fraction], list[Fraction], Fraction, bool], epsilon: Fraction
) -> None:
    scores, moved, window, monotone = drawn
    with watched() as seen:
        for x in (scores, moved):
            noisy_max(x, window=window, epsilon=epsilon, monotone=monotone)
    one, two = (law([float(x) for x in s.integers], s.scale) for s in seen)
    limit = float(epsilon)
    for i in one:
        if min(one[i], two[i]) > 1e-9:  # below, the alternating sum has lost its digits
            assert abs(math.log(one[i] / two[i])) <= limit + 1e-5


def test_scores_beyond_64_bits_are_clamped_and_keep_their_order() -> None:
    with watched() as seen:
        noisy_max([-(2**80), 0, 2**80, 2**90], window=Fraction(1), epsilon=Fraction(1))
    assert seen[0].integers == [-(2**62), 0, 2**62, 2**62]
    chosen = noisy_max([-(2**80), 0, 2**30], window=Fraction(1), epsilon=Fraction(1))
    assert chosen == 2


def test_scores_may_fall_unless_it_is_said_that_they_do_not() -> None:
    with watched() as seen:
        noisy_max([1, 2], window=Fraction(1), epsilon=Fraction(1))
    assert not seen[0].monotone


@pytest.mark.parametrize(
    ("package", "call"),
    [
        ("candling.privacy", "noisy_max([0, 9], window=Fraction(1), epsilon=Fraction(100))"),
        ("candling_paper.laplace", "add_laplace(1, laplace_noise(1, Fraction(100)))"),
    ],
)
def test_a_mechanism_needs_nothing_that_another_has_set_up(package: str, call: str) -> None:
    """OpenDP refuses what was not enabled in its process."""
    program = f"from fractions import Fraction; from {package} import *; assert {call} == 1"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_one_candidate_is_chosen() -> None:
    assert noisy_max([5], window=Fraction(1), epsilon=Fraction(1), monotone=True) == 0
