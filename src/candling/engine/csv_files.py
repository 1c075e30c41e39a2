"""CSV files, read by one dialect that no row can change.

Quotes are double and doubled inside, nothing is a comment, the first line holds the names of the
columns, and what separates them there separates all cells. Types, and the way in which dates are
written, are those that fit every value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from candling.engine.quoting import literal

if TYPE_CHECKING:
    import ibis.expr.types as ir
    from ibis.backends.duckdb import Backend

_SEPARATORS = ",\t;|"  # if two are as frequent in the header, the first
_VIEW = "candling_text"
_UNLIKELY = "\x1f"  # a separator that leaves a line whole


def read_csv(backend: Backend, name: str, *, pattern: bool, text: bool) -> ir.Table:
    """A view of a CSV file, or of all that fit a pattern.

    All values decide the types: a sample would let a late row end the run half-way. With `text`,
    cells stay as they are written.
    """
    every = {"sample_size": "-1", "all_varchar": str(text).lower()}
    options = {
        "delim": literal(_separator(backend, name)),
        "quote": literal('"'),
        "escape": literal('"'),
        "comment": literal(""),
        "header": "true",
        "skip": "0",
        "strict_mode": "true",
        "null_padding": "false",
        "ignore_errors": "false",
    }
    # One file is looked through once: a view that detects types by itself does so on every use.
    options |= every if pattern else _types(backend, name, options | every)
    backend.raw_sql(f"create temp view {_VIEW} as from {_call('read_csv', name, options)}")
    return backend.table(_VIEW)


def _types(backend: Backend, name: str, options: dict[str, str]) -> dict[str, str]:
    """How to read the columns of a file, without another look at its values."""
    sniffed = _call("sniff_csv", name, options)
    days, stamps, columns = backend.con.execute(
        f"select dateformat, timestampformat, columns from {sniffed}"  # noqa: S608 - quoted
    ).fetchone()
    types = ", ".join(f"{literal(c['name'])}: {literal(c['type'])}" for c in columns)
    found = {"auto_detect": "false", "columns": f"{{{types}}}"}
    written = {"dateformat": days, "timestampformat": stamps}
    return found | {key: literal(value) for key, value in written.items() if value}


def _call(function: str, name: str, options: dict[str, str]) -> str:
    """A table function of DuckDB on a file: the name and all texts are quoted."""
    return f"{function}({', '.join([literal(name), *(f'{k} = {v}' for k, v in options.items())])})"


def _separator(backend: Backend, name: str) -> str:
    """What stands most often between the names of the columns, outside of quotes."""
    options = {
        "delim": literal(_UNLIKELY),
        "quote": literal(""),
        "escape": literal(""),
        "comment": literal(""),
        "header": "false",
        "auto_detect": "false",
        "columns": "{'line': 'VARCHAR'}",
    }
    found = backend.con.execute(f"from {_call('read_csv', name, options)} limit 1").fetchone()
    header = found[0] if found and found[0] else ""
    bare = "".join(header.split('"')[::2])
    return max(_SEPARATORS, key=bare.count)
