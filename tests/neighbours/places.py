"""Where the tables of cases are put: one connection, server or session for all of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import ibis
import openpyxl  # type: ignore[import-untyped]
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq

from tests.neighbours.tables import Row
from tests.neighbours.values import MOODS, Type
from tests.postgres import Server

Columns = Mapping[str, Type]
Put = Callable[[Columns, Sequence[Row]], tuple[Any, dict[str, Any]]]
_ZONE = "Europe/Berlin"


@dataclass(frozen=True)
class Places:
    """An engine: its paths, and by source how a table is put; the table and how to open it."""

    engine: str
    paths: tuple[str, ...]
    put: dict[str, Put]


def _values(rows: Sequence[Row]) -> str:
    """The rows as SQL writes them."""
    return ", ".join(
        "(" + ", ".join("null" if v.put is None else v.put for v in row) + ")" for row in rows
    )


def _declared(columns: Columns) -> str:
    return ", ".join(f"{name} {of.declared}" for name, of in columns.items())


# ----------------------------------------------------------------------------------------- DuckDB


@contextmanager
def duckdb_places(folder: Path) -> Iterator[Places]:
    """DuckDB: tables of a caller, in files, and all that Arrow brings."""
    path = folder / "table.parquet"

    def parquet(columns: Columns, rows: Sequence[Row]) -> tuple[Any, dict[str, Any]]:
        pq.write_table(arrow_table(columns, rows), path)
        return path, {}

    yield Places(
        "duckdb",
        ("direct", "large"),
        {
            "caller": _caller("set TimeZone = 'UTC'"),
            "berlin": _caller(f"set TimeZone = '{_ZONE}'"),
            "nocase": _caller("set default_collation = 'nocase'"),
            "file": _file(folder),
            "arrow": lambda columns, rows: (arrow_table(columns, rows), {}),
            "parquet": parquet,
            "pandas": lambda columns, rows: (_pandas(columns, rows), {}),
            "polars": lambda columns, rows: (_polars(columns, rows), {}),
            "csv": lambda columns, rows: (csv_file(folder, columns, rows), {}),
            "json": lambda columns, rows: (json_file(folder, columns, rows), {}),
            "excel": lambda columns, rows: (_excel_file(folder, columns, rows), {}),
            "sqlite": lambda columns, rows: (_sqlite_file(folder, columns, rows), {}),
            "objects": lambda columns, rows: (_objects(columns, rows), {}),
        },
    )


def _caller(setting: str) -> Put:
    """A table of a caller, in whose connection something is set."""
    backend = ibis.duckdb.connect()
    backend.raw_sql(setting)

    def put(columns: Columns, rows: Sequence[Row]) -> tuple[Any, dict[str, Any]]:
        _fill(backend.con, columns, rows)
        return backend.table("t"), {}

    return put


def _file(folder: Path) -> Put:
    numbers = count()

    def put(columns: Columns, rows: Sequence[Row]) -> tuple[Any, dict[str, Any]]:
        """A new file: one that was read before may still be attached."""
        path = folder / f"{next(numbers)}.duckdb"
        with duckdb.connect(str(path)) as connection:
            _fill(connection, columns, rows)
        return path, {"table": "t"}

    return put


def _fill(connection: duckdb.DuckDBPyConnection, columns: Columns, rows: Sequence[Row]) -> None:
    connection.execute(f"create or replace table t ({_declared(columns)})")
    if rows:
        connection.execute(f"insert into t values {_values(rows)}")


def arrow_table(columns: Columns, rows: Sequence[Row]) -> pa.Table:
    """The rows in Arrow; points in time are put as whole numbers, which no calendar limits."""
    arrays = {
        name: _array(of, [row[i].put for row in rows])
        for i, (name, of) in enumerate(columns.items())
    }
    return pa.table(arrays)


def _array(of: Type, puts: list[Any]) -> pa.Array:
    dtype = pa.string() if of.declared == "category" else of.declared
    if pa.types.is_dictionary(dtype):
        codes = pa.array([None if v is None else MOODS.index(v) for v in puts], pa.int8())
        return pa.DictionaryArray.from_arrays(codes, pa.array(MOODS), ordered=dtype.ordered)
    if pa.types.is_temporal(dtype):
        return pa.array(puts, pa.int32() if pa.types.is_date32(dtype) else pa.int64()).view(dtype)
    return pa.array(puts, dtype)


def _pandas(columns: Columns, rows: Sequence[Row]) -> pd.DataFrame:
    frame = arrow_table(columns, rows).to_pandas(types_mapper=pd.ArrowDtype)
    for name in (name for name, of in columns.items() if of.declared == "category"):
        frame[name] = pd.Categorical(frame[name].tolist(), categories=list(MOODS), ordered=True)
    return frame


def _polars(columns: Columns, rows: Sequence[Row]) -> pl.DataFrame:
    frame = pl.DataFrame(arrow_table(columns, rows))
    own = [name for name, of in columns.items() if of.declared == "category"]
    return frame.with_columns(pl.col(own).cast(pl.Enum(MOODS))) if own else frame


# ----------------------------------------------------------------------------- files without types


def csv_file(folder: Path, columns: Columns, rows: Sequence[Row]) -> Path:
    """The rows as texts."""
    path = folder / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(",".join(columns) + "\n")
        for row in rows:
            cells = ("" if v.put is None else '"' + v.put.replace('"', '""') + '"' for v in row)
            file.write(",".join(cells) + "\n")
    return path


def json_file(folder: Path, columns: Columns, rows: Sequence[Row]) -> Path:
    """One object a row, which lacks the keys of NULL; no rows are an empty file."""
    path = folder / "table.json"
    objects = (
        {name: v.put for name, v in zip(columns, row, strict=True) if v.put is not None}
        for row in rows
    )
    path.write_text("".join(json.dumps(found) + "\n" for found in objects), encoding="utf-8")
    return path


def _excel_file(folder: Path, columns: Columns, rows: Sequence[Row]) -> Path:
    """A sheet with one more column, so that no row is empty."""
    path = folder / "table.xlsx"
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append([*columns, "number"])
    for number, row in enumerate(rows):
        sheet.append([*(v.put for v in row), number])
    book.save(path)
    return path


def _sqlite_file(folder: Path, columns: Columns, rows: Sequence[Row]) -> Path:
    path = folder / "table.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"create table t ({', '.join(columns)})")
        marks = ", ".join("?" for _ in columns)
        puts = [[v.put for v in row] for row in rows]
        connection.executemany(f"insert into t values ({marks})", puts)
    return path


def _objects(columns: Columns, rows: Sequence[Row]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            name: pd.Series([row[i].put for row in rows], dtype=object)
            for i, name in enumerate(columns)
        }
    )


# ------------------------------------------------------------------------------------- PostgreSQL


@contextmanager
def postgres_places(server: Server) -> Iterator[Places]:
    """PostgreSQL: tables of a caller, and by an address; in Berlin as well."""
    address = server.fresh()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("set synchronous_commit = off")
        connection.execute(f"create type candling_mood as enum {MOODS}".encode())
        connection.execute("create domain candling_word as text")

        numbers = count()

        def filled(columns: Columns, rows: Sequence[Row]) -> str:
            """A new table: one that was read before may still be in somebody's transaction."""
            name = f"neighbours_{next(numbers)}"  # unlike the aliases of Ibis
            sql = f"create unlogged table {name} ({_declared(columns)});"
            if rows:
                sql += f"insert into {name} values {_values(rows)};"
            connection.execute(sql.encode())
            return name

        def caller(zone: str) -> Put:
            backend = ibis.postgres.from_connection(connection)

            def put(columns: Columns, rows: Sequence[Row]) -> tuple[Any, dict[str, Any]]:
                name = filled(columns, rows)
                connection.execute(f"set timezone = '{zone}'".encode())
                return backend.table(name), {}

            return put

        def by_address(columns: Columns, rows: Sequence[Row]) -> tuple[Any, dict[str, Any]]:
            return filled(columns, rows), {"engine": address}

        yield Places(
            "postgres",
            ("large",),
            {"caller": caller("UTC"), "berlin": caller(_ZONE), "address": by_address},
        )


