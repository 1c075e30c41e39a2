"""A card explained in sentences: `candling explain card.json`."""

from __future__ import annotations

import math

from candling.model.card import CardData
from candling.model.number import MEANING, Number
from candling.model.receipt import Receipt
from candling.render.epsilon import spending_of
from candling.render.views.card import explain_threshold
from candling.render.wording import name_graded_rows, plain, statements

_GUARANTEE = (
    "Whoever sees these numbers can change their mind about any one person by a factor of at most "
    "{factor:.3g}: whether the person's rows are in the table or not, every outcome is about as "
    "likely. Further releases of the same table multiply that factor."
)


def explain_card(card: CardData) -> dict[str, list[str]]:
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
    return {"release": whole, "grade": _explain_grade(card), **parts}


def _factor(epsilon: float) -> float:
    try:
        return math.exp(epsilon)
    except OverflowError:
        return math.inf


def _explain_grade(card: CardData) -> list[str]:
    grade = card.grade
    if grade.value is None:
        return [grade.words]
    free = "It cost nothing: it was derived from the released `repair` and `rows`."
    meaning = f"It is {MEANING}."
    if card.person.columns:
        meaning += f" {name_graded_rows(card.person)}"
    return [f"Grade {grade.shown} ({grade.words}). {free}", meaning]


def _charge(receipt: Receipt) -> str:
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
    sentences += [s for s in (explain_threshold(measure), measure.reason) if s is not None]
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
