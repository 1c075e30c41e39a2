"""Random choices without an error: no float decides.

Each function answers what an infinite stream of fair bits, read as a number U in [0, 1), says.
Probabilities are enclosed in ball arithmetic; where the bits read so far and the enclosures leave
two answers, more bits are read and more digits computed (docs/privacy.md, Theorem 8).
"""

from __future__ import annotations

import secrets
from bisect import bisect_right
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import accumulate
from typing import Any

CHUNK = 128  # random bits drawn at a time
GUARD = 64  # digits beyond those of the bits

Bits = Callable[[int], int]
Masses = Callable[[], Iterable[Any]]
SYSTEM: Bits = secrets.randbits


def ball(value: Fraction | int) -> Any:
    """A fraction as a ball of the current precision."""
    from flint import arb, fmpq

    return arb(fmpq(value.numerator, value.denominator))


class Choice:
    """An index, with probability in proportion to its mass.

    `masses` computes all of them at the current precision; it is called once for each number of
    digits. It is not stored: as a method of the object that has the choice, it would make a cycle.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[list[int], list[int]]] = {}

    def draw(self, masses: Masses, bits: Bits) -> int:
        """A fresh choice."""
        drawn, size = bits(CHUNK), CHUNK
        while True:
            lower, upper = self.cumulated(masses, size)
            k = bisect_right(upper, drawn)
            if k < len(lower) and drawn + 1 <= lower[k]:
                return k
            drawn, size = drawn << CHUNK | bits(CHUNK), size + CHUNK

    def cumulated(self, masses: Masses, size: int) -> tuple[list[int], list[int]]:
        """Bounds on 2**size times the distribution function."""
        if size not in self._known:
            from flint import arb, ctx

            with ctx.workprec(size + GUARD):
                sums = list(accumulate(masses()))
                unit = arb(2) ** size / sums[-1]
                balls = [part * unit for part in sums]
                lower = [int(b.lower().floor().unique_fmpz()) for b in balls]
                upper = [int(b.upper().ceil().unique_fmpz()) for b in balls]
            lower[-1] = upper[-1] = 2**size  # the last one is the total, over itself
            self._known[size] = lower, upper
        return self._known[size]


def geometric(rate: Fraction, bits: Bits, count: int | None = None) -> int:
    """K with probability in proportion to exp(-rate k), of all k from 0 on or below `count`."""
    if count == 1:
        return 0
    from flint import arb, ctx

    drawn, size = bits(CHUNK), CHUNK
    while True:
        with ctx.workprec(size + GUARD):
            uniform = arb(2 * drawn + 1, 1) / arb(2) ** (size + 1)
            if rate == 0 and count is not None:
                steps = uniform * count
            else:
                # The smallest k with (1 - q**(k+1)) / (1 - q**n) > U, for q = exp(-rate).
                lost = arb(-1) if count is None else ball(-rate * count).expm1()
                steps = (uniform * lost).log1p() / ball(-rate)
            whole = steps.floor().unique_fmpz() if steps.is_finite() else None
        if whole is not None:
            return int(whole)
        drawn, size = drawn << CHUNK | bits(CHUNK), size + CHUNK


def happens(exponent: Fraction, bits: Bits) -> bool:
    """True with probability exp(-exponent), for an exponent of 0 or more."""
    if exponent < 0:
        raise AssertionError("a probability is at most 1")
    if exponent == 0:
        return True
    from flint import arb, ctx

    drawn, size = bits(CHUNK), CHUNK
    while True:
        with ctx.workprec(size + GUARD):
            limit = ball(-exponent).exp() * arb(2) ** size
            if drawn + 1 <= limit:  # true only if it is for every number of the ball
                return True
            if drawn >= limit:
                return False
        drawn, size = drawn << CHUNK | bits(CHUNK), size + CHUNK


def below(count: int, bits: Bits) -> int:
    """A whole number from 0 to count - 1, all equally likely."""
    size = (count - 1).bit_length()
    while True:
        drawn = bits(size) if size else 0
        if drawn < count:
            return drawn
