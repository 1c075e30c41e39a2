"""Numbers, names and persons as people read them: one wording for every output.

The owner of a table reads them at a terminal, somebody who may not see a row on a page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from candling.model.number import Grade, percent
from candling.model.person import Person

if TYPE_CHECKING:  # every command loads this module
    from candling.model.card import CardData

NOT_PRIVATE = "NOT PRIVATE: these are exact values of the table, for its owner only."
RULES_NOT_PRIVATE = "NOT PRIVATE: these rules come from the rows of the table, for its owner only."
TYPES_NOT_PRIVATE = "NOT PRIVATE: the types come from the rows of the table, for its owner only."
ROWS_NOT_PRIVATE = "NOT PRIVATE: these are rows of the table, for its owner only."
_UNITS = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k"))
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGEST = 690.0  # e to more than this is more than 10³⁰⁰
_SLACK = 1e-9  # of rounding up a float


def number(value: float | str | None) -> float | None:
    """A value if it is a number."""
    return None if isinstance(value, str) else value


def plain(value: float | str | None) -> str:
    """A released value, or a dash."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{int(value):,}" if float(value).is_integer() else f"{value:,.1f}"


def count(number: int, thing: str) -> str:
    """`1 rule`, `2 rules`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def type_source(origin: str, by: str | None) -> str:
    """What states the type of a column."""
    words = {
        "stated": f"stated by {by}" if by == "--type" else f"stated in {by}",
        "implied": f"implied by {by}",
        "declared": "declared in the table",
        "schema": "from the schema",
    }
    return words.get(origin, "no type stated")


def cut(words: str, most: int) -> str:
    """Words, or as much of them as there is room for."""
    return words if len(words) <= most else f"{words[: most - 1]}…"


def show_difference(value: float | None) -> str:
    """A difference."""
    if value is None:
        return "?"
    return "0" if value == 0 else f"{'+' if value > 0 else '−'}{plain(abs(value))}"


def signed_span(low: float | None, high: float | None) -> str:
    """The interval of a difference in words."""
    if low is None and high is None:
        return "unknown"
    if high is None:
        return f"{show_difference(low)} or more"
    if low is None:
        return f"{show_difference(high)} or less"
    return f"{show_difference(low)} to {show_difference(high)}"


def short(value: float) -> str:
    """A round number for an axis: 20k."""
    if value >= 10**15:
        return f"10{str(round(math.log10(value))).translate(_RAISED)}"
    for unit, letter in _UNITS:
        if value >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}"


def amount(epsilon: float | Fraction) -> str:
    """An epsilon, short."""
    return f"{float(epsilon):.3g}"


def factor(epsilon: float) -> str:
    """The number e to the epsilon, rounded up."""
    value = math.exp(epsilon) if epsilon <= _LARGEST else math.inf
    if math.isinf(value):
        return "10³⁰⁰ or more"
    if value >= 10**6:
        power = math.floor(math.log10(value))
        return f"{math.ceil(value / 10 ** (power - 1)) / 10} × 10{str(power).translate(_RAISED)}"
    digits = max(0, 2 - math.floor(math.log10(value)))
    return f"{math.ceil(value * 10**digits - _SLACK) / 10**digits:,.{digits}f}"


CHOOSING = "choose how many rows of each person the grade counts"  # what an epsilon is spent to do
LOWER_BOUNDS = "Counts are lower bounds for the whole table."
HIGH = 5.0  # an epsilon from which on there is a warning
_FEWEST = (
    "The release chooses how many rows of each person the grade counts: the error of the grade is "
    "for the smallest number, and twice as many rows about double it."
)
_LISTED = 3  # columns that a sentence names
_LONGEST = 60  # characters of a name
_BARE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")  # a name that needs no quotes after --person


def statements(card: CardData) -> list[str]:
    """All that a card says of persons, one paragraph each; nothing where no row was looked at."""
    if not card.epsilon:
        return []
    return [f"{guarantee(card.person)} {describe_risk(loss(card))}", *warnings(card)]


def warnings(card: CardData) -> list[str]:
    """What a reader of a card should not miss: a high epsilon, an id of persons that is unused."""
    if not card.epsilon:
        return []
    doubts = (warn_of_epsilon(float(card.epsilon)), find_unused_id(card.person))
    return [doubt for doubt in doubts if doubt is not None]


def warn_of_epsilon(epsilon: float) -> str | None:
    """That an epsilon protects little; None if it does not."""
    if epsilon < HIGH:
        return None
    return (
        f"Epsilon {amount(epsilon)} protects little: it lets a reader's suspicion about one person "
        f"become {factor(epsilon)} times as likely. Around 1 is usual."
    )


def guarantee(person: Person) -> str:
    """Whose rows are protected, and of which rows the numbers are."""
    if not person.columns:
        return describe_promise(person)
    whose_rows = (
        f"Rows with the same {names(person.columns)} belong to one person, and rows without a "
        f"person are left out. {LOWER_BOUNDS}"
    )
    if person.rows is None:
        return whose_rows if person.epsilon is None else f"{whose_rows} {_FEWEST}"
    return (
        f"{whose_rows} The grade counts at most {count(person.most, 'row')} of each person "
        f"({_how(person)})."
    )


def describe_promise(person: Person) -> str:
    """What a release takes for granted of persons, where no column names them."""
    if person.most == 1:
        return "Each row is treated as a different person; use --person if that is wrong."
    return (
        f"Each person is assumed to have at most {person.most:,} rows, which is not checked; use "
        "--person if that may be wrong."
    )


def describe_risk(epsilon: float) -> str:
    """What an epsilon lets a reader find out about one person."""
    return (
        "Suppose a reader suspects that you are in this table: the numbers can make that, or the "
        f"opposite, at most {factor(epsilon)} times as likely."
    )


def loss(card: CardData) -> float:
    """The epsilon that hides a person: where the number of rows is public, it is spent twice."""
    return float(card.epsilon) * (1 if card.about.public_rows is None else 2)


def find_unused_id(person: Person) -> str | None:
    """That a column looks like the id of a person, and that the release does not use it."""
    if not person.unused:
        return None
    are = "it is" if len(person.unused) == 1 else "they are"
    return (
        f"{look_like(person.unused)}, but {are} not used. If a person can have more than "
        f"{rows_in_words(person.most)}, release with {option(person.unused)}, which protects all "
        "rows of a person."
    )


def look_like(columns: Sequence[str]) -> str:
    """That columns have the names of ids."""
    if len(columns) == 1:
        return f"The column {names(columns)} looks like the id of a person"
    return f"The columns {names(columns)} look like ids of persons"


def option(columns: Sequence[str]) -> str:
    """The option that names a person, with the column where it is clear which and how."""
    name, *others = columns
    return f"--person {name}" if _BARE.fullmatch(name) and not others else "--person"


def differ(person: Person) -> str:
    """How neighbouring tables differ, as a noun phrase."""
    if person.columns:
        return "all rows of one person"
    return "one row" if person.most == 1 else f"at most {person.most:,} rows"


def whose(person: Person) -> str:
    """Which rows are one person's."""
    if person.columns:
        return f"rows with the same {names(person.columns)} belong to one person"
    if person.most == 1:
        return "each row is treated as a different person"
    return f"each person is assumed to have at most {person.most:,} rows"


