"""Read rules: split a file into rules, parse each, report every bad line at once."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from candling.errors import ConstraintError, Problem, UsageError
from candling.escaping import quote_path
from candling.records import dataclass
from candling.rules.constraint import Constraint, ConstraintSet, TypeLine
from candling.rules.diagnose import Mistake, explain_syntax, text_of, trees
from candling.rules.grammar import load_parser
from candling.rules.reader import RuleReader
from candling.rules.types import conflicting_lines, is_type_line, read_type_line
from candling.system.files import NotTextError, UnreadableError, read_text

if TYPE_CHECKING:
    import yaml
    from lark import Token, Tree
    from yaml.nodes import MappingNode, Node, ScalarNode

MOST_RULES = 2000  # more take minutes to plan
LONGEST_RULE = 200_000  # characters
_LARGEST_FILE = 4 << 20  # bytes
_DEEPEST = 20  # brackets of YAML inside each other; a rule needs two
_LINE_END = re.compile("[\n\x85\u2028\u2029]")  # as YAML counts lines
_LABELS = ("label", "name")
_RULES = ("rule", "constraint")


@dataclass(frozen=True, slots=True)
class Item:
    """One rule, as it is written in its file."""

    rule: str
    line: int
    text: str  # the line to show in a message
    offset: int = 0  # where `rule` starts in `text`
    label: str | None = None  # given beside the rule, in YAML


def read_rules(path: Path) -> str:
    """The text of a rules file, which must be UTF-8."""
    try:
        return read_text(path, most=_LARGEST_FILE)
    except NotTextError as error:
        problem = Problem(
            "R102",
            "the file is not UTF-8 text",
            line=error.line,
            hint="save it as UTF-8; a rules file is plain text or YAML",
        )
        raise ConstraintError((problem,), source=str(path)) from None
    except UnreadableError as error:
        message = f"{quote_path(path)} cannot be read as rules: {error}."
        raise UsageError(message, code="R101") from None


def read_items(text: str, *, yaml: bool | None = None) -> list[Item | Problem]:
    """The rules of a text, and what is wrong with its layout; `yaml=None` looks at the text."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if yaml is None:
        yaml = _looks_like_yaml(text)
    items = [_of_bearable_length(item) for item in (_yaml_items(text) if yaml else _lines(text))]
    if not items:
        hint = "write one rule per line, such as `Zip -> City`"
        return [Problem("R103", "the file has no rule", hint=hint)]
    if len(items) > MOST_RULES:
        return [too_many(len(items))]
    return items


def too_many(number: int) -> Problem:
    """The problem with a file of more rules than can be used."""
    hint = "keep those that matter: rules that follow from others add nothing"
    return Problem("R105", f"{number:,} rules; {MOST_RULES:,} is the most", hint=hint)


def _of_bearable_length(item: Item | Problem) -> Item | Problem:
    if isinstance(item, Problem) or len(item.rule) <= LONGEST_RULE:
        return item
    message = f"this rule has {len(item.rule):,} characters; {LONGEST_RULE:,} is the most"
    return Problem("R105", message, line=item.line)


def _lines(text: str) -> Iterator[Item]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield Item(line.rstrip(), number, line.rstrip())


def _looks_like_yaml(text: str) -> bool:
    lines = (line.strip() for line in text.split("\n"))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return first.startswith("- ") or first in {"-", "---"}


def _yaml_items(text: str) -> Iterator[Item | Problem]:
    import yaml
    from yaml.nodes import SequenceNode

    lines = _LINE_END.split(text)
    try:
        root = yaml.compose(text, Loader=_loader())
    except (yaml.YAMLError, RecursionError) as error:
        yield _yaml_problem(error, lines)
        return
    if root is None:
        return
    if not isinstance(root, SequenceNode):
        yield Problem(
            "R120",
            "a YAML rules file must be a list",
            line=root.start_mark.line + 1,
            hint="start each rule with `- `",
        )
        return
    for node in root.value:
        yield _yaml_item(node, lines)


