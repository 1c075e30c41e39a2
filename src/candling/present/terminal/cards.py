"""Cards on a terminal: one card on one screen, two compared, or one explained in sentences."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from candling.model.gate import GateResult, Outcome
from candling.model.grade import MEANING
from candling.model.number import Number
from candling.present.compare import Comparison, Difference, change_in_words
from candling.present.epsilon import spending_of
from candling.present.numbers import plain
from candling.present.persons import grade_of_kept, guarantee, statements
from candling.present.terminal import output
from candling.present.text import (
    NUMBER_HEADS,
    budget,
    measure_rows,
    number_cells,
    reasons,
    threshold_sentence,
    worst_rule,
)

if TYPE_CHECKING:
    from candling.card import Card
    from candling.ledger import Receipt

_STYLES = {Outcome.PASS: "green", Outcome.FAIL: "bold red", Outcome.CANNOT_TELL: "yellow"}
_WHOLE = "release"
_GUARANTEE = (
    "Whoever sees these numbers can change their mind about any one person by a factor of at most "
    "{factor:.3g}: whether the person's rows are in the table or not, every outcome is about as "
    "likely. Further releases of the same table multiply that factor."
)


# One card


def show_card(card: "Card") -> None:
    """The grade, the measures, the gates, the budget, and what is missing."""
    grade = card.grade
    if grade.value is None:
        output.line(grade.words)
    else:
        output.line(f"({grade.words})", head=f"Grade {grade.shown}  ", style="dim")
    output.line()
    output.measures(("measure", *NUMBER_HEADS), measure_rows(card))
    if card.by_rule:
        output.line()
        output.line("Rows to delete for each rule alone", style="bold")
        output.line()
        rules = [("", *number_cells(m), m.name) for m in card.by_rule]
        output.measures(("", *NUMBER_HEADS), rules, room=24)
    if "worst_rule" in card.measures:
        output.line()
        rule, how = worst_rule(card.worst_rule)
        output.line(f"{rule}  ({how})", head="Worst rule  ")
    show_gates(card.gates)
    output.line()
    output.line(budget(card), style="dim")
    if card.epsilon:
        output.line()
        output.line(guarantee(card.person), style="dim")
    for names, reason in reasons(card):
        output.line()
        output.line(f"{names}: {reason}", style="dim")


def show_gates(verdicts: Sequence[GateResult]) -> None:
    """The outcome of each gate, and what it was judged by; nothing where there is none."""
    if not verdicts:
        return
    output.line()
    output.line("Gates", style="bold")
    output.line()
    width = max(len(v.outcome) for v in verdicts)
    for v in verdicts:
        head = f"  {v.outcome:<{width}}  "
        output.line(f"{v.gate.text}  [{v.judged_by}]", head=head, head_style=_STYLES[v.outcome])


# Two cards


def show_comparison(comparison: Comparison) -> None:
    """The verdict, both grades, and every difference."""
    decided_by = ", ".join(comparison.decided_by) or "nothing"
    output.line(f"{comparison.verdict} (by {decided_by})", style="bold")
    output.line()
    for name, card in (("A", comparison.a), ("B", comparison.b)):
        grade = card.grade
        words = grade.words if grade.value is None else f"Grade {grade.shown}  ({grade.words})"
        output.line(words, head=f"  {name}  ")
    output.heading("From A to B")
    output.table(_difference(d) for d in comparison.measures)
    if comparison.by_rule:
        output.heading("Rows to delete for each rule alone")
        rows = (_difference(d) for d in comparison.by_rule)
        output.table((change, "", f"{meaning}  {rule}") for rule, change, meaning in rows)
    for reason, names in comparison.reasons.items():
        output.line()
        output.line(f"{', '.join(names)}: {reason}")
    for warning in comparison.warnings:
        output.note(f"Note: {warning}")


def _difference(d: Difference) -> tuple[str, str, str]:
    change, bounds = change_in_words(d)
    return d.name, change, f"{d.verdict}  {bounds} ({d.level:.0%})"


# A card explained


def explanation(card: "Card") -> dict[str, list[str]]:
    """Sentences about the whole release, then about each of its parts by name."""
    total = float(card.epsilon)
    whole = [
        f"Epsilon {total:g} was spent{spending_of(card).words}.",
        _GUARANTEE.format(factor=_factor(total)),
        *statements(card),
    ]
    if card.receipt is not None:
        whole.append(_charge(card.receipt))
    whole += [f"The gate '{v.gate.text}': {v.outcome}." for v in card.gates]
    parts = {measure.name: _part(measure, total) for measure in (*card, *card.by_rule)}
    return {_WHOLE: whole, "grade": _graded(card), **parts}


def show_explanation(sentences: Mapping[str, list[str]]) -> None:
    """The sentences under the names of their parts."""
    for name, listed in sentences.items():
        if name != _WHOLE:
            output.heading(name)
        for position, sentence in enumerate(listed):
            if name == _WHOLE and position:
                output.line()
            output.line(sentence)


def _factor(epsilon: float) -> float:
    try:
        return math.exp(epsilon)
    except OverflowError:
        return math.inf


def _graded(card: "Card") -> list[str]:
    grade = card.grade
    if grade.value is None:
        return [grade.words]
    free = "It cost nothing: it was derived from the released `repair` and `rows`."
    meaning = f"It is {MEANING}."
    if card.person.columns:
        meaning += f" {grade_of_kept(card.person)}"
    return [f"Grade {grade.shown} ({grade.words}). {free}", meaning]


def _charge(receipt: "Receipt") -> str:
    charged, remaining, limit = map(float, (receipt.charged, receipt.remaining, receipt.limit))
    return (
        f"It was charged to the budget of {receipt.payer}: {charged:g}, with {remaining:g} of "
        f"{limit:g} left afterwards. The ledger has it as entry {receipt.sequence}."
    )


def _part(measure: Number, total: float) -> list[str]:
    low, high = measure.interval()
    bounds = ""
    if high is not None:
        bounds = f", between {plain(low)} and {plain(high)}"
    elif low is not None:
        bounds = f", at least {plain(low)}"
    sentences = [f"{plain(measure.value)}{bounds}.{_cost(measure, total)}", measure.note]
    sentences += [s for s in (threshold_sentence(measure), measure.reason) if s is not None]
    return sentences


def _cost(measure: Number, total: float) -> str:
    """What a part alone cost; nothing is said of one that shares the draw."""
    if measure.epsilon is None:
        return ""
    if measure.value is None:
        return " Nothing was spent on it."
    if measure.epsilon:
        spent = float(measure.epsilon)
        return f" It cost epsilon {spent:.3g}, {spent / total:.0%} of the release."
    return " It cost nothing: it was derived from other released numbers, or is public."
