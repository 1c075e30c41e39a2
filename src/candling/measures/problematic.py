"""`problematic`: how many rows take part in some conflict."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from candling.measures.measure import ExactWords, number_of_rows, share_of_rows
from candling.measures.thresholded import Thresholded
from candling.model.card import CardData
from candling.model.number import Number
from candling.privacy import LEVELS

if TYPE_CHECKING:
    from candling.measures.facts import Facts, Part


class Problematic(Thresholded):
    """F(t,1): a row may witness the conflicts of at most t others. A row moves it by t + 1."""

    name = "problematic"
    title = "Rows in conflict"
    meaning = "rows that take part in a conflict"
    explanation = """\
The number of rows that are part of a conflict.

Rely on `low`: in 95 of 100 releases, at least that many rows are part of a conflict. Correct rows
that conflict with a wrong one count, too. Noise must hide a row with everything it conflicts with.
So each row adds at most `threshold` others to the count, and the value is a low estimate. `high` is
the upper end of `rows`. It is null if the number of rows has no bound.
"""
    note = (
        "Rely on the lower end of the interval: at least so many rows take part in a conflict. "
        "The interval covers the true number in 95 of 100 releases. The value is an estimate from "
        "below, with noise: a row brings a limited number of others into the count, so that noise "
        "can hide it."
    )
    exact_words: ClassVar = {
        "problematic": ExactWords("rows that take part in a conflict", share=True)
    }
    step = Fraction(1)
    most_per_row = 1
    within_rows = True

    def growth(self, threshold: int) -> int:
        """The row itself, and t others."""
        return threshold + 1

    def terms(self, part: Part) -> tuple[int, ...]:
        """S + F(t,1) at each power of two, where s rows break a rule alone."""
        from candling.graph.witness import problematic_levels

        return tuple(problematic_levels(part.graph, LEVELS, known=part.witnesses))

    def exact_terms(self, part: Part, search: float) -> Any:
        """The rows in conflict."""
        return part.self_inconsistent + int(part.graph.weights.sum())

    def exact(self, facts: Facts, parts: Sequence[Any]) -> dict[str, Any]:
        """The rows in conflict."""
        return {"problematic": sum(parts)}

    def at_threshold(self, threshold: int) -> str:
        """The threshold in a sentence."""
        others = "other" if threshold == 1 else "others"
        return f"Here a row brings {threshold:,} {others} into the count at most."

    def sentence(self, shown: Number, card: CardData) -> str:
        """The share of the rows, or their number."""
        per_row = shown.per_row
        rows = (
            number_of_rows(shown)
            if per_row is None
            else share_of_rows(per_row.low, per_row.high, card)
        )
        if rows is None:
            return "too much noise to tell how many rows take part in a conflict"
        return f"{rows} take part in a conflict"


PROBLEMATIC = Problematic()
