"""Files, read by the embedded DuckDB: CSV, Parquet, JSON, Arrow, or a table in a DuckDB file.

Sheets of Excel files and tables of SQLite files are handed to it in Arrow.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from candling.errors import DataError, UsageError, translate_failure
from candling.reading import Reading, refuse_other_options
from candling.rules.types import NOTHING_STATED, Statements
from candling.system.files import FULL
from candling.system.temporary import make_folder, remove_folder
from candling.tables.backends.duckdb import (
    Connected,
    Source,
    call_on,
    connect,
    read_files,
    register,
)
from candling.tables.engine import literal, quote_name
from candling.tables.files.csv import (
    CsvFiles,
    copies_of,
    csv_problem,
    find_columns,
    read_csv,
    shorten_rows,
)
from candling.tables.files.json import read_json
from candling.tables.files.paths import (
    PACKED,
    TablePath,
    find,
    is_there,
    kind_of,
    open_binary,
    require_file,
)
from candling.tables.files.shorten import LONGEST_ROW
from candling.tables.values import read_arrow

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
VIEW = "view:"  # before the name of a table: it may compute what it shows
_ATTACHED = "candling_source"
_WITH_TABLES = ("database", "excel", "sqlite")
_READ_WITH = {  # the options that make sense for a kind of file; for the others none does
    "csv": ("null", "encoding", "delimiter", "header"),
    "excel": ("null", "header"),
    "sqlite": ("null",),
}
_WHAT = {
    "csv": "a CSV file",
    "parquet": "a Parquet file",
    "json": "a JSON file",
    "arrow": "an Arrow file",
    "database": "a DuckDB file",
    "excel": "an Excel file",
    "sqlite": "a SQLite file",
}


def open_path(
    name: str | os.PathLike[str],
    table: str | None,
    memory: str | None,
    *,
    statements: Statements = NOTHING_STATED,
    text: bool = False,
    owner: bool = False,
    folder: Path | None = None,
) -> Source:
    """The file with this name, or all that fit a pattern; NOT PRIVATE if for the `owner`.

    With `text`, cells of a CSV file that stand for NULL stay as they are written. The connection
    can write to `folder`, if there is one, and nowhere else.
    """
    place, reading = find(name), statements.reading
    kind = place.kind
    if kind == "sqlite" and _guard_read(place, lambda: _is_duckdb(place.path)):
        kind = "database"  # whose files may end in .db, too
    refuse_other_options(reading, _READ_WITH.get(kind, ()), f"{place.shown}, {_WHAT[kind]}")
    if table is not None and kind not in _WITH_TABLES:
        raise UsageError("`table` names a table inside a file or a database only.", code="U103")
    if kind in ("arrow", *_WITH_TABLES) and place.is_pattern:
        raise DataError(
            f"{place.shown} is a pattern, which CSV, Parquet and JSON files can have: name "
            "one file.",
            code="D102",
        )
    if kind == "json":
        return _open_json(place, statements, memory, folder)
    if not place.is_pattern and place.path.stat().st_size == 0:
        raise DataError(f"{place.shown} is empty: it has no columns.", code="D103")
    if kind == "database":
        return _open_database(place, table, memory, folder)
    if kind == "arrow":
        return _open_arrow(place, memory, folder)
    if kind == "excel":
        return _open_sheet(place, table, statements, memory, folder)
    if kind == "sqlite":
        return _open_sqlite(place, table, reading, memory, folder)
    if kind == "csv":
        return _open_csv(place, reading, memory, text=text, owner=owner, folder=folder)
    return _open_parquet(place, memory, folder)


def _size(place: TablePath, files: Sequence[Path]) -> int | None:
    """Bytes of one file of text; None for packed ones and for several."""
    counted = len(files) == 1 and not place.is_pattern and files[0].suffix.lower() not in PACKED
    return files[0].stat().st_size if counted else None


def _is_duckdb(path: Path) -> bool:
    with open_binary(path) as file:
        head = file.read(16)
    return kind_of(head)[1] == "database"


# Formats without types: every cell is a text


def _open_csv(
    place: TablePath,
    reading: Reading,
    memory: str | None,
    *,
    text: bool,
    owner: bool,
    folder: Path | None,
) -> Source:
    csv = _guard_read(place, lambda: find_columns(place, reading, owner=owner))
    with ExitStack() as undo:
        undo.callback(csv.discard)
        shortened = make_folder()
        undo.callback(remove_folder, shortened)
        readable = (*csv.files, *copies_of(csv, shortened))
        connected = connect(memory, files=readable, folder=folder)
        undo.pop_all()
    csv.keep_for(connected)
    weakref.finalize(connected, remove_folder, shortened)

    def problem(_: Exception) -> str | None:
        return csv_problem(csv, owner=owner)

    def shorten() -> CsvFiles:
        return _guard_read(place, lambda: shorten_rows(csv, shortened), problem)

    def check(connected: Connected) -> None:
        short = shorten()
        if short is not csv and text:  # cells must stay as they are
            raise DataError(
                f"{place.shown} has a row of more than {LONGEST_ROW:,} bytes.", code="D103"
            )
        if short is not csv:
            _guard_read(place, lambda: read_csv(connected, short, text=text), problem)

    several = len(csv.files) > 1  # of which DuckDB looks at all rows now
    first = shorten() if several and not text else csv
    rows = _guard_read(place, lambda: read_csv(connected, first, text=text), problem)
    if first is csv:
        connected.checks.append(check)
    return Source(
        connected,
        rows,
        stored=False,
        size=_size(place, csv.files),
        untyped=frozenset(csv.names),
        explain=lambda error: _explain(place, error, problem),
    )


def _open_json(
    place: TablePath, statements: Statements, memory: str | None, folder: Path | None
) -> Source:
    connected = connect(memory, files=place.files, folder=folder)
    rows = _guard_read(place, lambda: read_json(connected, place, statements.named))
    source = Source(
        connected,
        rows,
        stored=False,
        size=_size(place, place.files),
        explain=lambda error: _explain(place, error),
    )
    return replace(source, untyped=frozenset(_guard_read(place, source.types)))


def _open_sheet(
    place: TablePath,
    table: str | None,
    statements: Statements,
    memory: str | None,
    folder: Path | None,
) -> Source:
    from candling.tables.files.excel import read_sheet
    from candling.tables.files.xlsx import is_encrypted

    def read() -> Source:
        with open_binary(place.path) as file:
            batches = read_sheet(place, file, table, statements)
            source = register(batches, memory, folder=folder)
            return replace(source, untyped=frozenset(batches.schema.names))

    def problem(error: Exception) -> str | None:
        if is_encrypted(place.path):
            return "is protected by a password: save it without"
        # Raised while the engine reads, it comes as an error of the engine that names it.
        return "is damaged" if "DamagedError" in f"{type(error).__name__} {error}" else None

    return _guard_read(place, read, problem)


def _open_sqlite(
    place: TablePath,
    table: str | None,
    reading: Reading,
    memory: str | None,
    folder: Path | None,
) -> Source:
    from candling.tables.files.sqlite import connect_sqlite, read_sqlite, sqlite_tables

    def read() -> Source:
        with closing(connect_sqlite(place)) as connection:
            name = _choose_table(place, sqlite_tables(connection), table)
            batches, declared = read_sqlite(connection, name, place, reading.null)
            untyped = frozenset(batches.schema.names)
            source = register(batches, memory, folder=folder)
            return replace(source, untyped=untyped, declared=declared)

    return _guard_read(place, read, _sqlite_problem)


def _sqlite_problem(error: Exception) -> str | None:
    words = str(error)
    if "file is not a database" in words or "encrypted" in words:
        return "is not a SQLite file, or is encrypted"
    if "locked" in words:
        return "is locked by another program: try again when that is done"
    if "readonly" in words or "unable to open" in words:
        return (
            "cannot be opened without changing it: a program that writes to it is running, or "
            "crashed. Let it finish, or open and close the file with it once"
        )
    return None


def _guard_read(
    place: TablePath,
    read: Callable[[], T],
    problem: Callable[[Exception], str | None] | None = None,
) -> T:
    """The result of `read`; its failure as a DataError without the engine's words."""
    return translate_failure(read, lambda error: _explain(place, error, problem))


