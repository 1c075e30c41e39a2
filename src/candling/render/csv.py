"""Numbers for other programs: CSV, and a pandas frame."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from candling.errors import UsageError
from candling.escaping import for_csv
from candling.measures import BY_RULE
from candling.model.card import CardData
from candling.model.gate import GRADE
from candling.model.number import Grade, Number
from candling.model.person import Person
from candling.model.results import ExactData
from candling.render.wording import guarantee, kind

if TYPE_CHECKING:
    import pandas as pd

ROWS_OF_PERSON = "rows_per_person"  # the line with the limit per person
_CSV = (
    *("measure", "rule", "value", "estimate", "low", "high"),
    *("epsilon", "threshold", "kind", "reason"),
)
_NUMBERS = ["value", "estimate", "low", "high", "epsilon", "threshold"]
_FRAME = (*_NUMBERS, "kind", "reason", "note")


def card_as_csv(card: CardData) -> str:
    """The grade, the rows of a person and the numbers, one line each."""
    grade, person = card.grade, card.person
    cost = float(person.epsilon or 0)
    return _write(
        [
            _CSV,
            [GRADE, "", *_values(grade), 0.0, None, None, grade.reason],
            [ROWS_OF_PERSON, "", person.rows, None, None, None, cost, None, kind(person), None],
            *(_csv_row(m.name, "", m) for m in card),
            *(_csv_row(BY_RULE.name, m.name, m) for m in card.by_rule),
        ]
    )


def exact_as_csv(numbers: ExactData) -> str:
    """The exact numbers, one line each, those of single rules last."""
    values = [(name, value) for name, value in numbers.to_dict().items() if name in numbers.values]
    if numbers.person.columns:
        values.insert(0, (ROWS_OF_PERSON, numbers.person.rows))
    return _write(
        [
            ("measure", "rule", "value"),
            *((name, "", value) for name, value in values),
            *((BY_RULE.name, rule.rule, rule.repair_exact) for rule in numbers.by_rule),
        ]
    )


def card_as_frame(card: CardData) -> pd.DataFrame:
    """The grade, the rows of a person and the measures, one a line by name, those by rule last."""
    try:
        import pandas as pd
    except ImportError:
        raise UsageError(
            "A frame is made by pandas, which is not installed: pip install pandas", code="U402"
        ) from None
    grade = {**card.grade.to_dict(), "epsilon": 0.0}
    lines = [(GRADE, grade), (ROWS_OF_PERSON, _frame_person(card.person))]
    lines += [(m.name, _frame_line(None, m)) for m in card]
    lines += [(BY_RULE.name, _frame_line(m.name, m)) for m in card.by_rule]
    frame = pd.DataFrame(
        [{name: line.get(name) for name in ("rule", *_FRAME)} for _, line in lines],
        index=pd.Index([name for name, _ in lines], name="measure"),
        columns=["rule", *_FRAME],
    )
    return frame.astype(dict.fromkeys(_NUMBERS, "float64"))


def _write(rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([for_csv(cell) for cell in row] for row in rows)
    return out.getvalue()


def _csv_row(name: str, rule: str, measure: Number) -> list[Any]:
    epsilon = None if measure.epsilon is None else float(measure.epsilon)
    extra = measure.threshold, measure.kind
    return [name, rule, *_values(measure), epsilon, *extra, measure.reason]


def _values(shown: Number | Grade) -> tuple[Any, ...]:
    return shown.value, shown.estimate, shown.low, shown.high


def _frame_person(person: Person) -> dict[str, Any]:
    cost = float(person.epsilon or 0)
    note = guarantee(person)
    return {"value": person.rows, "epsilon": cost, "kind": kind(person), "note": note}


def _frame_line(rule: str | None, measure: Number) -> dict[str, Any]:
    """A measure; a value that is a rule goes into the column for rules."""
    content = measure.to_dict()
    if isinstance(measure.value, str):
        rule, content["value"], content["estimate"] = measure.value, None, None
    return {"rule": rule} | content
