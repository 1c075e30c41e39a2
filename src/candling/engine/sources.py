"""Opening a table, wherever it is, as an Ibis table: on embedded DuckDB unless it names another."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from candling.engine.failures import told, unreadable
from candling.engine.memory import memory_limit
from candling.engine.places import Engine, Place, locate
from candling.errors import DataError, UsageError

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa
    from ibis.backends.duckdb import Backend

TEXT = "candling_text"  # a view of files that are parsed anew whenever they are read
_ENDINGS = {
    "csv": "csv",
    "tsv": "csv",
    "txt": "csv",
    "parquet": "parquet",
    "pq": "parquet",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "arrow": "arrow",
    "feather": "arrow",
    "ipc": "arrow",
    "duckdb": "duckdb",
    "ddb": "duckdb",
}
# Ibis backends that live in this process, so that handing their rows to DuckDB moves nothing far.
_IN_PROCESS = ("polars", "sqlite")


def open_table(
    data: Any,
    *,
    table: str | None = None,
    memory: str | None = None,
    text: bool = False,
    engine: str | None = None,
) -> ir.Table:
    """`data` as an Ibis table; no row is read yet where the format allows.

    `data` is a path (CSV, TSV, Parquet, JSON, Arrow/Feather, or a DuckDB file whose table is
    named by `table`), a pandas or polars frame, a pyarrow object, anything that speaks the Arrow
    stream protocol, or an Ibis table, which stays on its own engine. `memory` limits the embedded
    DuckDB (`"4GB"`); beyond it, DuckDB spills to a private directory that goes with the session.
    With `text`, the columns of a CSV file are not typed: cells stay as they are written.

    `engine` is where a path or the name of a table is looked up: `"duckdb"`, which is embedded,
    `"spark"` (the active session, or one from the environment), `"spark://host:port"`,
    `"sc://host:port"` (Spark Connect), `"postgresql"` or `"postgresql://..."`. Data that begins
    with `spark://` names a table on Spark, `postgresql://` a database whose table is `table`.
    """
    import ibis.expr.types as ir

    if isinstance(data, str | os.PathLike):
        place = locate(str(data), engine, table)
        if place is None:
            return _open_path(Path(data), table, memory, text=text)
        return _open_place(place, memory, text=text)
    if table is not None:
        raise UsageError("`table` names a table inside a file or a database only.", code="U103")
    if engine not in (None, Engine.DUCKDB):
        raise UsageError(
            "`engine` says where a path or the name of a table is looked up; an object is measured "
            "where it is: leave it out.",
            code="U107",
        )
    if isinstance(data, ir.Table):
        return _open_ibis(data, memory)
    return _register(_to_arrow(data), memory)


def _open_place(place: Place, memory: str | None, *, text: bool) -> ir.Table:
    if place.engine is Engine.SPARK:
        from candling.engine.spark import open_spark

        return open_spark(place, memory, text=text)
    from candling.engine.postgresql import open_postgresql

    return open_postgresql(place)


def _open_ibis(table: ir.Table, memory: str | None) -> ir.Table:
    """The table where it is, if strings are compared there as everywhere else."""
    import ibis.expr.operations as ops

    name = table.get_backend().name
    if name == "duckdb" or table.op().find(ops.InMemoryTable):
        return table
    if name == "pyspark":
        from candling.engine.spark import plain_strings

        return plain_strings(table)
    if name == "postgres":
        from candling.engine.postgresql import plain_columns

        return plain_columns(table)
    if name in _IN_PROCESS:
        return _register(told(table.to_pyarrow, lambda e: unreadable(name, e)), memory)
    raise DataError(
        f"A table on {name} cannot be measured where it is: whether strings are equal and how they "
        "are sorted there is not known to be as elsewhere. Export it to Parquet, and name the "
        "file.",
        code="D111",
    )


def connect(memory: str | None = None) -> Backend:
    """An embedded DuckDB with a memory limit and a private spill directory."""
    import ibis

    limit = f"{max(memory_limit(memory) // 2**10, 1)}KiB"
    spill = tempfile.mkdtemp(prefix="candling-")
    backend = ibis.duckdb.connect(memory_limit=limit, temp_directory=spill)
    weakref.finalize(backend, shutil.rmtree, spill, ignore_errors=True)
    return backend


def collect(expression: ir.Table) -> pa.Table:
    """The rows of an expression, in Arrow."""
    import ibis.expr.operations as ops

    backend = expression.get_backend()
    if backend.name == "pyspark":
        from candling.engine.spark import collect_spark

        return collect_spark(expression)
    if backend.name == "postgres":
        from candling.engine.postgresql import collect_postgresql

        return collect_postgresql(expression)
    if backend.name != "duckdb" or expression.op().find(ops.InMemoryTable):
        return expression.to_pyarrow()
    # DuckDB's own hand-over: Ibis would load pandas for it, a third of a second.
    relation = backend.con.sql(backend.compile(expression))
    fetch = getattr(relation, "to_arrow_table", None) or relation.arrow
    return fetch()


def _open_path(
    path: Path, table: str | None, memory: str | None, *, text: bool = False
) -> ir.Table:
    kind = _kind(path)
    if table is not None and kind != "duckdb":
        raise UsageError("`table` names a table inside a file or a database only.", code="U103")
    if kind == "duckdb":
        return _open_duckdb(path, table, memory)
    if kind == "arrow":
        return _register(_guarded(path, lambda: _read_arrow(path)), memory)
    if path.is_file() and path.stat().st_size == 0:
        raise DataError(f"{str(path)!r} is empty: it has no columns.", code="D103")
    backend = connect(memory)
    # A file that is there is meant, whatever its name looks like; else the name is a pattern.
    there = path.exists()
    name = _plain_name(path) if there else str(path)
    readers: dict[str, Callable[[], ir.Table]] = {
        "csv": lambda: _read_csv(backend, name, pattern=not there, text=text),
        "parquet": lambda: backend.read_parquet(name),
        "json": lambda: backend.read_json(name, table_name=TEXT, sample_size=-1),
    }
    return _guarded(path, readers[kind])


def _plain_name(path: Path) -> str:
    """The name of a file, in which no character stands for others."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(path))


