"""What a release means for a person in the table, in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from candling.present.numbers import amount, factor

if TYPE_CHECKING:
    from candling.card import Card

PRIORS = (0.01, 0.1, 0.5)
_WEAK = 5.0  # from here on a sentence says that little is left of the protection
_LARGEST = 700.0


def after(prior: float, epsilon: float) -> tuple[float, float]:
    """How far a belief can move at most: down to, and up to."""
    odds = prior / (1 - prior)
    times = math.exp(min(epsilon, _LARGEST))
    low, high = odds / times, odds * times
    return low / (1 + low), 1.0 if math.isinf(high) else high / (1 + high)


def sentences(card: Card) -> Iterator[str]:
    """The guarantee, one paragraph each."""
    if not card.epsilon:
        yield (
            "Nothing in this release was computed from the rows: it holds public numbers only, and "
            "says nothing about anybody."
        )
        return
    epsilon = float(card.epsilon)
    times = factor(epsilon)
    yield (
        "Take any guess that somebody makes about you: that you are in the table, or what your "
        f"rows say. Reading this page multiplies the odds of that guess by at most {times} "
        f"(e to the epsilon of {amount(epsilon)}), and divides them by no more than that. It "
        "holds whatever else the reader knows, and however hard they think."
    )
    if epsilon >= _WEAK:
        yield (
            f"That is a large factor: an epsilon of {amount(epsilon)} leaves little of the "
            "protection. Around 1 is usual."
        )
    yield _people(card.rows_per_person, epsilon)
    if card.about.public_rows is not None:
        yield (
            "The number of rows was stated as public. So tables of equal size are to be compared, "
            "and exchanging the rows of one person counts twice the epsilon: a factor of "
            f"{factor(2 * epsilon)}."
        )
    spent = 0.0 if card.receipt is None else float(card.receipt.spent)
    if spent > epsilon:
        yield (
            f"Releases add up. With all that was charged to this table so far, epsilon "
            f"{amount(spent)}, the factor is {factor(spent)}."
        )
    else:
        yield "Releases add up: every further release of the same table multiplies the factor."
    yield (
        "What the numbers say about everybody together is not hidden: that is what they are for."
    )


def _people(rows: int, epsilon: float) -> str:
    owns = "one row" if rows == 1 else f"{rows:,} rows"
    more = "two rows" if rows == 1 else f"{2 * rows:,} rows"
    return (
        f"This holds for everyone who owns at most {owns} of the table. Who owns more is protected "
        f"less: with {more} the factor is {factor(2 * epsilon)}."
    )


def examples(card: Card) -> list[tuple[str, str, str]]:
    """A belief before, and the least and the most it can be after, rounded against us."""
    found = []
    for prior in PRIORS:
        low, high = after(prior, float(card.epsilon))
        least, most = math.floor(1000 * low) / 10, math.ceil(1000 * high) / 10
        found.append((f"{prior:.0%}", f"{least:g}%", f"{most:g}%"))
    return found
