"""One fixture that runs a test on every engine: DuckDB, Spark and PostgreSQL.

    def test_something(engine_table: Tables) -> None:
        assert candling.exact(engine_table(pa.table({"a": [1, 2]})), "key(a)").rows == 2

The tests have the ids `duckdb`, `spark` and `postgres`. What an engine cannot do is an expected
failure with its reason: `engine_table.gap("spark", "has no type for times of day")`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ibis
import ibis.expr.types as ir
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from candling.tables.engine import quote_name
from tests.postgres import Server

ENGINES = (
    pytest.param("duckdb"),
    pytest.param("spark", marks=pytest.mark.spark),
    pytest.param("postgres", marks=pytest.mark.postgres),
)


@dataclass(frozen=True)
class Tables:
    """Puts tables on an engine."""

    engine: str
    backend: Any
    _put: Callable[[pa.Table, str], ir.Table]
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def __call__(self, table: pa.Table) -> ir.Table:
        """The table on the engine, as Ibis has it."""
        return self._put(_usual(table), f"candling_t{next(self._numbers)}")

    def gap(self, engine: str, reason: str) -> None:
        """Say that what follows cannot work on an engine."""
        if self.engine == engine:
            pytest.xfail(reason)


@pytest.fixture(scope="session", params=ENGINES)
def engine_table(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Tables]:
    """A function that takes an Arrow table and gives an Ibis table on an engine."""
    folder = tmp_path_factory.mktemp("tables")
    if request.param == "duckdb":
        yield _on_duckdb()
    elif request.param == "spark":
        yield _on_spark(request.getfixturevalue("spark"), folder)
    else:
        server: Server = request.getfixturevalue("postgres")
        with psycopg.connect(server.fresh(), autocommit=True) as connection:
            yield _on_postgres(connection)


def _on_duckdb() -> Tables:
    backend = ibis.duckdb.connect()
    return Tables(
        "duckdb", backend, lambda table, name: backend.create_table(name, ibis.memtable(table))
    )


def _on_spark(session: Any, folder: Path) -> Tables:
    from candling.tables.backends.spark import _copy

    backend = ibis.pyspark.connect(_copy(session))  # Ibis changes the settings of what it gets

    def put(table: pa.Table, name: str) -> ir.Table:
        pq.write_table(table, folder / f"{name}.parquet", coerce_timestamps="us")
        return backend.read_parquet(str(folder / f"{name}.parquet"), table_name=name)

    return Tables("spark", backend, put)


def _on_postgres(connection: psycopg.Connection[Any]) -> Tables:
    backend = ibis.postgres.from_connection(connection)

    def put(table: pa.Table, name: str) -> ir.Table:
        columns = [f"{quote_name(f.name)} {_postgres_type(f.type)}" for f in table.schema]
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute(f"create table {name} ({', '.join(columns)})".encode())
            with cursor.copy(f"copy {name} from stdin".encode()) as copy:
                for row in zip(*(c.to_pylist() for c in table.itercolumns()), strict=True):
                    copy.write_row(row)
        return backend.table(name)

    return Tables("postgres", backend, put)


def _usual(table: pa.Table) -> pa.Table:
    """The same values in types that every engine has."""
    for i, column in enumerate(table.schema):
        if pa.types.is_null(column.type):
            table = table.set_column(i, column.name, table.column(i).cast(pa.string()))
        if pa.types.is_dictionary(column.type):
            plain = table.column(i).cast(column.type.value_type)
            table = table.set_column(i, column.name, plain)
    return table


def _postgres_type(dtype: pa.DataType) -> str:
    names = {
        pa.bool_(): "boolean",
        pa.int8(): "smallint",
        pa.int16(): "smallint",
        pa.int32(): "integer",
        pa.int64(): "bigint",
        pa.uint8(): "smallint",
        pa.uint16(): "integer",
        pa.uint32(): "bigint",
        pa.uint64(): "numeric(20, 0)",
        pa.float32(): "real",
        pa.float64(): "float8",
        pa.string(): "text",
        pa.large_string(): "text",
        pa.binary(): "bytea",
        pa.date32(): "date",
    }
    if dtype in names:
        return names[dtype]
    if pa.types.is_decimal(dtype):
        return f"numeric({dtype.precision}, {dtype.scale})"
    if pa.types.is_timestamp(dtype):
        return "timestamp" if dtype.tz is None else "timestamptz"
    if pa.types.is_time(dtype):
        return "time"
    raise TypeError(dtype)
