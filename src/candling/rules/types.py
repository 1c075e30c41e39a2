"""Types of columns that carry none: stated in `type` lines or by the caller, or implied by rules.

Rules and statements are public, so the types are: no cell decides how another is compared. A column
in a format without types is text unless a type is

1. stated: `type Charge: number` in the rules, or the same by `--type`, `Reading.types` or
   candling.toml;
2. declared: by a column of SQLite that a rule reads;
3. implied: by a rule that compares the column with a number, a date, a truth value or a text.

A column whose type comes from a schema keeps it, and so do texts there unless a type is stated.
Each type but text makes a row rule: a cell that does not fit breaks it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from candling.errors import ConstraintError, Problem, UsageError, did_you_mean, nearest
from candling.reading import NO_READING, TEXT, Reading, StatedType, UnknownTypeError, parse_type
from candling.records import dataclass
from candling.rules.conditions import Call, Comparison, Condition, InList, Term, walk
from candling.rules.constraint import (
    CONDITION,
    MOMENTS,
    Column,
    ColumnType,
    Constant,
    Constraint,
    ConstraintSet,
    Op,
    Predicate,
    TypeLine,
)
from candling.rules.diagnose import Mistake, unquote
from candling.rules.printer import LETTERS, name_text

KINDS = {
    "text": ColumnType.STRING,
    "integer": ColumnType.NUMBER,
    "number": ColumnType.NUMBER,
    "decimal": ColumnType.NUMBER,
    "boolean": ColumnType.BOOLEAN,
    "date": ColumnType.DATE,
    "timestamp": ColumnType.TIMESTAMP,
}
"""What a stated type can be compared with."""
_IMPLIED = {
    ColumnType.NUMBER: StatedType("number"),
    ColumnType.STRING: TEXT,
    ColumnType.BOOLEAN: StatedType("boolean"),
    ColumnType.DATE: StatedType("date"),
    ColumnType.TIMESTAMP: StatedType("timestamp"),
}
_ONE = rf'(?:{LETTERS}|(?:[Uu]&)?"(?:[^"]|"")*")'
_LINE = re.compile(rf"\s*type\s+(?P<names>{_ONE}(?:\s*,\s*{_ONE})*)\s*:(?P<type>.*)", re.DOTALL)
_NAME = re.compile(_ONE)
_COMMENT = re.compile(r"\s#.*")


class Origin(StrEnum):
    """Who says what type a column has."""

    SCHEMA = "schema"
    STATED = "stated"
    DECLARED = "declared"
    IMPLIED = "implied"
    NONE = "none"  # nobody: it is text


@dataclass(frozen=True, slots=True)
class Statement:
    """The type that the texts of a column are read as, and who says so."""

    type: StatedType
    origin: Origin
    by: str  # in words: "line 3", "--type", "`Age > 0` (line 4)"
    line: TypeLine | None = None


@dataclass(frozen=True, slots=True)
class Statements:
    """What is stated about the types of a table's columns: by its rules and by the caller."""

    rules: ConstraintSet
    reading: Reading = NO_READING
    person: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that rules, caller and person name: all that a table of JSON has."""
        return tuple(dict.fromkeys((*self.rules.named, *self.reading.types, *self.person)))


NO_RULES = ConstraintSet(())
NOTHING_STATED = Statements(NO_RULES)

# Type lines


def is_type_line(rule: str) -> bool:
    """Whether a line of a rules file states a type."""
    return _LINE.fullmatch(rule) is not None


def read_type_line(rule: str, *, line: int | None, text: str, offset: int = 0) -> list[TypeLine]:
    """The types that a line states; raises Mistake."""
    parts = _LINE.fullmatch(rule)
    if parts is None:
        raise AssertionError("it is asked first")
    written = _COMMENT.sub("", parts["type"])
    start = parts.start("type") + len(written) - len(written.lstrip())
    if not written.strip():
        raise Mistake("R124", "the type is missing", len(rule.rstrip()), "such as `number`")
    try:
        stated = parse_type(written)
    except UnknownTypeError as error:
        raise Mistake(
            "R124", f"{str(error)[:1].lower()}{str(error)[1:]}", start, error.hint
        ) from None
    found: list[TypeLine] = []
    for match in _NAME.finditer(parts["names"]):
        name = unquote(match[0]) if match[0].endswith('"') else match[0]
        at = parts.start("names") + match.start()
        found.append(TypeLine(name, stated, line=line, at=offset + at + 1, text=text))
    return found


def conflicting_lines(lines: Iterable[TypeLine]) -> Iterator[Problem]:
    """Columns for which two lines state different types."""
    first: dict[str, TypeLine] = {}
    for line in lines:
        other = first.setdefault(line.column, line)
        if other.type != line.type:
            before = "an earlier line" if other.line is None else f"line {other.line}"
            yield _problem(
                line,
                "R125",
                f"`{line.column}` is {line.type} here and {other.type} in {before}",
                "keep one of the two",
            )


def _problem(line: TypeLine, code: str, message: str, hint: str | None) -> Problem:
    return Problem(code, message, line=line.line, column=line.at, text=line.text, hint=hint)


# What is stated and implied


def stated_types(rules: ConstraintSet, reading: Reading) -> dict[str, Statement]:
    """The types that rules and caller state; a ConstraintError names two that differ."""
    found = {
        line.column: Statement(
            line.type,
            Origin.STATED,
            "the rules" if line.line is None else f"line {line.line}",
            line,
        )
        for line in rules.types
    }
    problems = []
    for column, stated in reading.stated.items():
        other = found.setdefault(column, Statement(stated, Origin.STATED, "--type"))
        if other.type != stated and other.line is not None:
            message = f"`{column}` is {other.type} here and {stated} by --type"
            hint = "keep one of the two (--type, `types` and candling.toml state the same)"
            problems.append(_problem(other.line, "R125", message, hint))
    if problems:
        raise ConstraintError(tuple(problems), source=rules.source)
    return found


def implied_types(
    rules: ConstraintSet, columns: Sequence[str], *, among: Collection[str]
) -> dict[str, Statement]:
    """The types of some columns that rules imply; a ConstraintError names two that differ.

    A comparison with a constant implies the type of the constant: of a column itself, or of the
    one column in arithmetic with constants. Nothing else does.
    """
    found: dict[str, tuple[ColumnType, Constraint]] = {}
    problems = []
    for rule in rules:
        for column, kind in _implied(rule):
            name = name_in_table(column, columns)
            if name is None or name not in among:
                continue
            known, other = found.setdefault(name, (kind, rule))
            if {known, kind} <= MOMENTS:
                if kind is ColumnType.TIMESTAMP:
                    found[name] = kind, rule
            elif known is not kind:
                message = (
                    f"`{name}` is compared with a {kind} here and with a {known} in {_rule(other)}"
                )
                problems.append(
                    Problem(
                        "R125",
                        message,
                        line=rule.line,
                        column=column.at if rule.text is not None else None,
                        text=str(rule) if rule.text is None else rule.text,
                        hint="a column has one type: change one of the rules",
                    )
                )
    if problems:
        raise ConstraintError(tuple(dict.fromkeys(problems)), source=rules.source)
    return {
        name: Statement(_IMPLIED[kind], Origin.IMPLIED, _rule(rule))
        for name, (kind, rule) in found.items()
    }


def _rule(rule: Constraint) -> str:
    line = "" if rule.line is None else f" (line {rule.line})"
    return f"`{rule}`{line}"


def name_in_table(column: Column, columns: Sequence[str]) -> str | None:
    """The name of the table's column that a rule reads; None for a number beyond its columns."""
    if column.position is None:
        return column.name
    return columns[column.position] if column.position < len(columns) else None


