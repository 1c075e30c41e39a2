"""The types of every engine and the values that are hard for it: first, last, tied, odd.

A value knows how it is put into a table (a literal of SQL, or what Arrow takes) and as which cell
the oracle compares it: the one that its form has (see `candling.tables.values`). Points in time are
cells of nanoseconds since 1970, infinite where the form does not reach them; times of day are
nanoseconds, and bytes are text with one character for each byte.

Values that some engine may take for one another stand side by side.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pyarrow as pa

from candling.reading import StatedType, parse_type
from candling.rules import ColumnType
from candling.rules.types import KINDS
from tests.oracle import Cell

INF = math.inf
DAY = 86_400 * 10**9  # in nanoseconds
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
# Milliseconds that microseconds do not reach: Spark's reader of Parquet ends in an error.
UNREADABLE = 2**63 - 2


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a column; its cell is None where it is NULL, not a number or of another type."""

    put: Any
    cell: Cell
    fits: bool = True  # the type that is stated for its column, if one is


NULL = Value(None, None)


@dataclass(frozen=True, slots=True)
class Type:
    """A type of an engine. A rule that reads a column of a type without a form is refused."""

    name: str
    declared: Any  # in SQL, or Arrow's type
    kind: ColumnType
    values: tuple[Value, ...]
    form: bool = True
    width: int | None = None  # bytes of a float
    stated: StatedType | None = None  # by a type line, or implied by a rule
    implied: bool = False


def same(cells: Iterable[Any]) -> tuple[Value, ...]:
    """Values that are put as they are compared."""
    return tuple(Value(cell, cell) for cell in cells)


def extremes(of: Type) -> list[Value]:
    """The values at both ends of a type: the last two that differ."""
    cells = sorted({value.cell for value in of.values if value.cell is not None}, key=_key)
    ends = {*cells[:2], *cells[-2:]}
    return [value for value in of.values if value.cell in ends] or list(of.values)


def infinite(of: Type) -> list[Value]:
    """The values beyond all others, where a type has them."""
    return [value for value in of.values if value.cell in (INF, -INF)]


def _key(cell: Cell) -> Any:
    return cell


def together(of: Type) -> list[list[Value]]:
    """Values that are hard only where all others are as close: hours of a night, tiny numbers."""
    found = [
        [v for v in of.values if isinstance(v.cell, int | float) and first <= v.cell <= last]
        for first, last in _CLOSE.get(of.kind, ())
    ]
    return [values for values in found if len({v.cell for v in values}) > 2]


def small(family: str) -> list[Value]:
    """Small whole numbers of the plain type of a family."""
    in_arrow = family in ("arrow", "parquet", "parquet on spark", "frames", "cells")
    return [Value(number if in_arrow else str(number), number) for number in range(6)]


# ------------------------------------------------------------------------------------- the values


