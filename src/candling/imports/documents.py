"""Documents of other tools, read with care: YAML with the line of every item, and JSON.

A file of somebody else's may be large, deep, or small and say a large thing a thousand times by
aliases. Whatever it is, reading ends soon, with plain values or with one clear error.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from candling.errors import UsageError
from candling.system.files import UnreadableError, read_text

if TYPE_CHECKING:
    from yaml.nodes import Node

LARGEST = 4 << 20  # bytes
MANIFEST = "manifest.json"  # of dbt: it holds a whole project
LARGEST_MANIFEST = 256 << 20
_DEEPEST = 60  # lists and mappings inside each other; a contract needs a dozen
_MOST_VALUES = 300_000  # aliases written out


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
        raise UsageError(f"{str(path)!r} cannot be imported: {error}.", code="U501") from None


def parse(text: str, source: str) -> Any:
    """The values of a JSON or YAML document."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            return _of_json(json.loads(text, parse_constant=str), source)
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
        loader = yaml.SafeLoader(text)
        try:
            root = loader.get_single_node()
            budget = [_MOST_VALUES]
            return None if root is None else _value(root, loader, source, budget, 0)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or "it is not YAML"
        at = "" if mark is None else f" (line {mark.line + 1})"
        raise _unreadable(source, f"it is not YAML{at}: {reason}") from None
    except (RecursionError, ValueError, OverflowError):
        raise _unreadable(source, "it is not YAML that can be read") from None


def _value(node: Node, loader: Any, source: str, budget: list[int], depth: int) -> Any:
    from yaml.nodes import MappingNode, ScalarNode, SequenceNode

    budget[0] -= 1
    if budget[0] < 0 or depth > _DEEPEST:  # an alias may stand inside of what it names
        raise _unreadable(source, "its aliases stand for too many values")
    if isinstance(node, ScalarNode):
        # A tag of somebody else's names an object to make; its text is enough.
        known = node.tag.startswith("tag:yaml.org,2002:") and node.tag.rpartition(":")[2] in _PLAIN
        return loader.construct_object(node) if known else node.value
    if isinstance(node, SequenceNode):
        items = Items()
        for inner in node.value:
            items.append(_value(inner, loader, source, budget, depth + 1))
            items.lines.append(inner.start_mark.line + 1)
        return items
    made = Map()
    made.line = node.start_mark.line + 1
    if isinstance(node, MappingNode):
        for key, inner in node.value:
            value = _value(inner, loader, source, budget, depth + 1)
            if key.tag == "tag:yaml.org,2002:merge":
                for other in reversed([value] if isinstance(value, Map) else maps(value)):
                    _merge(made, other)
            elif isinstance(key, ScalarNode):
                made[key.value] = value
                made.lines[key.value] = key.start_mark.line + 1
    return made


_PLAIN = {"bool", "float", "int", "null", "str", "timestamp"}


def _merge(made: Map, other: Map) -> None:
    for key, value in other.items():
        if key not in made:
            made[key] = value
            made.lines[key] = other.lines.get(key, 0)
