"""Frames, Arrow objects and Ibis tables of this process, as tables of DuckDB."""

from __future__ import annotations

import os
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from candling.engines.column_names import require_different
from candling.engines.duckdb import Connected, Source, is_on_duckdb, register
from candling.engines.engine import is_ibis
from candling.engines.failures import unreadable
from candling.engines.files import open_path
from candling.engines.open import is_remote
from candling.errors import DataError, UsageError
from candling.failures import translated
from candling.reading import NO_READING, Reading, require_only

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa


def open_source(
    data: Any,
    *,
    table: str | None = None,
    memory: str | None = None,
    reading: Reading | None = None,
    text: bool = False,
    folder: Path | None = None,
) -> Source:
    """`data` on DuckDB, with the types it has. NOT PRIVATE: for the owner, who sees values.

    With `text`, the columns of a CSV file are not typed: cells stay as they are written. The
    connection to a file can write to `folder`, if there is one, and nowhere else.
    """
    if is_remote(data) or (is_ibis(data) and not is_on_duckdb(data)):
        raise UsageError(
            "Rows are numbered in the order of a file, and a table on a server has none. Export it "
            "to Parquet, and name the file.",
            code="U107",
        )
    reading = NO_READING if reading is None else reading
    if isinstance(data, str | os.PathLike):
        return open_path(data, table, memory, reading=reading, text=text, owner=True, folder=folder)
    require_only(reading, (), f"a {type(data).__name__}, which is no file")
    return source_of(data, memory)


def source_of(data: Any, memory: str | None) -> Source:
    """An Ibis table of this process, a frame or an Arrow object on DuckDB."""
    if is_on_duckdb(data) and (source := _of_caller(data)) is not None:
        return source

    def registered() -> Source:
        rows = data.to_pyarrow().to_reader() if is_ibis(data) else _to_arrow(data)
        return register(rows, memory)

    return translated(registered, lambda error: unreadable("The engine", error))


def _of_caller(table: ir.Table) -> Source | None:
    """An Ibis table on the caller's own connection; None if it holds rows that are not there."""
    import ibis.expr.operations as ops

    if table.op().find(ops.InMemoryTable):
        return None
    backend = table.get_backend()
    stored = isinstance(table.op(), ops.DatabaseTable)
    return Source(Connected(backend.con), f"({backend.compile(table)})", stored)


def _to_arrow(data: Any) -> pa.RecordBatchReader:
    def mixed(error: Exception) -> DataError:
        column = _failed_column(data, error)
        where = "" if column is None else f" (column {column!r})"
        return DataError(
            f"The {type(data).__name__} has a column of mixed or unknown types{where}; "
            "give every column one type.",
            code="D103",
        )

    if type(data).__module__.split(".")[0] == "pandas":  # which has names of any type, even twice
        names = ["" if _is_missing(name) else str(name) for name in data.columns]
        require_different(names, f"the {type(data).__name__}")
    return translated(lambda: _converted(data), mixed)


def _is_missing(name: Any) -> bool:
    return name is None or (isinstance(name, float) and isnan(name))


def _converted(data: Any) -> pa.RecordBatchReader:
    import pyarrow as pa

    if type(data).__name__ == "LazyFrame" and hasattr(data, "collect"):
        data = data.collect()
    # polars hands out the addresses of Python objects as if they were values.
    if any(str(dtype) == "Object" for dtype in getattr(data, "dtypes", ())):
        raise TypeError("a column of objects")
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data]).to_reader()
    if isinstance(data, pa.Table):
        return data.to_reader()
    if type(data).__module__.split(".")[0] == "pandas":
        return pa.Table.from_pandas(data, preserve_index=False).to_reader()
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data).to_reader()
    if type(data).__module__.startswith("pyarrow.") and hasattr(data, "to_table"):
        return data.to_table().to_reader()  # a dataset
    raise DataError(
        f"Cannot read a table from an object of type {type(data).__name__}; give a path, "
        "a pandas or polars frame, a pyarrow table or an Ibis table.",
        code="D106",
    )


def _failed_column(data: Any, error: Exception) -> str | None:
    """The column on which pyarrow failed. Its words quote a cell, too, so only a name is taken."""
    words = error.args[-1] if error.args else None
    for name in getattr(data, "columns", ()):
        if isinstance(words, str) and words.startswith(f"Conversion failed for column {name} with"):
            return str(name)
    return None