# ------------------------------------------------------------------------------------------ Spark


@contextmanager
def spark_places(session: Any, folder: Path) -> Iterator[Places]:
    """Spark: tables, in a session of Berlin as well, and Parquet files."""

    def table(zone: str) -> Put:
        own = session.newSession()
        backend = ibis.pyspark.connect(own)
        own.conf.set("spark.sql.session.timeZone", zone)  # Ibis has set another
        name = f"neighbours_{zone.rpartition('/')[2].lower()}"

        def put(columns: Columns, rows: Sequence[Row]) -> tuple[Any, dict[str, Any]]:
            own.sql(f"drop table if exists {name}")
            own.sql(f"create table {name} ({_declared(columns)}) using parquet")
            if rows:
                own.sql(f"insert into {name} values {_values(rows)}")
            return backend.table(name), {}

        return put

    path = folder / "spark.parquet"

    def parquet(columns: Columns, rows: Sequence[Row]) -> tuple[Any, dict[str, Any]]:
        pq.write_table(arrow_table(columns, rows), path)
        return str(path), {"engine": "spark"}

    on_spark = {"engine": "spark"}
    yield Places(
        "spark",
        ("large",),
        {
            "table": table("UTC"),
            "berlin": table(_ZONE),
            "parquet": parquet,
            "csv": lambda columns, rows: (str(csv_file(folder, columns, rows)), on_spark),
            "json": lambda columns, rows: (str(json_file(folder, columns, rows)), on_spark),
        },
    )
