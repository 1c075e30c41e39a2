"""A measure: all that the house knows of one number, its bounds and its wording.

Every end of an interval rests on tails of draws: that the noise of a draw was not above (or below)
some quantile. If the tails that an interval rests on fail with probabilities m1, m2, ..., it misses
with probability m1 + m2 + ... or less, whatever the draws have to do with each other (the union
bound). `split_miss` is the one place that deals out the probability to miss; which tails an
interval rests on is decided by the request, never by the data. Proofs: docs/privacy.md, Theorem 15.

What was stated (public_rows, max_rows) is taken for true: intervals that use it hold if it is. The
bounds of a measure stand in its own file.

One object in one file says what it is, how it is computed, what gets noise and how much a person
moves that, how the interval is made, and every word about it. Planning, running, printing,
explaining and documenting read the object. A **statistic** is what gets noise; a measure is what
people read, a function of what was drawn. `tests/measures/test_every_measure.py` audits every
measure of the registry (`measures/__init__.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from candling.model.card import CardData, Noisy
from candling.model.number import Bounds, Ends, Number, digits, percent
from candling.model.person import Person
from candling.privacy import Draw, Drawn, Statistic
from candling.rules import Rules

if TYPE_CHECKING:
    from candling.measures.facts import Facts, Part

_NEVER_MOVED = ("rows", "drastic")  # by what `drastic` says
BORROWED = 0.05  # of the probability to miss, for each tail of a draw that is not the number's own


class PerRowBounds(Bounds, Protocol):
    """Bounds that can be divided by the number of rows."""

    def per_row(self, level: float) -> tuple[Fraction, Fraction]:
        """Bounds of the measure divided by the rows: they hold whenever the interval does."""


def split_miss(miss: float, *, own: int, borrowed: int) -> tuple[float, float]:
    """The probability to miss for each of `own` and of `borrowed` tails; all add up to `miss`.

    `own` tails are of the number's own draw, `borrowed` ones of other draws: these move the
    interval less, so they get less.
    """
    each = BORROWED * miss
    return (miss - borrowed * each) / own, each


@dataclass(frozen=True, slots=True)
class NumberBounds:
    """Both sides of a number with noise."""

    drawn: Drawn
    upper: bool = True  # False: the noisy quantity is itself a lower bound only

    @property
    def value(self) -> Fraction:
        """The noisy number, or 0 if that is below."""
        return max(Fraction(0), self.drawn.value * self.drawn.step)

    def low(self, miss: float) -> Fraction:
        """Above the true number with probability `miss` or less."""
        return max(Fraction(0), self.drawn.lower(miss) * self.drawn.step)

    def high(self, miss: float) -> Fraction:
        """Below the true number with probability `miss` or less."""
        return max(Fraction(0), self.drawn.upper(miss) * self.drawn.step)

    def interval(self, level: float) -> Ends:
        """The noise's quantiles around the value; on one side only if the other means nothing."""
        if not self.upper:
            return number(self.low(1 - level)), None
        own, _ = split_miss(1 - level, own=2, borrowed=0)
        return number(self.low(own)), number(self.high(own))


@dataclass(frozen=True, slots=True)
class FromZero:
    """Bounds whose low end is 0, because the card says that it found no sign of a conflict."""

    bounds: Bounds

    def interval(self, level: float) -> Ends:
        """A lower low end holds no less often."""
        low, high = self.bounds.interval(level)
        return None if low is None else 0, high


@dataclass(frozen=True, slots=True)
class FixedBounds:
    """The same bounds at every level."""

    low: float | None
    high: float | None

    def interval(self, level: float) -> Ends:
        """The bounds."""
        return self.low, self.high


NO_BOUNDS = FixedBounds(None, None)


def number(value: Fraction) -> int | float:
    """A fraction as the plainest number."""
    return int(value) if value.denominator == 1 else float(value)


def whole_low(draw: Draw, miss: float) -> int:
    """Above the true measure, a whole number, with probability `miss` or less."""
    return math.ceil(max(Fraction(0), draw.lower(miss) * draw.step))


def divide(low: int, rows: int | None) -> Fraction:
    """`low` for each of at most `rows` rows; 0 where there are none."""
    return Fraction(low, rows) if rows else Fraction(0)


def start_at_zero(measure: Number, measures: Mapping[str, Number]) -> Number:
    """A number whose interval starts at 0 where the release saw no sign of a broken rule."""
    if measure.value is None or measure.name in _NEVER_MOVED or not no_sign(measures):
        return measure
    return replace(measure, bounds=FromZero(measure.bounds))


def no_sign(measures: Mapping[str, Number]) -> bool:
    """Whether the release says that it saw no sign of a broken rule."""
    return "drastic" in measures and measures["drastic"].value == 0


def share_of_rows(low: float | Fraction, high: float | Fraction, card: CardData) -> str | None:
    """A share of the rows, from the ends of its interval; None if they say nothing."""
    top = None if high >= 1 else percent(high, up=True)
    rows = "of the kept rows" if card.person.columns else "of the rows"
    return span(percent(low, up=False), top, rows)


def number_of_rows(shown: Number) -> str | None:
    """How many rows, from the ends of an interval; None if they say nothing."""
    low, high = shown.interval()
    top = None if high is None else digits(math.ceil(high))
    return span(digits(math.floor(low or 0)), top, "rows")


def span(low: str, high: str | None, unit: str) -> str | None:
    """`3 to 5 rows`, `at least 3 rows`, `at most 5 rows`; None if neither end says anything."""
    nothing = low in ("0", "0%")
    if high is None:
        return None if nothing else f"at least {low} {unit}".rstrip()
    if low == high:
        return f"{low} {unit}".rstrip()
    if nothing:
        return f"at most {high} {unit}".rstrip()
    return f"{low} to {high} {unit}".rstrip()


def describe_kept_rows(person: Person, whole: str) -> str:
    """What the note of each number adds, where a person is named: how the `whole` can differ."""
    return f"It is about the kept rows, at most {person.most:,} of each person: {whole}."


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
    required_fields: ClassVar[
        tuple[str, ...]
    ] = ()  # fields that its value needs: words and gates read them
    exact_words: ClassVar[Mapping[str, ExactWords]] = {}  # of the numbers that `exact` gives
    is_size: ClassVar[bool] = False  # the size of the table: more is neither better nor worse
    makes_grade: ClassVar[bool] = False  # the grade is 1 - this number / rows
    can_gate: ClassVar[bool] = True  # a number that a gate can compare
    per_row: ClassVar[bool] = False  # can be divided by the number of rows
    most_per_row: ClassVar[int | None] = None  # that quotient is never larger

    # Before a table is read

    def find_refusal(self, rules: Rules, asked: Asked) -> str | None:
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

    def join_parts(self, parts: Sequence[Any]) -> Any:
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

    def show_refusal(self, reason: str) -> Number:
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
