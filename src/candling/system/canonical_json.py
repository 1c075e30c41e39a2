"""JSON that is hashed, signed and read back: each value has one text, each text one value."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn, TypeVar

Number = TypeVar("Number", int, float)

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class RewrittenError(ValueError):
    """JSON that writes a value differently than candling does."""


def compact_json(value: object) -> str:
    """A value as JSON in ASCII without spaces; keys keep their order."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def canonical_json(value: object) -> str:
    """The one JSON text of a value, to compare, hash or sign: compact, with sorted keys."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


def parse_canonical(text: str) -> Any:
    r"""The value of a JSON text in which only spaces and the order of keys may have changed.

    `1.00` for `1.0`, `\/` for `/` and a key that appears twice raise RewrittenError: the value
    would be the same, or depend on who reads it, and a changed file must not pass. ValueError or
    RecursionError for text that is not JSON.

    >>> parse_canonical('{ "a": [1, 0.5] }')
    {'a': [1, 0.5]}
    """
    value = json.loads(
        text,
        object_pairs_hook=_object,
        parse_float=_float,
        parse_int=_int,
        parse_constant=_refuse_constant,
    )
    for token in _STRING.findall(text):
        string = json.loads(token)
        if token not in (json.dumps(string), json.dumps(string, ensure_ascii=False)):
            raise RewrittenError("a string is written differently")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise RewrittenError("a key appears twice")
    return fields


def _float(token: str) -> float:
    return _number(token, float(token))


def _int(token: str) -> int:
    return _number(token, int(token))


def _number(token: str, number: Number) -> Number:
    if repr(number) != token:
        raise RewrittenError("a number is written differently")
    return number


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("NaN and infinity are not JSON")
