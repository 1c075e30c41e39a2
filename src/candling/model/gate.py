"""A gate, and its verdict on a table."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from fractions import Fraction
from html import escape
from typing import Any

from candling.escaping import for_html, for_terminal
from candling.model.number import digits, percent, word_ends
from candling.records import dataclass
from candling.rules.constraint import Op

GRADE = "grade"


class Outcome(StrEnum):
    """What a gate says of a table."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    CANNOT_TELL = "cannot tell"

    @property
    def label(self) -> str:
        """The outcome for people."""
        return "ok" if self is Outcome.PASS else str(self)


# What is said of a gate's number if its condition holds, and if it does not.
_CONDITIONS = {
    Op.GT: ("is above", "is not above"),
    Op.GE: ("is at least", "is below"),
    Op.LT: ("is below", "is not below"),
    Op.LE: ("is at most", "is above"),
}


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition under which the gate fails."""

    text: str
    measure: str
    per_row: bool
    op: Op
    number: Fraction
    rule: str | None = None  # the rule that it is about, as a card writes it; of `by_rule` only
    subject: str = field(default="", kw_only=True, compare=False)  # as it is written: "repair/rows"
    limit: str = field(default="", kw_only=True, compare=False)  # as it is written: "95%"

    @property
    def share(self) -> bool:
        """Whether it compares a share of the rows, which is shown in percent."""
        return self.per_row or self.measure == GRADE


@dataclass(frozen=True, slots=True)
class GateResult:
    """The outcome of a gate, and the interval that it was judged by.

    `outcome` is "pass", "fail" or "cannot tell". It is true (`if card.check("repair > 5"):`) only
    if the gate passes: a gate that cannot tell is false, too, as it stops a pipeline. The true
    value is between `low` and `high` (None: no upper bound) with probability `level` or more.
    """

    gate: Gate
    outcome: Outcome
    low: Fraction
    high: Fraction | None
    level: float
    sample: int | None = None  # with at most so many rows of each person; None: the whole table

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return f"{self.outcome.label}: {for_terminal(self.statement)} ({self.words})"

    def _repr_html_(self) -> str:
        statement, words = (escape(for_html(text)) for text in (self.statement, self.words))
        return f"<p><strong>{self.outcome.label}</strong>: {statement} ({words})</p>"

    @property
    def statement(self) -> str:
        """The outcome as a sentence, as in "grade is not below 95%"."""
        gate = self.gate
        holds, fails = _CONDITIONS[gate.op]
        if self.outcome is Outcome.CANNOT_TELL:
            return f"whether {gate.subject} {holds} {gate.limit}"
        return f"{gate.subject} {fails if self.passed else holds} {gate.limit}"

    @property
    def passed(self) -> bool:
        """Whether the condition does not hold, for sure."""
        return self.outcome is Outcome.PASS

    @property
    def failed(self) -> bool:
        """Whether the condition holds, for sure."""
        return self.outcome is Outcome.FAIL

    @property
    def judged_by(self) -> str:
        """The interval for people, as in "1.2% to 1.6%"; one number if it is exact."""
        low = self._end(self.low, up=False)
        if self.high is None:
            return word_ends(low, None)
        high = self._end(self.high, up=True)
        return low if low == high else word_ends(low, high)

    @property
    def words(self) -> str:
        """Why, in a few words."""
        rows = "row" if self.sample == 1 else "rows"
        of = "" if self.sample is None else f" with at most {self.sample:,} {rows} of each person"
        if self.level < 1:
            return f"{self.judged_by}{of}, {self.level:.0%} confidence"
        unknown = ", not computed exactly" if self.outcome is Outcome.CANNOT_TELL else ""
        return f"{self.judged_by}{of}{unknown}"

    def to_dict(self) -> dict[str, Any]:
        """The verdict as `candling release --json` prints it."""
        return {
            "gate": self.gate.text,
            "outcome": str(self.outcome),
            "low": float(self.low),
            "high": None if self.high is None else float(self.high),
            "level": self.level,
        }

    def _end(self, value: Fraction, *, up: bool) -> str:
        if not self.gate.share:
            return digits(value)
        exact = self.level == 1 and self.low == self.high
        return percent(value, up=None if exact else up)
