"""Checks rules against a table's schema, before any row is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from candling.errors import ConstraintError, Problem
from candling.rules.model import (
    Column,
    ColumnType,
    Constant,
    Constraint,
    ConstraintSet,
    Op,
    Predicate,
)
from candling.rules.text import operand_text, to_text
from candling.suggest import nearest

_MOMENTS = {ColumnType.DATE, ColumnType.TIMESTAMP}
_BOOLEANS = {"true": "true", "1": "true", "false": "false", "0": "false"}
_MOST_NAMES = 6
_TEXT_ORDER = (
    "the column holds text, in which '9' comes after '100': store its values with their type; in a "
    "CSV file one cell that does not fit makes the whole column text"
)


def check_schema(constraints: ConstraintSet, schema: Mapping[str, ColumnType]) -> None:
    """Raise one `ConstraintError` with everything that does not fit the columns of `schema`.

    Every column must exist, and only values of one type compare with each other; dates and
    timestamps do, too. The message shows column names, but not if none of them is in a rule: in a
    file without a header, the names are the values of its first row.
    """
    known = [name for name in constraints.columns if name in schema]
    if constraints.columns and not known and not any(_near(n, schema) for n in constraints.columns):
        message = "the table has none of the columns that the rules name"
        hint = "is it the right table, and does its first line hold the column names?"
        raise ConstraintError((Problem("R205", message, hint=hint),), source=constraints.source)
    problems = dict.fromkeys(
        p for c in constraints for p in _problems(c, schema, listed=bool(known))
    )
    if problems:
        raise ConstraintError(tuple(problems), source=constraints.source)


def _problems(
    constraint: Constraint, schema: Mapping[str, ColumnType], *, listed: bool
) -> Iterator[Problem]:
    for predicate in constraint.predicates:
        missing = [c for c in predicate.columns if c.name not in schema]
        unfit = [c for c in predicate.columns if schema.get(c.name) is ColumnType.OTHER]
        for column in missing:
            message = f"there is no column {_name(column)}"
            hint: str | None
            if _is_quoted(constraint, column) and column is predicate.right:
                hint = f"a string takes single quotes: {operand_text(Constant(column.name))}"
            else:
                hint = _near(column.name, schema) or (_listing(schema) if listed else None)
            yield _at(constraint, column, "R201", message, hint)
        for column in unfit:
            message = f"column {_name(column)} has a type that no rule can compare"
            hint = "rules compare numbers, strings, booleans, dates, timestamps, times and bytes"
            yield _at(constraint, column, "R204", message, hint)
        if not missing and not unfit:
            yield from _mismatch(constraint, predicate, schema)


def _mismatch(
    constraint: Constraint, predicate: Predicate, schema: Mapping[str, ColumnType]
) -> Iterator[Problem]:
    left, right = predicate.left, predicate.right
    kind = schema[left.name]
    other = schema[right.name] if isinstance(right, Column) else right.type
    if kind is other or {kind, other} <= _MOMENTS:
        return
    if isinstance(right, Column):
        message = f"cannot compare {_name(left)} ({kind}) with {_name(right)} ({other})"
        yield _at(constraint, right, "R202", message, None)
    else:
        message = f"cannot compare {_name(left)} ({kind}) with the {other} {operand_text(right)}"
        ordered = predicate.op not in (Op.EQ, Op.NE)
        hint = _TEXT_ORDER if ordered and kind is ColumnType.STRING else _how_to_write(right, kind)
        yield _at(constraint, right, "R203", message, hint)


def _at(
    constraint: Constraint, operand: Column | Constant, code: str, message: str, hint: str | None
) -> Problem:
    return Problem(
        code,
        message,
        line=constraint.line,
        column=operand.at if constraint.text is not None else None,
        text=to_text(constraint) if constraint.text is None else constraint.text,
        hint=hint,
    )


def _name(column: Column) -> str:
    return f"`{column.name}`"


def _is_quoted(constraint: Constraint, column: Column) -> bool:
    return bool(constraint.text and column.at and constraint.text[column.at - 1] == '"')


def _near(name: str, schema: Mapping[str, ColumnType]) -> str | None:
    """The column that was probably meant, if any."""
    by_case = [known for known in schema if known.casefold() == name.casefold()]
    if by_case:
        return f"upper and lower case differ: did you mean `{by_case[0]}`?"
    folded = {known.casefold(): known for known in schema}
    if (near := nearest(name.casefold(), folded)) is not None:
        return f"did you mean `{folded[near]}`?"
    return None


def _listing(schema: Mapping[str, ColumnType]) -> str:
    names = ", ".join(f"`{known}`" for known in list(schema)[:_MOST_NAMES])
    more = len(schema) - _MOST_NAMES
    return f"the columns are {names}" + (f" and {more} more" if more > 0 else "")


def _how_to_write(constant: Constant, kind: ColumnType) -> str:
    """How to write a constant for a column of type `kind`: this one, if it can be read as such."""
    text = str(constant.value).strip()
    match kind:
        case ColumnType.STRING:
            return f"a string takes single quotes: '{operand_text(constant)}'"
        case ColumnType.NUMBER:
            same, example = _as_number(text), "42"
        case ColumnType.BOOLEAN:
            same, example = _BOOLEANS.get(text.lower()), "true"
        case ColumnType.DATE:
            same, example = _as_moment(text), "2020-01-31"
        case ColumnType.TIMESTAMP:
            same, example = _as_moment(text), "2020-01-31T12:00:00"
        case _:
            return f"no constant of type {kind} can be written: compare it with another column"
    return f"a {kind} takes no quotes" + (f": {same}" if same else f", such as {example}")


def _as_number(text: str) -> str | None:
    try:
        return text if Decimal(text).is_finite() else None
    except InvalidOperation:
        return None


def _as_moment(text: str) -> str | None:
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            moment = read(text)
        except ValueError:
            continue
        if not isinstance(moment, datetime) or moment.tzinfo is None:
            return moment.isoformat()
    return None
