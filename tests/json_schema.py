"""As much of JSON Schema as docs/card.schema.json uses; other keywords are an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}
_WORDS = {"$schema", "$defs", "title", "description"}


def fits(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    """Whether a JSON value is what a schema describes."""
    return all(_holds(word, value, schema, root) for word in schema.keys() - _WORDS)


def _holds(  # noqa: C901, PLR0912 - one case for each keyword
    word: str, value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]
) -> bool:
    wanted = schema[word]
    is_object, is_list = isinstance(value, dict), isinstance(value, list)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match word:
        case "$ref":
            return fits(value, root["$defs"][wanted.removeprefix("#/$defs/")], root)
        case "type":
            return any(_is(value, name) for name in ([wanted] if type(wanted) is str else wanted))
        case "const":
            return type(value) is type(wanted) and bool(value == wanted)
        case "enum":
            return value in wanted
        case "minimum":
            return not is_number or bool(value >= wanted)
        case "minItems":
            return not is_list or len(value) >= wanted
        case "items":
            return not is_list or all(fits(item, wanted, root) for item in value)
        case "required":
            return not is_object or set(wanted) <= value.keys()
        case "properties":
            named = wanted.keys() & value.keys() if is_object else ()
            return all(fits(value[name], wanted[name], root) for name in named)
        case "additionalProperties":
            others = value.keys() - schema.get("properties", {}) if is_object else ()
            if isinstance(wanted, bool):
                return wanted or not others
            return all(fits(value[name], wanted, root) for name in others)
        case "anyOf":
            return any(fits(value, one, root) for one in wanted)
        case "allOf":
            return all(fits(value, one, root) for one in wanted)
    raise NotImplementedError(word)


def _is(value: Any, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))
