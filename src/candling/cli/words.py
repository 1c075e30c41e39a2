"""A release in words: what each part of it cost and means."""

import math
from collections.abc import Mapping

from candling.card import Card
from candling.cli import output
from candling.cli.output import shown
from candling.ledger import Receipt
from candling.measures import glossary
from candling.measures.grade import MEANING, Grade
from candling.measures.shown import Shown
from candling.present.spending import spending_of

_WHOLE = "release"
_GUARANTEE = (
    "Whoever sees these numbers can change their mind about any one person by a factor of at most "
    "{factor:.3g}: whether the person's rows are in the table or not, every outcome is about as "
    "likely. Further releases of the same table multiply that factor."
)


def in_words(card: Card) -> dict[str, list[str]]:
    """Sentences about the whole release, then about each of its parts by name."""
    total = float(card.epsilon)
    rows = output.count(card.rows_per_person, "row")
    spent = f"Epsilon {total:g} was spent{spending_of(card).words}"
    whole = [
        f"{spent}, for tables in which one person owns at most {rows}.",
        _GUARANTEE.format(factor=_factor(total)),
    ]
    if card.receipt is not None:
        whole.append(_charge(card.receipt))
    whole += [f"The gate '{v.gate.text}': {v.outcome}." for v in card.gates]
    parts = {measure.name: _part(measure, total) for measure in (*card, *card.by_rule)}
    return {_WHOLE: whole, "grade": _graded(card.grade), **parts}


def _factor(epsilon: float) -> float:
    try:
        return math.exp(epsilon)
    except OverflowError:
        return math.inf


def _graded(grade: Grade) -> list[str]:
    if grade.value is None:
        return [grade.words]
    free = "It cost nothing: it was derived from the released `repair` and `rows`."
    return [f"Grade {grade.shown} ({grade.words}). {free}", f"It is {MEANING}."]


def _charge(receipt: Receipt) -> str:
    charged, remaining, limit = map(float, (receipt.charged, receipt.remaining, receipt.limit))
    return (
        f"It was charged to the budget of {receipt.dataset!r}: {charged:g}, with {remaining:g} of "
        f"{limit:g} left afterwards. The ledger has it as entry {receipt.sequence}."
    )


def _part(measure: Shown, total: float) -> list[str]:
    low, high = measure.interval()
    bounds = ""
    if high is not None:
        bounds = f", between {shown(low)} and {shown(high)}"
    elif low is not None:
        bounds = f", at least {shown(low)}"
    sentences = [f"{shown(measure.value)}{bounds}.{_cost(measure, total)}", measure.note]
    if measure.name in glossary.THRESHOLDS and "threshold" in measure.extra:
        sentences.append(glossary.at_threshold(measure.name, measure.extra["threshold"]))
    return sentences + ([] if measure.reason is None else [measure.reason])


def _cost(measure: Shown, total: float) -> str:
    """What a part alone cost; nothing is said of one that shares the draw."""
    if measure.epsilon is None:
        return ""
    if measure.value is None:
        return " Nothing was spent on it."
    if measure.epsilon:
        spent = float(measure.epsilon)
        return f" It cost epsilon {spent:.3g}, {spent / total:.0%} of the release."
    return " It cost nothing: it was derived from other released numbers, or is public."


def show(words: Mapping[str, list[str]]) -> None:
    """The sentences under the names of their parts."""
    for name, sentences in words.items():
        if name != _WHOLE:
            output.heading(name)
        for sentence in sentences:
            output.line(sentence)
            if name == _WHOLE and sentence is not sentences[-1]:
                output.line()
