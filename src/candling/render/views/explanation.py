"""A card explained in sentences: `candling explain card.json`."""

from __future__ import annotations

from candling.model.card import CardData
from candling.model.number import MEANING, Number
from candling.model.receipt import Receipt
from candling.render.epsilon import spending_of
from candling.render.views.card import explain_threshold, word_number
from candling.render.wording import name_graded_rows, statements, word_grade


def explain_card(card: CardData) -> dict[str, list[str]]:
    """Sentences about the whole release, then about each of its parts by name."""
    whole = [
        f"Epsilon {float(card.epsilon):g} was spent{spending_of(card).words}.",
        *statements(card),
    ]
    if card.receipt is not None:
        whole.append(_charge(card.receipt))
    whole += [f"Gate: {verdict}." for verdict in card.gates]
    parts = {measure.name: _part(measure, card) for measure in (*card, *card.by_rule)}
    return {"release": whole, "grade": _explain_grade(card), **parts}


def _explain_grade(card: CardData) -> list[str]:
    grade = card.grade
    if grade.reason is not None:
        return [str(grade)]
    free = "It cost nothing: it follows from Rows to delete and Rows."
    meaning = f"It is {MEANING}."
    if card.person.columns and card.person.rows is not None:
        meaning += f" {name_graded_rows(card.person)}"
    return [f"{word_grade(grade, card.person)} {free}", meaning]


def _charge(receipt: Receipt) -> str:
    charged, remaining, limit = map(float, (receipt.charged, receipt.remaining, receipt.limit))
    return (
        f"{charged:g} was charged to the budget of {receipt.payer}, which left {remaining:g} of "
        f"{limit:g}. It is entry {receipt.sequence} of the ledger."
    )


def _part(measure: Number, card: CardData) -> list[str]:
    sentences = [
        f"{word_number(measure, card)}.{_cost(measure, float(card.epsilon))}",
        measure.note,
    ]
    sentences += [s for s in (explain_threshold(measure, card), measure.reason) if s is not None]
    return sentences


def _cost(measure: Number, total: float) -> str:
    """What a part alone cost; nothing is said of one that shares the draw."""
    if measure.epsilon is None:
        return ""
    if measure.refused:
        return " Nothing was spent on it."
    if measure.epsilon:
        spent = float(measure.epsilon)
        return f" It cost epsilon {spent:.3g}, {spent / total:.0%} of the release."
    return " It cost nothing: it follows from other released numbers, or is public."
