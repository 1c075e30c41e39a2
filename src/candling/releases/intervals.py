"""Intervals of what is read off a card: a measure, or its share of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from candling.errors import UsageError
from candling.releases.card import LEVEL, Measure, Scorecard

PER_ROW = ("minimal_inconsistent", "problematic", "repair")  # of these a share of the rows is told
AT_MOST_ALL = ("problematic", "repair")  # never more than there are rows


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds that hold together with probability `level` or more; no `high`: no upper bound."""

    low: Fraction
    high: Fraction | None
    level: float


def interval_of(card: Scorecard, name: str) -> Interval:
    """The interval of a released number."""
    return _interval(card.measures[name], LEVEL)


def share_of_rows(card: Scorecard, name: str) -> Interval:
    """The interval of a measure divided by the number of rows, from the intervals of both.

    Each is taken at 97.5%, so that both hold with 95% or more. A stored card knows 95% only: then
    both hold with 90% or more, and the level says so. A stated number of rows takes nothing away.
    """
    measure, rows = card.measures[name], card.measures["rows"]
    stated = rows.epsilon == 0
    try:
        each = LEVEL if stated else (1 + LEVEL) / 2
        top, bottom = _interval(measure, each), _interval(rows, each)
        level = LEVEL
    except UsageError:
        top, bottom = _interval(measure, LEVEL), _interval(rows, LEVEL)
        level = LEVEL if stated else 2 * LEVEL - 1
    low = top.low / bottom.high if bottom.high else Fraction(0)
    high = top.high / bottom.low if top.high is not None and bottom.low else None
    if name in AT_MOST_ALL:
        low = min(low, Fraction(1))
        high = Fraction(1) if high is None else min(high, Fraction(1))
    return Interval(low, high, round(level, 6))


def cleanliness(card: Scorecard) -> tuple[Fraction, Interval] | str:
    """1 - repair / rows and its interval, from 0 to 1; or why there is none."""
    for name in ("repair", "rows"):
        measure = card.measures.get(name)
        if measure is None or measure.value is None:
            return f"No grade: it is 1 - repair / rows, and `{name}` was not released."
    repair, rows = (card.measures[name].value for name in ("repair", "rows"))
    if not isinstance(repair, int | float) or not isinstance(rows, int | float) or rows <= 0:
        return "No grade: it is 1 - repair / rows, and the noise leaves no rows to divide by."
    dirty = share_of_rows(card, "repair")
    value = min(Fraction(1), Fraction(repair) / Fraction(rows))
    high = Fraction(1) if dirty.high is None else dirty.high
    return 1 - value, Interval(1 - high, 1 - dirty.low, dirty.level)


def _interval(measure: Measure, level: float) -> Interval:
    low, high = measure.interval(level)
    return Interval(Fraction(low or 0), None if high is None else Fraction(high), level)
