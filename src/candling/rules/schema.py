"""Checks rules against a table's schema, before any row is read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from candling.errors import ConstraintError, Problem, nearest
from candling.rules.conditions import (
    And,
    Call,
    Comparison,
    Condition,
    InList,
    Matches,
    Not,
    Or,
    Term,
    columns_of,
    constants_of,
    shortest,
    walk,
)
from candling.rules.constraint import (
    MOMENTS,
    Column,
    ColumnType,
    Constant,
    Constraint,
    ConstraintSet,
    Op,
    Predicate,
)
from candling.rules.diagnose import TODAY, WRITE_THE_DAY
from candling.rules.printer import name_text, operand_text, term_text, to_text
from candling.rules.types import name_in_table, order_needs_type

_NUMBER = re.compile(r"[+-]?[0-9]{1,400}(\.[0-9]{0,400})?(e[+-]?[0-9]{1,3})?", re.IGNORECASE)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_BOOLEANS = {"true": "true", "1": "true", "false": "false", "0": "false"}
_MOST_NAMES = 6
_OF_TYPES = ("R202", "R203", "R206")
_TEXT_ORDER = (
    "the column holds text, in which '9' comes after '100': state its type, such as `type {}: {}`"
)


def check_schema(
    constraints: ConstraintSet,
    schema: Mapping[str, ColumnType],
    *,
    untyped: Collection[str] = (),
) -> None:
    """Raise one `ConstraintError` with everything that does not fit the columns of `schema`.

    Every column must exist, and only values of one type compare with each other; dates and
    timestamps do, too. Columns that are `untyped` hold text for want of a type: it is equal or
    not, and has no order. The message shows column names, but not if none of them is in a rule: in
    a file without a header, the names are the values of its first row.
    """
    columns = {c for r in constraints for p in r.predicates for c in p.columns}
    sources = {source for column in columns for source in column.sources}
    known = [source for source in sources if kind_of(source, schema) is not None]
    if constraints.columns and not known and not any(_near(n, schema) for n in constraints.columns):
        message = "the table has none of the columns that the rules name"
        hint = (
            "is this the right table? The first line of the file must hold the names of all "
            "columns: remove titles above it, or use --no-header if the file has no header"
        )
        raise ConstraintError((Problem("R205", message, hint=hint),), source=constraints.source)
    problems: dict[Problem, None] = {}
    for constraint in constraints:
        own = list(_problems(constraint, schema, listed=bool(known)))
        if all(problem.code in _OF_TYPES for problem in own):
            own = list(_untyped_problems(constraint, list(schema), untyped)) or own
        problems |= dict.fromkeys(own)
    if problems:
        raise ConstraintError(tuple(problems), source=constraints.source)


def _untyped_problems(
    rule: Constraint, names: Sequence[str], untyped: Collection[str]
) -> Iterator[Problem]:
    """Comparisons that need types which nothing states."""
    for predicate in rule.predicates:
        if (condition := predicate.left.condition) is not None:
            comparisons = [part for part in walk(condition) if isinstance(part, Comparison)]
        else:
            comparisons = [Comparison(predicate.left, predicate.op, predicate.right)]
        for comparison in comparisons:
            ordered = {name_in_table(c, names): c for c in order_needs_type(comparison)}
            found = {name: c for name, c in ordered.items() if name in untyped}
            if found:
                yield _untyped_problem(rule, comparison, found)


def _untyped_problem(
    rule: Constraint, comparison: Comparison, found: Mapping[str | None, Column]
) -> Problem:
    columns = [str(name) for name in found]
    listed = " and ".join(f"`{name}`" for name in columns)
    verb = "has" if len(columns) == 1 else "have"
    computed = any(isinstance(term, Call) for term in (comparison.left, comparison.right))
    what = "arithmetic needs numbers or dates" if computed else "order needs one"
    line = f"type {', '.join(map(name_text, columns))}: {'number' if computed else 'date'}"
    others = "date or date(%d/%m/%Y)" if computed else "number, date(%d/%m/%Y) or text"
    hint = f"add the line `{line}` (or {others}) to the rules"
    return _at(rule, found[next(iter(found))], "R208", f"{listed} {verb} no type: {what}", hint)


def _problems(
    constraint: Constraint, schema: Mapping[str, ColumnType], *, listed: bool
) -> Iterator[Problem]:
    for predicate in constraint.predicates:
        if predicate.left.condition is not None:
            yield from _condition_problems(constraint, predicate.left.condition, schema, listed)
            continue
        problems = [
            problem
            for column in predicate.columns
            for problem in _column_problems(
                constraint, column, schema, listed, string=column is predicate.right
            )
        ]
        yield from problems
        if not problems:
            yield from _mismatch(constraint, predicate, schema)


def _column_problems(
    constraint: Constraint,
    column: Column,
    schema: Mapping[str, ColumnType],
    listed: bool,
    *,
    string: bool = False,
) -> Iterator[Problem]:
    """What is wrong with a column of a rule; as a `string` it may have been meant."""
    kind = kind_of(column, schema)
    hint: str | None
    if kind is None and column.position is not None:
        message = f"the table has no column number {column.position}"
        hint = f"the table has {len(schema)} columns, and they are counted from 0"
        yield _at(constraint, column, "R201", message, hint)
    elif kind is None:
        if string and _is_quoted(constraint, column):
            hint = f"a string takes single quotes: {operand_text(Constant(column.name))}"
        else:
            hint = _difference(column.name, schema) or _near(column.name, schema)
            if column.name.lower() in TODAY:
                hint = WRITE_THE_DAY
            hint = hint or (_listing(schema) if listed else None)
        yield _at(constraint, column, "R201", f"the table has no column {_name(column)}", hint)
    elif kind is ColumnType.OTHER:
        message = f"column {_name(column)} has a type that no rule can compare"
        hint = "rules compare numbers, strings, booleans, dates, timestamps, times and bytes"
        yield _at(constraint, column, "R204", message, hint)


def kind_of(column: Column, schema: Mapping[str, ColumnType]) -> ColumnType | None:
    """The type of a column of the table; None if there is none."""
    name = name_in_table(column, list(schema))
    return None if name is None else schema.get(name)


# Conditions


def _condition_problems(
    constraint: Constraint, condition: Condition, schema: Mapping[str, ColumnType], listed: bool
) -> Iterator[Problem]:
    problems = [
        problem
        for column in columns_of(condition)
        for problem in _column_problems(constraint, column, schema, listed)
    ]
    problems += [
        problem
        for constant in constants_of(condition)
        for problem in _constant_problems(constraint, constant, schema)
    ]
    if problems:
        yield from problems
        return
    try:
        _check_condition(condition, schema)
    except _UnfitError as error:
        yield _at(constraint, error.operand, error.code, str(error), error.hint)


def _constant_problems(
    constraint: Constraint, constant: Constant, schema: Mapping[str, ColumnType]
) -> Iterator[Problem]:
    """What is wrong with a constant, whatever it is compared with."""
    if constant.unquoted and constant.value in schema:
        message = f"`{constant.value}` is a column, and has no row name here"
        hint = f"write t1.{constant.value} for the column, or {operand_text(constant)} for a string"
        yield _at(constraint, constant, "R113", message, hint)
    elif isinstance(constant.value, str) and "\0" in constant.value:
        message = "a string with a NUL character cannot be used in a list or with `or`"
        yield _at(constraint, constant, "R118", message, None)


class _UnfitError(Exception):
    """A part of a condition that makes no sense for the types of its columns."""

    def __init__(self, code: str, message: str, operand: Term, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.operand = operand
        self.hint = hint


def _check_condition(condition: Condition, schema: Mapping[str, ColumnType]) -> None:
    match condition:
        case Not():
            _check_condition(condition.part, schema)
        case And() | Or():
            for part in condition.parts:
                _check_condition(part, schema)
        case Matches():
            if (kind := kind_of(condition.column, schema)) is not ColumnType.STRING:
                message = f"{_name(condition.column)} is a {kind}, and a pattern is for text"
                raise _UnfitError("R206", message, condition.column)
        case InList():
            _check_list(condition, schema)
        case Comparison():
            left, right = (type_of(term, schema) for term in (condition.left, condition.right))
            if left is not right and not {left, right} <= MOMENTS:
                _refuse_comparison(condition, left, right)


def _check_list(condition: InList, schema: Mapping[str, ColumnType]) -> None:
    kind = kind_of(condition.column, schema)
    for value in condition.values:
        fits = value.type is kind or {value.type, kind} <= MOMENTS
        if not fits and condition.file is not None and kind is not None:
            if read_as(value, kind) is None:
                message = (
                    f"{_name(condition.column)} is a {kind}, and {condition.file} has other values"
                )
                raise _UnfitError("R203", message, condition.column)
        elif not fits:
            text = f"the {value.type} {operand_text(value)}"
            message = f"cannot compare {_name(condition.column)} ({kind}) with {text}"
            raise _UnfitError("R203", message, value, _how_to_write(value, kind or value.type))


def read_as(constant: Constant, kind: ColumnType) -> Constant | None:
    """A text from a list as a constant of a column's type; None if it is none."""
    text = str(constant.value).strip()
    try:
        match kind:
            case ColumnType.STRING:
                return constant
            case ColumnType.NUMBER:
                return Constant(shortest(Decimal(text))) if _NUMBER.fullmatch(text) else None
            case ColumnType.BOOLEAN:
                known = _BOOLEANS.get(text.lower())
                return None if known is None else Constant(known == "true")
            case ColumnType.DATE | ColumnType.TIMESTAMP if _DAY.match(text):
                if len(text) == len("2020-01-31"):
                    return Constant(date.fromisoformat(text))
                moment = datetime.fromisoformat(text)
                return Constant(moment) if moment.tzinfo is None else None
    except (InvalidOperation, ValueError):
        return None
    return None


