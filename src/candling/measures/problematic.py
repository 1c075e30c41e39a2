"""`problematic`: how many rows take part in some conflict."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from candling.measures.measure import ExactWords
from candling.measures.thresholded import Thresholded
from candling.privacy import LEVELS

if TYPE_CHECKING:
    from candling.measures.facts import Facts, Part


class Problematic(Thresholded):
    """F(t,1): a row may witness the conflicts of at most t others. A row moves it by t + 1."""

    name = "problematic"
    title = "Rows in conflict"
    meaning = "rows that are part of a conflict, wrong or not"
    explanation = """\
The number of rows that are part of a conflict.

Rely on `low`: in 95 of 100 releases, at least that many rows are part of a conflict. Correct rows
that conflict with a wrong one count, too. Noise must hide a row with everything it conflicts with.
So each row adds at most `threshold` others to the count, and the value is a low estimate. `high` is
the upper end of `rows`. It is null if the number of rows has no bound.
"""
    note = (
        "How many rows are part of a conflict. The true number is within the interval; rely on its "
        "lower end. The estimate is usually too low, because each row was allowed to add a limited "
        "number of other rows, which keeps the noise small."
    )
    note_for_persons = (
        "How many rows of the whole table are part of a conflict. The true number is at least the "
        "lower end of the interval. The estimate is usually too low, because each person was "
        "allowed to add a limited number of rows, which keeps the noise small."
    )
    exact_words: ClassVar = {
        "problematic": ExactWords(
            "Rows in conflict", "rows that are part of a conflict, wrong or not", share=True
        )
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

    def at_threshold(self, threshold: int, *, persons: bool = False) -> str:
        """The threshold in a sentence."""
        if persons:
            rows = "row" if threshold == 1 else "rows"
            return f"Each person was allowed to add {threshold:,} {rows}."
        others = "other" if threshold == 1 else "others"
        return f"Each row was allowed to add {threshold:,} {others}."


PROBLEMATIC = Problematic()
