"""Gates: conditions on released numbers at which a pipeline should stop.

A gate is `MEASURE [/ rows] COMPARISON NUMBER` or `grade COMPARISON NUMBER`, as in "grade < 95%".
What it compares is the true value behind a noisy one, known by its interval only, so there are
three answers: it fails if the condition holds everywhere in the interval, passes if it holds
nowhere, and cannot decide if the interval contains the limit. It reads the intervals of the card,
at 95%, and nothing else: a stored card is judged as the fresh one was, and it costs no budget.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from candling.errors import UsageError
from candling.measures import MEASURES
from candling.measures.grade import LEVEL, exact
from candling.rules import Op
from candling.suggest import nearest

if TYPE_CHECKING:
    from candling.card import Card

GRADE = "grade"
_OPS = {">": Op.GT, ">=": Op.GE, "≥": Op.GE, "<": Op.LT, "<=": Op.LE, "≤": Op.LE}
_NUMBER = r"\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_TOKEN = re.compile(
    rf"\s*(?:(?P<name>[^\W\d]\w*)|(?P<number>{_NUMBER})|(?P<op>[<>]=?|[≤≥]|[=!]=?)"
    r"|(?P<sign>[/%])|(?P<end>$)|(?P<other>\S))"
)
EXAMPLE = "Write it as 'grade < 95%', 'repair/rows > 2%' or 'rows < 10,000'."


class Outcome(StrEnum):
    """What a gate says of a release."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition under which the gate fails."""

    text: str
    measure: str
    per_row: bool
    op: Op
    number: Fraction

    @property
    def share(self) -> bool:
        """Whether it compares a share of the rows, which is shown in percent."""
        return self.per_row or self.measure == GRADE

    @property
    def needs(self) -> tuple[str, ...]:
        """The measures that a release must have for it."""
        if self.measure == GRADE:
            return ("repair", "rows")
        return (self.measure, "rows") if self.per_row else (self.measure,)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a gate, and the interval that it was judged by."""

    gate: Gate
    outcome: Outcome
    low: Fraction
    high: Fraction | None
    level: float

    def to_dict(self) -> dict[str, Any]:
        """The verdict as `candling release --json` prints it."""
        return {
            "gate": self.gate.text,
            "outcome": str(self.outcome),
            "low": float(self.low),
            "high": None if self.high is None else float(self.high),
            "level": self.level,
        }


def parse_gate(text: str) -> Gate:
    """The gate that `text` writes down; raises UsageError with a caret under what is wrong."""
    tokens = _Tokens(text)
    measure = tokens.take("name", "the name of a measure comes first")
    _known(tokens, measure)
    per_row = tokens.take_if("sign", "/")
    if per_row:
        if tokens.take("name", "only `/ rows` can follow a measure") != "rows":
            raise tokens.wrong("a measure is divided by `rows` only")
        if measure == GRADE:
            raise tokens.wrong("`grade` is a share of the rows already")
        if not MEASURES[measure].per_row:
            raise tokens.wrong(f"`{measure}` is not a row count, so it cannot be divided by rows")
    op = tokens.take("op", "one of > >= < <= comes here")
    if op not in _OPS:
        raise tokens.wrong("noise leaves nothing equal: compare with > >= < <=")
    digits = tokens.take("number", "a number comes here, such as 2%, 0.5 or 10,000")
    number = Fraction(re.sub("[,_]", "", digits))
    percent = tokens.take_if("sign", "%")
    if percent:
        if not per_row and measure != GRADE:
            raise tokens.wrong(f"a percentage of what? Write {measure}/rows")
        number /= 100
    tokens.take("end", "nothing more can follow")
    if number > 1 and (measure == GRADE or (per_row and MEASURES[measure].most_per_row == 1)):
        meant = "" if percent else f"; did you mean {digits}%?"
        shown = measure if measure == GRADE else f"{measure}/rows"
        raise tokens.wrong(f"`{shown}` is never above 100%{meant}")
    return Gate(" ".join(text.split()), measure, per_row, _OPS[op], number)


def check_gates(
    gates: Iterable[Gate], measures: Collection[str], refused: Mapping[str, str]
) -> None:
    """Raise UsageError if a gate needs what the release will not have; reads no data.

    `measures` are the names that are asked for, `refused` says why the rules do not allow some.
    """
    for gate in gates:
        for name in gate.needs:
            if name not in measures:
                raise UsageError(
                    f"The gate '{gate.text}' needs `{name}`, which is not released here. Add it to "
                    "the measures.",
                    code="U303",
                )
            if name in refused:
                raise UsageError(
                    f"The gate '{gate.text}' needs `{name}`, which these rules do not allow. "
                    f"{refused[name]}",
                    code="U303",
                )


def judge(gate: Gate, card: Card) -> Verdict:
    """What a gate says of a card. Each gate by itself is wrong in 5 of 100 releases at most."""
    low, high = _interval(gate, card)
    holds = gate.op.compare
    upwards = gate.op in (Op.GT, Op.GE)
    # The end at which the condition holds last if it holds everywhere, and the other one.
    last, first = (low, high) if upwards else (high, low)
    if _holds(holds, last, gate.number, unbounded=False):
        outcome = Outcome.FAIL
    elif not _holds(holds, first, gate.number, unbounded=upwards):
        outcome = Outcome.PASS
    else:
        outcome = Outcome.CANNOT_TELL
    return Verdict(gate, outcome, low, high, LEVEL)


def summary(verdicts: Iterable[Verdict]) -> Outcome:
    """Of several gates: fail if any does, else cannot tell if any cannot, else pass."""
    outcomes = {verdict.outcome for verdict in verdicts}
    for outcome in (Outcome.FAIL, Outcome.CANNOT_TELL):
        if outcome in outcomes:
            return outcome
    return Outcome.PASS


def _interval(gate: Gate, card: Card) -> tuple[Fraction, Fraction | None]:
    """The interval of the true value, as the card shows it; no high end: no upper bound."""
    if gate.measure == GRADE or (gate.measure == "repair" and gate.per_row):
        grade = card.grade
        if grade.low is None or grade.high is None:
            raise UsageError(f"The gate '{gate.text}': {grade.words}", code="U303")
        low, high = exact(grade.low), exact(grade.high)
        return (low, high) if gate.measure == GRADE else (1 - high, 1 - low)
    measure = card.measures.get(gate.measure)
    if measure is None or (gate.per_row and "per_row" not in measure.extra):
        raise UsageError(
            f"The gate '{gate.text}' needs {' and '.join(f'`{name}`' for name in gate.needs)}, and "
            "the card does not have them.",
            code="U303",
        )
    if gate.per_row:
        per_row = measure.extra["per_row"]
        return exact(per_row["low"]), exact(per_row["high"])
    least, most = measure.interval()
    return Fraction(least or 0), None if most is None else Fraction(most)


def _holds(compare: Any, end: Fraction | None, number: Fraction, *, unbounded: bool) -> bool:
    """Whether the condition holds at an end of the interval; `unbounded`: at infinity."""
    return unbounded if end is None else bool(compare(end, number))


def _known(tokens: _Tokens, measure: str) -> None:
    known = [GRADE, *(m.name for m in MEASURES.values() if m.can_gate)]
    if measure in known:
        return
    near = nearest(measure, known)
    hint = f"did you mean `{near}`?" if near else f"known are {', '.join(known)}"
    raise tokens.wrong(f"there is no number `{measure}` to compare; {hint}")


class _Tokens:
    """The words of a gate, taken one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._left: Iterator[re.Match[str]] = _TOKEN.finditer(text)
        self._next = next(self._left)
        self._at = self._next.start(str(self._next.lastgroup))

    def take(self, kind: str, complaint: str) -> str:
        """The next word, which must be of a kind."""
        token = self._next
        self._at = token.start(str(token.lastgroup))
        if token.lastgroup != kind:
            raise self.wrong(complaint)
        if kind != "end":
            self._next = next(self._left)
        return token[kind]

    def take_if(self, kind: str, wanted: str) -> bool:
        """Whether the next word is this one; it is taken then."""
        token = self._next
        if token.lastgroup != kind or token[kind] != wanted:
            return False
        self.take(kind, "")
        return True

    def wrong(self, complaint: str) -> UsageError:
        """The error for the word that was looked at last."""
        shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in self.text)
        stop = "" if complaint.endswith("?") else "."
        place = f"    {shown}\n    {' ' * self._at}^"
        return UsageError(
            f"The gate cannot be read: {complaint}{stop}\n{place}\n{EXAMPLE}", code="U302"
        )