def _explain(
    place: TablePath,
    error: Exception,
    problem: Callable[[Exception], str | None] | None = None,
) -> DataError:
    """Why a file cannot be read.

    An engine's message may quote the cell it choked on, so it never reaches ours; `problem` tells
    what it means.
    """
    import duckdb

    if isinstance(error, duckdb.OutOfMemoryException | MemoryError):
        words = "needs more memory than it is allowed; raise the limit."
    elif isinstance(error, OSError) and error.errno in FULL:
        words = f"needs more room for copies than {tempfile.gettempdir()!r} has; change TMPDIR."
    elif not all(os.access(file, os.R_OK) for file in place.files):
        words = "cannot be read: permission denied."
    elif problem is not None and (known := problem(error)) is not None:
        words = known if known.endswith("?") else f"{known}."
    else:
        words = (
            "cannot be read as the kind of file that its extension says "
            f"({type(error).__name__}). Is it complete, and is the extension right?"
        )
    return DataError(f"{place.shown} {words}", code="D103")


def _open_parquet(place: TablePath, memory: str | None, folder: Path | None) -> Source:
    """Read by DuckDB; by way of Arrow where it fails on some value of a type.

    DuckDB fails on milliseconds that microseconds do not reach. Older ones fail on texts that are
    not UTF-8; newer ones can replace what is wrong in them.
    """
    connected = connect(memory, files=place.files, folder=folder)

    def read() -> Source:
        options = {"utf8_validation": "'replace'"}
        if not _has_option(connected, "read_parquet", *options):
            options = {}
        schema = call_on("parquet_schema", place.files, {})
        ((fails,),) = connected.con.execute(
            "select count(*) > 0 from "  # noqa: S608 - quoted names
            f"{schema} where logical_type like '%TimeUnit(MILLIS%' "
            "or converted_type = 'TIMESTAMP_MILLIS' or (converted_type = 'UTF8' and ?)",
            [not options],
        ).fetchall()
        if fails:
            return register(_read_by_arrow(place.files), memory, folder=folder)
        rows = read_files(connected, "read_parquet", place.files, options)
        return Source(connected, rows, stored=True)

    return _guard_read(place, read)


