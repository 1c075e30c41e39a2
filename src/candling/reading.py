"""How a table is read: what the caller states about it in addition to its path.

Everything here is public. No row of the table decides how the others are read: a column without a
stated type is text in formats that carry no types.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from candling.errors import UsageError, nearest
from candling.records import dataclass

TYPES = (
    *("text", "integer", "number", "number(decimal ',')", "decimal(P,S)", "boolean"),
    *("date", "date(%d/%m/%Y)", "timestamp"),
)
_OTHER_NAMES = {  # what people write for a type, and how it is written here
    **dict.fromkeys(("string", "str", "varchar", "char", "object"), "text"),
    **dict.fromkeys(("int", "bigint", "long", "int64"), "integer"),
    **dict.fromkeys(("float", "double", "real", "float64", "numeric"), "number"),
    **dict.fromkeys(("bool", "logical"), "boolean"),
    **dict.fromkeys(("datetime", "time", "datetime64"), "timestamp"),
    "decimal": "decimal(10,2)",
}
_SIMPLE = ("text", "integer", "number", "boolean", "date", "timestamp")
_DECIMAL = re.compile(r"decimal\(\s*(\d{1,4})\s*,\s*(\d{1,4})\s*\)")
_WRITTEN = re.compile(r"(date|timestamp)\((.*%.*)\)")
_COMMA = re.compile(r"(number)\(\s*decimal\s*(?:','|\",\"|,)\s*\)")
_DIGITS = 38  # of a decimal, on every engine
_TAB = ("tab", "\\t")  # what a shell passes on
_OPTIONS = {
    "null": "--null",
    "encoding": "--encoding",
    "delimiter": "--delimiter",
    "header": "--header",
}
_FOR = {  # the kinds of files that are read with an option
    "null": "CSV, Excel and SQLite",
    "encoding": "CSV",
    "delimiter": "CSV",
    "header": "CSV and Excel",
}


@dataclass(frozen=True, slots=True)
class StatedType:
    """The type that somebody states for a column: which texts fit it, and what they mean."""

    kind: str  # text, integer, number, decimal, boolean, date or timestamp
    precision: int = 0  # of a decimal: all digits
    scale: int = 0  # of a decimal: those after the point
    written: str | None = None  # of a date or a timestamp: %d.%m.%Y; None for 2020-01-31
    comma: bool = False  # of a number: 1,5 instead of 1.5

    def __str__(self) -> str:
        if self.kind == "decimal":
            return f"decimal({self.precision},{self.scale})"
        if self.comma:
            return f"{self.kind}(decimal ',')"
        return self.kind if self.written is None else f"{self.kind}({self.written})"


TEXT = StatedType("text")


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a CSV file, and as far as it applies an Excel sheet or a SQLite table.

    `null` are texts that stand for a missing value, as an empty cell always does. `encoding` is
    that of the text (UTF-8, or what the file's byte order mark says), `delimiter` the character
    between cells (by default the most frequent of comma, tab, ; and | in the first line). With
    `header=False` the first line is a row, and the columns are called column0, column1, ...

    `types` are the types of columns by name, as in `type` lines of a rules file: text, integer,
    number, decimal(P,S), boolean, date, timestamp; number(decimal ',') for 1,5 and
    date(%d.%m.%Y) for dates that are not written as 2020-01-31. They apply to columns of text,
    whatever holds the table. A cell that does not fit breaks a rule, and is NULL for the others.
    `decimal=","` makes number(decimal ',') of every number that is stated or implied.
    """

    null: Sequence[str] = ()
    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    decimal: str | None = None

    def __post_init__(self) -> None:
        texts = (self.null,) if isinstance(self.null, str) else tuple(self.null)
        object.__setattr__(self, "null", texts)
        object.__setattr__(self, "delimiter", _one_character(self.delimiter))
        for text in texts:
            _require(text, str, "`null` must be texts that stand for NULL")
        _require(self.header, bool | None, "`header` must be True or False")
        _require(self.types, Mapping, "`types` must map the names of columns to types")
        if self.decimal not in (None, ".", ","):
            raise UsageError(
                f"`decimal` must be '.' or ',', not {self.decimal!r}: write --decimal , for 1,5.",
                code="U110",
            )
        _ = self.codec, self.stated  # refused here if they make no sense

    @property
    def codec(self) -> str | None:
        """Python's own name of the encoding."""
        return None if self.encoding is None else _codec(self.encoding)

    @property
    def stated(self) -> dict[str, StatedType]:
        """The types of columns by name."""
        return {name: stated_type(name, text) for name, text in self.types.items()}

    @property
    def has_header(self) -> bool:
        """Whether the first line holds the names of the columns."""
        return self.header is not False


