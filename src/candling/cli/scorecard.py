"""A card on one screen: the grade, the measures, the gates, the budget, and what is missing."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from candling.card import Card
from candling.cli import output
from candling.cli.meanings import meaning
from candling.cli.output import shown
from candling.measures.grade import LEVEL, percent
from candling.measures.shown import Shown
from candling.present.gates import Outcome, Verdict
from candling.present.spending import spending_of

_STYLES = {Outcome.PASS: "green", Outcome.FAIL: "bold red", Outcome.CANNOT_TELL: "yellow"}
_CSV = ("measure", "rule", "value", "low", "high", "epsilon", "threshold", "kind", "reason")


# For people


def show(card: Card, verdicts: Sequence[Verdict] = ()) -> None:
    """The card as a person reads it."""
    grade = card.grade
    if grade.value is None:
        output.line(grade.words)
    else:
        output.line(f"({grade.words})", head=f"Grade {grade.shown}  ", style="dim")
    output.line()
    priced = spending_of(card).measure_by_measure
    heads = _heads(priced=priced)
    output.measures(("measure", *heads), [_row(m, card, priced=priced) for m in _listed(card)])
    if card.by_rule:
        output.line()
        output.line("Rows to delete for each rule alone", style="bold")
        output.line()
        rules = [("", *_numbers(m, priced=priced), m.name) for m in card.by_rule]
        output.measures(("", *heads), rules, room=24)
    if "worst_rule" in card.measures:
        output.line()
        rule, how = _worst(card.worst_rule)
        output.line(f"{rule}  ({how})", head="Worst rule  ")
    if verdicts:
        output.line()
        output.line("Gates", style="bold")
        output.line()
        width = max(len(v.outcome) for v in verdicts)
        for v in verdicts:
            head = f"  {v.outcome:<{width}}  "
            output.line(
                f"{v.gate.text}  [{_judged_by(v)}]", head=head, head_style=_STYLES[v.outcome]
            )
    output.line()
    output.line(budget(card), style="dim")
    for names, reason in _reasons(card):
        output.line()
        output.line(f"{names}: {reason}", style="dim")


def markdown(card: Card, title: str, verdicts: Sequence[Verdict] = ()) -> str:
    """The card for a pull request or a wiki."""
    grade = card.grade
    graded = grade.words if grade.value is None else f"**Grade {grade.shown}** ({grade.words})"
    lines = [f"### {_cell(title)}", "", graded, ""]
    priced = spending_of(card).measure_by_measure
    heads = _heads(priced=priced)
    rows = [_row(m, card, priced=priced) for m in _listed(card)]
    named = [(f"`{name}`", *rest) for name, *rest in rows]
    lines += _markdown_table(("measure", *heads, "what it says"), named)
    if card.by_rule:
        by_rule = [(f"`{m.name}`", *_numbers(m, priced=priced)) for m in card.by_rule]
        lines += ["", *_markdown_table(("rows to delete for this rule alone", *heads), by_rule)]
    if "worst_rule" in card.measures:
        rule, how = _worst(card.worst_rule)
        lines += ["", f"Worst rule: `{_cell(rule)}` ({how})"]
    if verdicts:
        judged = [(f"`{v.gate.text}`", f"**{v.outcome}**", _judged_by(v)) for v in verdicts]
        lines += ["", *_markdown_table(("gate", "outcome", "interval"), judged)]
    lines += ["", budget(card)]
    for names, reason in _reasons(card):
        lines += ["", f"{names}: {_cell(reason)}"]
    return "\n".join(lines) + "\n"


def budget(card: Card) -> str:
    """What was spent, and what is left as far as anybody keeps count."""
    people = "one row" if card.rows_per_person == 1 else f"{card.rows_per_person:,} rows"
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


# For programs


def as_csv(card: Card) -> str:
    """The grade and the numbers, one line each."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(_CSV)
    grade = card.grade
    table.writerow(["grade", "", grade.value, grade.low, grade.high, 0.0, None, None, grade.reason])
    for m in card:
        table.writerow(_csv_row(m.name, "", m))
    for m in card.by_rule:
        table.writerow(_csv_row("by_rule", m.name, m))
    return out.getvalue()


def _csv_row(name: str, rule: str, measure: Shown) -> list[Any]:
    low, high = measure.interval()
    epsilon = None if measure.epsilon is None else float(measure.epsilon)
    extra = (measure.extra.get(key) for key in ("threshold", "kind"))
    return [name, rule, measure.value, low, high, epsilon, *extra, measure.reason]


# The parts


def _listed(card: Card) -> Iterator[Shown]:
    return (m for m in card if m.name != "worst_rule")


def _heads(*, priced: bool) -> tuple[str, ...]:
    """What stands over the numbers; over an epsilon of each only where that tells something."""
    return ("value", f"{LEVEL:.0%} interval", *(("epsilon",) if priced else ()))


def _row(measure: Shown, card: Card, *, priced: bool) -> tuple[str, ...]:
    return (measure.name, *_numbers(measure, priced=priced), meaning(measure, card))


def _numbers(measure: Shown, *, priced: bool) -> tuple[str, ...]:
    cost = (f"{float(measure.epsilon or 0):.3g}",) if priced else ()
    return (shown(measure.value), _interval(measure), *cost)


def _interval(measure: Shown) -> str:
    low, high = measure.interval()
    if measure.value is None or (low is None and high is None):
        return "-"
    if measure.name == "drastic" and low == high:
        return "beyond noise"
    if measure.name == "rows" and low == high and measure.epsilon == 0:
        return "as stated"
    return f"at least {shown(low)}" if high is None else f"{shown(low)} to {shown(high)}"


def _worst(measure: Shown) -> tuple[str, str]:
    """The rule, and how it was found."""
    if measure.value is None:
        return "-", "not released, for the reason below"
    if measure.epsilon:
        return str(measure.value), f"chosen with noise, epsilon {float(measure.epsilon):.3g}"
    return str(measure.value), "the largest value above"


def _judged_by(verdict: Verdict) -> str:
    def number(value: Any, *, up: bool) -> str:
        return percent(value, up=up) if verdict.gate.share else shown(float(value))

    low = number(verdict.low, up=False)
    if verdict.high is None:
        return f"{low} or more"
    return f"{low} to {number(verdict.high, up=True)}"


def _reasons(card: Card) -> Iterator[tuple[str, str]]:
    """Why numbers or upper bounds are missing, each reason once."""
    for reason in dict.fromkeys(m.reason for m in card if m.reason is not None):
        yield ", ".join(m.name for m in card if m.reason == reason), reason


def _markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join('---' for _ in heads)}|"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
