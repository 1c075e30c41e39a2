"""How many rows of each person are kept, chosen privately where nobody says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from candling.errors import UsageError
from candling.person import Person
from candling.privacy import noisy_max
from candling.rules import Rules

NUMBERS = tuple(2**i for i in range(20))  # of rows to choose from: public
# Keeping twice as many rows doubles all noise. That is worth it as long as so many persons, divided
# by epsilon, have more. With fewer rows the grade, which is a share, has a narrower interval, and
# that some rule is broken is noticed more often; counts are lower (benchmarks/persons.py).
WORTH = 500
STEP = 2  # nats that each doubling costs, so that no more is kept than needed


def rules_within(
    rules: Rules, person: Sequence[str], columns: Mapping[str, str] | None = None
) -> list[str]:
    """The rules that compare the rows of one person with each other only.

    `columns` are those of the table by the names that the rules have for them, where these may be
    positions.
    """
    known = columns or {}
    return [
        text
        for text, rule in zip(rules.texts, rules, strict=True)
        if person and {*person} <= {known.get(name, name) for name in rule.shape.equal}
    ]


def require_more_than_one_row(
    rules: Rules, person: Person, columns: Mapping[str, str] | None = None
) -> None:
    """Refuse one row of each person where a rule needs two of them: no table would break it."""
    if person.rows == 1 and (within := rules_within(rules, person.columns, columns)):
        raise UsageError(
            f"With one row of each person no table breaks the rule {within[0]}, which compares the "
            "rows of one person. State 2 rows or more (--rows-per-person 2), or leave out the "
            "rule.",
            code="U217",
        )


def numbers_to_choose_from(
    rules: Rules, person: Sequence[str], columns: Mapping[str, str] | None = None
) -> tuple[int, ...]:
    """Powers of two; not 1 where a rule compares the rows of one person with each other."""
    return NUMBERS[1:] if rules_within(rules, person, columns) else NUMBERS


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
