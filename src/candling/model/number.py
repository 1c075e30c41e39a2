"""One released number and the grade: a value, its interval, what a reader must know.

Both follow from the draws of a card (`measures/released.py`), and everything that shows them reads
them from the card.
"""

from __future__ import annotations

import math
from dataclasses import field
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from candling.errors import UsageError
from candling.escaping import for_terminal
from candling.records import dataclass

if TYPE_CHECKING:  # without it a command line loads quickly
    from candling.model.noisy import Key
    from candling.model.worlds import Evidence

LEVEL = 0.95  # of every interval that a card holds
DIGITS = 12  # of a share that a card holds: few enough for its float to be read back exactly
CANNOT_TELL = "cannot tell"
TITLE = "Grade"
MEANING = "1 - repair/rows: the share of the rows that would remain after the smallest clean-up"
EXPLANATION = """\
The share of the rows that would remain after the smallest clean-up: 1 - repair/rows.

Every card with `repair` and `rows` has a grade, at no extra cost. The true share is within its 95%
interval, which accounts for the noise and for a `repair` that is only a lower bound. A single value
is shown only if the rules allow the exact repair and the noise is small. A table without rows has
a grade of 100%. `--fail-if "grade < 95%"` makes it a gate.
"""


@dataclass(frozen=True, slots=True)
class Grade:
    """The share of the rows that can stay, with its interval; or why it is missing.

    The true share is between `low` and `high` with probability `level` or more. `value` is the
    `estimate`, or None where noise leaves it without meaning.
    """

    value: float | None
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    level: float = LEVEL
    reason: str | None = None  # why there is no grade

    def __str__(self) -> str:
        if self.reason is not None:
            return f"No grade: {self.reason}"
        level = f"{self.level:.0%} confidence"
        exact = self.value is None or self.low == self.high
        interval = level if exact else f"{self.interval_shown}, {level}"
        return f"Grade {self.shown} ({interval})"

    @property
    def shown(self) -> str:
        """The grade for people: a value if there is one, or what is known of it."""
        if self.value is None or self.low == self.high:
            return self.interval_shown
        return f"about {percent(self.value)}"

    @property
    def ends_shown(self) -> tuple[str | None, str | None]:
        """The ends of the interval for people, never tighter than they are; None: 0% or 100%."""
        low = percent(self.low, up=False) if self.low else None
        high = percent(self.high, up=True) if self.high is not None and self.high < 1 else None
        return (None if low == "0%" else low), (None if high == "100%" else high)

    @property
    def interval_shown(self) -> str:
        """The interval for people."""
        if self.low is not None and self.low == self.high:
            return percent(self.low)
        return word_ends(*self.ends_shown)

    def to_dict(self) -> dict[str, Any]:
        """The grade under the names of the JSON output."""
        content = {
            "value": self.value,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "level": self.level,
        }
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


def plain_number(value: int | Fraction) -> int | float:
    """A number as JSON and callers have it."""
    return int(value) if value.denominator == 1 else float(value)


@dataclass(frozen=True, slots=True)
class Share:
    """A number divided by the number of rows, with its interval at 95%."""

    value: float | None  # None where that of the number is
    estimate: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float | None]:
        """The share under the names of the JSON output."""
        return {
            "value": self.value, "estimate": self.estimate, "low": self.low, "high": self.high,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """What a number is read off."""

    evidence: Evidence
    key: Key

    def interval(self, level: float) -> Ends:
        """What is possible in a world."""
        reading = self.evidence.worlds(level).read(self.key)
        low, high = reading.low, reading.high
        return plain_number(low), None if high is None else plain_number(high)


@dataclass(frozen=True, slots=True)
class Number:
    """One released number. Nothing in it was not paid for.

    `value` is the `estimate`, or None where noise leaves it without meaning. `low` and `high` are
    its interval at 95%; those at all other levels follow from the card's draws.
    """

    name: str
    value: float | str | None
    epsilon: Fraction | None  # its part: 0 if derived or stated; None if it shares a draw
    note: str  # what the number and its bounds mean, in a sentence or two
    estimate: float | str | None = None  # None if it was refused
    low: float | None = None
    high: float | None = None
    reason: str | None = None  # why it was refused, or has no upper bound
    kind: str | None = None  # which repair number it is
    threshold: int | None = None
    unit: str | None = None
    per_row: Share | None = None
    source: Source | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        name = for_terminal(self.name)
        if self.refused:
            return f"{name}: not released. {self.reason or ''}".rstrip()
        if isinstance(self.value, str):
            return f"{name}: {for_terminal(self.value)}"
        interval, level = word_interval(*self.interval()), f"{LEVEL:.0%} confidence"
        if self.value is None:
            return f"{name}: {interval} ({level})"
        return f"{name}: {digits(self.value)} ({interval}, {level})"

    @property
    def refused(self) -> bool:
        """Whether the rules do not allow it, so that it was not released."""
        return self.estimate is None

    def interval(self, level: float = LEVEL) -> Ends:
        """Bounds on the true value that hold, with all others of a card, at this probability.

        Of `repair` and of the rules, the true value is the smallest number of rows to delete,
        whatever kind of number was released.
        """
        if not 0 < level < 1:
            raise UsageError(f"A level lies between 0 and 1, not at {level}.", code="U206")
        if level == LEVEL or self.source is None:
            return self.low, self.high
        return self.source.interval(level)

    def to_dict(self) -> dict[str, Any]:
        """The number under the names of the JSON output."""
        content: dict[str, Any] = {
            "value": self.value, "estimate": self.estimate, "low": self.low, "high": self.high,
        }  # fmt: skip
        if self.epsilon is not None:
            content["epsilon"] = float(self.epsilon)
        optional = {
            "kind": self.kind,
            "threshold": self.threshold,
            "unit": self.unit,
            "per_row": None if self.per_row is None else self.per_row.to_dict(),
            "reason": self.reason,
        }
        content |= {name: part for name, part in optional.items() if part is not None}
        return content | {"note": self.note}


def word_interval(
    low: float | Fraction | None, high: float | Fraction | None, most: float | None = None
) -> str:
    """An interval in words, without an end that says nothing: 0, or at least `most`.

    >>> word_interval(3, 12), word_interval(3, 12, 10), word_interval(0, 5), word_interval(0, None)
    ('3 to 12', 'at least 3', 'at most 5', 'cannot tell')
    """
    if low is not None and low == high:
        return digits(low)
    says_nothing = high is None or (most is not None and high >= most)
    return word_ends(digits(low) if low else None, None if says_nothing else digits(high or 0))


def word_ends(low: str | None, high: str | None) -> str:
    """The ends of an interval in words; None: an end that says nothing."""
    if high is None:
        return CANNOT_TELL if low is None else f"at least {low}"
    return f"at most {high}" if low is None else f"{low} to {high}"


def digits(value: float | Fraction) -> str:
    """A number for people: whole, or with one digit after the point."""
    return f"{int(value):,}" if value == int(value) else f"{float(value):,.1f}"