def names_read(rules: ConstraintSet, columns: Sequence[str]) -> set[str | None]:
    """The names of the table's columns that rules read."""
    sources = {s for r in rules for p in r.predicates for c in p.columns for s in c.sources}
    return {name_in_table(column, columns) for column in sources}


def _implied(rule: Constraint) -> Iterator[tuple[Column, ColumnType]]:
    for predicate in rule.predicates:
        if predicate.left.condition is not None:
            yield from _implied_by(predicate.left.condition)
        elif isinstance(predicate.right, Constant):
            yield predicate.left, predicate.right.type


def _implied_by(condition: Condition) -> Iterator[tuple[Column, ColumnType]]:
    for part in walk(condition):
        match part:
            case InList() if part.file is None:
                yield from ((part.column, value.type) for value in part.values[:1])
            case Comparison(term, _, Constant() as constant) | Comparison(
                Constant() as constant, _, term
            ):
                if (found := _implied_operand(term, constant.type)) is not None:
                    yield found


def _implied_operand(term: Term, kind: ColumnType) -> tuple[Column, ColumnType] | None:
    """The one column in arithmetic with constants, and its type if the result has this one."""
    match term:
        case Column():
            return term, kind
        case Call("length"):
            return None
        case Call("abs", (inner,)):
            return _implied_operand(inner, ColumnType.NUMBER)
        case Call(_, (left, right)):
            constants = [side for side in (left, right) if isinstance(side, Constant)]
            if len(constants) != 1 or constants[0].type is not ColumnType.NUMBER:
                return None
            return _implied_operand(right if left is constants[0] else left, kind)
    return None


