"""Files of JSON: a list of objects, or one object after the other.

A table of JSON has the columns that rules and caller name: a key that an object lacks is NULL, and
a file without objects is a table without rows. Each cell becomes a text by itself, 1 and 1.0 the
same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from candling.tables.backends.duckdb import Connected, call_on, limit_cell
from candling.tables.engine import literal, quote_name
from candling.tables.files.paths import TablePath
from candling.tables.files.text import open_unpacked
from candling.tables.values import require_different

_HEAD = 1 << 16
_LINES = (".jsonl", ".ndjson")


def read_json(connected: Connected, place: TablePath, names: Sequence[str]) -> str:
    """A query in brackets, whose columns have these names."""
    columns = list(names) or find_keys(connected, place)
    require_different(columns, place.shown)
    cells = ", ".join(f"{_cell(name)} as {quote_name(name)}" for name in columns)
    names = [quote_name(name) for name in columns]
    limited = ", ".join(f"{limit_cell(name)} as {name}" for name in names)
    rows = f"(select {cells or '1 as none'} from {_objects(place)})"  # noqa: S608 - quoted names
    return f"(select {limited or '*'} from {rows})"  # noqa: S608 - the same


def find_keys(connected: Connected, place: TablePath) -> list[str]:
    """The keys of all objects, in the order in which they appear first. NOT PRIVATE."""
    rows = connected.execute(
        "select key from (select unnest(json_keys(json)) as key, n from "  # noqa: S608 - quoted
        f"(select json, row_number() over () as n from {_objects(place)})) group by key "
        "order by min(n), key"
    )
    return [key for (key,) in rows]


def _objects(place: TablePath) -> str:
    """What DuckDB reads, one object a row."""
    parts = [
        f"select json from {call_on('read_json_objects', [file], {'format': literal(form)})}"  # noqa: S608
        for file in place.files
        for form in ("array" if _is_list(file) else "unstructured",)
    ]
    return f"({' union all '.join(parts)})"


def _is_list(path: Path) -> bool:
    """Whether a file is one list: its first character says so."""
    if any(suffix.lower() in _LINES for suffix in path.suffixes):
        return False
    with open_unpacked(path) as opened:
        return opened.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").startswith(b"[")


def _cell(name: str) -> str:
    """A cell as a text, which depends on nothing else."""
    key = literal("/" + name.replace("~", "~0").replace("/", "~1"))
    text, kind = f"json_extract_string(json, {key})", f"json_type(json, {key})"
    number = f"regexp_replace(regexp_replace({text}, '[.]0+$', ''), '^-0$', '0')"
    return (
        f"case when {kind} in ('BIGINT', 'UBIGINT', 'DOUBLE', 'HUGEINT') then {number} "
        f"when {kind} <> 'NULL' then {text} end"
    )
