"""Documents of other tools, read with care: YAML with the line of every item, and JSON.

A file of somebody else's may be large, deep, or small and say a large thing a thousand times by
aliases. Whatever it is, reading ends soon, with plain values or with one clear error.

A scalar of YAML means what the core schema of YAML 1.2 says. So `no` is a text, `010` is ten, and
`1:30` is a text and not ninety seconds.
"""

from __future__ import annotations

import functools
import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from candling.errors import UsageError
from candling.escaping import quote_path
from candling.system.files import UnreadableError, read_text

if TYPE_CHECKING:
    import yaml
    from yaml.nodes import Node

LARGEST = 4 << 20  # bytes
MANIFEST = "manifest.json"  # of dbt: it holds a whole project
LARGEST_MANIFEST = 256 << 20
_DEEPEST = 60  # lists and mappings inside each other; a contract needs a dozen
_MOST_NODES = 150_000  # as they are written; YAML reads some ten thousand of them a second
_MOST_VALUES = 300_000  # aliases written out
_MOST_DIGITS = 100  # of a whole number; no table has longer ones, and Python is slow with them

_TAG = "tag:yaml.org,2002:"
_CORE = (  # https://yaml.org/spec/1.2.2/#103-core-schema, and the merge key, which people use
    ("null", re.compile(r"~|null|Null|NULL|")),
    ("bool", re.compile(r"true|True|TRUE|false|False|FALSE")),
    ("int", re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")),
    ("float", re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")),
    ("float", re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")),
    ("merge", re.compile(r"<<")),
)
_BASES = {"0o": 8, "0x": 16}


class Map(dict[str, Any]):
    """A mapping of a document, with the lines of its keys (0 where they are not known)."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}
        self.line = 0


class Items(list[Any]):
    """A list of a document, with the lines of its items."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[int] = []


def read_file(path: Path, *, most: int = LARGEST) -> str:
    """The text of a file of another tool."""
    try:
        return read_text(path, most=most).removeprefix("\ufeff")
    except UnreadableError as error:
        raise UsageError(f"{quote_path(path)} cannot be imported: {error}.", code="U501") from None


def parse(text: str, source: str) -> Any:
    """The values of a JSON or YAML document."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            return _of_json(json.loads(text, parse_constant=str, parse_int=_whole), source)
        except _LongNumberError:
            raise _unreadable(source, _TOO_LONG) from None
        except RecursionError:
            raise _unreadable(source, "its lists are nested too deeply") from None
        except ValueError:
            pass  # flow style of YAML starts the same way
    return _of_yaml(text, source)


def maps(value: Any) -> list[Map]:
    """The mappings of a list; whatever else stands there is skipped."""
    return [item for item in value if isinstance(item, Map)] if isinstance(value, list) else []


def text_of(value: Any) -> str | None:
    """A scalar as text, None for what is not one."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else None


def texts(value: Any) -> list[str]:
    """The scalars of a list, or one scalar, as texts."""
    listed = value if isinstance(value, list) else [value]
    return [text for text in map(text_of, listed) if text is not None]


def number_of(value: Any) -> int | float | None:
    """A finite number, None for what is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None


def _unreadable(source: str, reason: str) -> UsageError:
    return UsageError(f"{source!r} cannot be imported: {reason}.", code="U501")


def _of_json(value: Any, source: str, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        raise _unreadable(source, "its lists are nested too deeply")
    if isinstance(value, dict):
        made = Map()
        for key, inner in value.items():
            made[key] = _of_json(inner, source, depth + 1)
        return made
    if isinstance(value, list):
        items = Items()
        for inner in value:
            items.append(_of_json(inner, source, depth + 1))
            items.lines.append(0)
        return items
    return value


def _of_yaml(text: str, source: str) -> Any:
    import yaml

    try:
        loader = _loader()(text)
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or "it is not YAML"
        at = "" if mark is None else f" (line {mark.line + 1})"
        raise _unreadable(source, f"it is not YAML{at}: {reason}") from None
    except _TooManyError:
        raise _unreadable(source, f"it has more than {_MOST_NODES:,} values") from None
    except (RecursionError, ValueError, OverflowError):
        raise _unreadable(source, "it is not YAML that can be read") from None
    return None if root is None else _value(root, source, [_MOST_VALUES], 0)


class _TooManyError(Exception):
    """A document has too many values."""


class _LongNumberError(Exception):
    """A whole number is too long."""


_TOO_LONG = f"one of its numbers has more than {_MOST_DIGITS} digits"


@functools.cache
def _loader() -> type[yaml.BaseLoader]:
    """A loader that makes nodes only, with tags of the core schema."""
    import yaml
    from yaml.nodes import ScalarNode

    class Loader(yaml.BaseLoader):
        nodes = 0

        def compose_node(self, parent: Node | None, index: int) -> Node | None:
            self.nodes += 1
            if self.nodes > _MOST_NODES:
                raise _TooManyError
            return super().compose_node(parent, index)

        def resolve(self, kind: type[Node], value: str, implicit: tuple[bool, bool]) -> str:
            if kind is ScalarNode and implicit[0]:  # neither in quotes nor a block of text
                name = next((name for name, form in _CORE if form.fullmatch(value)), "str")
                return _TAG + name
            tag: str = super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]
            return tag

    return Loader


def _value(node: Node, source: str, budget: list[int], depth: int) -> Any:
    from yaml.nodes import MappingNode, ScalarNode, SequenceNode

    budget[0] -= 1
    if budget[0] < 0 or depth > _DEEPEST:  # an alias may stand inside of what it names
        raise _unreadable(source, "its aliases stand for too many values")
    if isinstance(node, ScalarNode):
        try:
            return _scalar(node.tag, node.value)
        except _LongNumberError:
            line = node.start_mark.line + 1
            raise _unreadable(source, f"{_TOO_LONG} (line {line})") from None
    if isinstance(node, SequenceNode):
        items = Items()
        for inner in node.value:
            items.append(_value(inner, source, budget, depth + 1))
            items.lines.append(inner.start_mark.line + 1)
        return items
    made = Map()
    made.line = node.start_mark.line + 1
    if isinstance(node, MappingNode):
        for key, inner in node.value:
            value = _value(inner, source, budget, depth + 1)
            if key.tag == f"{_TAG}merge":
                for other in reversed([value] if isinstance(value, Map) else maps(value)):
                    _merge(made, other)
            elif isinstance(key, ScalarNode):
                made[key.value] = value
                made.lines[key.value] = key.start_mark.line + 1
    return made


def _scalar(tag: str, text: str) -> Any:
    """The value of a scalar; its text if the tag is unknown, or says what the text is not."""
    name = tag.removeprefix(_TAG)
    if not any(name == known and form.fullmatch(text) for known, form in _CORE):
        return text
    match name:
        case "null":
            return None
        case "bool":
            return text.lower() == "true"
        case "int":
            return _whole(text)
        case "float":  # Python writes infinity and "not a number" without the dot
            return float(text if any(map(str.isdigit, text)) else text.replace(".", ""))
    return text


def _whole(text: str) -> int:
    """A whole number, which may not be long: Python's time for one grows with its square."""
    if len(text) > _MOST_DIGITS:
        raise _LongNumberError
    base = _BASES.get(text[:2], 10)
    return int(text if base == 10 else text[2:], base)


def _merge(made: Map, other: Map) -> None:
    for key, value in other.items():
        if key not in made:
            made[key] = value
            made.lines[key] = other.lines.get(key, 0)
