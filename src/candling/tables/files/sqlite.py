"""Tables of SQLite files, read by the library that comes with Python; the file is never changed.

In SQLite every cell has a type of its own, whatever was declared. A column gets the type that all
of its cells have: whole numbers, numbers, texts or bytes; texts where they differ. If it was
declared as a date, a moment or a boolean and all of its cells are written as such, it is one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from candling.reading import Reading, StatedType
from candling.tables.engine import by_column, literal, quote_name
from candling.tables.files.paths import TablePath, is_there, require_file
from candling.tables.values import require_different

if TYPE_CHECKING:
    import pyarrow as pa

MARK = b"SQLite format 3\0"
_BESIDE = ("-wal", "-journal", "-shm")  # what SQLite looks at beside a file
_BATCH = 50_000
_CLASSES = ("integer", "real", "text", "blob")
_READS = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
)


@dataclass(frozen=True, slots=True)
class SqliteColumn:
    """A column: how SQLite writes it, as what it arrives, what it was declared as."""

    name: str
    sql: str
    kind: str  # "integer", "real", "text" or "blob"
    declared: StatedType | None  # a type that its texts, or its numbers 0 and 1, may have


def connect_sqlite(place: TablePath) -> sqlite3.Connection:
    """The file, which can be read and nothing else; raises what SQLite raises."""
    for ending in _BESIDE:
        beside = Path(f"{place.path}{ending}")
        if is_there(beside):
            require_file(beside)
    address = f"{place.path.absolute().as_uri()}?mode=ro"
    # DuckDB asks for one batch after the other, each in a thread of its own choice.
    connection = sqlite3.connect(address, uri=True, check_same_thread=False)
    connection.execute("pragma trusted_schema = off")  # its views call no function with effects
    connection.execute("pragma cell_size_check = on")
    connection.execute("pragma query_only = on")
    connection.execute("begin")  # all that is read is one state of the file
    return connection


def sqlite_tables(connection: sqlite3.Connection) -> dict[str, bool]:
    """The tables and views, and whether each is computed when it is read."""
    known = connection.execute(
        "select name, type, sql from sqlite_master where type in ('table', 'view') "
        "and name not like 'sqlite\\_%' escape '\\' order by name"
    ).fetchall()
    return {
        name: kind == "view"
        or (sql or "").lower().startswith("create virtual")
        or any(hidden for *_, hidden in _read_declared_columns(connection, name))
        for name, kind, sql in known
    }


def _read_declared_columns(
    connection: sqlite3.Connection, table: str
) -> list[tuple[str, str, bool]]:
    """The columns of a table: name, declared type, and whether it is computed."""
    described = connection.execute(f"pragma table_xinfo({quote_name(table)})").fetchall()
    return [(name, kind, hidden > 1) for _, name, kind, _, _, _, hidden in described if hidden != 1]


def read_sqlite(
    connection: sqlite3.Connection, table: str, place: TablePath, reading: Reading
) -> tuple[pa.RecordBatchReader, dict[str, StatedType]]:
    """The rows of a table in batches, and the types that its columns were declared as.

    The connection must stay open until all batches are read. Columns whose type is stated come as
    texts.
    """
    import pyarrow as pa

    declared = _read_declared_columns(connection, table)
    names = [name for name, *_ in declared]
    require_different(names, place.shown)
    stated = by_column(reading, names, place.shown)
    connection.set_authorizer(_only_reads)
    columns = _columns(connection, table, declared, reading.null, stated)
    kinds = {"integer": pa.int64(), "real": pa.float64(), "text": pa.string(), "blob": pa.binary()}
    schema = pa.schema([(column.name, kinds[column.kind]) for column in columns])
    query = f"select {', '.join(c.sql for c in columns)} from {quote_name(table)}"  # noqa: S608 - quoted

    def batches() -> Iterator[pa.RecordBatch]:
        cursor = connection.execute(query)
        while rows := cursor.fetchmany(_BATCH):
            arrays = [
                pa.array(cells, kind.type)
                for cells, kind in zip(zip(*rows, strict=True), schema, strict=True)
            ]
            yield pa.record_batch(arrays, schema=schema)

    types = {column.name: column.declared for column in columns if column.declared is not None}
    return pa.RecordBatchReader.from_batches(schema, batches()), types


def _only_reads(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY


def _columns(
    connection: sqlite3.Connection,
    table: str,
    declared: Sequence[tuple[str, str, bool]],
    null: Sequence[str],
    stated: dict[str, StatedType],
) -> list[SqliteColumn]:
    """How to read each column, by the types of all of its cells."""
    missing = ", ".join(map(literal, null))
    cells = {}
    for name, *_ in declared:
        cell = quote_name(name)
        if null:
            is_missing = f"typeof({cell}) != 'blob' and cast({cell} as text) in ({missing})"
            cell = f"case when {is_missing} then null else {cell} end"
        cells[name] = cell
    asked = ", ".join(
        f"max(typeof({cells[name]}) = '{kind}')" for name, *_ in declared for kind in _CLASSES
    )
    asked += "".join(f", min({cells[name]}), max({cells[name]})" for name, *_ in declared)
    (answers,) = connection.execute(f"select {asked} from {quote_name(table)}").fetchall()  # noqa: S608
    columns = []
    for position, (name, kind, _) in enumerate(declared):
        flags = answers[4 * position : 4 * position + 4]
        ends = answers[4 * len(declared) + 2 * position :][:2]
        held = {c for c, flag in zip(_CLASSES, flags, strict=True) if flag}
        known = None if name in stated else _declared_type(kind, held, ends)
        columns.append(_column(name, cells[name], held, known, as_text=name in stated))
    return columns


def _column(
    name: str, cell: str, held: set[str], known: StatedType | None, *, as_text: bool
) -> SqliteColumn:
    if not as_text and known is None:
        if held <= {"integer"} and held:
            return SqliteColumn(name, cell, "integer", None)
        if held <= {"integer", "real"} and held:
            return SqliteColumn(name, f"cast({cell} as real)", "real", None)
        if held == {"blob"}:
            return SqliteColumn(name, cell, "blob", None)
    text = f"cast({cell} as text)"
    if "blob" in held:
        text = f"case when typeof({cell}) = 'blob' then hex({cell}) else {text} end"
    return SqliteColumn(name, text, "text", known)


def _declared_type(declared: str, held: set[str], ends: Sequence[object]) -> StatedType | None:
    """What a column may be by its declaration, if its cells are written as such."""
    word = declared.lower()
    if held == {"text"} and "date" in word and "time" not in word:
        return StatedType("date")
    if held == {"text"} and ("datetime" in word or "timestamp" in word):
        return StatedType("timestamp")
    if held == {"integer"} and "bool" in word and {*ends} <= {0, 1}:
        return StatedType("boolean")
    return None
