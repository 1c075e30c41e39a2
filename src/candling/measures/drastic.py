"""`drastic`: whether any rule is broken at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from candling.measures.measure import Asked, ExactWords, Measure, Unit
from candling.measures.repair import REPAIR
from candling.model.card import CardData
from candling.model.number import Number, digits

if TYPE_CHECKING:
    from candling.measures.facts import Facts, Part


class Drastic(Measure):
    """Whether there is a row to delete in all tables that fit the draws, or in none."""

    name = "drastic"
    title = "Any rule broken?"
    meaning = "is the table inconsistent at all?"
    explanation = """\
Whether any rule is broken: yes, no, or cannot tell.

It follows from the noisy repair number, so it is free with `repair`. The value is 1 (yes) if
every table that fits the released numbers breaks a rule, and 0 (no) if none does: both are wrong in
at most 5 of 100 releases. Otherwise it is null (cannot tell), and the card shows how many bad rows
could hide in the noise. Noise nearly always leaves room for some, so a no is rare.
"""
    note = (
        "1 if a rule is broken, beyond what noise explains; 0 if none is; null if noise could "
        "hide what there is. The answer is wrong in at most 5 of 100 releases."
    )
    of_kept_rows = "a 1 holds for the whole table, a 0 says nothing of rows that were cut"
    unit = Unit.YES_NO
    by_default = True
    without_error = "yes or no, read off the number of rows to delete"
    exact_words: ClassVar = {
        "drastic": ExactWords("at least one rule is broken", "every rule holds")
    }

    def find_source(self, asked: Asked) -> str | None:
        """The repair number."""
        return REPAIR.find_source(asked)

    def exact_terms(self, part: Part, search: float) -> Any:
        """Whether some row is in a conflict."""
        return int(part.self_inconsistent + part.graph.classes > 0)

    def exact(self, facts: Facts, parts: Sequence[Any]) -> dict[str, Any]:
        """1 if some part has a conflict."""
        return {"drastic": max(parts, default=0)}

    def sentence(self, shown: Number, card: CardData) -> str:
        """Yes, no, or how many bad rows could hide."""
        if shown.value is not None:
            return (
                "some rule is broken: more than noise explains"
                if shown.value
                else "no rule is broken"
            )
        _, most = card.worlds().repair
        if most is None:
            return "cannot tell"
        kept = " of the kept rows" if card.person.columns else ""
        return f"cannot tell: up to {digits(most)} bad rows{kept} could hide in the noise"

    def word_interval(self, shown: Number) -> str | None:
        """That a rule is broken for sure."""
        return "beyond noise" if shown.value else None


DRASTIC = Drastic()