@functools.cache
def _loader() -> type[yaml.SafeLoader]:
    """A loader for lists of rules: nothing is repeated by a name, and nothing is deep.

    An alias lets a small file say a large thing a thousand times.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        depth = 0

        def compose_node(self, parent: Node | None, index: int) -> Node | None:
            event = self.peek_event()  # type: ignore[no-untyped-call]
            if isinstance(event, yaml.AliasEvent) or self.depth == _DEEPEST:
                alias = "a rule cannot be an alias (*name)"
                what = alias if self.depth < _DEEPEST else "lists within lists are not allowed"
                raise yaml.MarkedYAMLError(None, None, what, event.start_mark)
            self.depth += 1
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

    return Loader


def _yaml_problem(error: Exception, lines: list[str]) -> Problem:
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or str(error).split("\n", maxsplit=1)[0]
    hint = "put a rule that confuses YAML in quotes, or on a separate line below `- >-`"
    if mark is None or mark.line >= len(lines):
        return Problem("R119", f"this is not YAML: {reason}", hint=hint)
    return Problem(
        "R119",
        f"this is not YAML: {reason}",
        line=mark.line + 1,
        column=mark.column + 1,
        text=lines[mark.line],
        hint=hint,
    )


def _yaml_item(node: Node, lines: list[str]) -> Item | Problem:
    from yaml.nodes import MappingNode, ScalarNode

    if isinstance(node, ScalarNode) and node.value.strip():
        return _scalar(node, lines)
    if isinstance(node, MappingNode):
        return _mapping(node, lines)
    return _bad_item(node, lines)


def _mapping(node: MappingNode, lines: list[str]) -> Item | Problem:
    from yaml.nodes import ScalarNode

    entries = node.value
    if not all(isinstance(n, ScalarNode) for entry in entries for n in entry):
        return _bad_item(node, lines)
    labels = [value for key, value in entries if key.value in _LABELS]
    rules = [value for key, value in entries if key.value in _RULES]
    others = [entry for entry in entries if entry[0].value not in {*_LABELS, *_RULES}]
    if others == entries and len(entries) == 1:
        key, rule = entries[0]  # `- zip-city: Zip -> City`, which YAML takes for a mapping
        if is_type_line(line := f"{key.value}: {rule.value}"):
            text = lines[key.start_mark.line].rstrip()
            offset = max(text.find(line), 0)
            return Item(line, key.start_mark.line + 1, text if line in text else line, offset)
        labels, rules, others = [key], [rule], []
    if len(rules) != 1 or len(labels) > 1 or others:
        return _bad_item(node, lines)
    item = _scalar(rules[0], lines)
    return Item(item.rule, item.line, item.text, item.offset, labels[0].value if labels else None)


def _scalar(node: ScalarNode, lines: list[str]) -> Item:
    start, end = node.start_mark, node.end_mark
    line = lines[start.line]
    rule = node.value
    if start.line == end.line and node.style is None and node.tag.startswith("!"):
        rule = line[start.column : end.column]  # YAML takes the `!` of `!(s.A == t.A)` for a tag
    offset = line.find(rule, start.column)
    if start.line == end.line and offset >= 0:
        return Item(rule, start.line + 1, line.rstrip(), offset)
    rule = " ".join(rule.split("\n"))  # from several lines, or with escapes: shown as it is read
    return Item(rule, start.line + 1, rule)


def _bad_item(node: Node, lines: list[str]) -> Problem:
    mark = node.start_mark
    return Problem(
        "R120",
        "an item of the list must be a rule, or a mapping with `rule` and perhaps `label`",
        line=mark.line + 1,
        column=mark.column + 1,
        text=lines[mark.line] if mark.line < len(lines) else None,
        hint="such as `- Zip -> City` or `- {label: zip-city, rule: Zip -> City}`",
    )


# HoloClean names the rows first: t1&t2&EQ(t1.A,t2.A)&IQ(t1.B,t2.B).
_DECLARED = re.compile(
    r"""(?P<label>\s*(?:\w[\w.-]*|"[^"]*")\s*:)?(?P<rows>(?:\s*\w+\s*&){1,3})(?=\s*(?:[A-Z]{2,3}\s*\(|\w+\s*\.))"""
)
_TYPE_WITHOUT_COLON = re.compile(r"\s*type\s+(\w+)\s+\w")
_TABLES = {".csv", ".tsv", ".parquet", ".json", ".jsonl", ".arrow", ".feather", ".duckdb"}


def load_constraints(path: str | os.PathLike[str]) -> ConstraintSet:
    """The constraints of a rules file: one rule a line, or a YAML list.

    Raises `ConstraintError` with every bad line, or `UsageError` if the file cannot be opened.
    """
    path = Path(path)
    if path.suffix.lower() in _TABLES:  # its lines must not be quoted in messages
        raise UsageError(
            f"{quote_path(path)} looks like a table, not like rules. Did you swap the two?",
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
    types: list[TypeLine] = []
    problems: list[Problem] = []
    for item in items:
        if isinstance(item, Problem):
            problems.append(item)
            continue
        try:
            if is_type_line(item.rule):
                types += _read_types(item)
            else:
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
    problems += conflicting_lines(types)
    if problems:
        raise ConstraintError(tuple(problems), source=source)
    distinct = tuple({line.column: line for line in reversed(types)}.values())[::-1]
    return ConstraintSet(tuple(constraints), source=source, types=distinct)


def _read_types(item: Item) -> list[TypeLine]:
    if item.label is not None:
        raise Mistake("R124", "a type line has no label", 0, "it is called type-NAME")
    return read_type_line(item.rule, line=item.line, text=item.text, offset=item.offset)


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
    found = reader.read_named_rows(body) if rows else reader.read(body)
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
        return load_parser().parse(rule, start=start)
    except UnexpectedInput:
        parser = load_parser().parse_interactive(rule, start=start)
    position, token = len(rule), "$END"
    try:
        parser.exhaust_lexer()
    except UnexpectedInput as error:
        position = error.column - 1
        token = getattr(getattr(error, "token", None), "type", "")
    expected = frozenset(parser.accepts())  # type: ignore[no-untyped-call]
    mistake = explain_syntax(rule, position, token, expected)
    if missing := _TYPE_WITHOUT_COLON.match(rule):
        mistake.hint = f"a type line is written with a colon, such as `type {missing[1]}: number`"
    raise mistake
