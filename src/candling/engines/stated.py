"""Types that the caller states for columns of text: SQL that gives every cell a value.

A cell decides by itself what becomes of it, and none ends in an error: what does not fit is NULL.
So one row moves nothing but itself, and the types are what the caller said, whatever the table
holds. The patterns leave no room for what engines understand on their own: 1.5 is not rounded to an
integer, 0x1F and 1_000 are no numbers, `epoch` is no date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from candling.engines.engine import literal, quoted
from candling.errors import UsageError
from candling.reading import Reading, StatedType
from candling.suggest import did_you_mean

if TYPE_CHECKING:
    from candling.engines.duckdb import Source

_TRUE, _FALSE = "('true', 't', 'yes', 'y', '1')", "('false', 'f', 'no', 'n', '0')"
_DATE = "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
_CLOCK = "[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?( ?(Z|[+-][0-9]{2}(:?[0-9]{2})?))?"
_PATTERNS = {  # no backslash: engines read it in other ways inside of a text
    "integer": "[+-]?[0-9]+([.]0+)?",
    "number": "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?",
    "date": _DATE,
    "timestamp": f"{_DATE}([ T]{_CLOCK})?",
}


def cast_sql(
    stated: StatedType, cell: str, *, matches: Callable[[str, str], str], moment: str
) -> str:
    """SQL of the value of `cell`, a text in SQL.

    `matches` writes whether a whole text has a pattern, `moment` is the engine's type for a point
    in time.
    """
    text = f"trim({cell})"
    if stated.kind == "text":
        return cell
    if stated.written is not None:  # on DuckDB only
        found = f"try_strptime({text}, {literal(stated.written)})"
        return f"cast({found} as date)" if stated.kind == "date" else found
    if stated.kind == "boolean":
        word = f"lower({text})"
        return f"case when {word} in {_TRUE} then true when {word} in {_FALSE} then false end"
    target = {"integer": "bigint", "number": "double", "date": "date", "timestamp": moment}
    sql_type = target.get(stated.kind, f"decimal({stated.precision}, {stated.scale})")
    if stated.kind == "integer":  # Spark casts no text with a point to one
        text = f"try_cast({text} as decimal(38, 0))"
    fits = matches(f"trim({cell})", _PATTERNS.get(stated.kind) or _decimal(stated.scale))
    return f"case when {fits} then try_cast({text} as {sql_type}) end"


def _decimal(scale: int) -> str:
    """Digits after the point beyond the scale must be zeros, or the number would be rounded."""
    short = f"|[.][0-9]{{1,{scale}}}0*" if scale else ""
    return f"[+-]?([0-9]+([.][0-9]{{0,{scale}}}0*)?{short})"


def duckdb_cast(stated: StatedType, cell: str) -> str:
    """SQL of DuckDB."""

    def matches(text: str, pattern: str) -> str:
        return f"regexp_full_match({text}, {literal(pattern)})"

    return cast_sql(stated, cell, matches=matches, moment="timestamptz")


def count_misfits(source: Source, stated: Mapping[str, StatedType]) -> dict[str, int]:
    """How many texts of a table do not fit the types that are stated. NOT PRIVATE."""
    if not stated:
        return {}
    counted = ", ".join(
        f"count({quoted(name)}) - count({duckdb_cast(kind, quoted(name))})"
        for name, kind in stated.items()
    )
    ((*numbers,),) = source.connected.con.execute(
        f"select {counted} from {source.rows}"  # noqa: S608 - quoted names
    ).fetchall()
    return dict(zip(stated, numbers, strict=True))


def by_column(reading: Reading, columns: Iterable[str], name: str) -> dict[str, StatedType]:
    """The types that are not guessed; a UsageError for one of a column that `name` has not."""
    known, stated = list(columns), reading.stated
    for column in stated:
        if column not in known:
            listed = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
            raise UsageError(
                f"--type names column {column!r}, which is not in {name}."
                f"{did_you_mean(column, known)} Its columns are {listed}.",
                code="U110",
            )
    texts = (column for column in reading.texts if column in known)
    return dict.fromkeys(texts, StatedType("text")) | stated
