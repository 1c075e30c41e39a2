"""A number as a card shows it, and as sentences write it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from candling.errors import UsageError
from candling.escaping import for_terminal
from candling.measures.bounds import Bounds
from candling.measures.grade import LEVEL, percent

if TYPE_CHECKING:
    from candling.card import Card


@dataclass(frozen=True, slots=True)
class Shown:
    """One released number. Nothing in it was not paid for."""

    name: str
    value: float | str | None
    epsilon: Fraction | None  # of its own: 0 if derived or stated; None if it shares the draw
    note: str  # what the number and its bounds mean, in a sentence or two
    bounds: Bounds = field(repr=False)
    reason: str | None = None  # why there is no value, or no upper bound
    extra: Mapping[str, Any] = field(default_factory=dict)  # threshold, kind, per_row, ...

    def __str__(self) -> str:
        name = for_terminal(self.name)
        if self.value is None:
            return f"{name}: not released. {self.reason or ''}".rstrip()
        if isinstance(self.value, str):
            return f"{name}: {for_terminal(self.value)}"
        low, high = (None if end is None else digits(end) for end in self.interval())
        top = "no upper bound" if high is None else f"to {high}"
        return f"{name}: {digits(self.value)} ({low or 0} {top}, {LEVEL:.0%} confidence)"

    def interval(self, level: float = LEVEL) -> tuple[float | None, float | None]:
        """Bounds on the true value that hold with probability `level` or more.

        Of `repair` and of the rules, the true value is the smallest number of rows that must go,
        whatever kind of number was released. The released value is always inside.
        """
        if not 0 < level < 1:
            raise UsageError(f"A level lies between 0 and 1, not at {level}.", code="U206")
        low, high = self.bounds.interval(level)
        if isinstance(self.value, int | float):
            low = None if low is None else min(low, self.value)
            high = None if high is None else max(high, self.value)
        return low, high

    def to_dict(self) -> dict[str, Any]:
        """The measure under the names of the JSON output."""
        low, high = self.interval()
        content: dict[str, Any] = {"value": self.value, "low": low, "high": high}
        if self.epsilon is not None:
            content["epsilon"] = float(self.epsilon)
        content |= self.extra
        if self.reason is not None:
            content["reason"] = self.reason
        return content | {"note": self.note}


# Counts and shares as the sentences of measures write them


def share_of_rows(low: float | Fraction, high: float | Fraction, card: Card) -> str | None:
    """A share of the rows, from the ends of its interval; None if they say nothing."""
    top = None if high >= 1 else percent(high, up=True)
    rows = "of the kept rows" if card.person.columns else "of the rows"
    return span(percent(low, up=False), top, rows)


def number_of_rows(shown: Shown) -> str | None:
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


def digits(value: float | Fraction) -> str:
    """A number for people: whole, or with one digit after the point."""
    return f"{int(value):,}" if value == int(value) else f"{float(value):,.1f}"
