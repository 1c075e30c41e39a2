"""SQL: the keys, NOT NULL and CHECK of CREATE TABLE, ALTER TABLE and CREATE UNIQUE INDEX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from candling.errors import UsageError
from candling.imports.draft import NULLS_EQUAL, Draft, UnsupportedRuleError, find_type
from candling.imports.sql_conditions import of_tree, quiet
from candling.reading import StatedType
from candling.records import dataclass

NAME = "sql"
_NULLS_EQUAL = ("oracle", "tsql")  # dialects whose UNIQUE does not let NULL pass
_ADD = re.compile(r"\bADD\s+(?:CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN)\b", re.IGNORECASE)
_ALTERED = re.compile(r'\s*TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?([\w."`\[\]$]+)', re.IGNORECASE)


@dataclass
class Table:
    """What the statements of a file say of one table."""

    name: str
    definitions: list[Any] = field(default_factory=list)  # columns and constraints, as trees
    indexes: list[Any] = field(default_factory=list)
    not_read: list[tuple[str, str]] = field(default_factory=list)  # statements, and why not


def statements(text: str, dialect: str | None, source: str) -> list[Any]:
    """The trees of all statements; a text for each that cannot be read."""
    with quiet():
        try:
            return [tree for tree in sqlglot.parse(text, read=dialect) if tree is not None]
        except (SqlglotError, RecursionError):
            pass
        try:
            pieces = _pieces(text, dialect)
        except (SqlglotError, RecursionError, ValueError):
            raise UsageError(
                f"{source!r} cannot be imported: it is not SQL of {dialect or 'a usual dialect'}. "
                "Try another one with --dialect.",
                code="U501",
            ) from None
        return [_one(piece, dialect) for piece in pieces]


def _pieces(text: str, dialect: str | None) -> list[str]:
    start, found = 0, []
    for token in sqlglot.tokenize(text, read=dialect):
        if token.token_type.name == "SEMICOLON":
            found.append(text[start : token.start])
            start = token.end + 1
    return [piece for piece in (*found, text[start:]) if piece.strip()]


def _one(piece: str, dialect: str | None) -> Any:
    try:
        return sqlglot.parse_one(piece, read=dialect)
    except (SqlglotError, RecursionError, ValueError):
        return piece.strip()


def tables(trees: list[Any]) -> dict[str, Table]:
    """Every table that is made or altered, by its name without its schema."""
    found: dict[str, Table] = {}

    def at(name: str) -> Table:
        known = next((t for n, t in found.items() if n.lower() == name.lower()), None)
        return known or found.setdefault(name, Table(name))

    for tree in trees:
        if isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema):
            at(tree.this.this.name).definitions += tree.this.expressions
        elif isinstance(tree, exp.Create) and tree.args.get("unique"):
            index = tree.this
            if isinstance(index, exp.Index) and index.args.get("table") is not None:
                at(index.args["table"].name).indexes.append(index)
        elif isinstance(tree, exp.Alter):
            at(tree.this.name).definitions += _walk_added_constraints(tree)
        else:
            _not_understood(tree, at)
    return found


def _walk_added_constraints(tree: Any) -> Iterator[Any]:
    for action in tree.args.get("actions") or []:
        if isinstance(action, exp.AddConstraint):
            yield from action.expressions
        elif isinstance(action, exp.ColumnDef):
            yield action


def _not_understood(tree: Any, at: Any) -> None:
    """Remember statements that may hold constraints, and that cannot be read."""
    if isinstance(tree, exp.Command) and str(tree.this).upper() == "ALTER":
        text = str(tree.args.get("expression") or "")
    elif isinstance(tree, str) and re.match(r"\s*(ALTER|CREATE)\s+TABLE\b", tree, re.IGNORECASE):
        text = re.sub(r"^\s*(ALTER|CREATE)", "", tree, flags=re.IGNORECASE)
        if tree.lstrip()[:6].upper() == "CREATE":
            text = re.sub(r"IF\s+NOT\s+EXISTS\s+", "", text, count=1, flags=re.IGNORECASE)
    else:
        return
    named = _ALTERED.match(text)
    if named is not None and (isinstance(tree, str) or _ADD.search(text)):
        name = named[1].rpartition(".")[2].strip('"`[]')
        at(name).not_read.append((" ".join(text.split())[:60], "this statement cannot be read"))


def types(table: Table) -> dict[str, StatedType]:
    """The types of the columns."""
    return {
        part.this.name: kind
        for part in table.definitions
        if isinstance(part, exp.ColumnDef)
        and part.args.get("kind") is not None
        and (kind := find_type(_sized_name(part.args["kind"]))) is not None
    }


def _type_name(kind: Any) -> str:
    name = kind.this
    return str(getattr(name, "value", name)) if isinstance(kind, exp.DataType) else kind.sql()


def _sized_name(kind: Any) -> str:
    """The same with its digits, as `DECIMAL(10, 2)`."""
    sizes = ", ".join(size.name for size in kind.expressions)
    return f"{_type_name(kind)}({sizes})" if sizes else _type_name(kind)


def read(table: Table, draft: Draft) -> None:
    """Add the constraints of one table."""
    for text, reason in table.not_read:
        draft.leave(draft.origin(0, table.name, text), reason)
    for part in table.definitions:
        if isinstance(part, exp.ColumnDef):
            _column(part, table, draft)
        else:
            _constraint(part, None, table, draft)
    for index in table.indexes:
        _index(index, table, draft)


def _column(column: Any, table: Table, draft: Draft) -> None:
    name = column.this.name
    kind = column.args.get("kind")
    if isinstance(kind, exp.DataType) and _type_name(kind).upper() == "ENUM":
        origin = draft.origin(_line(column), f"{table.name}.{name}", "ENUM")
        with draft.listing(origin):
            values = [value.name for value in kind.expressions]
            rule = f"{draft.columns.text(name)} in {draft.columns.write_list(values, name)}"
            draft.rule(rule, origin, (name, "enum"))
    for constraint in column.args.get("constraints") or []:
        label = constraint.this.name if constraint.this is not None else None
        _say(constraint.args.get("kind"), [name], label, _line(column), table=table, draft=draft)


def _constraint(part: Any, label: str | None, table: Table, draft: Draft) -> None:
    if isinstance(part, exp.Constraint):
        for inner in part.expressions:
            _constraint(inner, part.this.name, table, draft)
        return
    if isinstance(part, exp.PrimaryKey):
        names = [_name(node) for node in part.expressions]
    elif isinstance(part, exp.UniqueColumnConstraint) and isinstance(part.this, exp.Schema):
        names = [_name(node) for node in part.this.expressions]
    else:
        names = []
    _say(part, names, label, _line(part), table=table, draft=draft)


def _say(
    part: Any, names: list[str], label: str | None, line: int, *, table: Table, draft: Draft
) -> None:
    about = f"{table.name}.{names[0]}" if len(names) == 1 else table.name
    constraint = _WORDS.get(type(part).__name__)
    if constraint is None:  # a default, a comment, how a value is made: nothing about rows
        return
    origin = draft.origin(line, about, constraint, label)
    with draft.listing(origin):
        if isinstance(part, exp.NotNullColumnConstraint):
            if not part.args.get("allow_null"):
                draft.not_null(names[0], origin)
        elif isinstance(part, exp.PrimaryKey | exp.PrimaryKeyColumnConstraint):
            for name in names:
                draft.not_null(name, origin)
            draft.key(names, origin, word="primary_key")
        elif isinstance(part, exp.UniqueColumnConstraint):
            equal = part.args.get("nulls") or draft.dialect in _NULLS_EQUAL
            differs = NULLS_EQUAL if equal else None
            draft.key(names, origin, differs=differs)
        elif isinstance(part, exp.CheckColumnConstraint):
            said = of_tree(part.this, draft.columns, draft.dialect)
            words = (label,) if label else (*(names or _columns_in(part)), "check")
            draft.rule(said.rule, origin, words, differs=said.differs)
        elif isinstance(part, exp.ForeignKey | exp.Reference):
            _foreign_key(part, names, origin, draft)


_WORDS = {
    "NotNullColumnConstraint": "NOT NULL",
    "PrimaryKey": "PRIMARY KEY",
    "PrimaryKeyColumnConstraint": "PRIMARY KEY",
    "UniqueColumnConstraint": "UNIQUE",
    "CheckColumnConstraint": "CHECK",
    "ForeignKey": "FOREIGN KEY",
    "Reference": "REFERENCES",
}


def _columns_in(part: Any) -> list[str]:
    return list(dict.fromkeys(column.name for column in part.find_all(exp.Column)))[:3]


def _foreign_key(part: Any, names: list[str], origin: str, draft: Draft) -> None:
    reference = part.args.get("reference") if isinstance(part, exp.ForeignKey) else part
    names = (
        [_name(node) for node in part.expressions] if isinstance(part, exp.ForeignKey) else names
    )
    target = None if reference is None else reference.this
    parent = target.this.name if isinstance(target, exp.Schema) else getattr(target, "name", "")
    fields = [_name(node) for node in target.expressions] if isinstance(target, exp.Schema) else []
    if len(names) != 1 or not parent:
        raise UnsupportedRuleError("it refers to several columns of another table")
    rule = draft.in_public_list(names[0], parent, fields[0] if fields else names[0])
    draft.rule(rule, origin, (names[0], "references", parent))


def _index(index: Any, table: Table, draft: Draft) -> None:
    origin = draft.origin(_line(index), table.name, "UNIQUE INDEX", index.name)
    parameters = index.args.get("params")
    with draft.listing(origin):
        if parameters is None:
            raise UnsupportedRuleError("it names no column")
        names = [_name(node) for node in parameters.args.get("columns") or []]
        where = parameters.args.get("where")
        said = None if where is None else of_tree(where.this, draft.columns, draft.dialect)
        draft.key(names, origin, where=None if said is None else said.text)


def _name(node: Any) -> str:
    """The column that a node of a list of columns stands for."""
    while isinstance(node, exp.Ordered | exp.Paren):
        node = node.this
    if isinstance(node, exp.Column):
        node = node.this
    if isinstance(node, exp.Identifier):
        return str(node.this)
    raise UnsupportedRuleError("it is about an expression of columns, not about a column")


def _line(node: Any) -> int:
    for identifier in node.find_all(exp.Identifier, bfs=False):
        if (line := identifier.meta.get("line")) is not None:
            return int(line)
    return 0
