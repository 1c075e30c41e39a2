"""Reads rules: text in, constraints out, every bad line of a file reported at once."""

from __future__ import annotations

import functools
import os
import re
import sys
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from candling.errors import ConstraintError, Problem, UsageError
from candling.rules.diagnose import Mistake, explain_syntax
from candling.rules.model import (
    Column,
    Constant,
    Constraint,
    ConstraintSet,
    Op,
    Predicate,
    RowNumber,
    Value,
)
from candling.rules.source import MOST_RULES, Item, read_items, read_rules, too_many

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

_OPS = {
    "=": Op.EQ, "==": Op.EQ, "EQ": Op.EQ,
    "!=": Op.NE, "<>": Op.NE, "≠": Op.NE, "IQ": Op.NE,
    "<": Op.LT, "LT": Op.LT,
    "<=": Op.LE, "≤": Op.LE, "LTE": Op.LE,
    ">": Op.GT, "GT": Op.GT,
    ">=": Op.GE, "≥": Op.GE, "GTE": Op.GE,
}  # fmt: skip
_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{4})|\+([0-9A-Fa-f]{6})|(\\))?")
_HALVES = range(0xD800, 0xE000)  # of characters beyond 16 bits: no table can hold one alone
_MOST_DIGITS = 400  # of a number, and its largest exponent: beyond what any column holds


_TABLES = {".csv", ".tsv", ".parquet", ".json", ".jsonl", ".arrow", ".feather", ".duckdb"}


def load_constraints(path: str | os.PathLike[str]) -> ConstraintSet:
    """The constraints of a rules file: one rule a line, or a YAML list.

    Raises `ConstraintError` with every bad line, or `UsageError` if the file cannot be opened.
    """
    path = Path(path)
    if path.suffix.lower() in _TABLES:  # its lines must not be quoted in messages
        raise UsageError(
            f"{str(path)!r} looks like a table, not like rules. Were the two exchanged?",
            code="R104",
        )
    yaml = True if path.suffix.lower() in {".yaml", ".yml"} else None
    return _parse(read_items(read_rules(path), yaml=yaml), str(path))


def parse_constraints(text: str, *, source: str = "rules") -> ConstraintSet:
    """The constraints that `text` writes down: one rule a line, or a YAML list.

    `source` names the text in messages. Raises `ConstraintError` with every bad line.

    >>> [str(c) for c in parse_constraints("Zip -> City, State")]
    ['Zip -> City', 'Zip -> State']
    """
    return _parse(read_items(text), source)


def _parse(items: list[Item | Problem], source: str) -> ConstraintSet:
    constraints: list[Constraint] = []
    problems: list[Problem] = []
    for item in items:
        if isinstance(item, Problem):
            problems.append(item)
            continue
        try:
            constraints.extend(_read_rule(item))
        except Mistake as mistake:
            problems.append(
                Problem(
                    mistake.code,
                    mistake.message,
                    line=item.line,
                    column=item.offset + mistake.position + 1,
                    text=item.text,
                    hint=mistake.hint,
                )
            )
    if len(constraints) > MOST_RULES:  # `A -> B, C` is two
        problems.append(too_many(len(constraints)))
    if problems:
        raise ConstraintError(tuple(problems), source=source)
    return ConstraintSet(tuple(constraints), source=source)


@functools.cache
def _lark() -> Lark:
    from lark import Lark

    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="contextual")


def _read_rule(item: Item) -> list[Constraint]:
    *prefix, rule = _trees(_tree(item.rule))
    labels = [_text(token) for tree in prefix for token in _tokens(tree)]
    if item.label is not None:
        labels.append(item.label)
    if len(labels) > 1:
        raise Mistake("R120", "this rule has two labels", 0, "keep one of them")
    name = labels[0] if labels else None
    rules = _RuleReader(item.offset).read(rule)
    return [
        Constraint(
            predicates,
            label=name if name is None or len(rules) == 1 else f"{name}.{part}",
            line=item.line,
            text=item.text,
        )
        for part, predicates in rules
    ]


def _tree(rule: str) -> Tree[Token]:
    from lark import UnexpectedInput

    try:
        return _lark().parse(rule)
    except UnexpectedInput:
        parser = _lark().parse_interactive(rule)
    position, token = len(rule), "$END"
    try:
        parser.exhaust_lexer()
    except UnexpectedInput as error:
        position = error.column - 1
        token = getattr(getattr(error, "token", None), "type", "")
    expected = frozenset(parser.accepts())  # type: ignore[no-untyped-call]
    raise explain_syntax(rule, position, token, expected)