def _read_csv(backend: Backend, name: str, *, pattern: bool, text: bool) -> ir.Table:
    """A view of a CSV file, or of all that fit a pattern.

    The whole file decides the types: a sample would let a late row end the run half-way. It is
    looked through once, where a view that detects types by itself would do so on every use.
    """
    if pattern:
        return backend.read_csv(name, table_name=TEXT, sample_size=-1, all_varchar=text)
    found = backend.con.execute(
        "select delimiter, quote, escape, comment, newlinedelimiter, skiprows, hasheader, "
        "dateformat, timestampformat, columns from sniff_csv($name, sample_size = -1)",
        {"name": name},
    ).fetchone()
    *marks, new_line, skip, header, days, stamps, columns = found
    delim, quote, escape, comment = ("" if mark == "(empty)" else mark for mark in marks)
    types = [(c["name"], "VARCHAR" if text else c["type"]) for c in columns]
    typed = ", ".join(f"{_literal(name)}: {_literal(kind)}" for name, kind in types)
    options = {
        "delim": _literal(delim),
        "quote": _literal(quote),
        "escape": _literal(escape),
        "comment": _literal(comment),
        "new_line": _literal(new_line),
        "skip": str(int(skip)),
        "header": str(bool(header)).lower(),
        "columns": f"{{{typed}}}",
        "dateformat": _literal(days) if days else None,
        "timestampformat": _literal(stamps) if stamps else None,
    }
    reading = ", ".join(f"{key} = {value}" for key, value in options.items() if value is not None)
    # What comes from the file, its name included, is quoted: it is data, never SQL.
    backend.raw_sql(
        f"create temp view {TEXT} as from "
        f"read_csv({_literal(name)}, auto_detect = false, {reading})"
    )
    return backend.table(TEXT)


