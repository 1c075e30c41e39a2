"""Open a table, wherever it is: a file, a frame of this process, or on another engine.

This is the one place that finds an engine by its name, an address or an Ibis table.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from candling.errors import DataError, UsageError, did_you_mean, translate_failure
from candling.reading import NO_READING, Reading, refuse_other_options
from candling.rules import ColumnType, ConstraintSet
from candling.rules.types import NO_RULES, Statements
from candling.system.files import (
    REGISTERED,
    Registration,
    engine_spellings,
    hide_secrets,
    registered_for,
    scheme,
)
from candling.tables.backends.duckdb import Connected, Source, is_on_duckdb, register
from candling.tables.engine import Engine, Place, is_ibis, unreadable
from candling.tables.files.paths import STANDARD_INPUT
from candling.tables.files.read import open_path
from candling.tables.values import Table, canonical_text, require_different

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

_DEFAULT = "duckdb"


def open_table(
    data: Any,
    *,
    table: str | None = None,
    memory: str | None = None,
    engine: str | None = None,
    reading: Reading | None = None,
    rules: ConstraintSet = NO_RULES,
    person: Sequence[str] = (),
    owner: bool = False,
) -> Table:
    """`data` with every value in its one form; no row is read yet where the format allows.

    `data` is a path (CSV, TSV, Parquet, JSON, Arrow/Feather, or a DuckDB, SQLite or Excel file
    whose table or sheet is named by `table`; - is standard input), a pandas or polars frame, a
    pyarrow object, anything that speaks the Arrow stream protocol, or an Ibis table, which stays on
    its own engine. `memory` limits the embedded DuckDB (`"4GB"`); beyond it, DuckDB spills to a
    private directory that goes with the session.

    `engine` is where a path or the name of a table is looked up: `"duckdb"`, which is embedded,
    `"spark"` (the active session, or one from the environment), `"spark://host:port"`,
    `"sc://host:port"` (Spark Connect), `"postgresql"` or `"postgresql://..."`. Data that begins
    with `spark://` names a table on Spark, `postgresql://` a database whose table is `table`.
    `reading` says how a file is read. Types come from `reading` and from the `rules`, which state
    or imply them; a table of JSON has the columns that these and `person` name. For the `owner`,
    messages name lines: NOT PRIVATE.
    """
    reading = NO_READING if reading is None else reading
    statements = Statements(rules, reading, tuple(person))
    if isinstance(data, str | os.PathLike):
        place = replace(locate(str(data), engine, table), statements=statements, owner=owner)
        return place.engine.open(place, memory)
    refuse_other_options(reading, (), f"a {type(data).__name__}, which is not a file")
    if table is not None:
        raise UsageError("`table` names a table inside a file or a database only.", code="U103")
    if engine not in (None, _DEFAULT):
        raise UsageError(
            "`engine` says where a path or the name of a table is looked up; an object is measured "
            "where it is: leave it out.",
            code="U107",
        )

    if is_ibis(data):
        return engine_of(data).canonical(data, memory, statements)
    return source_of(data, memory).canonical(statements)


def files_of(
    data: str, *, table: str | None = None, memory: str | None = None, engine: str | None = None
) -> list[Path]:
    """The files that `open_table` would read: every one that fits a pattern."""
    place = locate(data, engine, table)
    return list(place.engine.files(place, memory))


def schema_of(
    data: Any,
    *,
    table: str | None = None,
    engine: str | None = None,
    reading: Reading | None = None,
) -> dict[str, ColumnType]:
    """The columns of `data` (see `open_table`), and what each can be compared with."""
    return open_table(data, table=table, engine=engine, reading=reading).schema


def locate(data: str, engine: str | None, table: str | None) -> Place:
    """The place of a table: `data` is a path, a name or an address, on an engine or the default."""
    named = None if engine is None else _find_engine(engine)
    owner = _owner(data)
    if owner is None:
        chosen, address = named or (REGISTERED[_DEFAULT], None)
        if data == STANDARD_INPUT and chosen.name != _DEFAULT:
            raise UsageError(
                f"Standard input (-) is read in this process, not on {chosen.name}: leave out "
                "--engine, or name a file.",
                code="U107",
            )
        return load(chosen).place(data, address, table)
    address = None
    if named is not None:
        chosen, address = named
        if chosen is not owner:
            raise UsageError(
                f"{hide_secrets(data)} is on {owner.name}, but --engine names "
                f"{hide_secrets(engine or '')}; leave one of them out.",
                code="U107",
            )
    return load(owner).place_at(data, address, table)


def is_remote(data: object) -> bool:
    """Whether the data itself is an address of a table on a server."""
    return isinstance(data, str) and _owner(data) is not None


def load(engine: Registration) -> Engine:
    """The engine itself."""
    loaded: Engine = import_module(engine.module).ENGINE
    return loaded


def engine_of(table: ir.Table) -> Engine:
    """The engine that measures an Ibis table where it is."""
    name = table.get_backend().name
    for engine in REGISTERED.values():
        if name in engine.ibis:
            return load(engine)
    raise DataError(
        f"Tables on {name} are not supported, because it may compare and sort strings differently "
        "from other engines. Export the table to Parquet, and use that file.",
        code="D111",
    )


def _owner(data: str) -> Registration | None:
    """The engine on which data with such an address is."""
    kind = scheme(data)
    return next((e for e in REGISTERED.values() if kind in e.data_schemes), None)


def _find_engine(text: str) -> tuple[Registration, str | None]:
    """The engine behind a name or an address, and the address."""
    for engine in REGISTERED.values():
        if text in (engine.name, *engine.aliases):
            return engine, load(engine).usual_address
    engine_at = registered_for(text)
    host = text.partition("://")[2]
    if engine_at is not None and (host or load(engine_at).usual_address is not None):
        return engine_at, text
    name = text.partition(":")[0]  # only its first word: the rest may hold a password
    hint = did_you_mean(
        name.lower(), [n for e in REGISTERED.values() for n in (e.name, *e.aliases)]
    )
    raise UsageError(
        f"Unknown engine {name!r}.{hint} Known: {', '.join(engine_spellings())}.",
        code="U107",
    )


def open_source(
    data: Any,
    *,
    table: str | None = None,
    memory: str | None = None,
    reading: Reading | None = None,
    rules: ConstraintSet = NO_RULES,
    text: bool = False,
    folder: Path | None = None,
) -> Source:
    """`data` on DuckDB, with the types it has. NOT PRIVATE: for the owner, who sees values.

    With `text`, cells of a CSV file stay as they are written where they stand for NULL, too. The
    connection to a file can write to `folder`, if there is one, and nowhere else.
    """
    if is_remote(data) or (is_ibis(data) and not is_on_duckdb(data)):
        raise UsageError(
            "This command numbers rows, and the rows of a table on a server have no fixed order. "
            "Export the table to Parquet, and use that file.",
            code="U107",
        )
    reading = NO_READING if reading is None else reading
    if isinstance(data, str | os.PathLike):
        return open_path(
            data,
            table,
            memory,
            statements=Statements(rules, reading),
            text=text,
            owner=True,
            folder=folder,
        )
    refuse_other_options(reading, (), f"a {type(data).__name__}, which is not a file")
    return source_of(data, memory)


def source_of(data: Any, memory: str | None) -> Source:
    """An Ibis table of this process, a frame or an Arrow object on DuckDB."""
    if is_on_duckdb(data) and (source := _of_caller(data)) is not None:
        return source

    untyped: list[str] = []

    def register_frame() -> Source:
        rows = data.to_pyarrow().to_reader() if is_ibis(data) else _to_arrow(data, untyped)
        return replace(register(rows, memory), untyped=frozenset(untyped))

    return translate_failure(register_frame, lambda error: unreadable("The engine", error))


def _of_caller(table: ir.Table) -> Source | None:
    """An Ibis table on the caller's own connection; None if it holds rows that are not there."""
    import ibis.expr.operations as ops

    if table.op().find(ops.InMemoryTable):
        return None
    backend = table.get_backend()
    stored = isinstance(table.op(), ops.DatabaseTable)
    return Source(Connected(backend.con), f"({backend.compile(table)})", stored)


