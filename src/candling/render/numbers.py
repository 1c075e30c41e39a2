"""Numbers and names as people read them."""

from __future__ import annotations

import math
from fractions import Fraction

from candling.model.number import Number

NOT_PRIVATE = "NOT PRIVATE: these are exact values of the table, for its owner only."
RULES_NOT_PRIVATE = "NOT PRIVATE: these rules come from the rows of the table, for its owner only."
ROWS_NOT_PRIVATE = "NOT PRIVATE: these are rows of the table, for its owner only."
_UNITS = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k"))
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGEST = 700.0  # e to more than this is no float


def number(measure: Number) -> float | None:
    """The value of a measure if it is a number."""
    return None if isinstance(measure.value, str) else measure.value


def plain(value: float | str | None) -> str:
    """A released value, or a dash."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{int(value):,}" if float(value).is_integer() else f"{value:,.1f}"


def count(number: int, thing: str) -> str:
    """`1 rule`, `2 rules`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def cut(words: str, most: int) -> str:
    """Words, or as much of them as there is room for."""
    return words if len(words) <= most else f"{words[: most - 1]}…"


def signed(value: float | None) -> str:
    """A difference."""
    if value is None:
        return "?"
    return "0" if value == 0 else f"{'+' if value > 0 else '−'}{plain(abs(value))}"


def span(low: float | None, high: float | None) -> str:
    """An interval in words."""
    if low is None and high is None:
        return "no bounds"
    if high is None:
        return f"at least {plain(low)}"
    if low is None:
        return f"at most {plain(high)}"
    return f"{plain(low)} to {plain(high)}"


def signed_span(low: float | None, high: float | None) -> str:
    """The interval of a difference in words."""
    if low is None and high is None:
        return "unknown"
    if high is None:
        return f"{signed(low)} or more"
    if low is None:
        return f"{signed(high)} or less"
    return f"{signed(low)} to {signed(high)}"


def short(value: float) -> str:
    """A round number for an axis: 20k."""
    if value >= 10**15:
        return f"10{str(round(math.log10(value))).translate(_RAISED)}"
    for unit, letter in _UNITS:
        if value >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}"


def amount(epsilon: float | Fraction) -> str:
    """An epsilon, short."""
    return f"{float(epsilon):.3g}"


def factor(epsilon: float) -> str:
    """The number e to the epsilon."""
    if epsilon > _LARGEST:
        return "more than 10³⁰⁰"
    value = math.exp(epsilon)
    if value < 1000:
        return f"{value:.3g}"
    if value < 10**6:
        return f"{value:,.0f}"
    power = math.floor(math.log10(value))
    return f"{value / 10**power:.1f} × 10{str(power).translate(_RAISED)}"