def _has_option(connected: Connected, function: str, *names: str) -> bool:
    found = connected.con.execute(
        "select unnest(parameters) from duckdb_functions() where function_name = ?", [function]
    ).fetchall()
    return {*names} <= {name for (name,) in found}


def _read_by_arrow(files: Sequence[Path]) -> pa.RecordBatchReader:
    """The rows of Parquet files, one file after the other."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    opened = [pq.ParquetFile(file, coerce_int96_timestamp_unit="us") for file in files]
    schema = opened[0].schema_arrow
    batches = (batch.cast(schema) for file in opened for batch in file.iter_batches())
    return pa.RecordBatchReader.from_batches(schema, batches)


def _open_arrow(place: TablePath, memory: str | None, folder: Path | None) -> Source:
    def read() -> Source:
        with open_binary(place.path) as file:
            return register(read_arrow(file), memory, folder=folder)

    return _guard_read(place, read)


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

    tables = _guard_read(place, attach, _database_problem)
    name = _choose_table(place, tables, table)
    source = Source(connected, f"{_ATTACHED}.main.{quote_name(name)}", stored=True)
    _guard_read(place, source.types, _database_problem)
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


def _choose_table(place: TablePath, tables: dict[str, bool], table: str | None) -> str:
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
            f"{place.shown} {problem}; name one with --table (there: {listing}).", code="D104"
        )
    if tables[name] and not trusted:
        raise DataError(
            f"{name!r} in {place.shown} is a view, or has generated columns: the file says "
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