class _RuleReader:
    """Turns the tree of one rule into predicates; knows which row name is which row."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.rows: dict[str, RowNumber] = {}

    def read(self, tree: Tree[Token]) -> list[tuple[str, tuple[Predicate, ...]]]:
        """The predicates of each rule in `tree`, by the column that distinguishes it."""
        parts = _trees(tree)
        match tree.data:
            case "dependency":
                left, right, *where = parts
                same = self.pairs(left, Op.EQ)
                both = self.where(where)
                differ = {p.left.name: p for p in self.pairs(right, Op.NE)}
                return [(name, (*same, p, *both)) for name, p in differ.items()]
            case "key":
                columns, *where = parts
                return [("", (*self.pairs(columns, Op.EQ), *self.where(where)))]
            case "denial":
                return [("", tuple(map(self.predicate, _trees(parts[0]))))]
            case _:
                for token in _tokens(tree, "NAME"):
                    self.row(token)
                return [("", _first_row_if_alone(tuple(map(self.predicate, parts))))]

    def pairs(self, columns: Tree[Token], op: Op) -> list[Predicate]:
        names = [self.column(c, 1) for c in _trees(columns)]
        return [Predicate(c, op, Column(2, c.name, c.at)) for c in names]

    def where(self, clause: list[Tree[Token]]) -> list[Predicate]:
        conditions = [c for tree in clause for c in _trees(tree)]
        rows: tuple[RowNumber, ...] = (1, 2)
        return [self.predicate(c, row) for row in rows for c in conditions]

    def predicate(self, tree: Tree[Token], row: RowNumber | None = None) -> Predicate:
        left, right = (self.operand(side, row) for side in _trees(tree))
        (symbol,) = _tokens(tree, "OP", "FUNCTION")
        op = _OPS[symbol.upper()]
        if isinstance(left, Column):
            return Predicate(left, op, right)
        if isinstance(right, Column):
            return Predicate(right, op.flipped, left)
        raise Mistake(
            "R116",
            "this compares two constants, which says nothing about a row",
            _position(symbol),
            "one side must be a column, such as t1.A",
        )

    def operand(self, tree: Tree[Token], row: RowNumber | None) -> Column | Constant:
        match tree.data:
            case "column":
                return self.column(tree, row or 1)
            case "cell":
                (column,) = _trees(tree)
                (name,) = _tokens(tree, "ROW")
                return self.column(column, self.row(name))
            case _:
                (token,) = _tokens(tree)
                return Constant(_value(token), at=self.offset + _position(token) + 1)

    def column(self, tree: Tree[Token], row: RowNumber) -> Column:
        (token,) = _tokens(tree)
        return Column(row, _text(token), at=self.offset + _position(token) + 1)

    def row(self, token: Token) -> RowNumber:
        name = str(token)
        if name not in self.rows and len(self.rows) == 2:
            first, second = self.rows
            raise Mistake(
                "R115",
                f"`{name}` is a third row name, after `{first}` and `{second}`",
                _position(token),
                "a rule is about one row or two",
            )
        number: RowNumber = 2 if self.rows else 1
        return self.rows.setdefault(name, number)


def _first_row_if_alone(predicates: tuple[Predicate, ...]) -> tuple[Predicate, ...]:
    """A rule that declares two rows but reads only the second is a rule about one row."""
    if any(c.row == 1 for p in predicates for c in p.columns):
        return predicates
    return tuple(
        Predicate(
            replace(p.left, row=1),
            p.op,
            replace(p.right, row=1) if isinstance(p.right, Column) else p.right,
        )
        for p in predicates
    )


def _trees(tree: Tree[Token]) -> list[Tree[Token]]:
    return [child for child in tree.children if not isinstance(child, str)]


def _tokens(tree: Tree[Token], *types: str) -> list[Token]:
    tokens = [child for child in tree.children if isinstance(child, str)]
    return [token for token in tokens if not types or token.type in types]


def _position(token: Token) -> int:
    return token.start_pos or 0


def _text(token: Token) -> str:
    """The text of a name or a string, without its quotes."""
    if token.type not in {"QUOTED", "STRING"}:
        return str(token)
    escaped = token[0] in "Uu"
    body = token[3:-1] if escaped else token[1:-1]
    body = body.replace(token[-1] * 2, token[-1])
    return _ESCAPE.sub(functools.partial(_unescape, token), body) if escaped else body


def _unescape(token: Token, match: re.Match[str]) -> str:
    four, six, backslash = match.groups()
    if backslash:
        return "\\"
    digits = four or six
    code = -1 if digits is None else int(digits, 16)
    if code in _HALVES or not 0 <= code <= sys.maxunicode:
        raise Mistake(
            "R118",
            f"`{match.group()}` is not a character",
            _position(token),
            "after U& write \\XXXX or \\+XXXXXX with hexadecimal digits, and \\\\ for a backslash",
        )
    return chr(code)


def _value(token: Token) -> Value:
    match token.type:
        case "BOOLEAN":
            return token.lower() == "true"
        case "NUMBER":
            return _number(token)
        case "DATE" | "TIMESTAMP":
            try:
                read = date if token.type == "DATE" else datetime
                return read.fromisoformat(token)
            except ValueError:
                kind = token.type.lower()
                raise Mistake(
                    "R118", f"the {kind} {token} does not exist", _position(token)
                ) from None
        case _:
            return _text(token)


def _number(token: Token) -> int | Decimal:
    digits, _, exponent = token.lower().partition("e")
    if len(digits) > _MOST_DIGITS or len(exponent) > 4 or abs(int(exponent or 0)) > _MOST_DIGITS:
        raise Mistake("R118", "this number is out of range", _position(token))
    return int(token) if token.lstrip("+-").isdigit() else Decimal(token)
