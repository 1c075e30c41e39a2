"""Opening a table, wherever it is: on embedded DuckDB unless it names another engine."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from candling.engines.csv_files import csv_problem, read_csv
from candling.engines.duckdb import canonical_duckdb, connect, fetch_duckdb
from candling.engines.failures import told, unreadable
from candling.engines.forms import INFINITE_TICK, Table
from candling.engines.places import Engine, Place, locate
from candling.engines.quoting import literal
from candling.errors import DataError, UsageError

if TYPE_CHECKING:
    import ibis
    import ibis.expr.types as ir
    import pyarrow as pa

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
_PACKED = (".gz", ".zst")
# Ibis backends that live in this process, so that handing their rows to DuckDB moves nothing far.
_IN_PROCESS = ("polars", "sqlite")


def open_table(
    data: Any,
    *,
    table: str | None = None,
    memory: str | None = None,
    engine: str | None = None,
) -> Table:
    """`data` with every value in its one form; no row is read yet where the format allows.

    `data` is a path (CSV, TSV, Parquet, JSON, Arrow/Feather, or a DuckDB file whose table is
    named by `table`), a pandas or polars frame, a pyarrow object, anything that speaks the Arrow
    stream protocol, or an Ibis table, which stays on its own engine. `memory` limits the embedded
    DuckDB (`"4GB"`); beyond it, DuckDB spills to a private directory that goes with the session.

    `engine` is where a path or the name of a table is looked up: `"duckdb"`, which is embedded,
    `"spark"` (the active session, or one from the environment), `"spark://host:port"`,
    `"sc://host:port"` (Spark Connect), `"postgresql"` or `"postgresql://..."`. Data that begins
    with `spark://` names a table on Spark, `postgresql://` a database whose table is `table`.
    """
    if isinstance(data, str | os.PathLike):
        place = locate(str(data), engine, table)
        return _open_place(place, memory) if place else opened(_open_path(data, table, memory))
    if table is not None:
        raise UsageError("`table` names a table inside a file or a database only.", code="U103")
    if engine not in (None, Engine.DUCKDB):
        raise UsageError(
            "`engine` says where a path or the name of a table is looked up; an object is measured "
            "where it is: leave it out.",
            code="U107",
        )
    return _open_object(data, memory)


@dataclass(frozen=True, slots=True)
class Source:
    """A table on DuckDB as it is."""

    rows: ir.Table
    stored: bool  # reading it again parses no text and runs no query
    size: int | None = None  # bytes of a text file: it has fewer rows


def open_source(
    data: Any, *, table: str | None = None, memory: str | None = None, text: bool = False
) -> Source:
    """`data` on DuckDB, with the types it has. NOT PRIVATE: for the owner, who sees values.

    With `text`, the columns of a CSV file are not typed: cells stay as they are written.
    """
    import ibis.expr.types as ir

    if isinstance(data, str | os.PathLike):
        return _open_path(data, table, memory, text=text, owner=True)
    return _on_duckdb(data) if isinstance(data, ir.Table) else _register(_to_arrow(data), memory)


def opened(source: Source) -> Table:
    """The source with every value in its one form."""
    return told(
        lambda: canonical_duckdb(source.rows, stored=source.stored, size=source.size),
        lambda error: unreadable("The engine", error),
    )


def _open_place(place: Place, memory: str | None) -> Table:
    if place.engine is Engine.SPARK:
        from candling.engines.spark import open_spark

        return open_spark(place, memory)
    from candling.engines.postgresql import open_postgresql

    return open_postgresql(place)


def _open_object(data: Any, memory: str | None) -> Table:
    import ibis.expr.types as ir

    if not isinstance(data, ir.Table):
        return opened(_register(_to_arrow(data), memory))
    match data.get_backend().name:
        case "duckdb":
            return opened(_on_duckdb(data))
        case "pyspark":
            from candling.engines.spark import canonical_spark

            return canonical_spark(data)
        case "postgres":
            from candling.engines.postgresql import canonical_postgresql

            return canonical_postgresql(data)
        case name if name in _IN_PROCESS:
            rows = told(data.to_pyarrow, lambda e: unreadable(name, e))
            return opened(_register(rows, memory))
        case name:
            raise DataError(
                f"A table on {name} cannot be measured where it is: whether strings are equal and "
                "how they are sorted there is not known to be as elsewhere. Export it to Parquet, "
                "and name the file.",
                code="D111",
            )


def _on_duckdb(table: ir.Table) -> Source:
    """An Ibis table on a connection to DuckDB, or one that holds rows of this process."""
    import ibis.expr.operations as ops

    if table.op().find(ops.InMemoryTable):
        rows = told(table.to_pyarrow, lambda e: unreadable("The engine", e))
        return _register(rows, None)
    return Source(table, isinstance(table.op(), ops.DatabaseTable))


def collect(table: Table, query: ir.Table, names: Sequence[str]) -> pa.Table:
    """What a query over some columns of the table gives, in Arrow."""
    return fetch(table, table.sql(query, names), query.schema())


def fetch(table: Table, sql: str, schema: ibis.Schema) -> pa.Table:
    """What the engine answers; what stops it is told without its words."""

    def answer() -> pa.Table:
        match table.engine:
            case "pyspark":
                from candling.engines.spark import fetch_spark

                return fetch_spark(table.backend, sql)
            case "postgres":
                from candling.engines.postgresql import fetch_postgresql

                return fetch_postgresql(table.backend, sql, schema)
        return fetch_duckdb(table.backend, sql)

    return told(answer, lambda error: unreadable("The engine", error))


def _open_path(
    name: str | os.PathLike[str],
    table: str | None,
    memory: str | None,
    *,
    text: bool = False,
    owner: bool = False,
) -> Source:
    path = Path(name)
    kind = _kind(path)
    if table is not None and kind != "duckdb":
        raise UsageError("`table` names a table inside a file or a database only.", code="U103")
    if kind == "duckdb":
        return Source(_open_duckdb(path, table, memory), stored=True)
    if kind == "arrow":
        return _register(_guarded(path, lambda: _read_arrow(path)), memory)
    if path.is_file() and path.stat().st_size == 0:
        raise DataError(f"{str(path)!r} is empty: it has no columns.", code="D103")
    backend = connect(memory)
    # A file that is there is meant, whatever its name looks like; else the name is a pattern.
    there = path.exists()
    pattern = _plain_name(path) if there else str(path)
    readers: dict[str, Callable[[], ir.Table]] = {
        "csv": lambda: read_csv(backend, pattern, pattern=not there, text=text),
        "parquet": lambda: backend.read_parquet(pattern),
        "json": lambda: backend.read_json(pattern, sample_size=-1),
    }
    packed = path.suffix.lower() in _PACKED
    size = None if kind == "parquet" or packed or not there else path.stat().st_size

    def problem(error: Exception) -> str | None:
        return csv_problem(backend, pattern, error, owner=owner) if kind == "csv" else None

    rows = _guarded(path, readers[kind], problem)
    return Source(rows, stored=kind == "parquet", size=size)


def _plain_name(path: Path) -> str:
    """The name of a file, in which no character stands for others."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(path))


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
    if path.suffix.lower() in _PACKED:
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


