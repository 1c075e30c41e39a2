"""`minimal_inconsistent`: how many conflicts there are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from candling.measures.measure import ExactWords, Unit
from candling.measures.thresholded import Thresholded
from candling.privacy import LEVELS

if TYPE_CHECKING:
    from candling.measures.facts import Facts, Part


class MinimalInconsistent(Thresholded):
    """F(t,t)/2: a row may take part in at most t pairs, fractionally. A row moves it by t."""

    name = "minimal_inconsistent"
    title = "Conflicts"
    meaning = "pairs of rows, or single rows, that break a rule"
    explanation = """\
The number of conflicts: pairs of rows, or single rows, that break a rule.

Rely on `low`: in 95 of 100 releases, there are at least that many conflicts. One wrong row can
conflict with thousands of correct ones, so this number tells you more about the rules than about
the effort of cleaning the table; use `repair` for that. Noise must hide a row with all its
conflicts. So at most `threshold` conflicts of each row are counted, and the value is a low
estimate. Every conflict contains a row of the smallest repair, so `high` follows from the upper
ends of `repair` and `rows`. It is null if the number of rows has no bound.
"""
    note = (
        "How many conflicts there are: pairs of rows that break a rule together, and rows that "
        "break one alone. The true number is within the interval; rely on its lower end. The "
        "estimate is usually too low, because a limited number of conflicts of each row were "
        "counted, which keeps the noise small."
    )
    note_for_persons = (
        "How many conflicts there are in the whole table: pairs of rows that break a rule "
        "together, and rows that break one alone. The true number is at least the lower end of "
        "the interval. The estimate is usually too low, because a limited number of conflicts of "
        "each person were counted, which keeps the noise small."
    )
    exact_words: ClassVar = {
        "minimal_inconsistent": ExactWords(
            "Conflicts", "pairs of rows, or single rows, that break a rule"
        ),
        "max_degree": ExactWords(
            "Most conflicts of one row",
            "pairs of rows that break a rule",
            zero="no two rows break a rule together",
        ),
    }
    unit = Unit.CONFLICTS
    step = Fraction(1, 2)

    def growth(self, threshold: int) -> int:
        """T pairs, in halves."""
        return 2 * threshold

    def terms(self, part: Part) -> tuple[int, ...]:
        """2s + F(t,t) at each power of two: twice the measure, a whole number."""
        from candling.graph.witness import doubled_minimal_inconsistent_levels

        return tuple(doubled_minimal_inconsistent_levels(part.graph, LEVELS, known=part.witnesses))

    def exact_terms(self, part: Part, search: float) -> Any:
        """The conflicts, and the most pairs that one row is in."""
        graph = part.graph
        return part.self_inconsistent + graph.pairs, int(graph.degrees.max(initial=0))

    def exact(self, facts: Facts, parts: Sequence[Any]) -> dict[str, Any]:
        """The conflicts, and the most pairs that one row is in."""
        return {
            "minimal_inconsistent": sum(conflicts for conflicts, _ in parts),
            "max_degree": max((degree for _, degree in parts), default=0),
        }

    def at_threshold(self, threshold: int, *, persons: bool = False) -> str:
        """The threshold in a sentence."""
        conflicts = "conflict" if threshold == 1 else "conflicts"
        whose = "person" if persons else "row"
        return f"At most {threshold:,} {conflicts} of each {whose} were counted."


MINIMAL_INCONSISTENT = MinimalInconsistent()
