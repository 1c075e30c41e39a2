"""Which rows of each person are kept, by brute force: the oracle of tables/persons.py."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

Row = dict[str, Any]
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - as values have none


def kept_rows(
    rows: Sequence[Row], person: Sequence[str], most: int, columns: Sequence[str]
) -> list[Row]:
    """At most so many rows of each person, of the columns that rules read."""
    owned: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        who = tuple(_value(row[name]) for name in person)
        if None not in who:
            owned.setdefault(who, []).append({name: _value(row[name]) for name in columns})
    return [row for who, own in owned.items() for row in _kept(who, own, most)]


def _kept(who: tuple[Any, ...], own: list[Row], most: int) -> list[Row]:
    if len(own) <= most:
        return own
    placed = sorted(own, key=lambda row: [_order(value) for value in row.values()])
    key = ":".join(map(_text, who))

    def number(place: int) -> str:
        return hashlib.md5(f"{key}:{place}".encode(), usedforsecurity=False).hexdigest()

    turns = sorted(range(1, len(placed) + 1), key=number)
    return [placed[place - 1] for place in turns[:most]]


def _value(value: Any) -> Any:
    """In its one form: NaN is NULL, there is one zero, and moments are numbers."""
    match value:
        case float():
            return None if math.isnan(value) else value + 0.0
        case datetime():
            passed = value.replace(tzinfo=None) - _EPOCH
            return (passed.days * 86_400 + passed.seconds) * 10**6 + passed.microseconds
        case date():
            return value.toordinal() - _EPOCH.toordinal()
    return value


def _order(value: Any) -> tuple[bool, Any]:
    """NULL comes last."""
    comparable = value.encode() if isinstance(value, str) else value
    return value is None, 0 if value is None else comparable


def _text_of_float(value: float) -> str:
    if abs(value) < 9 * 10**15:
        return str(math.floor(value))
    if abs(value) >= 9 * 10**15 * 2**32:
        return ""
    above, below = divmod(int(value), 2**32)
    return f"{above}+{below}"


def _text(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case Decimal():
            return str(math.floor(value))
        case float():
            return _text_of_float(value)
        case bytes():
            return value.hex().upper()
    return str(value)