def _literal(text: str) -> str:
    """A string for SQL."""
    return "'" + str(text).replace("'", "''") + "'"


def _kind(path: Path) -> str:
    try:
        there = path.exists()
    except OSError:
        raise DataError(f"{str(path)!r} may not be looked at.", code="D101") from None
    if not there and not any(c in path.name for c in "*?["):
        near = _nearest_file(path)
        raise DataError(f"There is no file {str(path)!r}.{near}", code="D101")
    if path.is_dir():
        raise DataError(
            f"{str(path)!r} is a directory; name a file, or a pattern such as "
            f"{str(path / '*.parquet')!r}.",
            code="D102",
        )
    suffixes = [s[1:].lower() for s in path.suffixes]
    if suffixes and suffixes[-1] in ("gz", "zst"):
        suffixes.pop()
    kind = _ENDINGS.get(suffixes[-1]) if suffixes else None
    if kind is None:
        known = ", ".join(f".{e}" for e in _ENDINGS)
        raise DataError(
            f"Cannot tell what kind of file {str(path)!r} is by its ending; known are {known}.",
            code="D102",
        )
    return kind


def _nearest_file(path: Path) -> str:
    import difflib

    try:
        names = [p.name for p in path.parent.iterdir()]
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, names, n=1)
    return f" Did you mean {str(path.parent / near[0])!r}?" if near else ""


def _guarded(path: Path, read: Callable[[], Any]) -> Any:
    """The result of `read`; its failure as a DataError without the engine's words.

    An engine's message may quote the cell it choked on, so it never reaches ours.
    """
    import duckdb
    import pyarrow as pa

    try:
        return read()
    except duckdb.OutOfMemoryException:
        raise DataError(
            f"{str(path)!r} needs more memory than it is allowed; raise the limit.", code="D103"
        ) from None
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        if not os.access(path, os.R_OK) and path.exists():
            raise DataError(f"{str(path)!r} may not be read.", code="D103") from None
        raise DataError(
            f"{str(path)!r} cannot be read as the kind of file that its ending says "
            f"({type(error).__name__}). Is it complete, and is the ending right?",
            code="D103",
        ) from None


def _read_arrow(path: Path) -> pa.Table:
    import pyarrow as pa
    from pyarrow import feather

    try:
        return feather.read_table(path, memory_map=True)
    except pa.ArrowInvalid:
        with pa.memory_map(str(path)) as source:
            return pa.ipc.open_stream(source).read_all()


def _open_duckdb(path: Path, table: str | None, memory: str | None) -> ir.Table:
    backend = connect(memory)

    def attach() -> list[str]:
        backend.raw_sql(f"attach {_literal(str(path))} as candling_source (read_only)")
        found = backend.raw_sql(
            "select table_name from information_schema.tables "
            "where table_catalog = 'candling_source' and table_schema = 'main' order by 1"
        )
        return [name for (name,) in found.fetchall()]

    names: list[str] = _guarded(path, attach)
    if table is None and len(names) == 1:
        table = names[0]
    if table not in names:
        problem = f"has no table {table!r}"
        if table is None:
            problem = "has several tables" if names else "has no tables in its main schema"
        listing = ", ".join(names) or "none"
        raise DataError(
            f"{str(path)!r} {problem}; name one with --table (there: {listing}).", code="D104"
        )
    return backend.table(table, database="candling_source.main")


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


def _register(table: pa.Table, memory: str | None) -> ir.Table:
    import ibis
    import pyarrow as pa

    for position, column in enumerate(table.schema):
        if pa.types.is_null(column.type):  # nothing but NULL: any type will do
            text = table.column(position).cast(pa.string())
            table = table.set_column(position, column.name, text)
    return connect(memory).create_table("candling_source", ibis.memtable(table), temp=True)
