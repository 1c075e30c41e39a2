"""The columns that imported rules name: how the table spells them, and literals of their types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from candling.rules import ColumnType
from candling.rules.text import name_text, quoted

_TRUE, _FALSE = {"true", "t", "yes", "1"}, {"false", "f", "no", "0"}
_MOST_DIGITS = 38  # as SQL's decimals
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?")
_NUMBERS = (
    *("int", "integer", "bigint", "smallint", "tinyint", "number", "numeric", "decimal", "float"),
    *("double", "real", "serial", "bigserial", "money", "long", "short", "byte", "uint", "hugeint"),
    *("bignumeric", "byteint", "mediumint", "fixed", "double precision"),
)
_STRINGS = (
    *("string", "varchar", "char", "text", "str", "character", "nvarchar", "nchar", "uuid", "enum"),
    *("clob", "object", "bpchar", "citext", "character varying", "category"),
)
_TYPES = {
    **dict.fromkeys(_NUMBERS, ColumnType.NUMBER),
    **dict.fromkeys(_STRINGS, ColumnType.STRING),
    **dict.fromkeys(("bool", "boolean"), ColumnType.BOOLEAN),
    **dict.fromkeys(("date",), ColumnType.DATE),
    **dict.fromkeys(("datetime", "timestamp", "timestamptz"), ColumnType.TIMESTAMP),
    **dict.fromkeys(
        ("timestamp_ntz", "timestamp_ltz", "timestampntz", "timestampltz"), ColumnType.TIMESTAMP
    ),
}


class CannotSayError(Exception):
    """Why something cannot be said as a rule, in words that follow a colon."""


def type_named(name: object) -> ColumnType | None:
    """The type behind a name of SQL, pandas or a contract; None if it says nothing to us."""
    if not isinstance(name, str):
        return None
    word = re.sub(r"[(\[<].*", "", name.strip().lower())
    return _TYPES.get(word.strip()) or _TYPES.get(re.sub(r"[\d_ ].*$", "", word).strip())


@dataclass(frozen=True, slots=True)
class Columns:
    """Types that the imported file declares, and the columns of the table if it is at hand."""

    declared: Mapping[str, ColumnType] = field(default_factory=dict)
    table: Mapping[str, ColumnType] | None = None

    def name(self, written: str) -> str:
        """A column as the table spells it: letters may differ in case."""
        if self.table is None or written in self.table:
            return written
        alike = [name for name in self.table if name.lower() == written.lower()]
        if len(alike) == 1:
            return alike[0]
        raise CannotSayError(f"the table has no column {written!r}")

    def text(self, written: str) -> str:
        """A column as a rule writes it."""
        return name_text(self.name(written))

    def texts(self, written: Iterable[str]) -> list[str]:
        """Several of them."""
        return [self.text(name) for name in written]

    def type(self, written: str) -> ColumnType | None:
        """The type of a column, where the table or the file says it."""
        if self.table is not None:
            return self.table[self.name(written)]
        lower = written.lower()
        return next((t for name, t in self.declared.items() if name.lower() == lower), None)

    def literal(self, value: Any, column: str, *, ordered: bool = False) -> str:
        """A value that is compared with a column, in the column's type."""
        return literal(value, self.type(column), ordered=ordered)

    def listed(self, values: Iterable[Any], column: str) -> str:
        """Values in brackets, for `in`."""
        texts = list(dict.fromkeys(self.literal(value, column) for value in values))
        if not texts:
            raise CannotSayError("its list of values is empty")
        return f"({', '.join(texts)})"


def literal(value: Any, kind: ColumnType | None, *, ordered: bool = False) -> str:
    """A value as a rule writes it, of a type if that is known.

    A text that is a day, compared by order with a column of unknown type, is taken for a date.
    """
    if value is None:
        raise CannotSayError("it compares with NULL")
    if isinstance(value, list | dict | set | tuple):
        raise CannotSayError("it compares with a value that is computed elsewhere")
    if kind is None:
        return _untyped(value, ordered=ordered)
    maker = _MAKERS.get(kind)
    if maker is None:
        raise CannotSayError(f"there are no literals of type {kind}")
    return maker(value)


def _untyped(value: Any, *, ordered: bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Decimal):
        return _number(value)
    if isinstance(value, date):
        return _moment(value)
    text = str(value)
    moment = _DAY.fullmatch(text) or _MOMENT.fullmatch(text)
    return _moment(value) if ordered and moment else quoted(text, "'")


def _number(value: Any) -> str:
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        raise CannotSayError(f"{str(value)!r} is not a number, and the column is one") from None
    if not number.is_finite():
        raise CannotSayError(f"{value} is not finite")
    if abs(number.adjusted()) > _MOST_DIGITS or len(number.as_tuple().digits) > _MOST_DIGITS:
        raise CannotSayError(f"a number has at most {_MOST_DIGITS} digits")
    return format(number, "f")


def _string(value: Any) -> str:
    return quoted(str(value).lower() if isinstance(value, bool) else str(value), "'")


def _boolean(value: Any) -> str:
    word = str(value).lower()
    if word not in _TRUE | _FALSE:
        raise CannotSayError(f"{str(value)!r} is neither true nor false, and the column is")
    return "true" if word in _TRUE else "false"


def _moment(value: Any) -> str:
    text = value.isoformat() if isinstance(value, date) else str(value).strip()
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise CannotSayError(f"{text!r} is not a date or a timestamp of ISO 8601") from None
    if moment.tzinfo is not None:
        raise CannotSayError("a timestamp of a rule has no time zone")
    return moment.isoformat()


_MAKERS = {
    ColumnType.NUMBER: _number,
    ColumnType.STRING: _string,
    ColumnType.BOOLEAN: _boolean,
    ColumnType.DATE: _moment,
    ColumnType.TIMESTAMP: _moment,
}


def range_of(
    subject: str, low: str | None, high: str | None, *, above: bool = False, below: bool = False
) -> str:
    """That something lies between two ends, either of which may be open or missing.

    `above`: strictly above the low end; `below`: strictly below the high one.
    """
    if low is None and high is None:
        raise CannotSayError("it has neither a least nor a greatest value")
    if low is not None and high is not None and not (above or below):
        return f"{subject} between {low} and {high}"
    parts = []
    if low is not None:
        parts.append(f"{subject} {'>' if above else '>='} {low}")
    if high is not None:
        parts.append(f"{subject} {'<' if below else '<='} {high}")
    return parts[0] if len(parts) == 1 else f"check ({' and '.join(parts)})"
