"""Files, read by the embedded DuckDB: CSV, Parquet, JSON, Arrow, or a table in a DuckDB file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from candling.engines.csv_files import csv_problem, read_csv
from candling.engines.duckdb import Source, connect, register
from candling.engines.engine import literal
from candling.errors import DataError, UsageError
from candling.suggest import nearest

if TYPE_CHECKING:
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
    "duckdb": "database",
    "ddb": "database",
}
_PACKED = (".gz", ".zst")


def open_path(
    name: str | os.PathLike[str],
    table: str | None,
    memory: str | None,
    *,
    text: bool = False,
    owner: bool = False,
) -> Source:
    """The file with this name, or all that fit a pattern; NOT PRIVATE if for the `owner`.

    With `text`, the columns of a CSV file are not typed: cells stay as they are written.
    """
    path = Path(name)
    kind = _kind(path)
    if table is not None and kind != "database":
        raise UsageError("`table` names a table inside a file or a database only.", code="U103")
    if kind == "database":
        return Source(_open_duckdb(path, table, memory), stored=True)
    if kind == "arrow":
        return register(_guarded(path, lambda: _read_arrow(path)), memory)
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
        raise DataError(
            f"{str(path)!r} cannot be accessed: permission denied.", code="D101"
        ) from None
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
    try:
        near = nearest(path.name, (p.name for p in path.parent.iterdir()))
    except OSError:
        return ""
    return "" if near is None else f" Did you mean {str(path.parent / near)!r}?"


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
            raise DataError(
                f"{str(path)!r} cannot be read: permission denied.", code="D103"
            ) from None
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
        listed = backend.raw_sql(
            "select table_name from information_schema.tables "
            "where table_catalog = 'candling_source' and table_schema = 'main' order by 1"
        )
        return [name for (name,) in listed.fetchall()]

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
