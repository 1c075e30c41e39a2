"""Conditions on one row, and the public lists of values that they may name.

A condition is true, false or unknown, as in SQL: a comparison with NULL is unknown. A condition is
kept in one normal form, in which `not` stands only before what has no opposite.

A list in a file is public, and the rule's text names the file only: a digest of the values would
let everybody who sees a card test a guess at a list that was private after all.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from pathlib import Path
from typing import Any, TypeAlias

from candling.records import dataclass
from candling.rules.constraint import (
    CONDITION,
    Column,
    Constant,
    Constraint,
    Op,
    Predicate,
    RowNumber,
)
from candling.rules.patterns import Pattern
from candling.system.files import UnreadableError, read_text

_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_LONGEST_INTEGER = 400
_OPPOSITE = {
    Op.EQ: Op.NE, Op.NE: Op.EQ,
    Op.LT: Op.GE, Op.GE: Op.LT,
    Op.GT: Op.LE, Op.LE: Op.GT,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """Arithmetic or a function of other terms: `+ - * / %`, `abs`, `length`."""

    function: str
    terms: tuple[Term, ...]
    at: int | None = field(default=None, compare=False, repr=False)


Term: TypeAlias = Column | Constant | Call


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two terms compared."""

    left: Term
    op: Op
    right: Term


@dataclass(frozen=True, slots=True)
class IsNull:
    """A column is NULL; never unknown."""

    column: Column


@dataclass(frozen=True, slots=True)
class InList:
    """A column has one of the values of a list."""

    column: Column
    values: tuple[Constant, ...]  # distinct and sorted
    file: str | None = None  # how the list is written, if it is in a public file
    path: Path | None = field(default=None, compare=False, repr=False)  # of that file


@dataclass(frozen=True, slots=True)
class Matches:
    """A pattern is found in the text of a column."""

    column: Column
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a condition."""

    part: Condition


@dataclass(frozen=True, slots=True)
class And:
    """All of the conditions hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One of the conditions holds, at least."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = Comparison | IsNull | InList | Matches | Not | And | Or


def walk(node: Condition | Term) -> Iterator[Condition | Term]:
    """A condition or a term and what it is made of, in order of appearance; not values of lists."""
    yield node
    inner: tuple[Condition | Term, ...] = ()
    match node:
        case Call():
            inner = node.terms
        case Comparison():
            inner = (node.left, node.right)
        case IsNull() | Matches() | InList():
            inner = (node.column,)
        case Not():
            inner = (node.part,)
        case And() | Or():
            inner = node.parts
    for part in inner:
        yield from walk(part)


def columns_of(node: Condition | Term) -> Iterator[Column]:
    """The columns that a condition or a term reads, in order of appearance."""
    return (part for part in walk(node) if isinstance(part, Column))


def constants_of(node: Condition | Term) -> Iterator[Constant]:
    """The constants that a condition or a term compares with, or computes with."""
    for part in walk(node):
        if isinstance(part, Constant):
            yield part
        elif isinstance(part, InList):
            yield from part.values


def predicates_of(condition: Condition, row: RowNumber = 1) -> list[Predicate]:
    """Predicates on one row that hold together where the condition is true."""
    whole = normal(condition)
    parts = whole.parts if isinstance(whole, And) else (whole,)
    return [predicate for part in parts for predicate in _predicates(part, row)]


def make_predicate(condition: Condition, row: RowNumber = 1) -> Predicate:
    """The predicate that a condition in its normal form is true.

    It reads a column that no table has: the engine computes it. Its name, which nobody sees, tells
    lists apart whose files have the same name.
    """
    from candling.rules.printer import condition_text

    lists = "".join(_digest(part) for part in _lists(condition))
    name = CONDITION + condition_text(condition) + lists
    return Predicate(Column(row, name, condition=condition), Op.EQ, Constant(True))