def integers(bits: int, *, signed: bool = True) -> tuple[int, ...]:
    """The first and last ones, and those around zero, sorted."""
    first, last = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    found = {first, first + 1, last - 1, last, last // 2 + 1, 0, 1, 2}
    return tuple(sorted(found | {-1, -2} if signed else found))


def floats(width: int) -> tuple[float, ...]:
    """Both zeros, the ends, what is next to them, and what is no number, sorted."""
    last, least, step = {
        2: (65504.0, 2.0**-24, 2.0**11),
        4: (struct.unpack("f", struct.pack("I", 0x7F7FFFFF))[0], 2.0**-149, 2.0**24),
        8: (1.7976931348623157e308, 5e-324, 2.0**53),
    }[width]
    found = [INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0, last, -last, least, -least]
    found += [step, step - 1, step + 2]
    if width == 8:
        found += [1e308, -1e308, 1e300, 1.1e300, 1e-310, 0.1, 0.30000000000000004, 2.0**63]
        found += [-1e-310, 1.5e-323]
    return (*sorted(found), math.nan)


def decimals(precision: int, scale: int) -> tuple[Decimal, ...]:
    """The ends, the smallest steps, and some in between, sorted."""
    last = 10**precision - 1
    units = {0, 1, -1, last, -last, last - 1, 10**scale, -(10**scale), 5 * 10 ** max(scale - 1, 0)}
    return tuple(_scaled(unit, scale) for unit in sorted(units) if abs(unit) <= last)


def _scaled(unit: int, scale: int) -> Decimal:
    digits = tuple(map(int, str(abs(unit))))
    return Decimal((int(unit < 0), digits, -scale))


TEXTS = (
    *("", " ", "\t", "a", "A", "a ", "a\n", "a\x01", "a\u200b", "ab", "aB", "b", "B", "z", "m"),
    *("e", "é", "e\u0301", "E\u0301", "É", "\u212b", "\u00c5", "\u00e5", "A\u030a"),
    *("ss", "ß", "SS", "i", "I", "ı", "İ", "10", "9", "it's", "NULL", "\\"),
    *("\ud7ff", "\ue000", "\uff5e", "\uffff", "\U00010000", "\U0001f600", "\U0010ffff"),
)
ZEROS = ("\0", "a\0", "a\0b", "\0a")  # not on PostgreSQL
BYTES = (b"", b"\x00", b"\x00\x00", b"a", b"A", b"a\x00", b"\x7f", b"\x80", b"\xff", b"\xff\xff")


def days(year: int, month: int, day: int) -> int:
    """Days since 1970 in the Gregorian calendar of all times; the year before 1 is 0."""
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * 146_097 + day_of_era - 719_468


DAYS = {
    "0001-01-01": days(1, 1, 1),
    "1582-10-04": days(1582, 10, 4),
    "1582-10-15": days(1582, 10, 15),
    "1900-02-28": days(1900, 2, 28),
    "1969-12-31": -1,
    "1970-01-01": 0,
    "2000-02-29": days(2000, 2, 29),
    "2023-03-26": days(2023, 3, 26),
    "2023-10-28": days(2023, 10, 28),
    "2023-10-29": days(2023, 10, 29),
    "2023-10-30": days(2023, 10, 30),
    "9999-12-31": days(9999, 12, 31),
}


def _micros(day: str, hour: int = 0, minute: int = 0, micros: int = 0) -> int:
    return ((DAYS[day] * 24 + hour) * 60 + minute) * 60_000_000 + micros


# In Berlin, clocks showed no time from 2:00 to 3:00 on 26 March, and that of 29 October twice.
MICROS = {
    "0001-01-01 00:00:00": _micros("0001-01-01"),
    "1582-10-15 00:00:00": _micros("1582-10-15"),
    "1582-10-04 23:00:00": _micros("1582-10-04", 23),
    "1900-02-28 12:00:00": _micros("1900-02-28", 12),
    "1969-12-31 23:59:59.999999": -1,
    "1970-01-01 00:00:00": 0,
    "1970-01-01 00:00:00.000001": 1,
    "2000-02-29 00:00:00": _micros("2000-02-29"),
    "2023-03-26 01:30:00": _micros("2023-03-26", 1, 30),
    "2023-03-26 02:30:00": _micros("2023-03-26", 2, 30),
    "2023-03-26 02:50:00": _micros("2023-03-26", 2, 50),
    "2023-03-26 03:10:00": _micros("2023-03-26", 3, 10),
    "2023-03-26 03:40:00": _micros("2023-03-26", 3, 40),
    "2023-10-28 22:00:00": _micros("2023-10-28", 22),
    "2023-10-28 23:30:00": _micros("2023-10-28", 23, 30),
    "2023-10-29 00:00:00": _micros("2023-10-29"),
    "2023-10-29 00:01:00": _micros("2023-10-29", 0, 1),
    "2023-10-29 00:30:00": _micros("2023-10-29", 0, 30),
    "2023-10-29 00:40:00": _micros("2023-10-29", 0, 40),
    "2023-10-29 00:59:00": _micros("2023-10-29", 0, 59),
    "2023-10-29 01:01:00": _micros("2023-10-29", 1, 1),
    "2023-10-29 01:10:00": _micros("2023-10-29", 1, 10),
    "2023-10-29 01:30:00": _micros("2023-10-29", 1, 30),
    "2023-10-29 02:10:00": _micros("2023-10-29", 2, 10),
    "2023-10-29 02:30:00": _micros("2023-10-29", 2, 30),
    "2023-10-29 02:59:00": _micros("2023-10-29", 2, 59),
    "9999-12-31 23:59:59.999999": _micros("9999-12-31", 24) - 1,
}
SECONDS = tuple(v for v in MICROS.values() if v % 1_000_000 == 0)
CLOCK = {"00:00:00": 0, "00:00:00.000001": 1000, "02:30:00": 9_000 * 10**9}
CLOCK |= {"12:00:00": 43_200 * 10**9, "23:59:59.999999": DAY - 1000}
UUIDS = (
    "00000000-0000-0000-0000-000000000000",
    "12345678-1234-5678-1234-567812345678",
    "7fffffff-ffff-ffff-ffff-ffffffffffff",
    "80000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
)
_CLOSE = {
    ColumnType.TIMESTAMP: (
        (_micros("2023-03-26", 2) * 1000, _micros("2023-03-26", 4) * 1000),
        (_micros("2023-10-29", 0, 30) * 1000, _micros("2023-10-29", 1, 30) * 1000),
    ),
    ColumnType.NUMBER: ((-1e-300, 1e-300),),
}
MOODS = ("z", "m", "a")  # in the order in which they are declared


def as_text(data: bytes) -> str:
    """Bytes as the oracle compares them."""
    return data.decode("latin-1")


def number_cell(value: float) -> Cell:
    return None if math.isnan(value) else value


_LARGEST = 10**38 - 1  # of a decimal: the form of larger integers


def whole_cell(value: int) -> int:
    return max(min(value, _LARGEST), -_LARGEST)


def moment_cell(nanoseconds: int) -> Cell:
    """A moment that 64 bits of microseconds do not reach is infinite."""
    if abs(nanoseconds) < (2**63 - 1) * 1000:
        return nanoseconds
    return INF if nanoseconds > 0 else -INF


# -------------------------------------------------------------------------- literals of the engines


def _typed(cells: Iterable[Any], name: str) -> tuple[Value, ...]:
    """Values as text with a type, as DuckDB and PostgreSQL take them."""
    return tuple(Value(f"'{written(cell)}'::{name}", cell) for cell in cells)


def written(cell: Any) -> str:
    """A number without an exponent, which not every engine reads; all else as it is."""
    return f"{cell:f}" if isinstance(cell, Decimal) else str(cell)


def _whole(numbers: Iterable[int], name: str) -> tuple[Value, ...]:
    return tuple(Value(f"'{number}'::{name}", whole_cell(number)) for number in numbers)


def _typed_floats(width: int, name: str) -> tuple[Value, ...]:
    return tuple(Value(f"'{cell!r}'::{name}", number_cell(cell)) for cell in floats(width))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def duckdb_text(text: str) -> str:
    """A literal; NUL has none of its own."""
    return "(" + " || chr(0) || ".join(_quoted(part) for part in text.split("\0")) + ")"


def _texts(literal: Callable[[str], str], texts: Iterable[str]) -> tuple[Value, ...]:
    return tuple(Value(literal(text), text) for text in texts)


def _hex(literal: str, data: Iterable[bytes] = BYTES) -> tuple[Value, ...]:
    return tuple(Value(literal.format(value.hex()), as_text(value)) for value in data)


def _duckdb_blobs() -> tuple[Value, ...]:
    def literal(data: bytes) -> str:
        return "'" + "".join(f"\\x{byte:02X}" for byte in data) + "'::BLOB"

    return tuple(Value(literal(value), as_text(value)) for value in BYTES)


_ENDLESS = (("infinity", INF), ("-infinity", -INF))


def _duckdb_moments(
    name: str, micros: Iterable[int], ends: Iterable[int] = ()
) -> tuple[Value, ...]:
    found = [
        Value(f"make_timestamp({v}::BIGINT)::{name}", moment_cell(v * 1000))
        for v in (*micros, *ends)
    ]
    return (*found, *(Value(f"'{text}'::{name}", cell) for text, cell in _ENDLESS))


_FIRST, _LAST = -9_223_372_022_400_000_000, 2**63 - 2  # microseconds of DuckDB's timestamps

_N, _S, _T = ColumnType.NUMBER, ColumnType.STRING, ColumnType.TIMESTAMP


def _duckdb() -> tuple[Type, ...]:
    found = [
        Type(name, name, _N, _whole(integers(bits, signed=signed), name))
        for signed, names in (
            (True, {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}),
            (False, {"UTINYINT": 8, "USMALLINT": 16, "UINTEGER": 32, "UBIGINT": 64}),
            (False, {"UHUGEINT": 128}),
        )
        for name, bits in names.items()
    ]
    for name, width in (("FLOAT", 4), ("DOUBLE", 8)):
        found.append(Type(name, name, _N, _typed_floats(width, name), width=width))
    for precision, scale in ((4, 1), (9, 3), (18, 0), (38, 0), (38, 10), (38, 38)):
        name = f"DECIMAL({precision},{scale})"
        found.append(Type(name, name, _N, _typed(decimals(precision, scale), name)))
    texts = _texts(duckdb_text, TEXTS + ZEROS)
    found += [
        Type("VARCHAR", "VARCHAR", _S, texts),
        Type("NOCASE", "VARCHAR COLLATE NOCASE", _S, texts),
        Type("NOACCENT", "VARCHAR COLLATE NOACCENT.NOCASE", _S, texts),
        Type("ENUM", f"ENUM {MOODS}", _S, _texts(_quoted, MOODS)),
        Type("UUID", "UUID", _S, _typed(UUIDS, "UUID")),
        Type("BOOLEAN", "BOOLEAN", ColumnType.BOOLEAN, _typed((False, True), "BOOLEAN")),
        Type("BLOB", "BLOB", ColumnType.BINARY, _duckdb_blobs()),
        Type("DATE", "DATE", ColumnType.DATE, _duckdb_dates()),
        Type("TIMESTAMP", "TIMESTAMP", _T,
             _duckdb_moments("TIMESTAMP", (_FIRST, *MICROS.values(), _LAST))),
        Type("TIMESTAMP_S", "TIMESTAMP_S", _T, _duckdb_moments("TIMESTAMP_S", SECONDS)),
        Type("TIMESTAMP_MS", "TIMESTAMP_MS", _T, _duckdb_moments("TIMESTAMP_MS", SECONDS)),
        Type("TIMESTAMP_NS", "TIMESTAMP_NS", _T, _duckdb_nanos()),
        Type("TIMESTAMPTZ", "TIMESTAMPTZ", _T, _duckdb_instants()),
        Type("TIME", "TIME", ColumnType.TIME,
             tuple(Value(f"'{text}'::TIME", cell) for text, cell in CLOCK.items())),
        Type("TIMETZ", "TIMETZ", ColumnType.OTHER,
             tuple(Value(f"'{text}'::TIMETZ", None) for text in
                   ("00:00:00+00", "02:00:00+02", "12:00:00-05", "23:59:59.999999+15:59")),
             form=False),
        Type("BIT", "BIT", ColumnType.OTHER,
             tuple(Value(f"'{text}'::BIT", None) for text in ("0", "01", "1")), form=False),
        Type("INTERVAL", "INTERVAL", ColumnType.OTHER,
             tuple(Value(f"INTERVAL '{text}'", None) for text in ("1 month", "30 days", "0 days")),
             form=False),
        Type("LIST", "INTEGER[]", ColumnType.OTHER,
             tuple(Value(text, None) for text in ("[1]", "[1, 2]", "[]::INTEGER[]")), form=False),
    ]  # fmt: skip
    return tuple(found)


def _duckdb_dates() -> tuple[Value, ...]:
    found = [Value(f"'{text}'::DATE", count * DAY) for text, count in DAYS.items()]
    found.append(Value("'5877642-06-25 (BC)'::DATE", -(2**31 - 2) * DAY))
    found.append(Value("'5881580-07-10'::DATE", (2**31 - 2) * DAY))
    return (*found, *(Value(f"'{text}'::DATE", cell) for text, cell in _ENDLESS))


def _duckdb_nanos() -> tuple[Value, ...]:
    ticks = [v * 1000 for v in MICROS.values() if abs(v) < 9 * 10**15] + [1, -1, 2**63 - 2]
    found = [Value(f"make_timestamp_ns({v}::BIGINT)", v) for v in ticks]
    return (*found, *(Value(f"'{text}'::TIMESTAMP_NS", cell) for text, cell in _ENDLESS))


def _duckdb_instants() -> tuple[Value, ...]:
    found = [Value(f"'{text}+00'::TIMESTAMPTZ", v * 1000) for text, v in MICROS.items()]
    return (*found, *(Value(f"'{text}'::TIMESTAMPTZ", cell) for text, cell in _ENDLESS))


def _postgres() -> tuple[Type, ...]:
    found = [
        Type(name, name, _N, _typed(integers(bits), name))
        for name, bits in (("smallint", 16), ("integer", 32), ("bigint", 64))
    ]
    for name, width in (("real", 4), ("float8", 8)):
        found.append(Type(name, name, _N, _typed_floats(width, name), width=width))
    for precision, scale in ((5, 2), (38, 10), (38, 0), (60, 30), (100, 50)):
        name = f"numeric({precision},{scale})"
        found.append(Type(name, name, _N, _with_nan(decimals(precision, scale), name)))
    wide = [Decimal(t) for t in ("0", "1", "-1", "1.1", "1.10", "0.5", "1e310", "-1e310", "1e90")]
    wide += [Decimal(t) for t in ("1e-90", "1e-310", "9" * 38, "9" * 77, "1.000000000000000000001")]
    texts = _texts(_quoted, TEXTS)
    padded = [text for text in TEXTS if len(text) <= 4]
    found += [
        Type("numeric", "numeric", _N,
             (*_with_nan(sorted(wide), "numeric"), Value("'Infinity'::numeric", INF),
              Value("'-Infinity'::numeric", -INF))),
        Type("numeric(3,-2)", "numeric(3,-2)", _N,
             _with_nan((0, 100, -100, 99900, -99900, 200), "numeric")),
        Type("text", "text", _S, texts),
        Type("varchar(9)", "varchar(9)", _S, texts),
        Type("char(4)", "char(4)", _S,
             tuple(Value(_quoted(text), text.rstrip(" ")) for text in padded)),
        Type("mood", "candling_mood", _S, _texts(_quoted, MOODS)),
        Type("word", "candling_word", _S, texts),
        Type("uuid", "uuid", _S, _typed(UUIDS, "uuid")),
        Type("boolean", "boolean", ColumnType.BOOLEAN, _typed((False, True), "boolean")),
        Type("bytea", "bytea", ColumnType.BINARY, _hex("'\\x{}'::bytea")),
        Type("date", "date", ColumnType.DATE, _postgres_dates()),
        Type("timestamp", "timestamp", _T, _postgres_moments("timestamp")),
        Type("timestamptz", "timestamptz", _T, _postgres_moments("timestamptz", "+00")),
        Type("time", "time", ColumnType.TIME,
             tuple(Value(f"'{text}'::time", cell) for text, cell in CLOCK.items())),
        Type("timetz", "timetz", ColumnType.OTHER, _typed(("00:00:00+00", "02:00:00+02"), "timetz"),
             form=False),
    ]  # fmt: skip
    return tuple(found)


def _with_nan(cells: Iterable[Any], name: str) -> tuple[Value, ...]:
    return (*_typed(cells, name), Value(f"'NaN'::{name}", None))


def _postgres_dates() -> tuple[Value, ...]:
    found = [Value(f"'{text}'::date", count * DAY) for text, count in DAYS.items()]
    far = {"4714-11-24 BC": (-4713, 11, 24), "5874897-12-31": (5874897, 12, 31)}
    far |= {"10000-01-01": (10000, 1, 1), "0044-03-15 BC": (-43, 3, 15)}
    found += [Value(f"'{text}'::date", days(*when) * DAY) for text, when in far.items()]
    return (*found, *(Value(f"'{text}'::date", cell) for text, cell in _ENDLESS))


def _postgres_moments(name: str, zone: str = "") -> tuple[Value, ...]:
    found = [Value(f"'{text}{zone}'::{name}", v * 1000) for text, v in MICROS.items()]
    far = {
        f"4714-11-24 00:00:00{zone} BC": days(-4713, 11, 24) * DAY,
        f"10000-01-01 00:00:00{zone}": days(10000, 1, 1) * DAY,
        f"294200-01-01 00:00:00{zone}": days(294200, 1, 1) * DAY,
        f"294246-12-31 00:00:00{zone}": days(294246, 12, 31) * DAY,
        f"294250-01-01 00:00:00{zone}": days(294250, 1, 1) * DAY,  # beyond 2**63 since 1970
        f"294276-12-31 00:00:00{zone}": days(294276, 12, 31) * DAY,
    }
    found += [Value(f"'{text}'::{name}", moment_cell(cell)) for text, cell in far.items()]
    return (*found, *(Value(f"'{text}'::{name}", cell) for text, cell in _ENDLESS))


def _spark() -> tuple[Type, ...]:
    def cast(cells: Iterable[Any], name: str) -> tuple[Value, ...]:
        return tuple(Value(f"cast('{written(cell)}' as {name})", cell) for cell in cells)

    def texts(chosen: Iterable[str]) -> tuple[Value, ...]:
        return tuple(Value(f"cast(X'{t.encode().hex()}' as string)", t) for t in chosen)

    found = [
        Type(name, name, _N, cast(integers(bits), name))
        for name, bits in (("tinyint", 8), ("smallint", 16), ("int", 32), ("bigint", 64))
    ]
    for name, width in (("float", 4), ("double", 8)):
        values = tuple(Value(f"cast('{v!r}' as {name})", number_cell(v)) for v in floats(width))
        found.append(Type(name, name, _N, values, width=width))
    for precision, scale in ((9, 3), (38, 0), (38, 10), (38, 38)):
        name = f"decimal({precision},{scale})"
        found.append(Type(name, name, _N, cast(decimals(precision, scale), name)))
    every = texts(TEXTS + ZEROS)
    short = [text for text in TEXTS if len(text) <= 4]
    zoned = tuple(Value(f"timestamp'{t} UTC'", v * 1000) for t, v in MICROS.items())
    plain = tuple(Value(f"timestamp_ntz'{t}'", v * 1000) for t, v in MICROS.items())
    dates = tuple(Value(f"date'{text}'", count * DAY) for text, count in DAYS.items())
    found += [
        Type("string", "string", _S, every),
        Type("lcase", "string collate UTF8_LCASE", _S, every),
        Type("unicode_ci", "string collate UNICODE_CI", _S, every),
        Type("char(4)", "char(4)", _S,
             tuple(Value(f"cast(X'{t.encode().hex()}' as string)", t.rstrip(" ")) for t in short)),
        Type("varchar(4)", "varchar(4)", _S, texts(short)),
        Type("boolean", "boolean", ColumnType.BOOLEAN, cast((False, True), "boolean")),
        Type("binary", "binary", ColumnType.BINARY, _hex("X'{}'")),
        Type("date", "date", ColumnType.DATE, dates),
        Type("timestamp", "timestamp", _T, zoned),
        Type("timestamp_ntz", "timestamp_ntz", _T, plain),
    ]  # fmt: skip
    return tuple(found)


# ------------------------------------------------------------------------------------------ Arrow


def _ticks(unit: str, zone: str | None, *, ends: bool) -> tuple[Value, ...]:
    """Points in time, put as whole numbers of the unit; the largest is infinity to DuckDB."""
    size = UNITS[unit]
    ticks = [v * 1000 // size for v in MICROS.values() if v * 1000 % size == 0]
    found = [Value(v, moment_cell(v * size)) for v in ticks if abs(v) < 2**63]
    if unit == "ns":
        found += [Value(1, 1), Value(-1, -1)]
    if ends:  # a unit of seconds or milliseconds reaches further than DuckDB does
        found += [Value(2**63 - 1, INF), Value(-(2**63 - 1), -INF)]
        found.append(Value(UNREADABLE, moment_cell(UNREADABLE * size)))
    return tuple(found)


_WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def _arrow(*, ends: bool) -> tuple[Type, ...]:
    """`ends`: with the numbers that stand for an infinite date and the last ones."""
    found = [
        Type(str(dtype), dtype, _N, same(integers(dtype.bit_width, signed=str(dtype)[0] == "i")))
        for dtype in map(pa.type_for_alias, _WHOLE)
    ]
    for dtype, width in ((pa.float16(), 2), (pa.float32(), 4), (pa.float64(), 8)):
        values = tuple(Value(v, number_cell(v)) for v in floats(width))
        found.append(Type(str(dtype), dtype, _N, values, width=width))
    found += [
        Type(str(dtype), dtype, _N, same(decimals(dtype.precision, dtype.scale)))
        for dtype in (pa.decimal128(9, 3), pa.decimal128(38, 10), pa.decimal128(38, 0))
    ]
    wide = pa.decimal256(76, 38)
    found.append(Type(str(wide), wide, _N, same(decimals(76, 38)), form=False))
    texts = same(TEXTS + ZEROS)
    found += [Type(str(t), t, _S, texts) for t in (pa.string(), pa.large_string())]
    for ordered in (False, True):
        dtype = pa.dictionary(pa.int8(), pa.string(), ordered=ordered)
        name = "ordered dictionary" if ordered else "dictionary"
        found.append(Type(name, dtype, _S, same(MOODS)))
    found += [
        Type("binary", pa.binary(), ColumnType.BINARY,
             tuple(Value(v, as_text(v)) for v in BYTES)),
        Type("bool", pa.bool_(), ColumnType.BOOLEAN, same((False, True))),
        Type("date32", pa.date32(), ColumnType.DATE, _arrow_days(ends=ends)),
        Type("time64[us]", pa.time64("us"), ColumnType.TIME,
             tuple(Value(v // 1000, v) for v in CLOCK.values())),
        Type("time64[ns]", pa.time64("ns"), ColumnType.TIME,
             tuple(Value(v, v) for v in (0, 1, 2, 43_200_000_000_001, DAY - 1))),
    ]  # fmt: skip
    for unit in UNITS:
        for zone in (None, "UTC", "Europe/Berlin"):
            dtype = pa.timestamp(unit, zone)
            found.append(Type(str(dtype), dtype, _T, _ticks(unit, zone, ends=ends)))
    return tuple(found)


def _arrow_days(*, ends: bool) -> tuple[Value, ...]:
    found = [Value(count, count * DAY) for count in DAYS.values()]
    if ends:
        found += [Value(2**31 - 1, INF), Value(-(2**31 - 1), -INF)]
        found.append(Value(2**31 - 2, (2**31 - 2) * DAY))
    return tuple(found)


def _parquet(*, ends_of_milliseconds: bool = True) -> tuple[Type, ...]:
    """Without seconds, a unit that Parquet does not have, and without what Spark cannot read."""
    return tuple(
        of
        if ends_of_milliseconds or "[ms" not in of.name
        else replace(of, values=tuple(v for v in of.values if v.put != UNREADABLE))
        for of in _arrow(ends=True)
        if "[s" not in of.name
    )


def _frames() -> tuple[Type, ...]:
    """What pandas and polars have, built by way of Arrow; their own categories come on top."""
    category = Type("category", "category", _S, same(MOODS))
    return (category, *(t for t in _arrow(ends=False) if "256" not in t.name))


# ----------------------------------------------------------------------------- texts without types


def _fitting(cells: Mapping[str, Any], *others: Any) -> tuple[Value, ...]:
    """Values that fit their type, and others that do not."""
    found = [Value(put, cell) for put, cell in cells.items()]
    return (*found, *(Value(put, None, fits=False) for put in others))


_DAY = DAYS["2000-02-29"] * DAY
_HOUR = 3600 * 10**9
_NUMBERS = {
    "1": 1.0,
    "1.0": 1.0,
    "01": 1.0,
    " 1 ": 1.0,
    "1e0": 1.0,
    "-1": -1.0,
    "+2": 2.0,
    "2.5": 2.5,
}
_NUMBERS |= {".5": 0.5, "0": 0.0, "-0": 0.0, "1e300": 1e300, "-1e300": -1e300}
_NO_NUMBERS = ("x", "1,5", "1.2.3", "0x1F", "1_000", "1e301", "inf", "NaN", "--1", "1 2", "é")
_PLAIN_TEXTS = ("a", "1", "1.0", "01", "x y", "9", "9.0", "10", "A", "b", "é")
_FIRST_WHOLE, _LAST_WHOLE = -(2**63), 2**63 - 1
_EARLY = _DAY - 60 * DAY
_WRITTEN = {
    "text": _fitting({text: text for text in _PLAIN_TEXTS}),
    "integer": _fitting(
        {"1": 1, "1.0": 1, "007": 7, " 7": 7, "-3": -3}
        | {str(end): end for end in (_FIRST_WHOLE, _LAST_WHOLE)},
        *("1.5", "1e3", str(2**63), "x", "2,0"),
    ),
    "number": _fitting(_NUMBERS, *_NO_NUMBERS),
    "number(decimal ',')": _fitting(
        {"1": 1.0, "1,0": 1.0, "2,5": 2.5, ",5": 0.5, "-1,25": -1.25, "1,5e1": 15.0},
        *("1.5", "1.000,5", "x"),
    ),
    "decimal(4,2)": _fitting(
        {"1": Decimal(1), "1.00": Decimal(1), "1.250": Decimal("1.25")}
        | {"-99.99": Decimal("-99.99")},
        *("1.255", "100", "1e1", "x"),
    ),
    "boolean": _fitting({"true": True, "T": True, "1": True, "no": False, "0": False}, "2", "x"),
    "date": _fitting(
        {"2000-02-29": _DAY, "2000-2-29": _DAY, "2000-03-01": _DAY + DAY, "1999-12-31": _EARLY},
        *("2001-02-29", "29/02/2000", "2000-13-01", "infinity", "x", "20000229"),
    ),
    "date(%d/%m/%Y)": _fitting(
        {"29/02/2000": _DAY, "29/2/2000": _DAY, "01/03/2000": _DAY + DAY, "31/12/1999": _EARLY},
        *("02/29/2000", "29/02/2001", "2000-02-29", "1/1/99", "x"),
    ),
    "timestamp": _fitting(
        {"2000-02-29": _DAY, "2000-02-29 00:00": _DAY, "2000-02-29T01:00:00Z": _DAY + _HOUR,
         "2000-02-29 02:00:00+02:00": _DAY, "2000-02-29 01:00:00.5": _DAY + _HOUR + _HOUR // 7200},
        *("2000-02-29 25:00", "2000-02-30 01:00", "now", "x"),
    ),
}  # fmt: skip


def _texts_with_types(*, cells: bool) -> tuple[Type, ...]:
    """Columns of a format without types; `cells` have types of their own, as in JSON."""
    mixed: tuple[Value, ...] = ()
    numbers: tuple[Value, ...] = ()
    if cells:
        mixed = (
            Value(1, "1"),
            Value(1.0, "1"),
            Value(2.5, "2.5"),
            Value(10, "10"),
            Value(-3, "-3"),
        )
        numbers = (Value(1, 1.0), Value(1.0, 1.0), Value(2.5, 2.5), Value(-3, -3.0))
    found = [Type("untyped", None, _S, _WRITTEN["text"] + mixed)]
    for name, values in _WRITTEN.items():
        stated = parse_type(name)
        kind = KINDS[stated.kind]
        more = numbers if stated.kind == "number" and not stated.comma else ()
        more = mixed if name == "text" else more
        width = 8 if stated.kind == "number" else None
        found.append(Type(name, None, kind, values + more, width=width, stated=stated))
    number = next(of for of in found if of.name == "number")
    return (*found, replace(number, name="implied", implied=True))


_FRACTIONS = ("0", "0.00001", "0.00999", "-0.00999")
_SMALL = Type("numeric(3,5)", "numeric(3,5)", _N, _with_nan(map(Decimal, _FRACTIONS), "numeric"))
TYPES = {
    "duckdb": _duckdb(),
    "postgres": _postgres(),
    "postgres by address": (*_postgres(), _SMALL),  # which Ibis does not hand out
    "spark": _spark(),
    "arrow": _arrow(ends=True),
    "parquet": _parquet(),
    "parquet on spark": _parquet(ends_of_milliseconds=False),
    "frames": _frames(),
    "csv": _texts_with_types(cells=False),
    "cells": _texts_with_types(cells=True),
}
PLAIN = {
    "duckdb": "INTEGER",
    "postgres": "integer",
    "postgres by address": "integer",
    "spark": "int",
    "arrow": "int64",
    "parquet": "int64",
    "parquet on spark": "int64",
    "frames": "int64",
    "csv": "integer",
    "cells": "integer",
}
"""The type of each family that is never in the way."""
