"""JSON that is hashed, signed and read back: one text for one value, one value for one text."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn, TypeVar

Number = TypeVar("Number", int, float)

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class RewrittenError(ValueError):
    """JSON that says something in another way than candling writes it."""


def written(value: object) -> str:
    """A value as JSON, without spaces and in ASCII; keys stay in their order."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def canonical(value: object) -> str:
    """The one JSON text of a value, to compare, to hash or to sign: keys are sorted."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


def parsed(text: str) -> Any:
    r"""The value of a JSON text of which only spaces and the order of keys may have changed.

    `1.00` for `1.0`, `\/` for `/` and a key that stands twice are a RewrittenError: the value would
    be the same, or depend on who reads it, and a changed file must not pass. ValueError and
    RecursionError for what is no JSON.

    >>> parsed('{ "a": [1, 0.5] }')
    {'a': [1, 0.5]}
    """
    value = json.loads(
        text,
        object_pairs_hook=_object,
        parse_float=_float,
        parse_int=_int,
        parse_constant=_no_number,
    )
    for token in _STRING.findall(text):
        string = json.loads(token)
        if token not in (json.dumps(string), json.dumps(string, ensure_ascii=False)):
            raise RewrittenError("a text is written in another way")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RewrittenError("a key stands twice")
    return found


def _float(token: str) -> float:
    return _number(token, float(token))


def _int(token: str) -> int:
    return _number(token, int(token))


def _number(token: str, number: Number) -> Number:
    if repr(number) != token:
        raise RewrittenError("a number is written in another way")
    return number


def _no_number(_: str) -> NoReturn:
    raise ValueError("NaN and infinity are no JSON")
