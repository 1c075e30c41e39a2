"""Counts and shares as the sentences of measures write them."""

from __future__ import annotations

import math
from fractions import Fraction

from candling.measures.grade import percent
from candling.measures.shown import Shown


def share_of_rows(low: float | Fraction, high: float | Fraction) -> str | None:
    """A share of the rows, from the ends of its interval; None if they say nothing."""
    top = None if high >= 1 else percent(high, up=True)
    return span(percent(low, up=False), top, "of the rows")


def number_of_rows(shown: Shown) -> str | None:
    """How many rows, from the ends of an interval; None if they say nothing."""
    low, high = shown.interval()
    top = None if high is None else count(math.ceil(high))
    return span(count(math.floor(low or 0)), top, "rows")


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


def count(value: float | Fraction) -> str:
    """A number for people."""
    return f"{int(value):,}" if value == int(value) else f"{float(value):,.1f}"
