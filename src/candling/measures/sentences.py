"""Counts and shares as the sentences of measures write them."""

from __future__ import annotations

import math
from fractions import Fraction

from candling.model.card import CardData
from candling.model.grade import percent
from candling.model.number import Number, digits
from candling.person import Person


def share_of_rows(low: float | Fraction, high: float | Fraction, card: CardData) -> str | None:
    """A share of the rows, from the ends of its interval; None if they say nothing."""
    top = None if high >= 1 else percent(high, up=True)
    rows = "of the kept rows" if card.person.columns else "of the rows"
    return span(percent(low, up=False), top, rows)


def number_of_rows(shown: Number) -> str | None:
    """How many rows, from the ends of an interval; None if they say nothing."""
    low, high = shown.interval()
    top = None if high is None else digits(math.ceil(high))
    return span(digits(math.floor(low or 0)), top, "rows")


def span(low: str, high: str | None, unit: str) -> str | None:
    """`3 to 5 rows`, `at least 3 rows`, `at most 5 rows`; None if neither end says anything."""
    nothing = low in ("0", "0%")
    if high is None:
        return None if nothing else f"at least {low} {unit}".rstrip()
    if low == high:
        return f"{low} {unit}".rstrip()
    if nothing:
        return f"at most {high} {unit}".rstrip()
    return f"{low} to {high} {unit}".rstrip()


def describe_kept_rows(person: Person, whole: str) -> str:
    """What the note of each number adds, where a person is named: how the `whole` can differ."""
    return f"It is about the kept rows, at most {person.most:,} of each person: {whole}."
