"""Two cards, number by number."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from candling.model.card import CardData


class Verdict(StrEnum):
    """What can be said of a difference; NEITHER where more is not better or worse."""

    BETTER = "better"
    WORSE = "worse"
    CANNOT_TELL = "cannot tell"
    SAME = "same"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Side:
    """A value of one card with its bounds."""

    value: float | None
    low: float | None
    high: float | None

    @property
    def numbers(self) -> tuple[float | None, ...]:
        """The value and its bounds."""
        return self.value, self.low, self.high

    def to_dict(self) -> dict[str, float | None]:
        """The value under the names of the JSON output."""
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Difference:
    """One number of two cards: B minus A."""

    name: str
    a: Side
    b: Side
    change: Side
    level: float  # at which the bounds of the change hold
    verdict: Verdict
    reason: str | None = None  # why there is no verdict, where it is not just noise

    def to_dict(self) -> dict[str, Any]:
        """The difference under the names of the JSON output."""
        content = {
            "a": self.a.to_dict(),
            "b": self.b.to_dict(),
            "difference": self.change.to_dict(),
            "level": self.level,
            "verdict": str(self.verdict),
        }
        return content if self.reason is None else content | {"reason": self.reason}


@dataclass(frozen=True, slots=True)
class ComparisonData:
    """Two cards, the earlier one first, their differences, and the verdict that follows."""

    a: CardData
    b: CardData
    verdict: Verdict
    decided_by: tuple[str, ...]
    measures: tuple[Difference, ...]
    by_rule: tuple[Difference, ...]
    warnings: tuple[str, ...]

    @property
    def reasons(self) -> dict[str, list[str]]:
        """Why measures have no verdict: each reason with their names."""
        reasons: dict[str, list[str]] = {}
        for difference in self.measures:
            if difference.reason is not None:
                reasons.setdefault(difference.reason, []).append(difference.name)
        return reasons

    def to_dict(self) -> dict[str, Any]:
        """The comparison as `candling compare --json` prints it."""
        content: dict[str, Any] = {
            "verdict": str(self.verdict),
            "decided_by": list(self.decided_by),
            "measures": {d.name: d.to_dict() for d in self.measures},
        }
        if self.by_rule:
            content["by_rule"] = [{"rule": d.name, **d.to_dict()} for d in self.by_rule]
        return content | {"warnings": list(self.warnings)}
