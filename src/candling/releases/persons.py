"""How many rows of each person are kept, chosen privately where nobody says it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from candling.privacy import noisy_max
from candling.rules import Rules

NUMBERS = tuple(2**i for i in range(20))  # of rows to choose from: public
# Keeping twice as many rows doubles all noise. That is worth it as long as so many persons, divided
# by epsilon, have more: there the grade of tables with 1% to 5% wrong rows is about as accurate as
# it gets, and its interval says something (benchmarks/persons.py).
WORTH = 500
STEP = 2  # nats that each doubling costs, so that no more is kept than needed


def numbers_to_choose_from(rules: Rules, person: Sequence[str]) -> tuple[int, ...]:
    """Powers of two; not 1 where a rule compares the rows of one person with each other."""
    within = any({*person} <= {*rule.shape.equal} for rule in rules)
    return NUMBERS[1:] if within else NUMBERS


def choose_rows(
    numbers: Sequence[int], above: Sequence[int], epsilon: Fraction, total: Fraction
) -> int:
    """One of the numbers: near the smallest that at most WORTH/total persons have more rows than.

    `above` says for each number how many persons have more rows. Neighbours: tables that differ in
    the rows of one person, who is counted at most once for each number. Sensitivity: so no score
    moves by more than 1, and all that move fall when the person is added. Cost: epsilon. Proof:
    docs/privacy.md, Theorem 16.
    """
    scores = [
        -max(persons - WORTH / total, Fraction(0)) - STEP * i / epsilon
        for i, persons in enumerate(above)
    ]
    chosen = noisy_max(scores, window=Fraction(1), epsilon=epsilon, monotone=True)
    return numbers[chosen]
