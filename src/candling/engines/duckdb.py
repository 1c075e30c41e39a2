"""The embedded engine, and tables on a DuckDB connection of the caller's."""

from __future__ import annotations

import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from candling.deadline import interrupted_by
from candling.engines.forms import INFINITE_DAY, INFINITE_TICK, NOTHING, Column, Form, Table
from candling.engines.memory import PIECE, memory_limit
from candling.engines.quoting import quoted
from candling.rules import ColumnType

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa
    from ibis.backends.duckdb import Backend

# Functions that skip NULL (greatest, least) would turn NULL into a value, so there are none.
_NUMBER = Form(ColumnType.NUMBER)
_FLOAT = "case when isnan({0}) then null when {0} = 0 then 0.0 else cast({0} as double) end"
_MOST = "9" * 38  # of a decimal: no sum of smaller integers comes near it
_HUGE = (
    f"case when {{0}} > {_MOST} then {_MOST} when {{0}} < -{_MOST} then -{_MOST} "
    "else cast({0} as decimal(38, 0)) end"
)
_TEXT = Column("cast({0} as varchar) collate C", Form(ColumnType.STRING), "string")
# What is NULL although the value is not has no finite number. One tick below -infinity is it, too.
_FINITE = (
    "case when {0} is null then null "
    f"when {{1}} is null then case when {{0}} > {{2}} then {INFINITE_TICK} "
    f"else -{INFINITE_TICK} end "
    f"when {{1}} < -{INFINITE_TICK} then -{INFINITE_TICK} else {{1}} end"
)
_DAYS = (
    f"case when {{0}} - date '1970-01-01' < -{INFINITE_DAY} then -{INFINITE_DAY} "
    "else {0} - date '1970-01-01' end"
)
_MOMENT = "timestamp '1970-01-01'"
_ZONED = "timestamptz '1970-01-01 00:00:00+00'"
_MICROSECONDS = Form(ColumnType.TIMESTAMP, unit="us")
_NANOSECONDS = Form(ColumnType.TIMESTAMP, unit="ns")


def _moment(ticks: str, origin: str, form: Form) -> Column:
    return Column(_FINITE.format("{0}", ticks, origin), form, "int64")


_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_COLUMNS = {
    **dict.fromkeys(_INTEGERS, Column("cast({0} as bigint)", _NUMBER, "int64")),
    **dict.fromkeys(("HUGEINT", "UHUGEINT"), Column(_HUGE, _NUMBER, "decimal(38, 0)")),
    "UBIGINT": Column("cast({0} as decimal(20, 0))", _NUMBER, "decimal(20, 0)"),
    "FLOAT": Column(_FLOAT, Form(ColumnType.NUMBER, bits=32), "float64"),
    "DOUBLE": Column(_FLOAT, Form(ColumnType.NUMBER, bits=64), "float64"),
    **dict.fromkeys(("VARCHAR", "UUID", '"NULL"'), _TEXT),
    "BOOLEAN": Column("{0}", Form(ColumnType.BOOLEAN), "boolean"),
    "BLOB": Column("{0}", Form(ColumnType.BINARY), "binary"),
    "DATE": Column(_DAYS, Form(ColumnType.DATE), "int64"),
    "TIMESTAMP": _moment("epoch_us({0})", _MOMENT, _MICROSECONDS),
    "TIMESTAMP WITH TIME ZONE": _moment("epoch_us({0})", _ZONED, _MICROSECONDS),
    # Beyond what microseconds reach, a moment is as good as infinite.
    **dict.fromkeys(
        ("TIMESTAMP_S", "TIMESTAMP_MS"),
        _moment("epoch_us(try_cast({0} as timestamp))", _MOMENT, _MICROSECONDS),
    ),
    "TIMESTAMP_NS": _moment("epoch_ns({0})", _MOMENT, _NANOSECONDS),
    "TIMESTAMPTZ_NS": _moment("epoch_ns({0})", f"({_ZONED})::timestamptz_ns", _NANOSECONDS),
    **dict.fromkeys(("TIME", "TIME_NS"), Column("epoch_ns({0})", Form(ColumnType.TIME), "int64")),
}
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


def connect(memory: str | None = None) -> Backend:
    """An embedded DuckDB with a memory limit and a private spill directory."""
    import ibis

    limit = f"{max(memory_limit(memory) // 2**10, 1)}KiB"
    spill = tempfile.mkdtemp(prefix="candling-")
    backend = ibis.duckdb.connect(memory_limit=limit, temp_directory=spill)
    # Its own progress bar would tell, on whatever output, how far it is and how long it takes.
    backend.raw_sql("set enable_progress_bar = false")
    weakref.finalize(backend, shutil.rmtree, spill, ignore_errors=True)
    return backend


def canonical_duckdb(table: ir.Table, *, stored: bool, size: int | None = None) -> Table:
    """The table with every column in its one form."""
    backend = table.get_backend()
    source = f"({backend.compile(table)})"
    described = backend.con.execute(f"describe select * from {source}").fetchall()  # noqa: S608
    columns = {name: _column(kind).of(quoted(name)) for name, kind, *_ in described}
    return Table(backend, source, columns, stored, size=size)


def _column(kind: str) -> Column:
    """By DuckDB's name of a type."""
    if known := _COLUMNS.get(kind):
        return known
    if sized := _DECIMAL.fullmatch(kind):
        return Column("{0}", _NUMBER, f"decimal({sized[1]}, {sized[2]})")
    if kind.startswith("ENUM(") and kind.endswith(")"):
        return _TEXT
    return replace(_TEXT, form=NOTHING)


def duckdb_batches(backend: Backend, sql: str) -> Iterator[pa.RecordBatch]:
    """What a query gives, in Arrow, bit by bit."""
    with interrupted_by(backend.con.interrupt):
        relation = backend.con.sql(sql)
        read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
        yield from read(PIECE)


def fetch_duckdb(backend: Backend, sql: str) -> pa.Table:
    """What a query gives, in Arrow, without the pandas that Ibis would load for it."""
    with interrupted_by(backend.con.interrupt):
        relation = backend.con.sql(sql)
        fetch = getattr(relation, "to_arrow_table", None) or relation.arrow
        return fetch()
