"""CSV files, read by one dialect that no row can change.

Quotes are double and doubled inside, nothing is a comment, the first line holds the names of the
columns, and what separates them there separates all cells. Types, and the way in which dates are
written, are those that fit every value.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from candling.engines.duckdb import Connected, call_on, read_files
from candling.engines.engine import literal

_SEPARATORS = ",\t;|"  # if two are as frequent in the header, the first
_UNLIKELY = "\x1f"  # a separator that leaves a line whole


def read_csv(connected: Connected, files: Sequence[Path], *, text: bool) -> str:
    """A view of CSV files: its name.

    All values decide the types: a sample would let a late row end the run half-way. With `text`,
    cells stay as they are written.
    """
    every = {"sample_size": "-1", "all_varchar": str(text).lower()}
    options = {
        "delim": literal(_separator(connected, files)),
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
    options |= every if len(files) > 1 else _types(connected, files, options | every)
    return read_files(connected, "read_csv", files, options)


def _types(connected: Connected, files: Sequence[Path], options: dict[str, str]) -> dict[str, str]:
    """How to read the columns of a file, without another look at its values."""
    sniffed = call_on("sniff_csv", files, options)
    ((days, stamps, columns),) = connected.con.execute(
        f"select dateformat, timestampformat, columns from {sniffed}"  # noqa: S608 - quoted
    ).fetchall()
    types = ", ".join(f"{literal(c['name'])}: {literal(c['type'])}" for c in columns)
    fixed = {"auto_detect": "false", "columns": f"{{{types}}}"}
    written = {"dateformat": days, "timestampformat": stamps}
    return fixed | {key: literal(value) for key, value in written.items() if value}


def csv_problem(
    connected: Connected, files: Sequence[Path], error: Exception, *, owner: bool
) -> str | None:
    """What is wrong with a file that could not be read, without a word of what it holds.

    For the `owner` the message names the line: NOT PRIVATE.
    """
    words = str(error)
    if "not utf-8 encoded" in words:
        return (
            "is not written in UTF-8: convert it, for example with "
            "iconv --from-code latin1 --to-code utf-8"
        )
    if "parsing dialect" in words or "Expected Number of Columns" in words:
        header = _bare_header(connected, files)
        names = 1 + header.count(_most_frequent(header))
        line = _ragged_line(files, _most_frequent(header), names) if owner else None
        which = "a line" if line is None else f"a line (the first is line {line})"
        return (
            f"has {which} that is not of {names} cells, as its first line is, or a quote that is "
            "not closed: remove titles, totals and notes, and put cells with separators in quotes"
        )
    return None


def _ragged_line(files: Sequence[Path], separator: str, cells: int) -> int | None:
    """The first line of a file that has not so many cells; None if there is none to name."""
    if len(files) > 1:
        return None
    try:
        with files[0].open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file, delimiter=separator, strict=True)
            return next((lines.line_num for line in lines if len(line) != cells), None)
    except (OSError, ValueError, csv.Error):
        return None


def _separator(connected: Connected, files: Sequence[Path]) -> str:
    """What stands most often between the names of the columns."""
    return _most_frequent(_bare_header(connected, files))


def _most_frequent(header: str) -> str:
    return max(_SEPARATORS, key=header.count)


def _bare_header(connected: Connected, files: Sequence[Path]) -> str:
    """The first line of a file, without what is in quotes."""
    options = {
        "delim": literal(_UNLIKELY),
        "quote": literal(""),
        "escape": literal(""),
        "comment": literal(""),
        "header": "false",
        "auto_detect": "false",
        "columns": "{'line': 'VARCHAR'}",
    }
    first = connected.con.execute(f"from {call_on('read_csv', files, options)} limit 1").fetchone()
    header = first[0] if first and first[0] else ""
    return "".join(header.split('"')[::2])