def _predicates(part: Condition, row: RowNumber) -> Iterator[Predicate]:
    if isinstance(part, Comparison) and not isinstance(part.left, Call):
        left, right = part.left, part.right
        if isinstance(left, Column) and isinstance(right, Column):
            yield Predicate(replace(left, row=row), part.op, replace(right, row=row))
            return
        if isinstance(left, Column) and isinstance(right, Constant):
            yield Predicate(replace(left, row=row), part.op, right)
            return
    yield make_predicate(part, row)


def of_predicate(predicate: Predicate) -> Condition:
    """The condition that a predicate on one row states."""
    if predicate.left.condition is not None:
        return predicate.left.condition
    return Comparison(predicate.left, predicate.op, predicate.right)


# How far arithmetic can get


@dataclass(frozen=True, slots=True)
class Range:
    """Powers of ten between which a number lies that was computed in doubles, unless it is 0.

    All values are multiples of 10^unit: a sum cannot come nearer to 0.
    """

    low: int
    high: int
    unit: int


COMPUTED_WITH = 75  # powers of ten: a double beyond is unknown where something is computed of it
_FARTHEST = 300  # powers of ten that the result of a condition may reach
_ULP = 17  # decimal digits between a double and its last bit


def reach_of(term: Term) -> Range:
    """How far a term can get, whatever the types and values of its columns are."""
    match term:
        case Column():
            return Range(-COMPUTED_WITH, COMPUTED_WITH, -COMPUTED_WITH - _ULP)
        case Constant():
            number = term.value if isinstance(term.value, int | Decimal) else 0
            size = Decimal(number).adjusted()
            return Range(size, size + 1, size - _ULP)
    reaches = [reach_of(inner) for inner in term.terms]
    if len(reaches) == 1:
        return reaches[0]
    one, two = reaches
    match term.function:
        case "*":
            low, high = one.low + two.low, one.high + two.high
        case "/":
            low, high = one.low - two.high, one.high - two.low
        case _:
            unit = min(one.unit, two.unit)
            return Range(unit, max(one.high, two.high) + 1, unit)
    return Range(low, high, low - _ULP)


def stays_finite(term: Term) -> bool:
    """Whether no values of the columns can make the term too large, or too small, for a double."""
    reach = reach_of(term)
    return reach.low >= -_FARTHEST and reach.high <= _FARTHEST


# The normal form


def normal(condition: Condition) -> Condition:
    """The condition with `not` pushed inwards, flat, without repeats and in a fixed order."""
    return _normal(condition, positive=True)


def opposite(condition: Condition) -> Condition:
    """The normal form of its opposite: true where the condition is false."""
    return _normal(condition, positive=False)


def _normal(condition: Condition, *, positive: bool) -> Condition:
    match condition:
        case Not():
            return _normal(condition.part, positive=not positive)
        case And() | Or():
            parts = [_normal(part, positive=positive) for part in condition.parts]
            return _join_conditions(And if isinstance(condition, And) is positive else Or, parts)
        case Comparison():
            op = condition.op if positive else _OPPOSITE[condition.op]
            return _orient_comparison(_plain(condition.left), op, _plain(condition.right))
        case InList():
            if len(condition.values) == 1 and condition.file is None:
                op = Op.EQ if positive else Op.NE
                return Comparison(_first_row(condition.column), op, condition.values[0])
            condition = replace(condition, column=_first_row(condition.column))
        case IsNull() | Matches():
            condition = replace(condition, column=_first_row(condition.column))
    return condition if positive else Not(condition)


def _join_conditions(kind: type[And | Or], parts: Iterable[Condition]) -> Condition:
    from candling.rules.printer import condition_text

    flat = [p for part in parts for p in (part.parts if isinstance(part, kind) else (part,))]
    distinct = sorted(dict.fromkeys(flat), key=condition_text)
    return distinct[0] if len(distinct) == 1 else kind(tuple(distinct))