def _to_arrow(data: Any, untyped: list[str]) -> pa.RecordBatchReader:
    """A frame or an Arrow object in batches; columns of objects come as `untyped` texts."""

    def explain_mixed_types(error: Exception) -> DataError:
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
        untyped += [n for n, dtype in zip(names, data.dtypes, strict=True) if _holds_objects(dtype)]
    return translate_failure(lambda: _convert_to_arrow(data), explain_mixed_types)


def _is_missing(name: Any) -> bool:
    return name is None or (isinstance(name, float) and isnan(name))


def _convert_to_arrow(data: Any) -> pa.RecordBatchReader:
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
        return _from_pandas(data).to_reader()
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data).to_reader()
    if type(data).__module__.startswith("pyarrow.") and hasattr(data, "to_table"):
        return data.to_table().to_reader()  # a dataset
    raise DataError(
        f"Cannot read a table from an object of type {type(data).__name__}; give a path, "
        "a pandas or polars frame, a pyarrow table or an Ibis table.",
        code="D106",
    )


def _holds_objects(dtype: Any) -> bool:
    """Whether this is pandas' type of columns that may hold anything."""
    return str(dtype) == "object"


def _from_pandas(data: Any) -> pa.Table:
    """A frame of pandas; columns of objects as texts, each cell by itself."""
    import pyarrow as pa

    columns = {}
    for position, dtype in enumerate(data.dtypes):
        series = data.iloc[:, position]
        if _holds_objects(dtype):
            columns[position] = pa.array(map(canonical_text, series), pa.string())
        elif str(dtype) == "category" and _holds_objects(series.cat.categories.dtype):
            names = pa.array(map(canonical_text, series.cat.categories), pa.string())
            codes = pa.array(series.cat.codes, mask=series.cat.codes < 0)
            columns[position] = names.take(codes)
    plain = data.iloc[:, [i for i in range(data.shape[1]) if i not in columns]]
    rest = iter(pa.Table.from_pandas(plain, preserve_index=False).itercolumns())
    arrays = [columns[i] if i in columns else next(rest) for i in range(data.shape[1])]
    names = ["" if _is_missing(name) else str(name) for name in data.columns]
    return pa.Table.from_arrays(arrays, names=names)


def _failed_column(data: Any, error: Exception) -> str | None:
    """The column on which pyarrow failed. Its words quote a cell, too, so only a name is taken."""
    words = error.args[-1] if error.args else None
    for name in getattr(data, "columns", ()):
        if isinstance(words, str) and words.startswith(f"Conversion failed for column {name} with"):
            return str(name)
    return None