# The types of a table's columns


def choose_types(
    statements: Statements,
    schema: Mapping[str, ColumnType],
    *,
    untyped: Collection[str] = (),
    declared: Mapping[str, StatedType] | None = None,
) -> dict[str, Statement]:
    """What texts of a table are read as, by column: a function of header, schema and statements.

    Args:
        statements: those of the rules and of the caller.
        schema: the columns, and what each holds before a type is applied.
        untyped: columns of text whose format has no types.
        declared: types of such columns that the file declares and does not enforce.
    """
    rules = statements.rules
    types: dict[str, Statement] = {}
    problems: list[Problem] = []
    for column, stated in stated_types(rules, statements.reading).items():
        kind, wanted = schema.get(column), KINDS[stated.type.kind]
        if kind is None:
            problems += _no_column(column, stated, schema)
        elif kind is ColumnType.STRING:
            types[column] = stated
        elif kind is not wanted and not {kind, wanted} <= MOMENTS:
            problems += _other_type(column, stated, kind)
    if problems:
        raise ConstraintError(tuple(problems), source=rules.source)
    names = list(schema)
    read = names_read(rules, names)
    left = {name for name in untyped if name in read and name not in types}
    for name, by_file in (declared or {}).items():
        if name in left:
            types[name] = Statement(by_file, Origin.DECLARED, "the table")
    types |= implied_types(rules, names, among=left - set(types))
    if statements.reading.decimal != ",":
        return types
    return {
        column: replace(stated, type=replace(stated.type, comma=True))
        if stated.type.kind == "number"
        else stated
        for column, stated in types.items()
    }


def _no_column(
    column: str, stated: Statement, schema: Mapping[str, ColumnType]
) -> Iterator[Problem]:
    if stated.line is not None:
        near = nearest(column, schema)
        hint = None if near is None else f"did you mean `{near}`?"
        yield _problem(stated.line, "R201", f"the table has no column `{column}`", hint)
        return
    raise UsageError(
        f"--type names column {column!r}, which the table does not have."
        f"{did_you_mean(column, schema)}",
        code="U110",
    )


def _other_type(column: str, stated: Statement, kind: ColumnType) -> Iterator[Problem]:
    message = f"`{column}` is a {kind} in the table, and {stated.by} states {stated.type}"
    if stated.line is not None:
        hint = "only columns of text need a type: leave this one out"
        yield _problem(stated.line, "R207", message, hint)
        return
    raise UsageError(f"{message}. Only columns of text need a type: leave it out.", code="U110")


def type_rule(column: str, stated: StatedType) -> Constraint:
    """The rule that every cell of a column fits its type: NULL does.

    It reads a column that the table adds: whether a cell does not fit.
    """
    line = f"type {name_text(column)}: {stated}"
    misfit = Column(1, CONDITION + line, of=column)
    return Constraint((Predicate(misfit, Op.EQ, Constant(True)),), label=f"type-{column}")


def type_rules(types: Mapping[str, Statement]) -> tuple[Constraint, ...]:
    """One rule for each type that a cell may not fit."""
    return tuple(
        type_rule(column, stated.type) for column, stated in types.items() if stated.type != TEXT
    )


def order_needs_type(condition: Comparison) -> list[Column]:
    """The columns whose order, or arithmetic, a comparison asks for."""
    found: list[Column] = []
    for term in (condition.left, condition.right):
        found += _computed(term)
        if condition.op not in (Op.EQ, Op.NE) and isinstance(term, Column):
            found.append(term)
    return found


def _computed(term: Term) -> list[Column]:
    """Columns in arithmetic; `length` is of texts."""
    if not isinstance(term, Call) or term.function == "length":
        return []
    return [
        column
        for inner in term.terms
        for column in ([inner] if isinstance(inner, Column) else _computed(inner))
    ]
