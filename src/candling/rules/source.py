"""Splits a rules file into rules: the lines of a text or the items of a YAML list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from candling.errors import ConstraintError, Problem, UsageError

if TYPE_CHECKING:
    from yaml.nodes import MappingNode, Node, ScalarNode

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


def read_text(path: Path) -> str:
    """The text of a rules file, which must be UTF-8."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        reason = (
            "it is a directory"
            if isinstance(error, IsADirectoryError)
            else (error.strerror or "unknown reason").lower()
        )
        raise UsageError(f"cannot read the rules file {path}: {reason}", code="R101") from None
    except ValueError:  # a NUL in the name
        raise UsageError(f"{str(path)!r} is not a file name", code="R101") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = Problem(
            "R102",
            "the file is not UTF-8 text",
            line=raw.count(b"\n", 0, error.start) + 1,
            hint="save it as UTF-8; a rules file is plain text or YAML",
        )
        raise ConstraintError((problem,), source=str(path)) from None


def read_items(text: str, *, yaml: bool | None = None) -> list[Item | Problem]:
    """The rules of a text, and what is wrong with its layout; `yaml=None` looks at the text."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if yaml is None:
        yaml = _looks_like_yaml(text)
    items: list[Item | Problem] = list(_yaml_items(text) if yaml else _lines(text))
    if items:
        return items
    hint = "write one rule per line, such as `Zip -> City`"
    return [Problem("R103", "the file has no rule", hint=hint)]


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

    lines = text.split("\n")
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
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