def _refuse_comparison(comparison: Comparison, left: ColumnType, right: ColumnType) -> None:
    other = comparison.right
    if isinstance(other, Constant) and other.value is True and other.at is None:
        message = f"{_what(comparison.left)} is a {left}, not a condition"
        raise _UnfitError("R206", message, comparison.left, "compare it with something")
    if isinstance(other, Constant):
        text = f"the {right} {operand_text(other)}"
        hint = _how_to_write(other, left) if isinstance(comparison.left, Column) else None
        message = f"cannot compare {_what(comparison.left)} ({left}) with {text}"
        raise _UnfitError("R203", message, other, hint)
    message = f"cannot compare {_what(comparison.left)} ({left}) with {_what(other)} ({right})"
    raise _UnfitError("R202", message, other, _how_to_type((comparison.left, left), (other, right)))


def type_of(term: Term, schema: Mapping[str, ColumnType]) -> ColumnType:
    """The type of a term, whose columns are in the table."""
    if isinstance(term, Constant):
        return term.type
    if isinstance(term, Column):
        kind = kind_of(term, schema)
        if kind is None:
            raise AssertionError("columns are checked first")
        return kind
    kinds = [type_of(inner, schema) for inner in term.terms]
    match term.function, kinds:
        case "length", [ColumnType.STRING]:
            return ColumnType.NUMBER
        case "-", [ColumnType.DATE | ColumnType.TIMESTAMP, ColumnType.DATE | ColumnType.TIMESTAMP]:
            return ColumnType.NUMBER  # days
        case "+" | "-", [ColumnType.DATE, ColumnType.NUMBER]:
            return ColumnType.DATE
        case function, _ if function != "length" and {*kinds} == {ColumnType.NUMBER}:
            return ColumnType.NUMBER
    what = " and ".join(f"{_what(t)} ({k})" for t, k in zip(term.terms, kinds, strict=True))
    message = f"`{term.function}` cannot be computed of {what}"
    hint = (
        "length needs text, abs needs a number"
        if len(kinds) == 1
        else "arithmetic needs numbers; the difference of two dates is a number of days"
    )
    raise _UnfitError("R206", message, term, hint)


