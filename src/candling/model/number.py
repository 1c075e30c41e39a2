"""One released number: a value, its interval, and what a reader must know about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from candling.errors import UsageError
from candling.escaping import for_terminal
from candling.model.grade import LEVEL

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
