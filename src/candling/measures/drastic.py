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
    meaning = "whether the table breaks any rule at all"
    explanation = """\
Whether any rule is broken: yes, no, or cannot tell.

It follows from the noisy repair number, so it is free with `repair`. The value is 1 (yes) if noise
alone cannot explain that number, and 0 (no) if the noise leaves no room for a bad row. Each answer
is wrong in at most 5 of 100 releases. Otherwise the value is null (cannot tell), and the card shows
how many bad rows could hide in the noise. A no is rare, because noise nearly always leaves room.
"""
    note = (
        "1 (yes) if at least one rule is broken, 0 (no) if every rule holds, null (cannot tell) if "
        "bad rows could hide in the noise. The answer is wrong in at most 5 of 100 releases."
    )
    note_for_persons = (
        "1 (yes) if at least one rule is broken in the whole table, null (cannot tell) if bad rows "
        "could hide in the noise. A yes is wrong in at most 5 of 100 releases. It is never 0 (no), "
        "because one person can have any number of bad rows."
    )
    unit = Unit.YES_NO
    by_default = True
    without_error = "yes, no or cannot tell; follows from Rows to delete, at no cost"
    exact_words: ClassVar = {
        "drastic": ExactWords("Any rule broken?", "at least one rule is broken", "every rule holds")
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
            return "at least one rule is broken" if shown.value else "every rule holds"
        _, most = card.worlds().repair
        if most is None and card.person.columns:
            return "bad rows could hide in the noise"
        if most is None:
            return "the noise could hide any number of bad rows"
        return f"up to {digits(most)} bad {'row' if most == 1 else 'rows'} could hide in the noise"

    def word_interval(self, shown: Number, card: CardData) -> str:
        """Yes and no have none."""
        return ""


DRASTIC = Drastic()
