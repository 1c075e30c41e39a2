"""Splits a rules file into rules: the lines of a text or the items of a YAML list."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from candling.errors import ConstraintError, Problem, UsageError
from candling.files import NotTextError, UnreadableError, read_text

if TYPE_CHECKING:
    import yaml
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
        message = f"{str(path)!r} cannot be read as rules: {error}."
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
    hint = "keep those that matter: rules that others imply tell nothing new"
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
                what = alias if self.depth < _DEEPEST else "there are lists inside of lists"
                raise yaml.MarkedYAMLError(None, None, what, event.start_mark)
            self.depth += 1
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

    return Loader


def _yaml_problem(error: Exception, lines: list[str]) -> Problem:
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or str(error).split("\n", maxsplit=1)[0]
    hint = "put a rule that confuses YAML in quotes, or below `- >-` on a line of its own"
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
