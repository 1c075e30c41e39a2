"""`rows`: how many rows the table has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from candling.measures.measure import (
    Asked,
    ExactWords,
    Measure,
    NumberBounds,
    Numbers,
    Released,
    Setting,
    split_miss,
)
from candling.model.card import CardData
from candling.model.number import Ends, Number
from candling.privacy import Statistic
from candling.rules import Rules

if TYPE_CHECKING:
    from candling.measures.facts import Facts


@dataclass(frozen=True, slots=True)
class RowsBounds:
    """The number of rows: stated, bounded by what was stated, or released with noise."""

    noisy: NumberBounds | None
    least: int = 0  # public
    most: int | None = None  # public; None only where there is a noisy number

    @property
    def tails(self) -> int:
        """How many tails an end rests on: 0 if it is public."""
        return int(self.noisy is not None)

    @property
    def value(self) -> int:
        """The number to show, or the most that there can be."""
        return self._within(0 if self.noisy is None else round(self.noisy.value))

    def low(self, miss: float) -> int:
        """Above the number of rows with probability `miss` or less."""
        return self.least if self.noisy is None else self._within(math.ceil(self.noisy.low(miss)))

    def high(self, miss: float) -> int:
        """Below the number of rows with probability `miss` or less."""
        return self._within(0 if self.noisy is None else math.floor(self.noisy.high(miss)))

    def interval(self, level: float) -> Ends:
        """Both ends; the same twice if it was stated."""
        own, _ = split_miss(1 - level, own=2, borrowed=0)
        return self.low(own), self.high(own)

    def _within(self, rows: int) -> int:
        """A noisy number kept within what is public; without noise, the most."""
        if self.most is None:
            return rows
        return self.most if self.noisy is None else min(rows, self.most)


class Rows(Measure):
    """The number of rows: a row moves it by one."""

    name = "rows"
    title = "Rows"
    meaning = "rows in the table"
    meaning_of_kept = "rows of persons that were kept"
    explanation = """\
The number of rows in the table.

It is released with noise like every other number, because the size of a table can reveal whether
someone is in it. If the number is public anyway, set it with `--public-rows`. Then it gets no
noise, and the other numbers get less.
"""
    note = "Number of rows, with noise; the interval covers the true number in 95 of 100 releases."
    note_as_stated = (
        "Number of rows as the owner stated it: public, nothing was spent on it. Where it is "
        "public, tables of equal size are to be compared: exchanging a person's rows counts twice "
        "epsilon."
    )
    by_default = True
    is_size = True
    exact_words: ClassVar = {"rows": ExactWords("rows in the table")}

    def free(self, asked: Asked) -> bool:
        """Where its owner states it."""
        return asked.public_rows is not None

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

    def bounds(self, numbers: Released) -> RowsBounds | None:
        """What a release knows of the number of rows, also where it does not show it."""
        asked = numbers.asked
        if asked.public_rows is not None:
            return RowsBounds(None, asked.public_rows, asked.public_rows)
        noisy = numbers.number(self.name)
        if noisy is None and asked.max_rows is None:
            return None
        return RowsBounds(noisy, most=asked.max_rows)

    def find_bounds(self, released: Released, at: int = 0) -> RowsBounds:
        """What is known of the number of rows, which must have been asked for."""
        rows = self.bounds(released)
        if rows is None:
            raise AssertionError("rows were asked for and not paid")
        return rows

    def show(self, numbers: Numbers) -> Number:
        """The number as stated, or with noise."""
        rows = self.find_bounds(numbers)
        note = self.note_as_stated if rows.noisy is None else self.note
        return Number(self.name, rows.value, numbers.epsilon(self.name), note, rows)

    def sentence(self, shown: Number, card: CardData) -> str:
        """How many there are, and how many of them one person may own."""
        if shown.epsilon == 0:
            return "rows in the table, as its owner says"
        many = card.person.most
        if card.person.columns:
            return f"rows kept, {many:,} of each person at most"
        return "rows in the table" + (f"; one person owns {many:,} at most" if many > 1 else "")

    def word_interval(self, shown: Number) -> str | None:
        """That the owner stated it, so that it is public."""
        return "as stated" if shown.low == shown.high and shown.epsilon == 0 else None


ROWS = Rows()
