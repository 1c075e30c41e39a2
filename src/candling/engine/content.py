"""A digest of all that a table holds, to recognise it again. Private: to be keyed and hidden."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from candling.engine.sources import collect, connect
from candling.errors import DataError

if TYPE_CHECKING:
    import ibis.expr.types as ir
    from ibis.backends.duckdb import Backend

_NAME = "candling_content"


def content_digest(table: ir.Table) -> bytes:
    """32 bytes that are the same for the same rows, in whatever order, and columns by name.

    Each row becomes a text, which is hashed with MD5, and the hashes are added up: a million rows
    take a second or two. An accident will not give two tables one digest; who tries, may. The
    embedded engine does it for every engine, so that a table stays itself when it moves.
    """
    try:
        backend, source = _source(table)
        row = " || ".join(_text(name, table[name].type()) for name in sorted(table.columns))
        texts = f"(select {row} as candling_row from {source})"  # noqa: S608 - quoted names
        found = backend.con.execute(
            f"select count(*), sum(md5_number_lower(candling_row)) from {texts}"  # noqa: S608
        ).fetchone()
    except Exception as error:  # noqa: BLE001  # engines raise what they like, and quote cells
        raise DataError(
            f"The engine could not read the table ({type(error).__name__}).", code="D103"
        ) from None
    told = json.dumps([sorted(table.columns), *map(str, found)])
    return hashlib.sha256(told.encode()).digest()


def _source(table: ir.Table) -> tuple[Backend, str]:
    """An embedded engine, and the table in its SQL."""
    import ibis.expr.operations as ops

    backend = table.get_backend()
    if backend.name == "duckdb" and not table.op().find(ops.InMemoryTable):
        return backend, f"({backend.compile(table)})"
    rows = collect(table) if backend.name == "duckdb" else table.to_pyarrow_batches()
    backend = connect()
    backend.con.register(_NAME, rows)
    return backend, _NAME


def _text(name: str, dtype: Any) -> str:
    """A column as a text from which its value, and where it ends, can be told."""
    column = '"' + name.replace('"', '""') + '"'
    if dtype.is_timestamp() and dtype.timezone is not None:
        column = f"epoch_us({column})"  # or the text would depend on where we are
    return f"coalesce(length({column}::varchar) || ':' || {column}::varchar, '-')"
