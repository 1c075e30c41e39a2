"""Files, read by the embedded DuckDB: CSV, Parquet, JSON, Arrow, or a table in a DuckDB file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from candling.engines.arrow import read_arrow
from candling.engines.csv_files import csv_problem, read_csv
from candling.engines.duckdb import Connected, Source, connect, read_files, register
from candling.engines.engine import literal, quoted
from candling.engines.paths import TablePath, find, is_there, opened, require_file
from candling.errors import DataError, UsageError
from candling.failures import translated

T = TypeVar("T")
VIEW = "view:"  # before the name of a table: it may compute what it shows
_ATTACHED = "candling_source"


def open_path(
    name: str | os.PathLike[str],
    table: str | None,
    memory: str | None,
    *,
    text: bool = False,
    owner: bool = False,
    folder: Path | None = None,
) -> Source:
    """The file with this name, or all that fit a pattern; NOT PRIVATE if for the `owner`.

    With `text`, the columns of a CSV file are not typed: cells stay as they are written. The
    connection can write to `folder`, if there is one, and nowhere else.
    """
    place = find(name)
    if table is not None and place.kind != "database":
        raise UsageError("`table` names a table inside a file or a database only.", code="U103")
    if place.kind in ("arrow", "database") and place.is_pattern:
        raise DataError(
            f"{str(place.path)!r} is a pattern, which CSV, Parquet and JSON files can have: name "
            "one file.",
            code="D102",
        )
    if place.kind == "database":
        return _open_database(place, table, memory, folder)
    if place.kind == "arrow":
        return _open_arrow(place, memory, folder)
    if not place.is_pattern and place.path.stat().st_size == 0:
        raise DataError(f"{str(place.path)!r} is empty: it has no columns.", code="D103")
    connected = connect(memory, files=place.files, folder=folder)
    readers: dict[str, Callable[[], str]] = {
        "csv": lambda: read_csv(connected, place.files, text=text),
        "parquet": lambda: read_files(connected, "read_parquet", place.files, {}),
        "json": lambda: read_files(connected, "read_json", place.files, {"sample_size": "-1"}),
    }

    def problem(error: Exception) -> str | None:
        return csv_problem(connected, place.files, error, owner=owner)

    rows = _guarded(place, readers[place.kind], problem if place.kind == "csv" else None)
    counted = not place.is_pattern and not place.packed and place.kind != "parquet"
    size = place.path.stat().st_size if counted else None
    return Source(connected, rows, stored=place.kind == "parquet", size=size)


def _guarded(
    place: TablePath,
    read: Callable[[], T],
    problem: Callable[[Exception], str | None] | None = None,
) -> T:
    """The result of `read`; its failure as a DataError without the engine's words.

    An engine's message may quote the cell it choked on, so it never reaches ours; `problem` tells
    what it means.
    """
    import duckdb

    name = repr(str(place.path))

    def explained(error: Exception) -> DataError:
        if isinstance(error, duckdb.OutOfMemoryException | MemoryError):
            words = "needs more memory than it is allowed; raise the limit."
        elif not all(os.access(file, os.R_OK) for file in place.files):
            words = "cannot be read: permission denied."
        elif problem is not None and (known := problem(error)) is not None:
            words = f"{known}."
        else:
            words = (
                "cannot be read as the kind of file that its ending says "
                f"({type(error).__name__}). Is it complete, and is the ending right?"
            )
        return DataError(f"{name} {words}", code="D103")

    return translated(read, explained)


def _open_arrow(place: TablePath, memory: str | None, folder: Path | None) -> Source:
    def read() -> Source:
        with opened(place.path) as file:
            return register(read_arrow(file), memory, folder=folder)

    return _guarded(place, read)


# DuckDB files


def _open_database(
    place: TablePath, table: str | None, memory: str | None, folder: Path | None
) -> Source:
    """A table that the file stores; one that it computes only if the name says so."""
    log = Path(f"{place.path}.wal")  # what is not yet in the file itself
    if is_there(log):
        require_file(log)
    connected = connect(memory, files=(place.path, log), folder=folder)

    def attach() -> dict[str, bool]:
        path = literal(str(place.path.absolute()))
        # Its type is stated: files of other programs would be looked at by extensions.
        connected.con.execute(f"attach {path} as {_ATTACHED} (read_only, type duckdb)")
        return _tables(connected)

    tables = _guarded(place, attach, _database_problem)
    name = _chosen(place, tables, table)
    source = Source(connected, f"{_ATTACHED}.main.{quoted(name)}", stored=True)
    _guarded(place, source.types, _database_problem)
    return source


def _tables(connected: Connected) -> dict[str, bool]:
    """The tables and views of the main schema, and whether each is computed when it is read."""
    known = connected.con.execute(
        "select table_name, sql from duckdb_tables() "
        "where database_name = ? and schema_name = 'main'",
        [_ATTACHED],
    ).fetchall()
    views = connected.con.execute(
        "select view_name from duckdb_views() "
        "where database_name = ? and schema_name = 'main' and not internal",
        [_ATTACHED],
    ).fetchall()
    tables = {name: _has_generated_columns(sql) for name, sql in known}
    return dict(sorted((tables | {name: True for (name,) in views}).items()))


def _has_generated_columns(sql: str) -> bool:
    from sqlglot import tokenize

    words = [token.text.upper() for token in tokenize(sql, read="duckdb")]
    return any(words[at : at + 3] == ["GENERATED", "ALWAYS", "AS"] for at in range(len(words) - 2))


def _chosen(place: TablePath, tables: dict[str, bool], table: str | None) -> str:
    """The name of the table that is meant."""
    if table is None and len(tables) == 1:
        table = next(iter(tables))
    trusted = table is not None and table not in tables and table.startswith(VIEW)
    name = table.removeprefix(VIEW) if table is not None and trusted else table
    if name is None or name not in tables:
        problem = f"has no table {name!r}"
        if name is None:
            problem = "has several tables" if tables else "has no tables in its main schema"
        listing = ", ".join(tables) or "none"
        raise DataError(
            f"{str(place.path)!r} {problem}; name one with --table (there: {listing}).", code="D104"
        )
    if tables[name] and not trusted:
        raise DataError(
            f"{name!r} in {str(place.path)!r} is a view, or has generated columns: the file says "
            "what is computed when it is read. If you know what that is, say so with "
            f"--table {VIEW}{name}; else store it as a table.",
            code="D115",
        )
    return name


def _database_problem(error: Exception) -> str | None:
    words = str(error)
    if "disabled by configuration" in words:
        return (
            "reads another file or the network where it computes the table, which is not allowed: "
            "store the result as a table"
        )
    if "encrypt" in words.lower():
        return "is encrypted: copy the table to a file that is not, and delete it afterwards"
    return None
