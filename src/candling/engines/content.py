"""A digest of all that a table holds, to recognise it again. Private: to be keyed and hidden."""

from __future__ import annotations

import hashlib
import json

from candling.engines.forms import Table


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
    digest = table.engine.digest
    cells = []
    names = sorted(table.columns)
    for position, name in enumerate(names):
        column = f"c{position}"
        if table.columns[name].dtype == "binary":
            column = digest.hexadecimal.format(column)
        cell = f"cast({column} as {digest.text})"
        cells.append(f"coalesce(cast(length({cell}) as {digest.text}) || ':' || {cell}, '-')")
    digits = " || ".join(f"substr(md5(candling_row), {i}, 2)" for i in range(31, 15, -2))
    query = (
        f"select cast(count(*) as {digest.text}) as n, "  # noqa: S608 - quoted names
        f"cast(sum({digest.number.format(digits)}) as {digest.text}) as total from "
        f"(select {' || '.join(cells)} as candling_row from ({table.select(names)}) c) h"
    )
    (sums,) = table.fetch(query, {"n": "string", "total": "string"}).to_pylist()
    return str(sums["n"]), str(sums["total"])
