"""Tables on which a row once moved more than it may, by name: each stays a test of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import candling
from tests.neighbours.tables import SOURCES, Case, Row
from tests.neighbours.values import DAY, INF, MICROS, PLAIN, TYPES, UNITS, UNREADABLE, Value, days

_ORDER = "not(t1.x < t2.x and t1.y > t2.y)"
_GROUPED = "not(t1.k = t2.k and t1.x < t2.x and t1.y > t2.y)"
_DAY_2020 = days(2020, 1, 1)


def _case(
    place: str,
    columns: Mapping[str, str],
    rules: str,
    rows: Sequence[Sequence[Any]],
    more: Sequence[Sequence[Any]],
) -> Case:
    """A case; every row of `more` is put at the start and at the end."""
    engine, source = place.split("/")
    family = SOURCES[engine][source]
    types = {of.name: of for of in TYPES[family]}

    def value(found: Any) -> Value:
        if isinstance(found, Value):
            return found
        if family in ("arrow", "parquet", "parquet on spark", "frames"):
            return Value(found, found)
        return Value(f"'{found}'" if isinstance(found, str) else str(found), found)

    def row(cells: Sequence[Any]) -> Row:
        return tuple(map(value, cells))

    return Case(
        engine,
        source,
        {name: types[of] for name, of in columns.items()},
        candling.parse_constraints(rules),
        tuple(map(row, rows)),
        tuple((at, row(cells)) for cells in more for at in (0, len(rows))),
    )


def _literal(name: str, text: str, cell: Any) -> Value:
    return Value(f"'{text}'::{name}", cell)


def _endless(place: str, name: str, endless: Value, usual: Value, early: Value) -> Case:
    """Rows at the end of time against usual ones, and a row that conflicts with none of them."""
    return _case(
        place,
        {"x": name, "y": _plain(place)},
        _ORDER,
        [(endless, 1)] * 3 + [(usual, 2)] * 3,
        [(early, 0), (endless, 1), (usual, 2)],
    )


def _plain(place: str) -> str:
    engine, source = place.split("/")
    return PLAIN[SOURCES[engine][source]]


def _endless_ticks(place: str, unit: str, name: str | None = None) -> Case:
    size = UNITS[unit]

    def at(day: int) -> Value:
        return Value(day * DAY // size, day * DAY)

    name = name or f"timestamp[{unit}]"
    return _endless(place, name, Value(2**63 - 1, INF), at(_DAY_2020), at(_DAY_2020 - 12))


def _endless_literals(place: str, name: str) -> Case:
    return _endless(
        place,
        name,
        _literal(name, "infinity", INF),
        _literal(name, "2020-01-01", _DAY_2020 * DAY),
        _literal(name, "2019-12-20", (_DAY_2020 - 12) * DAY),
    )


def _summer_time(place: str, name: str, literal: str) -> Case:
    """Around the hour that clocks in Berlin show twice."""

    def at(hour: str) -> Value:
        text = f"2023-10-29 {hour}:00"
        return Value(literal.format(text), MICROS[text] * 1000)

    return _case(
        place,
        {"x": name, "y": _plain(place)},
        _ORDER,
        [(at("00:40"), 2), (at("01:10"), 1), (at("00:01"), 0)],
        [(at("02:59"), 9), (at("00:30"), 9), (at("01:30"), 0)],
    )


def _missing_hour() -> Case:
    """Timestamps without a zone, in an hour that clocks in Berlin left out."""

    def at(hour: str) -> Value:
        text = f"2023-03-26 {hour}:00"
        return Value(f"timestamp_ntz'{text}'", MICROS[text] * 1000)

    return _case(
        "spark/berlin",
        {"x": "timestamp_ntz", "y": "int"},
        _ORDER,
        [(at("02:30"), 2), (at("03:10"), 1)],
        [(at("01:30"), 0), (at("03:40"), 9)],
    )


def _categories(place: str, name: str) -> Case:
    """Texts whose order in the engine is not that of their letters."""
    return _case(
        place,
        {"k": _plain(place), "x": name, "y": _plain(place)},
        _GROUPED,
        [(1, "a", 2), (1, "z", 1), (2, "a", 2), (2, "m", 1)],
        [(3, "a", 0), (1, "m", 0), (2, "z", 3)],
    )


def _numbers(name: str, *texts: str) -> Case:
    """An order without equality columns, on numbers that a double hardly holds."""
    low, usual, high = (_number(name, text) for text in texts)
    return _case(
        "postgres/caller",
        {"x": name, "y": "integer"},
        _ORDER,
        [(usual, 1), (usual, 2)],
        [(low, 3), (high, 0), (usual, 0)],
    )


def _number(name: str, text: str) -> Value:
    return _literal(name, text, float(text) if "nf" in text or name == "float8" else Decimal(text))


def _postgres_moment(name: str, text: str, day: int) -> Value:
    return _literal(name, text, day * DAY)


CASES = {
    "infinite timestamps of DuckDB": _endless_literals("duckdb/caller", "TIMESTAMP"),
    "infinite timestamps of nanoseconds": _endless_literals("duckdb/caller", "TIMESTAMP_NS"),
    "infinite timestamps with a zone": _endless_literals("duckdb/berlin", "TIMESTAMPTZ"),
    "infinite dates of DuckDB": _endless_literals("duckdb/file", "DATE"),
    "infinite timestamps of Arrow": _endless_ticks("duckdb/arrow", "us"),
    "infinite timestamps of Parquet": _endless_ticks("duckdb/parquet", "us"),
    "a column with a collation": _case(
        "duckdb/file",
        {"a": "NOCASE", "b": "INTEGER"},
        "a -> b",
        [("x", 1)] * 3 + [("X", 2)] * 3,
        [("x", 2), ("X", 1)],
    ),
    "a connection with a collation": _case(
        "duckdb/nocase",
        {"a": "VARCHAR", "b": "INTEGER"},
        "a -> b",
        [("x", 1), ("X", 1), ("X", 2)],
        [("x", 2), ("X", 1)],
    ),
    "a chain whose first rule no row breaks": _case(
        "duckdb/arrow",
        {"a": "int64", "b": "int64", "c": "int64"},
        "a -> b\nkey(a, c)",
        [(1, 1, 1), (1, 1, 1), (1, 1, 2), (1, 1, 2), (1, 1, 3), (1, 1, 3)],
        [(1, 2, 9), (1, 1, 4)],
    ),
    "the order of an enum": _categories("duckdb/caller", "ENUM"),
    "the order of an enum in a file": _categories("duckdb/file", "ENUM"),
    "the order of categories of pandas": _categories("duckdb/pandas", "category"),
    "the order of an enum of polars": _categories("duckdb/polars", "category"),
    "the order of a dictionary": _categories("duckdb/arrow", "ordered dictionary"),
    "the order of a dictionary in Parquet": _categories("duckdb/parquet", "dictionary"),
    "summer time on DuckDB": _summer_time("duckdb/berlin", "TIMESTAMPTZ", "'{}+00'::TIMESTAMPTZ"),
    "times with a zone": _case(
        "duckdb/caller",
        {"a": "TIMETZ", "b": "INTEGER"},
        "a -> b",
        [(Value("'00:00:00+00'::TIMETZ", None), 1)],
        [(Value("'02:00:00+02'::TIMETZ", None), 2)],
    ),
    **{
        f"a negative constant beside {name}": _case(
            "duckdb/caller",
            {"a": name, "b": "INTEGER"},
            "not(t1.a > -1 and t1.b = 1)",
            [(0, 1), (255, 0)],
            [(1, 1), (0, 0)],
        )
        for name in ("UTINYINT", "UINTEGER", "UBIGINT")
    },
    "doubles near zero": _numbers("float8", "0.0", "5e-324", "1e-310"),
    "doubles near the end": _numbers("float8", "-1e308", "0.0", "1e308"),
    "numerics of many digits": _numbers("numeric", "-1e70", "1", "1e70"),
    "numerics beyond doubles": _numbers("numeric", "-1e310", "1", "1e310"),
    "infinite numerics": _numbers("numeric", "-Infinity", "1", "Infinity"),
    "numerics of hundreds": _case(
        "postgres/caller",
        {"a": "numeric(3,-2)", "b": "integer"},
        "a -> b",
        [(100, 1), (99900, 1)],
        [(100, 2), (0, 1)],
    ),
    "timestamps beyond 64 bits": _endless(
        "postgres/caller",
        "timestamp",
        _postgres_moment("timestamp", "294276-12-31", days(294276, 12, 31)),
        _postgres_moment("timestamp", "2020-01-01", _DAY_2020),
        _postgres_moment("timestamp", "4714-11-24 BC", days(-4713, 11, 24)),
    ),
    "dates beyond timestamps": _endless(
        "postgres/caller",
        "date",
        _postgres_moment("date", "5874897-12-31", days(5874897, 12, 31)),
        _postgres_moment("date", "2020-01-01", _DAY_2020),
        _postgres_moment("date", "4714-11-24 BC", days(-4713, 11, 24)),
    ),
    "infinite timestamps of PostgreSQL": _endless_literals("postgres/caller", "timestamp"),
    "infinite dates of PostgreSQL": _endless_literals("postgres/berlin", "date"),
    "summer time on PostgreSQL": _summer_time(
        "postgres/berlin", "timestamptz", "'{}+00'::timestamptz"
    ),
    "nanoseconds with a zone in Parquet": _endless_ticks(
        "duckdb/parquet", "ns", "timestamp[ns, tz=Europe/Berlin]"
    ),
    "milliseconds that microseconds do not reach": _case(
        "duckdb/parquet",
        {"a": "timestamp[ms]", "b": "int64"},
        "a -> b",
        [(Value(0, 0), 1)],
        [(Value(UNREADABLE, INF), 1)],
    ),
    "milliseconds that Spark does not read": _case(
        "spark/parquet",
        {"a": "timestamp[ms]", "b": "int64"},
        "a -> b",
        [(Value(0, 0), 1)],
        [(Value(UNREADABLE, INF), 1)],
    ),
    "the order of an enum of PostgreSQL": _categories("postgres/caller", "mood"),
    "padded texts of Spark": _case(
        "spark/table",
        {"a": "char(4)", "b": "int"},
        "a -> b\nnot(t1.a = 'x' and t1.b = 3)",
        [("x", 1), (Value("'x '", "x"), 1), ("y", 1)],
        [("x", 2), ("x", 3)],
    ),
    "summer time on Spark": _summer_time("spark/berlin", "timestamp", "timestamp'{} UTC'"),
    "hours that no clock showed on Spark": _missing_hour(),
    "nanoseconds on Spark": _case(
        "spark/parquet",
        {"x": "timestamp[ns]", "y": "int64"},
        _ORDER,
        [(Value(0, 0), 1), (Value(1, 1), 2)],
        [(Value(2, 2), 0)],
    ),
    "times on Spark": _case(
        "spark/parquet",
        {"x": "time64[us]", "y": "int64"},
        "x -> y",
        [(0, 1), (1, 2)],
        [(0, 2)],
    ),
    "half floats on Spark": _case(
        "spark/parquet",
        {"x": "halffloat", "y": "int64"},
        "x -> y",
        [(0.0, 1), (0.5, 2)],
        [(0.5, 1)],
    ),
}
GAPS = {
    "milliseconds that Spark does not read": "Spark's reader of Parquet ends in an error",
}
"""Those that are not fixed, and why."""