def kind(person: Person) -> str:
    """Where the number of rows of a person comes from, for other programs."""
    if not person.columns:
        return "promised"
    if person.rows is None:
        return "not needed"
    return "stated" if person.epsilon is None else "chosen"


def facts(person: Person) -> dict[str, str]:
    """The same as a list of facts."""
    if not person.columns:
        return {"Person": describe_promise(person)}
    if person.rows is None:
        return {"Person": whose(person)}
    counted = f"at most {person.most:,} ({_how(person)})"
    return {"Person": whose(person), "Rows of each person in the grade": counted}


def name_graded_rows(person: Person) -> str:
    """What the grade is of, where a person is named: being a share, it has no direction."""
    return (
        f"It counts at most {rows_in_words(person.most)} of each person, so the share of the "
        "whole table can be higher or lower."
    )


def word_grade(grade: Grade, person: Person) -> str:
    """The grade as a sentence that is true of all tables that fit the card."""
    remain = "of the rows would remain after the smallest clean-up"
    if person.columns and person.rows is not None:
        remain += f", if each person counts with at most {rows_in_words(person.rows)}"
    low, high = grade.ends_shown
    if grade.low is not None and grade.low == grade.high:
        return f"{percent(grade.low)} {remain}."
    if grade.value is not None:
        return f"About {percent(grade.value)} {remain} ({grade.interval_shown})."
    if low is None and high is None:
        return f"Cannot tell: the noise hides how many {remain}."
    if low is None or high is None:
        return f"{cap(grade.interval_shown)} {remain}."
    return f"Between {low} and {high} {remain}."


def cap(words: str) -> str:
    """Words that start a sentence."""
    return words[:1].upper() + words[1:]


def exact_of(person: Person) -> str | None:
    """Which rows exact numbers are of, where that is not the whole table."""
    if not person.columns:
        return None
    return (
        "Only the rows that the grade of a release counts: "
        f"{rows_of(person)}, and only rows with a person."
    )


def rows_of(person: Person) -> str:
    """The rows that the numbers are of."""
    if not person.columns:
        return "all rows"
    if person.rows is None:
        return f"all rows with a person ({names(person.columns)})"
    return f"at most {count(person.rows, 'row')} of each person ({names(person.columns)})"


def rows_in_words(most: int) -> str:
    """`one row`, `8 rows`: the limit per person."""
    return "one row" if most == 1 else f"{most:,} rows"


def names(columns: Sequence[str]) -> str:
    """Columns in a sentence: `"country" and "patient"`."""
    quoted = [f'"{cut(column, _LONGEST)}"' for column in columns[:_LISTED]]
    if len(columns) > _LISTED:
        quoted.append(f"{len(columns) - _LISTED} more")
    return list_words(quoted)


def list_words(words: Sequence[str]) -> str:
    """`a, b and c`."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def _how(person: Person) -> str:
    """How the number of rows came about."""
    if person.epsilon is None:
        return "as stated"
    return f"chosen with noise, for epsilon {amount(person.epsilon)}"
