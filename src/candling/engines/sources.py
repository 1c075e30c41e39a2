"""Frames, Arrow objects and Ibis tables of this process, as tables of DuckDB."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from candling.engines.duckdb import Source, is_on_duckdb, register
from candling.engines.failures import translated, unreadable
from candling.engines.files import open_path
from candling.engines.open import is_remote
from candling.errors import DataError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa


def open_source(
    data: Any, *, table: str | None = None, memory: str | None = None, text: bool = False
) -> Source:
    """`data` on DuckDB, with the types it has. NOT PRIVATE: for the owner, who sees values.

    With `text`, the columns of a CSV file are not typed: cells stay as they are written.
    """
    import ibis.expr.types as ir

    if is_remote(data) or (isinstance(data, ir.Table) and not is_on_duckdb(data)):
        raise UsageError(
            "Rows are numbered in the order of a file, and a table on a server has none. Export it "
            "to Parquet, and name the file.",
            code="U107",
        )
    if isinstance(data, str | os.PathLike):
        return open_path(data, table, memory, text=text, owner=True)
    return source_of(data, memory)


def source_of(data: Any, memory: str | None) -> Source:
    """An Ibis table of this process, a frame or an Arrow object on DuckDB."""
    import ibis.expr.operations as ops
    import ibis.expr.types as ir

    if not isinstance(data, ir.Table):
        return register(_to_arrow(data), memory)
    if is_on_duckdb(data) and not data.op().find(ops.InMemoryTable):
        return Source(data, isinstance(data.op(), ops.DatabaseTable))
    rows = translated(data.to_pyarrow, lambda error: unreadable("The engine", error))
    return register(rows, memory)


def _to_arrow(data: Any) -> pa.Table:
    import pyarrow as pa

    if type(data).__name__ == "LazyFrame" and hasattr(data, "collect"):
        data = data.collect()
    try:
        if isinstance(data, pa.RecordBatch):
            table = pa.Table.from_batches([data])
        elif isinstance(data, pa.Table):
            table = data
        elif type(data).__module__.split(".")[0] == "pandas":
            table = pa.Table.from_pandas(data, preserve_index=False)
        elif hasattr(data, "__arrow_c_stream__"):
            table = pa.table(data)
        elif type(data).__module__.startswith("pyarrow.") and hasattr(data, "to_table"):
            table = data.to_table()  # a dataset
        else:
            raise DataError(
                f"Cannot read a table from an object of type {type(data).__name__}; give a path, "
                "a pandas or polars frame, a pyarrow table or an Ibis table.",
                code="D106",
            )
    except (pa.ArrowException, TypeError) as error:
        column = re.search(r"column ('[^']*'|\S+) with type", str(error))
        where = f" (column {column[1]})" if column else ""
        raise DataError(
            f"The {type(data).__name__} has a column of mixed or unknown types{where}; "
            "give every column one type.",
            code="D103",
        ) from None
    if len({name.lower() for name in table.column_names}) < table.num_columns:
        raise DataError(
            "Two columns of the table have the same name, or names that differ in case only.",
            code="D105",
        )
    return table
