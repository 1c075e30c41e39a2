"""How many rows of each person are kept, chosen privately where nobody says it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from candling.privacy import noisy_max

NUMBERS = tuple(2**i for i in range(20))  # of rows to choose from: public


def choose_rows(above: Sequence[int], epsilon: Fraction) -> int:
    """A power of two that few persons have more rows than, and not much larger than needed.

    `above` says for each of `NUMBERS` how many persons have more rows. Keeping fewer rows cuts
    more of them, keeping more makes all noise larger, so that each doubling must spare so many
    persons the cut as the noise of this choice hides: 1/epsilon. Neighbours: tables that differ in
    the rows of one person. Sensitivity: each person is counted at most once for each number, so
    that no score moves by more than 1, and all in one direction. Cost: epsilon. Proof:
    docs/privacy.md, Theorem 16.
    """
    scores = [-(persons + i / epsilon) for i, persons in enumerate(above)]
    chosen = noisy_max(scores, window=Fraction(1), epsilon=epsilon, monotone=True)
    return int(NUMBERS[chosen])
