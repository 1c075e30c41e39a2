"""Random choices answer what the bits say, and ask for more where these leave two answers."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from itertools import accumulate, product

import pytest

from candling.privacy import laws as module
from candling.privacy.laws import CHUNK, Choice, ball, draw_below, geometric, happens

EDGE = 1e-12  # of floats that stand for borders
RATES = [Fraction(1, 7), Fraction(1), Fraction(5, 2)]


class Stream:
    """Bits that were fixed before, then random ones; remembers what was read."""

    def __init__(self, chunks: Sequence[int], seed: int = 0) -> None:
        self._left = list(chunks)
        self._rng = random.Random(seed)
        self.read = 0
        self.size = 0
        self.last = 0

    def __call__(self, size: int) -> int:
        chunk = self._left.pop(0) if self._left else self._rng.getrandbits(size)
        assert 0 <= chunk < 2**size
        self.read, self.size, self.last = self.read << size | chunk, self.size + size, size
        return chunk

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """Where U lies after all bits."""
        return Fraction(self.read, 2**self.size), Fraction(self.read + 1, 2**self.size)

    @property
    def before(self) -> tuple[Fraction, Fraction]:
        """Where U was known to lie before the last bits."""
        size = self.size - self.last
        return Fraction(self.read >> self.last, 2**size), Fraction(
            (self.read >> self.last) + 1, 2**size
        )


def check(
    draw: Callable[[Stream], int],
    border: Callable[[int], Fraction | float],
    chunk: int,
    monkeypatch: pytest.MonkeyPatch,
) -> Counter[int]:
    """Every start of 8 bits: all of what the bits allow is between the borders of the answer.

    And the bits before the last chunk allowed two answers. Borders: of k and k + 1.
    """
    monkeypatch.setattr(module, "CHUNK", chunk)
    looks: Counter[int] = Counter()
    for first in product(range(2**chunk), repeat=8 // chunk):
        stream = Stream(first, seed=sum(first))
        k = draw(stream)
        low, high = stream.interval
        assert border(k) <= low + EDGE
        assert high <= border(k + 1) + EDGE
        if stream.size > chunk:
            low, high = stream.before
            certain = border(k) + EDGE < low and high < border(k + 1) - EDGE
            assert not certain, "bits are not wasted"
        looks[stream.size // chunk] += 1
    return looks


# Choice


@pytest.mark.parametrize("chunk", [1, 2, 4])
@pytest.mark.parametrize(
    "masses", [(1,), (1, 1), (1, 2), (3, 5, 1, 8), (0, 2, 0, 1), (1, 10**30), (10**30, 1, 1)]
)
def test_a_choice_is_the_one_that_the_bits_name(
    masses: tuple[int, ...], chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cumulated = [Fraction(0), *(Fraction(part, sum(masses)) for part in accumulate(masses))]
    choice = partial(Choice().draw, lambda: [ball(m) for m in masses])
    looks = check(choice, lambda k: cumulated[k], chunk, monkeypatch)
    assert len(masses) < 3 or max(looks) > 1


def roots() -> list[object]:
    """Masses that no number of digits holds."""
    return [ball(n).sqrt() for n in (2, 3, 5, 7, 11)]


def test_cumulated_masses_are_enclosed_ever_more_tightly() -> None:
    choice = Choice()
    lower, upper = choice.cumulate(roots, CHUNK)
    finer = choice.cumulate(roots, 2 * CHUNK)
    assert lower[-1] == upper[-1] == 2**CHUNK
    assert all(0 <= b - a <= 1 for a, b in zip(lower, upper, strict=True))
    for a, b, c, d in zip(lower, upper, *finer, strict=True):
        assert a << CHUNK <= c <= d <= b << CHUNK
    with localcontext(prec=60):
        parts = list(accumulate(Decimal(n).sqrt() for n in (2, 3, 5, 7, 11)))
        for a, b, part in zip(lower, upper, parts, strict=True):
            assert a <= part / parts[-1] * 2**CHUNK <= b


def test_bits_that_fall_on_a_border_are_followed_by_more() -> None:
    """The first bits are those of a border between two masses: only the next ones decide."""
    choice = Choice()
    lower, upper = choice.cumulate(roots, CHUNK)
    finest = choice.cumulate(roots, 4 * CHUNK)
    for k in range(4):
        assert upper[k] == lower[k] + 1
        border = finest[0][k]  # of 4 chunks
        for shift, expected in ((-1, k), (1, k + 1)):
            point = border + shift
            chunks = [point >> (CHUNK * i) & (2**CHUNK - 1) for i in (3, 2, 1, 0)]
            stream = Stream(chunks)
            assert choice.draw(roots, stream) == expected
            assert stream.size > CHUNK


# Geometric numbers


@pytest.mark.parametrize("chunk", [1, 2, 4])
@pytest.mark.parametrize(
    ("rate", "count"),
    [(rate, n) for n in (1, 2, 5, None) for rate in (Fraction(0), *RATES) if n or rate],
)
def test_a_geometric_number_is_the_one_that_the_bits_name(
    rate: Fraction, count: int | None, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def border(k: int) -> float:
        if rate == 0:
            return k / (count or 1)
        whole = 1.0 if count is None else -math.expm1(-rate * count)
        return -math.expm1(-rate * k) / whole

    if count == 1:
        stream = Stream([])
        assert geometric(rate, stream, count) == stream.size == 0
        return
    looks = check(lambda bits: geometric(rate, bits, count), border, chunk, monkeypatch)
    assert max(looks) > 1


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("k", [1, 2, 9])
def test_geometric_numbers_at_their_borders(rate: Fraction, k: int) -> None:
    """U equals a border in nearly all bits: the last ones decide on which side it is."""
    with localcontext(prec=200):
        exact = 1 - (-Decimal(rate.numerator * k) / rate.denominator).exp()
        border = int(exact * 2 ** (3 * CHUNK))
    for shift, expected in ((-1, k - 1), (2, k)):
        point = border + shift
        stream = Stream([point >> (CHUNK * i) & (2**CHUNK - 1) for i in (2, 1, 0)])
        assert geometric(rate, stream) == expected
        assert stream.size == 3 * CHUNK


@pytest.mark.parametrize("start", [0, 2**CHUNK - 1])
def test_extreme_bits_are_no_trouble(start: int) -> None:
    for rate in (Fraction(1, 10**12), Fraction(1), Fraction(10**6)):
        assert geometric(rate, Stream([start])) >= 0
        assert 0 <= geometric(rate, Stream([start]), 10**9) < 10**9
        assert Choice().draw(lambda rate=rate: [ball(rate), ball(1)], Stream([start])) == (  # type: ignore[misc]
            start > 0
        )
        assert happens(rate, Stream([start])) == (start == 0 and rate < 50)


# Events


@pytest.mark.parametrize("chunk", [1, 2, 4])
@pytest.mark.parametrize("exponent", [Fraction(1, 100), *RATES, Fraction(20)])
def test_an_event_happens_if_the_bits_are_below_its_probability(
    exponent: Fraction, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    borders = [0.0, math.exp(-exponent), 1.0]
    check(lambda bits: int(not happens(exponent, bits)), borders.__getitem__, chunk, monkeypatch)


@pytest.mark.parametrize("exponent", [*RATES, Fraction(60)])
def test_events_at_their_border(exponent: Fraction) -> None:
    with localcontext(prec=200):
        probability = (-Decimal(exponent.numerator) / exponent.denominator).exp()
        border = int(probability * 2 ** (3 * CHUNK))
    for shift, expected in ((-1, True), (1, False)):
        point = border + shift
        stream = Stream([point >> (CHUNK * i) & (2**CHUNK - 1) for i in (2, 1, 0)])
        assert happens(exponent, stream) is expected
        assert stream.size == 3 * CHUNK


def test_what_is_certain_needs_no_bits() -> None:
    stream = Stream([])
    assert happens(Fraction(0), stream)
    assert stream.size == 0


def test_a_probability_above_one_is_our_bug() -> None:
    with pytest.raises(AssertionError, match="at most 1"):
        happens(Fraction(-1, 10**9), Stream([]))


# Equal chances


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 9, 1000])
def test_numbers_below_a_count_are_equally_likely(count: int) -> None:
    """Of all strings of as many bits as needed each number has one, and the rest is read again."""
    size = (count - 1).bit_length()
    first: Counter[int] = Counter()
    for start in range(2**size):
        stream = Stream([start] if size else [])
        answer = draw_below(count, stream)
        assert 0 <= answer < count
        if stream.size == size:
            assert answer == start
            first[answer] += 1
        else:
            assert start >= count
    assert first == dict.fromkeys(range(count), 1)
