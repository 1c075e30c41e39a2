"""Reads rules: text in, constraints out, every bad line of a file reported at once."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from candling.errors import ConstraintError, Problem, UsageError
from candling.rules.diagnose import Mistake, explain_syntax
from candling.rules.model import Constraint, ConstraintSet
from candling.rules.reader import RuleReader
from candling.rules.source import MOST_RULES, Item, read_items, read_rules, too_many
from candling.rules.tokens import text_of, trees

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

# HoloClean names the rows first: t1&t2&EQ(t1.A,t2.A)&IQ(t1.B,t2.B).
_DECLARED = re.compile(
    r"""(?P<label>\s*(?:\w[\w.-]*|"[^"]*")\s*:)?(?P<rows>(?:\s*\w+\s*&){1,3})(?=\s*(?:[A-Z]{2,3}\s*\(|\w+\s*\.))"""
)
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
    return _parse(read_items(read_rules(path), yaml=yaml), str(path), path.parent)


def parse_constraints(text: str, *, source: str = "rules") -> ConstraintSet:
    """The constraints that `text` writes down: one rule a line, or a YAML list.

    `source` names the text in messages. Raises `ConstraintError` with every bad line.

    >>> [str(c) for c in parse_constraints("Zip -> City, State")]
    ['Zip -> City', 'Zip -> State']
    """
    return _parse(read_items(text), source, Path())


def _parse(items: list[Item | Problem], source: str, folder: Path) -> ConstraintSet:
    constraints: list[Constraint] = []
    problems: list[Problem] = []
    for item in items:
        if isinstance(item, Problem):
            problems.append(item)
            continue
        try:
            constraints.extend(_read_rule(item, folder))
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
    return Lark(grammar, parser="lalr", lexer="contextual", start=["start", "declared"])


def _read_rule(item: Item, folder: Path) -> list[Constraint]:
    rule, rows = _without_rows(item.rule)
    tree = _tree(rule, "declared" if rows else "start")
    labels = [
        text_of(token)
        for prefix in trees(tree)
        if prefix.data == "label"
        for token in prefix.scan_values(lambda _: True)
    ]
    if item.label is not None:
        labels.append(item.label)
    if len(labels) > 1:
        raise Mistake("R120", "this rule has two labels", 0, "keep one of them")
    name = labels[0] if labels else None
    reader = RuleReader(item.offset, folder)
    reader.declare(rows)
    (body,) = (child for child in trees(tree) if child.data != "label")
    found = reader.read_declared(body) if rows else reader.read(body)
    return [
        Constraint(
            read.predicates,
            label=name if name is None or len(found) == 1 else f"{name}.{read.part}".rstrip("."),
            line=item.line,
            text=item.text,
        )
        for read in found
    ]


def _without_rows(rule: str) -> tuple[str, list[str]]:
    """A rule without the row names before it, in the same places; and these names."""
    match = _DECLARED.match(rule)
    if match is None:
        return rule, []
    label = match["label"] or ""
    names = [name.strip() for name in match["rows"].split("&")[:-1]]
    return label + " " * len(match["rows"]) + rule[match.end() :], names


def _tree(rule: str, start: str) -> Tree[Token]:
    from lark import UnexpectedInput

    try:
        return _lark().parse(rule, start=start)
    except UnexpectedInput:
        parser = _lark().parse_interactive(rule, start=start)
    position, token = len(rule), "$END"
    try:
        parser.exhaust_lexer()
    except UnexpectedInput as error:
        position = error.column - 1
        token = getattr(getattr(error, "token", None), "type", "")
    expected = frozenset(parser.accepts())  # type: ignore[no-untyped-call]
    raise explain_syntax(rule, position, token, expected)
