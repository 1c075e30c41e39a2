"""CSV files, read by one dialect that no row can change.

Quotes are double and doubled inside, nothing is a comment, the first line holds the names of the
columns, and what separates them there separates all cells; the caller may say otherwise. Types that
the caller does not state, and the way in which dates are written, are those that fit every value.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from candling.errors import DataError, UsageError
from candling.reading import Reading, StatedType
from candling.tables.backends.duckdb import Connected, Source, call_on, read_files
from candling.tables.engine import by_column, count_misfits, duckdb_cast, literal, quote_name
from candling.tables.files.paths import TablePath
from candling.tables.files.text import (
    cells_of,
    encoding_of,
    find_bad_line,
    find_undecodable_line,
    first_line,
    in_utf_8,
    is_utf_8,
    most_frequent_separator,
)
from candling.tables.values import names_of_cells

_UTF_8 = "utf-8-sig"
_MOMENTS = ("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIME")


@dataclass(frozen=True, slots=True)
class CsvFiles:
    """Files in UTF-8, and how they are read."""

    files: tuple[Path, ...]  # those of the caller, or copies in UTF-8
    skipped: int  # empty lines above the first one
    separator: str
    names: tuple[str, ...]  # of the columns
    reading: Reading
    stated: Mapping[str, StatedType]
    folder: Path | None = None  # with the copies

    def discard(self) -> None:
        """Remove the copies."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def keep_for(self, connected: Connected) -> None:
        """Remove the copies when the connection goes."""
        weakref.finalize(connected, self.discard)


def find_columns(place: TablePath, reading: Reading, *, owner: bool) -> CsvFiles:
    """The files in UTF-8 with the names of their columns, by their first line."""
    encoding = encoding_of(place.files[0], reading.codec)
    folder = None if is_utf_8(encoding) else Path(tempfile.mkdtemp(prefix="candling-"))
    try:
        files = place.files
        if folder is not None:
            files = _copies(place, encoding, folder, owner=owner)
        skipped, line = first_line(files[0], _UTF_8)
        _require_text(line, place)
        separator = reading.delimiter or most_frequent_separator(line)
        _require_plain(reading.null, separator)
        cells = cells_of(line, separator)
        names = [f"column{i}" for i in range(len(cells))]
        if reading.has_header:
            names = names_of_cells(cells, place.shown)
        stated = by_column(reading, names, place.shown)
    except BaseException:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    return CsvFiles(tuple(files), skipped, separator, tuple(names), reading, stated, folder)


def _require_text(line: str, place: TablePath) -> None:
    if not line:
        raise DataError(f"{place.shown} is empty: it has no columns.", code="D103")
    if "\0" in line:
        raise DataError(
            f"{place.shown} has NUL bytes in its first line: it is no text, or text in UTF-16 "
            "without a mark, which --encoding utf-16-le or utf-16-be reads.",
            code="D103",
        )


def _require_plain(null: Sequence[str], separator: str) -> None:
    """DuckDB knows no NULL that stands in quotes."""
    for text in null:
        if any(character in text for character in (separator, '"', "\n", "\r")):
            raise UsageError(
                f"{text!r} cannot stand for NULL in a CSV file: it holds a quote, a line break or "
                f"what separates cells ({separator!r}).",
                code="U110",
            )


def _copies(place: TablePath, encoding: str, folder: Path, *, owner: bool) -> tuple[Path, ...]:
    try:
        return tuple(in_utf_8(place.files, encoding, folder))
    except UnicodeError:
        failed = True
    del failed  # the words of the exception hold bytes of the file
    wrong = (find_undecodable_line(file, encoding) for file in place.files)
    words = next((bad.words(numbered=owner) for bad in wrong if bad is not None), "cannot be read")
    raise DataError(f"{place.shown} {words}.", code="D103")


def read_csv(connected: Connected, csv: CsvFiles, *, text: bool) -> str:
    """A view of CSV files: its name.

    All values decide the types: a sample would let a late row end the run half-way. With `text`,
    cells stay as they are written.
    """
    options = _dialect(csv, null=() if text else csv.reading.null)
    every = {"sample_size": "-1", "all_varchar": str(text).lower()}
    # One file is looked through once: a view that detects types by itself does so on every use.
    if len(csv.files) > 1:
        types = {} if text else dict.fromkeys(csv.stated, "VARCHAR")
        named = {} if csv.reading.has_header else {"names": _list(csv.names)}
        options |= every | named | ({"types": _struct(types)} if types else {})
    else:
        options |= _types(connected, csv, options, every)
    return read_files(connected, "read_csv", csv.files, options, _select_columns(csv, text=text))


