"""What a release would spend, and how noisy its numbers would be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from candling.person import Person


@dataclass(frozen=True, slots=True)
class Planned:
    """One measure of a plan; errors are means of the absolute error that noise adds."""

    name: str
    epsilon: Fraction | None  # its part; None if it shares the draw
    error: float | None = None  # of a measure without a threshold
    by_threshold: Mapping[int, float] = field(default_factory=dict)
    reason: str | None = None  # why the rules do not allow it

    def to_dict(self) -> dict[str, Any]:
        """The same under the names of the JSON output."""
        content: dict[str, Any] = {} if self.epsilon is None else {"epsilon": float(self.epsilon)}
        content["error"] = self.error
        if self.by_threshold:
            content["error_by_threshold"] = {str(t): e for t, e in self.by_threshold.items()}
        if self.reason is not None:
            content["reason"] = self.reason
        return content


@dataclass(frozen=True, slots=True)
class PlanData:
    """The epsilon of a release, and its measures by name."""

    epsilon: Fraction
    person: Person
    rows_planned: int  # of a person, that the errors are for; the fewest where they are chosen
    measures: Mapping[str, Planned]

    def to_dict(self) -> dict[str, Any]:
        """The plan as `candling plan --json` prints it."""
        person = self.person.to_dict()
        if self.person.rows is None:
            person["rows_planned"] = self.rows_planned
        content: dict[str, Any] = {"epsilon": float(self.epsilon), "person": person}
        return content | {name: planned.to_dict() for name, planned in self.measures.items()}
