"""A card as text for other programs and places: Markdown, CSV, a pandas frame.

What the terminal shows of a card stands here too, as far as Markdown shows the same.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from candling.errors import UsageError
from candling.escaping import code_for_markdown, for_csv, for_markdown
from candling.measures import MEASURES, Shown
from candling.measures.grade import LEVEL, percent
from candling.present.epsilon import spending_of
from candling.present.gates import Verdict
from candling.present.numbers import count, plain

if TYPE_CHECKING:
    import pandas as pd

    from candling.card import Card

_CSV = ("measure", "rule", "value", "low", "high", "epsilon", "threshold", "kind", "reason")
_NUMBERS = ["value", "low", "high", "epsilon", "threshold"]
_FRAME = (*_NUMBERS, "kind", "reason", "note")


def markdown(card: Card, title: str, verdicts: Sequence[Verdict] = ()) -> str:
    """The card for a pull request or a wiki; `title` is Markdown already."""
    grade = card.grade
    words = for_markdown(grade.words)
    graded = words if grade.value is None else f"**Grade {grade.shown}** ({words})"
    lines = [f"### {title}", "", graded, ""]
    priced = spending_of(card).measure_by_measure
    heads = number_heads(priced=priced)
    rows = [
        (code_for_markdown(name), *map(for_markdown, cells))
        for name, *cells in measure_rows(card, priced=priced)
    ]
    lines += _markdown_table(("measure", *heads, "what it says"), rows)
    if card.by_rule:
        by_rule = [
            (code_for_markdown(m.name), *number_cells(m, priced=priced)) for m in card.by_rule
        ]
        lines += ["", *_markdown_table(("rows to delete for this rule alone", *heads), by_rule)]
    if "worst_rule" in card.measures:
        rule, how = worst_rule(card.worst_rule)
        lines += ["", f"Worst rule: {code_for_markdown(rule)} ({how})"]
    if verdicts:
        judged = [
            (code_for_markdown(v.gate.text), f"**{v.outcome}**", judged_by(v)) for v in verdicts
        ]
        lines += ["", *_markdown_table(("gate", "outcome", "interval"), judged)]
    lines += ["", for_markdown(budget(card))]
    for names, reason in reasons(card):
        lines += ["", f"{code_for_markdown(names)}: {for_markdown(reason)}"]
    return "\n".join(lines) + "\n"


def _markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join('---' for _ in heads)}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def as_csv(card: Card) -> str:
    """The grade and the numbers, one line each."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    grade = card.grade
    rows = [
        _CSV,
        ["grade", "", grade.value, grade.low, grade.high, 0.0, None, None, grade.reason],
        *(_csv_row(m.name, "", m) for m in card),
        *(_csv_row("by_rule", m.name, m) for m in card.by_rule),
    ]
    table.writerows([for_csv(cell) for cell in row] for row in rows)
    return out.getvalue()


def _csv_row(name: str, rule: str, measure: Shown) -> list[Any]:
    low, high = measure.interval()
    epsilon = None if measure.epsilon is None else float(measure.epsilon)
    extra = (measure.extra.get(key) for key in ("threshold", "kind"))
    return [name, rule, measure.value, low, high, epsilon, *extra, measure.reason]


def as_frame(card: Card) -> pd.DataFrame:
    """The grade and the measures, one a line by name, those by rule last."""
    try:
        import pandas as pd
    except ImportError:
        raise UsageError(
            "A frame is made by pandas, which is not installed: pip install pandas", code="U402"
        ) from None
    grade = {"rule": None, **card.grade.to_dict(), "epsilon": 0.0}
    lines = [("grade", grade), *((m.name, _frame_line(None, m)) for m in card)]
    lines += [("by_rule", _frame_line(m.name, m)) for m in card.by_rule]
    frame = pd.DataFrame(
        [{name: line.get(name) for name in ("rule", *_FRAME)} for _, line in lines],
        index=pd.Index([name for name, _ in lines], name="measure"),
        columns=["rule", *_FRAME],
    )
    return frame.astype(dict.fromkeys(_NUMBERS, "float64"))


