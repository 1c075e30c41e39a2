"""One released number and the grade: a value, its interval, what a reader must know.

It is computed when a release is made (`releases/run.py`), stored in the card, and read from
there by everything that shows it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context
from fractions import Fraction
from typing import Any, Protocol

from candling.errors import UsageError
from candling.escaping import for_terminal

LEVEL = 0.95  # of every interval that a card holds
DIGITS = 12  # of a share that a card holds: few enough for its float to be read back exactly
TITLE = "Grade"
MEANING = "1 - repair/rows: the share of the rows that can stay until every rule holds"
EXPLANATION = """\
The share of the rows that would remain after the smallest clean-up: 1 - repair/rows.

Every card with `repair` and `rows` has a grade, at no extra cost. Its 95% interval is for the true
share, with as few rows deleted as possible. It accounts for the noise of both numbers, and for a
repair number that is only a bound. All outputs show the same digits. A table without rows has a
grade of 100%. `--fail-if "grade < 95%"` makes it a gate.
"""


@dataclass(frozen=True, slots=True)
class Grade:
    """The share of the rows that can stay, with its interval; or why there is none.

    The true share is between `low` and `high` with probability `level` or more.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    level: float = LEVEL
    reason: str | None = None

    def __str__(self) -> str:
        return self.words if self.value is None else f"Grade {self.shown} ({self.words})"

    @property
    def shown(self) -> str:
        """The value for people."""
        return "none" if self.value is None else percent(self.value)

    @property
    def interval_shown(self) -> str:
        """The interval for people: never tighter than it is."""
        if self.low is None or self.high is None:
            return "no bounds"
        return f"{percent(self.low, up=False)} to {percent(self.high, up=True)}"

    @property
    def words(self) -> str:
        """Interval and level for people, or why there is no grade."""
        if self.value is None:
            return f"No grade: {self.reason}"
        return f"{self.interval_shown}, {self.level:.0%} confidence"

    def to_dict(self) -> dict[str, Any]:
        """The grade under the names of the JSON output."""
        content = {"value": self.value, "low": self.low, "high": self.high, "level": self.level}
        return content if self.reason is None else content | {"reason": self.reason}


NOT_GRADED = Grade(None, reason="it is 1 - repair/rows, and these were not released together.")


def round_for_storage(share: Fraction, *, up: bool | None = None) -> float:
    """A share as a card holds it, with DIGITS digits; rounded up, down, or to the nearest."""
    way = ROUND_HALF_EVEN if up is None else ROUND_CEILING if up else ROUND_FLOOR
    return float(Context(prec=DIGITS, rounding=way).divide(share.numerator, share.denominator))


def exact(share: float | Fraction) -> Fraction:
    """The share that is meant by what a card holds: a float means the decimal that it shows."""
    return Fraction(repr(share)) if isinstance(share, float) else Fraction(share)


def percent(share: float | Fraction, *, up: bool | None = None) -> str:
    """A share of the rows; rounded up, down, or (None) to the nearest.

    It has one digit after the point, two within 1% of all or nothing, three within 0.1%.

    >>> percent(Fraction(1, 81), up=False), percent(Fraction(1, 81), up=True), percent(0.9987)
    ('1.2%', '1.3%', '99.87%')
    """
    part = exact(share)
    edge = min(part, abs(1 - part))
    digits = 1 if edge >= Fraction(1, 100) else 2 if edge >= Fraction(1, 1000) else 3
    scaled = part * 100 * 10**digits
    whole = round(scaled) if up is None else math.ceil(scaled) if up else math.floor(scaled)
    if whole % (100 * 10**digits) == 0:  # all or nothing
        return f"{whole // 10**digits:,}%"
    return f"{whole / 10**digits:,.{digits}f}%"


Ends = tuple[float | None, float | None]


class Bounds(Protocol):
    """Where the true value lies, as far as the released numbers tell."""

    def interval(self, level: float) -> Ends:
        """Bounds that hold together with probability `level` or more; None: no bound."""


@dataclass(frozen=True, slots=True)
class Share:
    """A number divided by the number of rows, with its interval at 95%."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Number:
    """One released number. Nothing in it was not paid for.

    `low` and `high` are its interval at 95%; `bounds` has the intervals at all other levels, which
    follow from the card's draws and so are not compared.
    """

    name: str
    value: float | str | None
    epsilon: Fraction | None  # its part: 0 if derived or stated; None if it shares the draw
    note: str  # what the number and its bounds mean, in a sentence or two
    bounds: Bounds = field(repr=False, compare=False)
    reason: str | None = None  # why there is no value, or no upper bound
    kind: str | None = None  # which repair number it is
    threshold: int | None = None
    false_alarm: float | None = None
    detects_repair_of: int | None = None
    unit: str | None = None
    per_row: Share | None = None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        name = for_terminal(self.name)
        if self.value is None:
            return f"{name}: not released. {self.reason or ''}".rstrip()
        if isinstance(self.value, str):
            return f"{name}: {for_terminal(self.value)}"
        low, high = (None if end is None else digits(end) for end in self.interval())
        top = "no upper bound" if high is None else f"to {high}"
        return f"{name}: {digits(self.value)} ({low or 0} {top}, {LEVEL:.0%} confidence)"

    def interval(self, level: float = LEVEL) -> Ends:
        """Bounds on the true value that hold with probability `level` or more.

        Of `repair` and of the rules, the true value is the smallest number of rows to delete,
        whatever kind of number was released. The released value is always inside.
        """
        if not 0 < level < 1:
            raise UsageError(f"A level lies between 0 and 1, not at {level}.", code="U206")
        return (self.low, self.high) if level == LEVEL else self.compute_interval(level)

    def compute_interval(self, level: float) -> Ends:
        """Work the interval out from the noise; `interval` at 95% is this, as it was stored."""
        low, high = self.bounds.interval(level)
        if isinstance(self.value, int | float):
            low = None if low is None else min(low, self.value)
            high = None if high is None else max(high, self.value)
        return low, high

    def to_dict(self) -> dict[str, Any]:
        """The number under the names of the JSON output."""
        content: dict[str, Any] = {"value": self.value, "low": self.low, "high": self.high}
        if self.epsilon is not None:
            content["epsilon"] = float(self.epsilon)
        optional = {
            "kind": self.kind,
            "threshold": self.threshold,
            "false_alarm": self.false_alarm,
            "detects_repair_of": self.detects_repair_of,
            "unit": self.unit,
            "per_row": None if self.per_row is None else self.per_row.to_dict(),
            "reason": self.reason,
        }
        content |= {name: part for name, part in optional.items() if part is not None}
        return content | {"note": self.note}


def digits(value: float | Fraction) -> str:
    """A number for people: whole, or with one digit after the point."""
    return f"{int(value):,}" if value == int(value) else f"{float(value):,.1f}"