def refuse_other_options(reading: Reading, allowed: Iterable[str], what: str) -> None:
    """Raise UsageError for an option that `what` is not read with; `allowed` are fields."""
    given = {
        "null": bool(reading.null),
        "encoding": reading.encoding is not None,
        "delimiter": reading.delimiter is not None,
        "header": reading.header is not None,
    }
    wrong = [
        f"{_OPTIONS[name]} (for {_FOR[name]})"
        for name in given
        if given[name] and name not in allowed
    ]
    if wrong:
        *first, last = wrong
        listed = f"{', '.join(first)} and {last} do" if first else f"{last} does"
        raise UsageError(
            f"{listed} not apply to {what}: leave {'them' if first else 'it'} out.", code="U109"
        )


def _require(value: object, kind: Any, words: str) -> None:
    if not isinstance(value, kind):
        raise UsageError(f"{words}.", code="U110")


def stated_type(column: str, text: str) -> StatedType:
    """The type that a text names, for the column of this name."""
    for part in (column, text):
        _require(part, str, "`types` must map the names of columns to types")
    try:
        return parse_type(text)
    except UnknownTypeError as error:
        raise UsageError(f"{error} (column {column!r}). {error.hint}", code="U110") from None


class UnknownTypeError(ValueError):
    """A text that names no type; and what to write instead."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def parse_type(text: str) -> StatedType:
    """The type that a text names; raises UnknownTypeError."""
    word = text.strip()
    if word.lower() in _SIMPLE:
        return StatedType(word.lower())
    if written := _WRITTEN.fullmatch(word):
        return StatedType(written[1], written=written[2])
    if _COMMA.fullmatch(word.lower()):
        return StatedType("number", comma=True)
    if sized := _DECIMAL.fullmatch(word.lower()):
        precision, scale = int(sized[1]), int(sized[2])
        if 1 <= precision <= _DIGITS and scale <= precision:
            return StatedType("decimal", precision, scale)
        raise UnknownTypeError(
            f"{word!r} is not a type",
            f"A decimal has 1 to {_DIGITS} digits, and not more of them after the point.",
        )
    known = _OTHER_NAMES.get(word.lower()) or nearest(word.lower(), _SIMPLE)
    hint = "" if known is None else f"Did you mean {known!r}? "
    raise UnknownTypeError(f"Unknown type {word!r}", f"{hint}Types are {', '.join(TYPES)}.")


def _codec(name: str) -> str:
    try:
        found = codecs.lookup(name)
        if found._is_text_encoding:  # noqa: SLF001 - else it turns bytes into bytes, as zlib does
            return found.name
    except (LookupError, TypeError, ValueError):
        pass
    raise UsageError(
        f"Unknown encoding {name!r}. Common ones are utf-8, latin-1 and cp1252 (Western "
        "Europe), cp1250 (Central Europe), cp1251 (Cyrillic), shift_jis, gb18030, utf-16.",
        code="U110",
    )


def _one_character(delimiter: str | None) -> str | None:
    if delimiter is None:
        return None
    _require(delimiter, str, "`delimiter` must be a character")
    character = "\t" if delimiter in _TAB else delimiter
    if len(character) != 1 or character in '"\r\n\0':
        raise UsageError(
            f"{delimiter!r} cannot separate cells: write one character, such as ';' or '|', or "
            "tab; not a quote or a line break.",
            code="U110",
        )
    return character


NO_READING = Reading()  # nothing is said
