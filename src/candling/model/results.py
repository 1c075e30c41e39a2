"""What other calls give, as plain data: exact numbers, a plan, a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from candling.model.card import CardData
from candling.model.person import ROW, Person
from candling.records import dataclass
from candling.rules import RuleLine


@dataclass(frozen=True, slots=True)
class ExactRule:
    """The true repair numbers of one rule alone. NOT PRIVATE; see `Exact` for what they are."""

    rule: str
    repair: Fraction
    repair_linear: Fraction
    repair_exact: int | None

    @property
    def smallest(self) -> tuple[Fraction, Fraction]:
        """Bounds on the smallest repair."""
        return bound_smallest_repair(self.repair, self.repair_linear, self.repair_exact)

    def to_dict(self) -> dict[str, Any]:
        """The same under the names of the JSON output."""
        return {
            "rule": self.rule,
            "repair": _plain(self.repair),
            "repair_linear": _plain(self.repair_linear),
            "repair_exact": self.repair_exact,
        }


@dataclass(frozen=True, slots=True)
class ExactData:
    """The true measures of a table, by name and as attributes: `exact.problematic`. NOT PRIVATE."""

    values: Mapping[str, Any]
    rules: tuple[RuleLine, ...] = ()  # those that can be broken, each once
    by_rule: tuple[ExactRule, ...] = ()
    person: Person = ROW
    without_person: int | None = None  # rows with NULL where persons are named, if they are

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(f"unknown exact number {name!r}") from None

    def to_dict(self) -> dict[str, Any]:
        """The numbers as `candling exact --json` prints them."""
        content = {name: _plain(value) for name, value in self.values.items()}
        if self.by_rule:
            content["by_rule"] = [rule.to_dict() for rule in self.by_rule]
        if self.person.columns:
            content["person"] = self.person.to_dict()
        if self.without_person is not None:
            content["rows_without_person"] = self.without_person
        return content


def bound_smallest_repair(
    bound: Fraction, linear: Fraction, smallest: int | None
) -> tuple[Fraction, Fraction]:
    """Both ends are the smallest repair; if the search did not finish, what its bounds say."""
    if smallest is None:
        return Fraction(bound), 2 * Fraction(linear)
    return Fraction(smallest), Fraction(smallest)


def _plain(value: Any) -> Any:
    if not isinstance(value, Fraction):
        return value
    return int(value) if value.denominator == 1 else float(value)


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
    rows_planned: (
        int | None
    )  # of a person, that the errors are for; the fewest where they are chosen
    measures: Mapping[str, Planned]
    draws: tuple[tuple[tuple[str, ...], Fraction], ...] = ()  # what is drawn together, the cost
    # The errors, if no number with a threshold were asked for: what those cost the grade.
    without_thresholds: Mapping[str, float] = field(default_factory=dict)
    grade_error: float | None = None  # of a described table of persons, as a share

    def to_dict(self) -> dict[str, Any]:
        """The plan as `candling plan --json` prints it."""
        person = self.person.to_dict()
        if self.person.rows is None and self.rows_planned is not None:
            person["rows_planned"] = self.rows_planned
        content: dict[str, Any] = {"epsilon": float(self.epsilon), "person": person}
        if self.grade_error is not None:
            content["grade"] = {"error": self.grade_error}
        content |= {name: planned.to_dict() for name, planned in self.measures.items()}
        content["draws"] = [
            {"measures": list(names), "epsilon": float(epsilon)} for names, epsilon in self.draws
        ]
        if self.without_thresholds:
            content["errors_without_thresholds"] = dict(self.without_thresholds)
        return content


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

    value: float | None  # the estimate, where it is worth showing
    estimate: float | None
    low: float | None
    high: float | None

    @property
    def numbers(self) -> tuple[float | None, ...]:
        """The value and its bounds."""
        return self.value, self.low, self.high

    def to_dict(self) -> dict[str, float | None]:
        """The value under the names of the JSON output."""
        return {
            "value": self.value, "estimate": self.estimate, "low": self.low, "high": self.high,
        }  # fmt: skip


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
