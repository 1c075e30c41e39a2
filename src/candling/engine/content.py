"""A digest of all that a table holds, to recognise it again. Private: to be keyed and hidden."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from candling.engine.failures import told, unreadable
from candling.engine.quoting import quoted
from candling.engine.sources import collect, connect

if TYPE_CHECKING:
    import ibis.expr.types as ir
    from ibis.backends.duckdb import Backend

_NAME = "candling_content"
# PostgreSQL's numbers of 64 bits have a sign: all bits but the last, twice, and the last.
_UNSIGNED = (
    "((cast(('x' || {0}) as bit(64)) >> 1) & x'7fffffffffffffff')::bigint::numeric * 2 "
    "+ (cast(('x' || {0}) as bit(64)) & x'0000000000000001')::bigint"
)
# By engine: its type for text, a number from 16 hexadecimal digits, and the quote around names.
_TEXTS = {
    "pyspark": ("string", "cast(conv({}, 16, 10) as decimal(38, 0))", "`"),
    "postgres": ("text", _UNSIGNED, '"'),
}


def content_digest(table: ir.Table) -> bytes:
    """32 bytes that are the same for the same rows, in whatever order, and columns by name.

    Each row becomes a text, which is hashed with MD5, and the hashes are added up: a million rows
    take a second or two. An accident will not give two tables one digest; who tries, may. Spark and
    PostgreSQL do it themselves, so that two numbers come over and no row. There, floats and moments
    are written in other ways: with such columns, a table that moves to another engine is another.
    """
    there = table.get_backend().name in _TEXTS
    found = told(
        lambda: _counted_there(table) if there else _counted_here(table),
        lambda error: unreadable("The engine", error),
    )
    text = json.dumps([sorted(table.columns), *map(str, found)])
    return hashlib.sha256(text.encode()).digest()


def _counted_here(table: ir.Table) -> Sequence[object]:
    """How many rows there are and the sum of their hashes, from the embedded engine."""
    backend, source = _source(table)
    row = " || ".join(_text(name, table[name].type()) for name in sorted(table.columns))
    texts = f"(select {row} as candling_row from {source})"  # noqa: S608 - quoted names
    found: Sequence[object] = backend.con.execute(
        f"select count(*), sum(md5_number_lower(candling_row)) from {texts}"  # noqa: S608
    ).fetchone()
    return found


def _counted_there(table: ir.Table) -> tuple[str, str]:
    """The same from the engine that has them.

    The number of a hash is made of its last eight bytes, the last one first: DuckDB's
    `md5_number_lower`.
    """
    import ibis

    backend = table.get_backend()
    text, number, mark = _TEXTS[backend.name]
    cells = []
    for name in sorted(table.columns):
        column = quoted(name, mark)
        shown = f"hex({column})" if text == "string" and table[name].type().is_binary() else column
        cell = f"cast({shown} as {text})"
        cells.append(f"coalesce(cast(length({cell}) as {text}) || ':' || {cell}, '-')")
    digits = " || ".join(f"substr(candling_hash, {i}, 2)" for i in range(31, 15, -2))
    query = (
        f"select cast(count(*) as {text}) as n, "  # noqa: S608 - quoted names
        f"cast(sum({number.format(digits)}) as {text}) as total from "
        f"(select md5({' || '.join(cells)}) as candling_hash from ({backend.compile(table)}) c) h"
    )
    schema = ibis.schema({"n": "string", "total": "string"})
    (found,) = collect(backend.sql(query, schema=schema)).to_pylist()
    return found["n"], found["total"]


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
    column = quoted(name)
    if dtype.is_timestamp() and dtype.timezone is not None:
        column = f"epoch_us({column})"  # or the text would depend on where we are
    return f"coalesce(length({column}::varchar) || ':' || {column}::varchar, '-')"
