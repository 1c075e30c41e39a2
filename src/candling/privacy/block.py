"""Noise for several numbers of one sensitivity at once.

A vector z of `count` whole numbers has probability in proportion to

    exp(-right max(z+) - left max(z-)),

z+ and z- being its positive and negative parts. With right = left = epsilon / S that is epsilon-DP
for numbers that all grow by 0 to S, with a mean error of (count + 2) / 3 sensitivities over epsilon
each instead of `count`: the K-norm mechanism of a box and its mirror image (docs/privacy.md,
Theorem 7).

The sampler rejects nothing. exp(-right a) is the sum over i >= a of (1 - q) q**i, q = exp(-right),
so one may draw i and j with weight q**i r**j n**count, n = i + j + 1, and then every number
uniformly between -j and i. A power is a sum over ways to fall (Stirling numbers of the second
kind), n**count = sum S(count, k) k! C(n, k), and C(i + j + 1, k) = sum C(i, a) C(j + 1, k - a), so
(i, j) is a mixture, over k and a, of independent sums of geometric numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from candling.privacy.exact_random import Bits, Choice, ball, below, geometric


@dataclass(frozen=True)
class BlockNoise:
    """The noise of `count` numbers, of which each step up costs `right` and each down `left`."""

    count: int
    right: Fraction
    left: Fraction

    def draw(self, bits: Bits) -> tuple[int, ...]:
        """A fresh vector."""
        above, beneath = self._reach(bits)
        return tuple(below(above + beneath + 1, bits) - beneath for _ in range(self.count))

    def mass(self) -> Any:
        """The sum of all weights, as a ball of the current precision."""
        up, down = -ball(-self.right).expm1(), -ball(-self.left).expm1()
        return sum(self._masses()) * up * down

    def _reach(self, bits: Bits) -> tuple[int, int]:
        """How far up and how far down the numbers may be."""
        a, b = self._terms[self._choice.draw(self._masses, bits)]
        above = a + sum(geometric(self.right, bits) for _ in range(a + 1))
        beneath = max(b - 1, 0) + sum(geometric(self.left, bits) for _ in range(b + 1))
        return above, beneath

    @cached_property
    def _terms(self) -> list[tuple[int, int]]:
        return [(a, k - a) for k in range(self.count + 1) for a in range(k + 1)]

    @cached_property
    def _choice(self) -> Choice:
        return Choice()

    def _masses(self) -> Iterator[Any]:
        """By term: sum over i of C(i, a) q**i, times sum over j of C(j + 1, b) r**j."""
        up = _binomial_series(self.right, self.count)
        down = _binomial_series(self.left, self.count)
        ratio = ball(self.left).exp()  # of r**(j + 1) to r**j; there is no j + 1 = 0
        ways = stirling(self.count)
        for a, b in self._terms:
            below_zero = down[b] * ratio if b else down[0]
            yield ways[a + b] * math.factorial(a + b) * up[a] * below_zero


def _binomial_series(rate: Fraction, most: int) -> list[Any]:
    """The sums over n >= 0 of C(n, a) q**n, for a = 0 to `most`: q**a / (1 - q)**(a + 1)."""
    q = ball(-rate).exp()
    lost = -ball(-rate).expm1()
    sums = [1 / lost]
    for _ in range(most):
        sums.append(sums[-1] * q / lost)
    return sums


@cache
def stirling(n: int) -> tuple[int, ...]:
    """In how many ways n things fall into k = 0 to n classes, none of them empty."""
    row = [1]
    for _ in range(n):
        row = [
            k * ways + before
            for k, (ways, before) in enumerate(zip([*row, 0], [0, *row], strict=True))
        ]
    return tuple(row)
