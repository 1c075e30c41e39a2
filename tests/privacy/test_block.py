"""Noise for several numbers at once: its mass, its mixture and its draws, against enumeration."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from candling.privacy import laws
from candling.privacy.laws import BlockNoise, stirling
from tests.privacy.draw_law import Floats
from tests.privacy.statistics import fits

SLOPES = [
    (Fraction(1), Fraction(1)),
    (Fraction(3, 4), Fraction(3, 2)),
    (Fraction(9, 5), Fraction(2, 3)),
]


def weights(count: int, right: float, left: float) -> tuple[int, Floats]:
    """Of all vectors from -reach to reach."""
    reach = math.ceil(30 / min(right, left))
    axis = np.arange(-reach, reach + 1.0)
    up, down = np.zeros(()), np.zeros(())
    for k in range(count):
        z = axis.reshape([-1 if a == k else 1 for a in range(count)])
        up, down = np.maximum(up, z), np.maximum(down, -z)
    return reach, np.exp(-right * up - left * down)


def marginal(count: int, right: float, left: float) -> dict[int, float]:
    """The law of each of the numbers."""
    reach, mass = weights(count, right, left)
    line = mass.sum(axis=tuple(range(1, count)))
    return {z: float(p) for z, p in zip(range(-reach, reach + 1), line / mass.sum(), strict=True)}


def test_stirling_numbers_count_the_ways_into_classes() -> None:
    for n in range(6):
        for k in range(n + 1):
            onto = sum(len(set(way)) == k for way in product(range(k), repeat=n))
            assert stirling(n)[k] * math.factorial(k) == onto
    assert len(stirling(60)) == 61


@pytest.mark.parametrize("slopes", SLOPES)
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_the_mass_is_the_sum_of_all_weights(count: int, slopes: tuple[Fraction, Fraction]) -> None:
    right, left = map(float, slopes)
    ours = float(BlockNoise(count, *slopes).mass())
    expected = float(weights(count, right, left)[1].sum()) if count else 1.0
    assert math.isclose(ours, expected, rel_tol=1e-10)


@pytest.mark.parametrize("slopes", SLOPES)
@pytest.mark.parametrize("count", [1, 2, 4, 60])
def test_the_reach_has_its_law(count: int, slopes: tuple[Fraction, Fraction]) -> None:
    """(i, j) has weight q**i r**j (i + j + 1)**count."""
    right, left = map(float, slopes)
    noise = BlockNoise(count, *slopes)
    bits = random.Random(31).getrandbits
    drawn = [noise._reach(bits) for _ in range(3_000 if count < 60 else 200)]
    size = math.ceil((2 * count + 40) / min(right, left))
    i, j = np.arange(size)[:, None], np.arange(size)
    log = -right * i - left * j + count * np.log(i + j + 1)
    mass = np.exp(log - log.max())
    mass /= mass.sum()
    law = {(a, b): float(mass[a, b]) for a in range(size) for b in range(size)}
    turned = {(b, a): law[a, b] for b in range(size) for a in range(size)}
    assert fits(drawn, law, cells=10)
    assert fits([(b, a) for a, b in drawn], turned, cells=10)
    assert fits(
        [a + b for a, b in drawn],
        {n: float(np.fliplr(mass).trace(size - 1 - n)) for n in range(2 * size - 1)},
        cells=10,
    )


@pytest.mark.parametrize("slopes", SLOPES)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_numbers_have_their_law_and_no_other(count: int, slopes: tuple[Fraction, Fraction]) -> None:
    bits = random.Random(32).getrandbits
    noise = BlockNoise(count, *slopes)
    drawn = [noise.draw(bits) for _ in range(2_500)]
    right, left = map(float, slopes)
    for k in range(count):
        numbers = [vector[k] for vector in drawn]
        assert fits(numbers, marginal(count, right, left))
        for wrong in (1.3, 1 / 1.3):
            assert not fits(numbers, marginal(count, wrong * right, wrong * left))
        if right != left:
            assert not fits(numbers, marginal(count, left, right))


def test_numbers_are_drawn_together() -> None:
    """The law of pairs of signs, which independent numbers would not have."""
    bits = random.Random(33).getrandbits
    right, left = SLOPES[1]
    noise = BlockNoise(2, right, left)
    vectors = [noise.draw(bits) for _ in range(4_000)]
    drawn = [(int(np.sign(x)), int(np.sign(y))) for x, y in vectors]
    reach, mass = weights(2, float(right), float(left))
    mass = mass / mass.sum()
    parts = {-1: slice(0, reach), 0: slice(reach, reach + 1), 1: slice(reach + 1, None)}
    law = {(a, b): float(mass[parts[a], parts[b]].sum()) for a, b in product(parts, repeat=2)}
    assert fits(drawn, law, cells=1000)
    one = {a: sum(law[a, b] for b in parts) for a in parts}
    apart = {(a, b): one[a] * one[b] for a, b in product(parts, repeat=2)}
    assert not fits(drawn, apart, cells=1000)


@pytest.mark.parametrize("chunk", [1, 3])
def test_few_bits_at_a_time_give_the_same_law(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "CHUNK", chunk)
    bits = random.Random(34).getrandbits
    right, left = SLOPES[1]
    noise = BlockNoise(2, right, left)
    drawn = [noise.draw(bits)[0] for _ in range(600)]
    assert fits(drawn, marginal(2, float(right), float(left)), cells=8)


def test_no_numbers_get_no_noise() -> None:
    assert BlockNoise(0, Fraction(1), Fraction(1)).draw(random.Random(35).getrandbits) == ()
