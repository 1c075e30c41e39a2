"""`rows`: how many rows the table has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from candling.measures.measure import Asked, ExactWords, Measure, Setting
from candling.model.card import CardData
from candling.model.number import Number
from candling.privacy import Statistic
from candling.rules import Rules

if TYPE_CHECKING:
    from candling.measures.facts import Facts


class Rows(Measure):
    """The number of rows: a row moves it by one."""

    name = "rows"
    title = "Rows"
    meaning = "rows in the table"
    explanation = """\
The number of rows in the table.

It is released with noise like every other number, because the size of a table can reveal whether
someone is in it. If the number is public anyway, set it with `--public-rows`. Then it gets no
noise, and the other numbers get less.
"""
    note = "The number of rows, with noise. The true number is within the interval."
    note_as_stated = (
        "The number of rows as its owner stated it: it is public and cost nothing. The guarantee "
        "is then about tables with the same number of rows, and replacing the rows of one person "
        "counts twice epsilon."
    )
    note_for_persons = (
        "The number of rows, counted with a limit for each person, which keeps the noise small. "
        "The true number is at least the lower end of the interval."
    )
    by_default = True
    is_size = True
    exact_words: ClassVar = {"rows": ExactWords("Rows", "rows in the table")}

    def find_source(self, asked: Asked) -> str | None:
        """Itself, unless its owner states it."""
        return self.name if asked.public_rows is None else None

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """One number, which a person moves by all of their rows."""
        return [Statistic((0,), (setting.rows_per_person,))]

    def values(
        self,
        facts: Facts,
        setting: Setting,
        public: Sequence[Statistic],
    ) -> list[tuple[int, ...]]:
        """The number of rows."""
        return [(facts.rows,)]

    def exact(self, facts: Facts, parts: Sequence[Any]) -> dict[str, Any]:
        """The number of rows."""
        return {"rows": facts.rows}

    def find_note(self, kind: str | None) -> str:
        """That it was stated, or what the noise means."""
        return self.note_as_stated if kind is None else self.note

    def sentence(self, shown: Number, card: CardData) -> str:
        """Which rows these are."""
        return "rows that have a person" if card.person.columns else self.meaning

    def at_threshold(self, threshold: int, *, persons: bool = False) -> str | None:
        """The threshold in a sentence."""
        if not persons:
            return None
        rows = "row" if threshold == 1 else "rows"
        return f"At most {threshold:,} {rows} of each person were counted."

    def word_interval(self, shown: Number, card: CardData) -> str:
        """That the owner stated it, so that it is public."""
        if shown.epsilon == 0:
            return "as stated"
        return super().word_interval(shown, card)


ROWS = Rows()