def misfits(connected: Connected, csv: CsvFiles) -> dict[str, int]:
    """How many cells do not fit the type that is stated for their column. NOT PRIVATE."""
    options = _dialect(csv, null=csv.reading.null) | _all_text(csv)
    cells = Source(connected, call_on("read_csv", csv.files, options), stored=False)
    return count_misfits(cells, csv.stated)


def _dialect(csv: CsvFiles, *, null: Sequence[str]) -> dict[str, str]:
    return {
        "delim": literal(csv.separator),
        "quote": literal('"'),
        "escape": literal('"'),
        "comment": literal(""),
        "header": str(csv.reading.has_header).lower(),
        "skip": str(csv.skipped),
        "strict_mode": "true",
        "null_padding": "false",
        "ignore_errors": "false",
        "nullstr": _list(dict.fromkeys(("", *null))),
    }


def _all_text(csv: CsvFiles) -> dict[str, str]:
    types = _struct(dict.fromkeys(csv.names, "VARCHAR"))
    return {"auto_detect": "false", "columns": types}


def _select_columns(csv: CsvFiles, *, text: bool) -> str:
    """The columns in SQL, those with a stated type as values of it."""
    if text or not csv.stated:
        return "*"
    return ", ".join(
        f"{duckdb_cast(csv.stated[name], quote_name(name))} as {quote_name(name)}"
        if name in csv.stated
        else quote_name(name)
        for name in csv.names
    )


def _types(
    connected: Connected, csv: CsvFiles, options: Mapping[str, str], every: Mapping[str, str]
) -> dict[str, str]:
    """How to read the columns of a file, without another look at its values."""
    sniffed = call_on("sniff_csv", csv.files, {**options, **every})
    ((days, stamps, columns),) = connected.con.execute(
        f"select dateformat, timestampformat, columns from {sniffed}"  # noqa: S608 - quoted
    ).fetchall()
    types = dict(zip(csv.names, (column["type"] for column in columns), strict=True))
    types |= dict.fromkeys(csv.stated, "VARCHAR")
    types |= dict.fromkeys(_unlike(connected, csv, types, days, stamps), "VARCHAR")
    fixed = {"auto_detect": "false", "columns": _struct(types)}
    written = {"dateformat": days, "timestampformat": stamps}
    return fixed | {key: literal(value) for key, value in written.items() if value}


def _unlike(
    connected: Connected,
    csv: CsvFiles,
    types: Mapping[str, str],
    days: str | None,
    stamps: str | None,
) -> list[str]:
    """Columns of dates that are written in several ways: DuckDB takes them for dates, and fails."""
    moments = [name for name, kind in types.items() if kind in _MOMENTS]
    if not moments:
        return []

    def value(name: str) -> str:
        written = {"DATE": days, "TIMESTAMP": stamps}.get(types[name])
        cell = quote_name(name)
        if written:
            return f"try_strptime({cell}, {literal(written)})"
        return f"try_cast({cell} as {types[name]})"

    options = _dialect(csv, null=csv.reading.null) | _all_text(csv)
    compared = ", ".join(f"count({value(name)}) = count({quote_name(name)})" for name in moments)
    ((*alike,),) = connected.con.execute(
        f"select {compared} from {call_on('read_csv', csv.files, options)}"  # noqa: S608 - quoted
    ).fetchall()
    return [name for name, all_fit in zip(moments, alike, strict=True) if not all_fit]


def csv_problem(csv: CsvFiles, error: Exception, *, owner: bool) -> str | None:
    """What is wrong with a file that could not be read, without a word of what it holds.

    For the `owner` the message names the line: NOT PRIVATE.
    """
    for file in csv.files:
        bad = find_bad_line(file, _UTF_8, csv.separator, len(csv.names))
        if bad is not None:
            return bad.words(numbered=owner)
    column = re.search(r'Error when converting column "([^"]+)"', str(error))
    if column is not None and column[1] in csv.names:
        return (
            f"has a column {column[1]!r} that is not written in one way in all of the files: state "
            f"its type, with --type {column[1]}=text"
        )
    return None


def _list(texts: Sequence[str] | Mapping[str, None]) -> str:
    return f"[{', '.join(map(literal, texts))}]"


def _struct(types: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in types.items()) + "}"
