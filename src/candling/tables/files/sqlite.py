"""Tables of SQLite files, read by the library that comes with Python; the file is never changed.

In SQLite every cell has a type, whatever was declared for its column. So every cell becomes a text
by itself, 1 and 1.0 the same one, and the declared type counts as stated: cells may not fit it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from candling.reading import StatedType
from candling.tables.engine import quote_name
from candling.tables.files.paths import TablePath, is_there, require_file
from candling.tables.values import (
    LONGEST_CELL,
    TOO_LONG,
    canonical_text,
    require_different,
    text_of_bytes,
)

if TYPE_CHECKING:
    import pyarrow as pa

MARK = b"SQLite format 3\0"
_BESIDE = ("-wal", "-journal", "-shm")  # what SQLite looks at beside a file
_BATCH = 50_000
_WORDS = (  # in a declared type: the first that is found
    *(("datetime", "timestamp"), ("timestamp", "timestamp"), ("date", "date"), ("bool", "boolean")),
    *(("int", "integer"), ("char", "text"), ("clob", "text"), ("text", "text"), ("blob", "text")),
    *(("real", "number"), ("floa", "number"), ("doub", "number"), ("num", "number")),
    ("dec", "number"),
)
_READS = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
)


def connect_sqlite(place: TablePath) -> sqlite3.Connection:
    """The file, which can be read and nothing else; raises what SQLite raises."""
    for ending in _BESIDE:
        beside = Path(f"{place.path}{ending}")
        if is_there(beside):
            require_file(beside)
    address = f"{place.path.absolute().as_uri()}?mode=ro"
    # DuckDB asks for one batch after the other, each in a thread of its own choice.
    connection = sqlite3.connect(address, uri=True, check_same_thread=False)
    connection.text_factory = text_of_bytes
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
    connection: sqlite3.Connection, table: str, place: TablePath, null: Sequence[str]
) -> tuple[pa.RecordBatchReader, dict[str, StatedType]]:
    """The rows of a table in batches of texts, and the types that its columns are declared as.

    The connection must stay open until all batches are read.
    """
    import pyarrow as pa

    declared = _read_declared_columns(connection, table)
    names = [name for name, *_ in declared]
    require_different(names, place.shown)
    connection.set_authorizer(_only_reads)
    schema = pa.schema([(name, pa.string()) for name in names])
    cells = ", ".join(map(_limit_cell, map(quote_name, names)))
    query = f"select {cells} from {quote_name(table)}"  # noqa: S608 - quoted
    missing = frozenset(null)

    def batches() -> Iterator[pa.RecordBatch]:
        cursor = connection.execute(query)
        while rows := cursor.fetchmany(_BATCH):
            arrays = [
                pa.array([_text(cell, missing) for cell in cells], pa.string())
                for cells in zip(*rows, strict=True)
            ]
            yield pa.record_batch(arrays, schema=schema)

    types = {name: kind for name, word, _ in declared if (kind := _declared_type(word))}
    return pa.RecordBatchReader.from_batches(schema, batches()), types


def _limit_cell(name: str) -> str:
    """SQL of a cell, or of what stands for all that are too long: they are not loaded.

    SQLite before 3.43 knows the bytes of a text only by loading it.
    """
    size = f"octet_length({name})"
    if sqlite3.sqlite_version_info < (3, 43):
        size = f"case typeof({name}) when 'text' then length(cast({name} as blob)) "
        size += f"when 'blob' then length({name}) else 0 end"
    return f"case when {size} > {LONGEST_CELL} then '{TOO_LONG}' else {name} end"


def _text(cell: object, missing: frozenset[str]) -> str | None:
    text = canonical_text(cell)
    return None if text in missing and not isinstance(cell, bytes) else text


def _only_reads(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY


def _declared_type(declared: str) -> StatedType | None:
    """The type that a declaration means; None where it leaves it to the cells."""
    word = declared.lower()
    for part, kind in _WORDS:
        if part in word:
            return StatedType(kind)
    return None