def _orient_comparison(left: Term, op: Op, right: Term) -> Comparison:
    """A constant stands on the right, and arithmetic; else what comes first by its name."""
    exchanged = isinstance(left, Constant) or (
        not isinstance(right, Constant) and _place(left) > _place(right)
    )
    return Comparison(right, op.flipped, left) if exchanged else Comparison(left, op, right)


def _place(term: Term) -> tuple[bool, str]:
    from candling.rules.printer import term_text

    return (False, term.name) if isinstance(term, Column) else (True, term_text(term))


def _plain(term: Term) -> Term:
    match term:
        case Column():
            return _first_row(term)
        case Constant():
            return replace(term, value=shortest(term.value))
        case Call():
            return replace(term, terms=tuple(map(_plain, term.terms)))


def _first_row(column: Column) -> Column:
    return replace(column, row=1)


def shortest(value: Any) -> Any:
    """`1.50` as 1.5 and `2.0` as 2: equal numbers are written the same way."""
    if not isinstance(value, Decimal):
        return value
    value = value.normalize(_EXACT)
    if value.as_tuple().exponent >= 0 and value.adjusted() < _LONGEST_INTEGER:
        return int(value)
    return value


def make_list(column: Column, values: Iterable[Constant], file: str | None = None) -> InList:
    """A list in its one form: each value once, in order."""
    plain = {Constant(shortest(value.value), at=value.at) for value in values}
    return InList(column, tuple(sorted(plain, key=lambda c: (c.type.value, c.value))), file)


MOST_VALUES = 100_000
_LARGEST = 16 << 20  # bytes


class ListError(Exception):
    """Why a list cannot be used, and what to do."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def read_list(folder: Path, name: str, column: str | None) -> tuple[Constant, ...]:
    """The values of a public list: a column of a CSV file, or the lines of a text."""
    try:
        text = read_text(folder / name, most=_LARGEST)
    except UnreadableError as error:
        raise ListError(
            f"the list {name!r} cannot be read: {error}", "paths are seen from the rules file"
        ) from None
    text = text.removeprefix("\ufeff")
    if column is None:
        values = [line.strip() for line in text.split("\n")]
    else:
        values = _column(text, name, column)
    distinct = sorted({value for value in values if value})
    if not distinct:
        raise ListError(f"the list {name!r} has no value")
    if len(distinct) > MOST_VALUES:
        raise ListError(
            f"the list {name!r} has more than {MOST_VALUES:,} values, which is the limit"
        )
    if any("\0" in value for value in distinct):
        raise ListError(f"the list {name!r} holds a NUL character")
    return tuple(map(Constant, distinct))


def list_files(rules: Iterable[Constraint]) -> dict[Path, str]:
    """The files with the public lists of the rules, and how the rules write each."""
    columns = (c for rule in rules for p in rule.predicates for c in p.columns)
    conditions = (c.condition for c in columns if c.condition is not None)
    lists = (part for condition in conditions for part in _lists(condition))
    return {part.path: part.file for part in lists if part.path and part.file}


def _lists(condition: Condition) -> Iterator[InList]:
    parts = (part for part in walk(condition) if isinstance(part, InList))
    return (part for part in parts if part.file is not None)


def _digest(part: InList) -> str:
    text = json.dumps([str(value.value) for value in part.values])  # one may hold a line break
    return CONDITION + hashlib.sha256(text.encode()).hexdigest()


def _column(text: str, name: str, column: str) -> list[str]:
    try:
        tabs = Path(name).suffix.lower() == ".tsv"
        lines = list(csv.reader(io.StringIO(text), delimiter="\t" if tabs else ","))
    except csv.Error:
        raise ListError(f"the list {name!r} is not a CSV file") from None
    header = [cell.strip() for cell in lines[0]] if lines else []
    if header.count(column) != 1:  # the header is not shown: without one, it is a row
        number = "several columns" if column in header else "no column"
        raise ListError(
            f"the list {name!r} has {number} `{column}`", "its first line must hold the names"
        )
    at = header.index(column)
    return [line[at].strip() for line in lines[1:] if len(line) > at]