def _what(term: Term) -> str:
    return f"`{term_text(term)}`"


def _mismatch(
    constraint: Constraint, predicate: Predicate, schema: Mapping[str, ColumnType]
) -> Iterator[Problem]:
    left, right = predicate.left, predicate.right
    kind = kind_of(left, schema)
    other = kind_of(right, schema) if isinstance(right, Column) else right.type
    if kind is None or other is None:
        raise AssertionError("columns are checked first")
    if isinstance(right, Constant) and right.unquoted and right.value in schema:
        yield from _constant_problems(constraint, right, schema)
        return
    if kind is other or {kind, other} <= MOMENTS:
        return
    if isinstance(right, Constant) and right.value is True and right.at is None:
        hint = "compare it with something"
        yield _at(constraint, left, "R206", f"{_name(left)} is a {kind}, not a condition", hint)
    elif isinstance(right, Column):
        message = f"cannot compare {_name(left)} ({kind}) with {_name(right)} ({other})"
        yield _at(constraint, right, "R202", message, _how_to_type((left, kind), (right, other)))
    else:
        message = f"cannot compare {_name(left)} ({kind}) with the {other} {operand_text(right)}"
        ordered = predicate.op not in (Op.EQ, Op.NE)
        hint = _how_to_write(right, kind)
        if ordered and kind is ColumnType.STRING:
            hint = _TEXT_ORDER.format(name_text(left.name), other)
        yield _at(constraint, right, "R203", message, hint)


def _how_to_type(*sides: tuple[Term, ColumnType]) -> str | None:
    """The line that gives a column of text the type of what it is compared with."""
    for (term, kind), (_, other) in (sides, sides[::-1]):
        typed = other in (ColumnType.NUMBER, ColumnType.BOOLEAN, *MOMENTS)
        if isinstance(term, Column) and kind is ColumnType.STRING and typed:
            return f"state the type of the text: `type {name_text(term.name)}: {other}`"
    return None


def _at(
    constraint: Constraint,
    operand: Column | Constant | Call,
    code: str,
    message: str,
    hint: str | None,
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


def _difference(name: str, schema: Mapping[str, ColumnType]) -> str | None:
    """`Net-Tax` where there are columns of both names."""
    parts = name.split("-")
    if len(parts) < 2 or not all(part in schema or part.isdigit() for part in parts):
        return None
    return f"for a difference, put spaces around the sign: {' - '.join(parts)}"


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
