"""A measure: all that the house knows of one number that people read.

One object in one file says what it is, how it is computed, what gets noise and how much a person
moves that, how the interval is made, and every word about it. Planning, running, printing,
explaining and documenting read the object. A **statistic** is what gets noise; a measure is what
people read, a function of what was drawn. `tests/measures/test_every_measure.py` audits every
measure of the registry (`measures/__init__.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from candling.measures.bounds import NO_BOUNDS, NumberBounds
from candling.model.card import CardData, Noisy
from candling.model.number import Bounds, Number
from candling.privacy import Statistic
from candling.rules import Rules

if TYPE_CHECKING:
    from candling.measures.facts import Facts, Part

REFUSED = "Not released, and nothing spent: the rules do not allow it."


class Unit(StrEnum):
    """What a measure counts, which decides on which axis it is drawn."""

    ROWS = "rows"
    CONFLICTS = "conflicts"
    LOG2 = "log₂"
    YES_NO = "yes or no"
    RULE = "a rule"
    BY_RULE = "rows, rule by rule"


@dataclass(frozen=True, slots=True)
class ExactWords:
    """What `candling exact` says of a number."""

    meaning: str
    zero: str | None = None  # instead, where the number is 0
    unknown: str = "not known"  # where it could not be computed
    share: bool = False  # of the rows: shown in percent, too


@dataclass(frozen=True, slots=True)
class Asked:
    """What a release was asked for: decides what a measure costs. Public."""

    measures: tuple[str, ...]
    public_rows: int | None = None
    max_rows: int | None = None
    refused: Mapping[str, str] = field(default_factory=dict)  # measures, and why


@dataclass(frozen=True, slots=True)
class Setting:
    """What shapes the statistics of a release besides the rules. All of it is public."""

    limit: float | None = None  # the most rows that there can be, where that is known
    rows_per_person: int = 1


@dataclass(frozen=True, slots=True)
class Released:
    """What was asked for and what was drawn: all that intervals follow from. A card holds it."""

    asked: Asked
    draws: Mapping[str, Sequence[Noisy]]  # by measure; of `by_rule` one for each rule

    def number(self, name: str) -> NumberBounds | None:
        """A measure without thresholds, if it was drawn."""
        return NumberBounds(self.draws[name][0].draw) if name in self.draws else None


@dataclass(frozen=True, slots=True)
class Numbers(Released):
    """The same, with what a fresh release knows: all that measures are shown from."""

    rules: Rules
    setting: Setting
    parts: Mapping[str, Fraction]  # the epsilon of each measure that was paid for by itself
    together: tuple[str, ...]  # measures that share one draw
    chosen: Mapping[str, int] = field(default_factory=dict)  # by measures that choose a rule

    def epsilon(self, name: str) -> Fraction | None:
        """What was paid for a measure alone; None if it shares the draw, 0 if it costs nothing."""
        return None if name in self.together else self.parts.get(name, Fraction(0))


class Measure:
    """What every measure has. Class attributes are words and constants, methods do the rest."""

    name: ClassVar[str]  # in Python, in JSON and on the command line
    title: ClassVar[str]  # a short name for people
    meaning: ClassVar[str]  # a line below the title
    meaning_of_kept: ClassVar[str | None] = None  # instead, where rows of persons were cut
    note: ClassVar[str]  # what the number and its bounds mean, on the card
    # What the note adds where rows of persons were cut: how the whole table can differ.
    of_kept_rows: ClassVar[str] = "a count of the whole table can be larger, never smaller"
    explanation: ClassVar[str]  # `candling explain NAME`; the first line says it in short
    unit: ClassVar[Unit] = Unit.ROWS
    by_default: ClassVar[bool] = False  # released if the caller names no measures
    thresholded: ClassVar[bool] = False  # cut at a threshold that is drawn, too
    chooses: ClassVar[bool] = False  # chooses a rule by a mechanism of its own: not in the draw
    without_error: ClassVar[str | None] = None  # what `plan` says where there is no error
    says: ClassVar[tuple[str, ...]] = ()  # fields that its value needs: words and gates read them
    exact_words: ClassVar[Mapping[str, ExactWords]] = {}  # of the numbers that `exact` gives
    is_size: ClassVar[bool] = False  # the size of the table: more is neither better nor worse
    makes_grade: ClassVar[bool] = False  # the grade is 1 - this number / rows
    can_gate: ClassVar[bool] = True  # a number that a gate can compare
    per_row: ClassVar[bool] = False  # can be divided by the number of rows
    most_per_row: ClassVar[int | None] = None  # that quotient is never larger

    # Before a table is read

    def refused(self, rules: Rules, asked: Asked) -> str | None:
        """Why the rules do not allow it; None if they do."""
        return None

    def free(self, asked: Asked) -> bool:
        """Whether it is public, or read off other measures at no cost."""
        return False

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """What gets noise, with the sensitivities, and with values of 0: all of it is public.

        Sensitivities are stated here and nowhere else; `plan` and `run` both read them. Proofs:
        docs/privacy.md, Theorems 1 to 5.
        """
        raise NotImplementedError

    # Private: from the table

    def terms(self, part: Part) -> Any:
        """What the measure is made from, of one part of the table."""
        raise NotImplementedError

    def joined(self, parts: Sequence[Any]) -> Any:
        """The terms of the whole table: their sums, entry by entry, unless a measure says else."""
        return tuple(sum(entries) for entries in zip(*parts, strict=True))

    def values(
        self, facts: Facts, setting: Setting, public: Sequence[Statistic]
    ) -> list[tuple[int, ...]]:
        """The values of the statistics, by level."""
        raise NotImplementedError

    def true_statistics(self, facts: Facts, setting: Setting) -> list[Statistic]:
        """The statistics with their values."""
        public = self.statistics(facts.rules, setting)
        values = self.values(facts, setting, public)
        return [replace(s, values=v) for s, v in zip(public, values, strict=True)]

    def choose(self, facts: Facts, setting: Setting, epsilon: Fraction) -> int:
        """The place of a rule, chosen at epsilon, for measures that do."""
        raise NotImplementedError

    def exact_terms(self, part: Part, search: float) -> Any:
        """What the exact measure is made from, of one part; `search` are seconds."""
        return None

    def exact(self, facts: Facts, parts: Sequence[Any]) -> dict[str, Any]:
        """The exact numbers by name. Not private."""
        return {}

    def find_exact_bounds(self, values: Mapping[str, Any]) -> tuple[Fraction, Fraction | None]:
        """What exact numbers say of the measure: a point, or what is known where it is missing."""
        value = values.get(self.name)
        return (Fraction(0), None) if value is None else (Fraction(value), Fraction(value))

    # After the draw: public

    def find_bounds(self, released: Released, at: int = 0) -> Bounds:
        """Where the true value lies, at every level; `at` is the place of the draw."""
        return NO_BOUNDS

    def kinds(self, rules: Rules, setting: Setting) -> list[str]:
        """What each statistic is to the true number: "exact", or a bound of it."""
        return ["exact" for _ in self.statistics(rules, setting)]

    def show(self, numbers: Numbers) -> Number:
        """The measure as a card shows it."""
        raise NotImplementedError

    def show_refused(self, reason: str) -> Number:
        """A measure that the rules do not allow."""
        return Number(self.name, None, Fraction(0), REFUSED, NO_BOUNDS, reason)

    def sentence(self, shown: Number, card: CardData) -> str:
        """What the number says of the table, as surely as it can, for a terminal."""
        raise NotImplementedError

    def word_interval(self, shown: Number) -> str | None:
        """What stands in the place of an interval whose digits would say less; None: nothing."""
        return None

    def at_threshold(self, threshold: int) -> str | None:
        """What the threshold of a released number means; None for measures without one."""
        return None
