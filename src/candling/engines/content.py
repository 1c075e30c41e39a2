"""A digest of all that a table holds, to recognise it again. Private: to be keyed and hidden."""

from __future__ import annotations

import hashlib
import json

from candling.engines.forms import Table
from candling.engines.sources import fetch

# A number from 16 hexadecimal digits. PostgreSQL's numbers of 64 bits have a sign: all bits but the
# last, twice, and the last.
_UNSIGNED = (
    "((cast(('x' || {0}) as bit(64)) >> 1) & x'7fffffffffffffff')::bigint::numeric * 2 "
    "+ (cast(('x' || {0}) as bit(64)) & x'0000000000000001')::bigint"
)
# By engine: its type for text, the number of a hash, bytes in hexadecimal.
_SQL = {
    "duckdb": ("varchar", "md5_number_lower(candling_row)", "hex({})"),
    "pyspark": ("string", "cast(conv({}, 16, 10) as decimal(38, 0))", "hex({})"),
    "postgres": ("text", _UNSIGNED, "upper(encode({}, 'hex'))"),
}


def content_digest(table: Table) -> bytes:
    """32 bytes that are the same for the same rows, in whatever order, and columns by name.

    Each row becomes a text, which is hashed with MD5, and the hashes are added up: a million rows
    take a second or two. An accident will not give two tables one digest; who tries, may. The
    engine does it, so that two numbers come over and no row. Floats are written in other ways on
    each: with such columns, a table that moves to another engine is another.
    """
    text = json.dumps([sorted(table.columns), *_counted(table)])
    return hashlib.sha256(text.encode()).digest()


def _counted(table: Table) -> tuple[str, str]:
    """How many rows there are and the sum of their hashes.

    The number of a hash is made of its last eight bytes, the last one first: DuckDB's
    `md5_number_lower`.
    """
    import ibis

    text, number, hexadecimal = _SQL[table.engine]
    cells = []
    names = sorted(table.columns)
    for position, name in enumerate(names):
        column = f"c{position}"
        if table.columns[name].dtype == "binary":
            column = hexadecimal.format(column)
        cell = f"cast({column} as {text})"
        cells.append(f"coalesce(cast(length({cell}) as {text}) || ':' || {cell}, '-')")
    digits = " || ".join(f"substr(md5(candling_row), {i}, 2)" for i in range(31, 15, -2))
    query = (
        f"select cast(count(*) as {text}) as n, "  # noqa: S608 - quoted names
        f"cast(sum({number.format(digits)}) as {text}) as total from "
        f"(select {' || '.join(cells)} as candling_row from ({table.select(names)}) c) h"
    )
    schema = ibis.schema({"n": "string", "total": "string"})
    (found,) = fetch(table, query, schema).to_pylist()
    return str(found["n"]), str(found["total"])
