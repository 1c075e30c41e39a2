"""A release in a notebook: the grade and the measures, small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from candling.present import pictures
from candling.present.lines import measure_lines
from candling.present.markup import Child, tag
from candling.present.numbers import amount
from candling.present.page import cell
from candling.present.spending import spending_of

if TYPE_CHECKING:
    from candling.card import Card


def card_cell(card: Card) -> str:
    """A piece of HTML for a notebook."""
    graded: Child = card.grade.words
    if card.grade.value is not None:
        graded = (tag("strong", f"Grade {card.grade.shown}"), f" ({card.grade.words})")
    owns = "one row" if card.rows_per_person == 1 else f"{card.rows_per_person:,} rows"
    by_rule = (
        f" By rule: {len(card.by_rule)} more, see to_html or to_frame." if card.by_rule else ""
    )
    return cell(
        tag("div", pictures.egg(), tag("p", graded, class_="cd-lead"), class_="cd-head"),
        measure_lines(list(card.measures.values())),
        tag(
            "p",
            f"Epsilon {amount(float(card.epsilon))}{spending_of(card).words}; each person owns "
            f"{owns} at most; noisy values with 95% intervals.{by_rule}",
            class_="cd-fine",
        ),
    )
