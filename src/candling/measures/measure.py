"""A measure: all that the house knows of one number, its statistics and its wording.

One object in one file says what it is, how it is computed, what gets noise and how much a person
moves that, and every word about it. Planning, running, printing, explaining and documenting read
the object. A **statistic** is what gets noise; a measure is what people read: it is read off the
set of possible tables that the draws leave (`model/worlds.py`).
`tests/measures/test_every_measure.py` audits every measure of the registry
(`measures/__init__.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from candling.model.card import CardData
from candling.model.number import Number, word_interval
from candling.model.person import Person
from candling.model.relations import ANY_RULES, RuleFacts
from candling.privacy import Statistic
from candling.records import dataclass
from candling.rules import Rules

if TYPE_CHECKING:
    from candling.measures.facts import Facts, Part, PersonFacts


def describe_sample(person: Person, whole: str) -> str:
    """What the note of a number about a sample adds: how the `whole` table can differ."""
    return f"It is about a sample with at most {person.most:,} rows of each person: {whole}."


NO_UPPER_BOUND_FOR_PERSONS = "No upper bound, because one person can have any number of rows."
NO_UPPER_BOUND = (
    "It has no upper bound, because one row can conflict with all others and the number of rows is "
    "not known. Release `rows` too, or state a public bound with --max-rows."
)
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

    title: str
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
    rules: int = 2  # how many there are that can be broken
    facts: RuleFacts = ANY_RULES  # what they say of all tables
    persons: bool = False  # whether columns name a person

    def has(self, name: str) -> bool:
        """Whether a measure is asked for and allowed."""
        return name in self.measures and name not in self.refused


@dataclass(frozen=True, slots=True)
class Setting:
    """What shapes the statistics of a release besides the rules. All of it is public."""

    limit: float | None = None  # the most rows that there can be, where that is known
    rows_per_person: int = 1  # that a person owns at most, or has in the sample
    sample: int | None = None  # the same, where columns name a person and there is a sample


class Measure:
    """What every measure has. Class attributes are words and constants, methods do the rest."""

    name: ClassVar[str]  # in Python, in JSON and on the command line
    title: ClassVar[str]  # a short name for people
    meaning: ClassVar[str]  # a line below the title
    note: ClassVar[str]  # what the number and its bounds mean, on the card
    note_for_persons: ClassVar[str | None] = None  # instead, where columns name a person
    of_sample: ClassVar[str] = ""  # or what the note adds there, if the number is of a sample
    explanation: ClassVar[str]  # `candling explain NAME`; the first line says it in short
    unit: ClassVar[Unit] = Unit.ROWS
    by_default: ClassVar[bool] = False  # released if the caller names no measures
    thresholded: ClassVar[bool] = False  # cut at a threshold that is drawn, too
    chooses: ClassVar[bool] = False  # chooses a rule by a mechanism of its own: not in the draw
    without_error: ClassVar[str | None] = None  # what `plan` says where there is no error
    exact_words: ClassVar[Mapping[str, ExactWords]] = {}  # of the numbers that `exact` gives
    is_size: ClassVar[bool] = False  # the size of the table: more is neither better nor worse
    makes_grade: ClassVar[bool] = False  # the grade is 1 - this number / rows
    can_gate: ClassVar[bool] = True  # a number that a gate can compare
    per_row: ClassVar[bool] = False  # can be divided by the number of rows
    has_kind: ClassVar[bool] = False  # says of each number how it bounds the true one
    unit_in_json: ClassVar[str | None] = None  # None: it is a count
    most_per_row: ClassVar[int | None] = None  # that quotient is never larger

    # Before a table is read

    def find_refusal(self, rules: Rules, asked: Asked) -> str | None:
        """Why the rules do not allow it; None if they do."""
        return None

    def find_source(self, asked: Asked) -> str | None:
        """The measure whose statistics it is read off: itself, or one that says all; None: none.

        The rules and what was asked for decide that, never the data.
        """
        return self.name

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

    def join_parts(self, parts: Sequence[Any]) -> Any:
        """The terms of the whole table: their sums, entry by entry, unless a measure says else."""
        return tuple(sum(entries) for entries in zip(*parts, strict=True))

    def values(
        self, facts: Facts, setting: Setting, public: Sequence[Statistic]
    ) -> list[tuple[int, ...]]:
        """The values of the statistics, by level."""
        raise NotImplementedError

    def true_statistics(self, facts: Facts | PersonFacts, setting: Setting) -> list[Statistic]:
        """The statistics with their values."""
        public = self.statistics(facts.rules, setting)
        values = self.values(facts, setting, public)  # type: ignore[arg-type]  # of its own kind
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

    def kinds(self, rules: Rules, setting: Setting) -> list[str]:
        """What each statistic is to the true number: "exact", or a bound of it."""
        return ["exact" for _ in self.statistics(rules, setting)]

    def find_note(self, kind: str | None) -> str:
        """The note on the card, for a number of some kind."""
        return self.note

    def sentence(self, shown: Number, card: CardData) -> str:
        """What the number says of the table, which is true of all tables that fit the card."""
        return self.meaning

    def word_interval(self, shown: Number, card: CardData) -> str:
        """The interval in words; more rows or conflicts than there are rows say nothing."""
        counted = self.unit in (Unit.ROWS, Unit.BY_RULE, Unit.CONFLICTS) and not self.is_size
        return word_interval(*shown.interval(), card.worlds().rows[1] if counted else None)

    def at_threshold(self, threshold: int, *, persons: bool = False) -> str | None:
        """What the threshold of a released number means; None for measures without one."""
        return None