def _guarded(
    path: Path, read: Callable[[], Any], problem: Callable[[Exception], str | None] | None = None
) -> Any:
    """The result of `read`; its failure as a DataError without the engine's words.

    An engine's message may quote the cell it choked on, so it never reaches ours; `problem` tells
    what it means.
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
        if problem is not None and (known := problem(error)) is not None:
            raise DataError(f"{str(path)!r} {known}.", code="D103") from None
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
        backend.raw_sql(f"attach {literal(str(path))} as candling_source (read_only)")
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


def _register(table: pa.Table, memory: str | None) -> Source:
    import pyarrow as pa

    for position, column in enumerate(table.schema):
        if (usual := _usual(table.column(position))) is not None:
            table = table.set_column(position, column.name, usual)
        if pa.types.is_decimal256(column.type) and column.type.precision > 38:
            raise DataError(
                f"Column {column.name!r} holds decimals of more than 38 digits, which DuckDB has "
                "no type for: cast it to text or to fewer digits, or leave it out.",
                code="D103",
            )
    backend = connect(memory)

    def copy() -> ir.Table:
        # Not by way of Ibis, which would cut nanoseconds off.
        backend.con.register("candling_arrow", table)
        backend.con.execute("create temp table candling_source as from candling_arrow")
        backend.con.unregister("candling_arrow")
        return backend.table("candling_source", database="temp.main")

    return Source(told(copy, lambda error: unreadable("The engine", error)), stored=True)


def _usual(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """The column in a type that DuckDB takes whatever the values are; None if it has one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_null(kind):  # nothing but NULL: any type will do
        return column.cast(pa.string())
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_decimal256(kind) and kind.precision <= 38:
        return column.cast(pa.decimal128(kind.precision, kind.scale))
    if not pa.types.is_timestamp(kind) or (kind.unit in ("us", "ns") and kind.tz is None):
        return None
    ticks = column.cast(pa.int64())
    if kind.unit in ("us", "ns"):
        return ticks.cast(pa.timestamp(kind.unit))
    # DuckDB fails on a moment that microseconds do not reach; it is as good as infinite.
    factor = {"s": 10**6, "ms": 10**3}[kind.unit]
    reach = INFINITE_TICK // factor
    inside = pc.multiply(pc.min_element_wise(pc.max_element_wise(ticks, -reach), reach), factor)
    inside = pc.if_else(pc.greater(ticks, reach), INFINITE_TICK, inside)
    inside = pc.if_else(pc.less(ticks, -reach), -INFINITE_TICK, inside)
    return inside.cast(pa.timestamp("us"))