def _frame_line(rule: str | None, measure: Shown) -> dict[str, Any]:
    """A measure; a value that is a rule stands in the column for rules."""
    content = measure.to_dict()
    if isinstance(measure.value, str):
        rule, content["value"] = measure.value, None
    return {"rule": rule} | content


# What Markdown and the terminal both show


def number_heads(*, priced: bool) -> tuple[str, ...]:
    """What stands over the numbers; over an epsilon of each only where that tells something."""
    return ("value", f"{LEVEL:.0%} interval", *(("epsilon",) if priced else ()))


def number_cells(measure: Shown, *, priced: bool) -> tuple[str, ...]:
    """The value, its interval and perhaps its cost."""
    cost = (f"{float(measure.epsilon or 0):.3g}",) if priced else ()
    return (plain(measure.value), _interval(measure), *cost)


def measure_rows(card: Card, *, priced: bool) -> list[tuple[str, ...]]:
    """Name, numbers and a sentence of each measure that is a number."""
    return [
        (m.name, *number_cells(m, priced=priced), _sentence(m, card))
        for m in card
        if m.name != "worst_rule"
    ]


def _sentence(measure: Shown, card: Card) -> str:
    if measure.value is None:
        return "not released, for the reason below"
    return MEASURES[measure.name].sentence(measure, card)


def threshold_sentence(measure: Shown) -> str | None:
    """What the threshold of a measure means, if it has one."""
    threshold = measure.extra.get("threshold")
    if threshold is None or measure.name not in MEASURES:  # a rule has none
        return None
    return MEASURES[measure.name].at_threshold(threshold)


def _interval(measure: Shown) -> str:
    low, high = measure.interval()
    if measure.value is None or (low is None and high is None):
        return "-"
    if measure.name == "drastic" and low == high:
        return "beyond noise"
    if stated(measure):
        return "as stated"
    return f"at least {plain(low)}" if high is None else f"{plain(low)} to {plain(high)}"


def stated(measure: Shown) -> bool:
    """Whether a number is public, as its owner stated it."""
    low, high = measure.interval()
    return measure.name == "rows" and low == high and measure.epsilon == 0


def worst_rule(measure: Shown) -> tuple[str, str]:
    """The rule, and how it was chosen."""
    if measure.value is None:
        return "-", "not released, for the reason below"
    if measure.epsilon:
        return str(measure.value), f"chosen with noise, epsilon {float(measure.epsilon):.3g}"
    return str(measure.value), "the largest value above"


def judged_by(verdict: Verdict) -> str:
    """The interval that a gate was judged by."""

    def end(value: Fraction, *, up: bool) -> str:
        return percent(value, up=up) if verdict.gate.share else plain(float(value))

    low = end(verdict.low, up=False)
    if verdict.high is None:
        return f"{low} or more"
    return f"{low} to {end(verdict.high, up=True)}"


def reasons(card: Card) -> Iterator[tuple[str, str]]:
    """Why numbers or upper bounds are missing, each reason once, with the names of its measures."""
    for reason in dict.fromkeys(m.reason for m in card if m.reason is not None):
        yield ", ".join(m.name for m in card if m.reason == reason), reason


def budget(card: Card) -> str:
    """What was spent, and what is left if a ledger keeps count."""
    people = "one row" if card.rows_per_person == 1 else count(card.rows_per_person, "row")
    on = spending_of(card).words
    spent = f"Epsilon {float(card.epsilon):g} was spent{on}; each person owns {people} at most."
    receipt = card.receipt
    if not card.epsilon:
        spent = "Nothing was spent: no number was computed from the rows."
    if receipt is None:
        return f"{spent} No ledger was given: keep count yourself." if card.epsilon else spent
    left = f"{float(receipt.remaining):g} of {float(receipt.limit):g}"
    if receipt.repeated:
        return (
            f"This is the stored result of request {receipt.request_id}: nothing was spent on it "
            f"now. When it was made, {left} was left of {receipt.dataset!r}."
        )
    return f"{spent} Of {receipt.dataset!r}, {left} is left. Request {receipt.request_id}."
