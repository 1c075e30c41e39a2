"""CSV files, read by one dialect that no row can change.

Quotes are double and doubled inside, nothing is a comment, the first line holds the names of the
columns, and what separates them there separates all cells; the caller may say otherwise. Every cell
is a text: which type a column has is stated elsewhere.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from candling.errors import DataError, UsageError
from candling.reading import Reading
from candling.records import dataclass
from candling.system.temporary import make_folder, remove_folder, write_unnamed
from candling.tables.backends.duckdb import Connected, limit_cell, read_files
from candling.tables.engine import literal, quote_name
from candling.tables.files.paths import PACKED, TablePath
from candling.tables.files.shorten import LONGEST_ROW, Shortener, may_have_long_rows
from candling.tables.files.text import (
    cells_of,
    encoding_of,
    find_bad_line,
    find_undecodable_line,
    first_line,
    in_utf_8,
    is_utf_8,
    most_frequent_separator,
    open_unpacked,
)
from candling.tables.values import names_of_cells

_UTF_8 = "utf-8-sig"


@dataclass(frozen=True, slots=True)
class CsvFiles:
    """Files in UTF-8, and how they are read."""

    files: tuple[Path, ...]  # those of the caller, or copies in UTF-8
    skipped: int  # empty lines above the first one
    separator: str
    names: tuple[str, ...]  # of the columns
    reading: Reading
    folder: Path | None = None  # with the copies

    def discard(self) -> None:
        """Remove the copies."""
        if self.folder is not None:
            remove_folder(self.folder)

    def keep_for(self, connected: Connected) -> None:
        """Remove the copies when the connection goes."""
        weakref.finalize(connected, self.discard)


def find_columns(place: TablePath, reading: Reading, *, owner: bool) -> CsvFiles:
    """The files in UTF-8 with the names of their columns, by their first line."""
    encoding = encoding_of(place.files[0], reading.codec)
    folder = None if is_utf_8(encoding) else make_folder()
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
    except BaseException:
        if folder is not None:
            remove_folder(folder)
        raise
    return CsvFiles(tuple(files), skipped, separator, tuple(names), reading, folder)


def _require_text(line: str, place: TablePath) -> None:
    if not line:
        raise DataError(f"{place.shown} is empty: it has no columns.", code="D103")
    if "\0" in line:
        raise DataError(
            f"{place.shown} has NUL bytes in its first line. It is not a text file, or it is "
            "UTF-16 without a byte order mark: try --encoding utf-16-le or utf-16-be.",
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
    """A view of CSV files, all cells as texts: its name.

    With `text`, a cell that stands for NULL stays as it is written, and so does a long one.
    """
    null = dict.fromkeys(("", *(() if text else csv.reading.null)))
    options = {
        "delim": literal(csv.separator),
        "quote": literal('"'),
        "escape": literal('"'),
        "comment": literal(""),
        "header": str(csv.reading.has_header).lower(),
        "skip": str(csv.skipped),
        "strict_mode": "true",
        "null_padding": "false",
        "ignore_errors": "false",
        "nullstr": f"[{', '.join(map(literal, null))}]",
    }
    if len(csv.files) > 1:  # that all have the same header, DuckDB finds out where it looks at them
        names = ", ".join(map(literal, csv.names))
        options |= {} if csv.reading.has_header else {"names": f"[{names}]"}
        options |= {"sample_size": "-1", "all_varchar": "true"}
    else:
        columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in csv.names)
        options |= {"auto_detect": "false", "columns": f"{{{columns}}}"}
    limited = ", ".join(
        f"{limit_cell(quote_name(name))} as {quote_name(name)}" for name in csv.names
    )
    if len(csv.files) > 1:
        limited = limit_cell("columns(*)")
    return read_files(connected, "read_csv", csv.files, options, "*" if text else limited)


def shorten_rows(csv: CsvFiles, folder: Path) -> CsvFiles:
    """The files, those with rows that are too long for DuckDB as copies in the folder.

    Raises NotTableError, and what reading a damaged file raises.
    """
    separator, columns = csv.separator.encode(), len(csv.names)
    found = []
    for file, copy in zip(csv.files, copies_of(csv, folder), strict=True):
        found.append(file)
        if file.suffix.lower() not in PACKED and file.stat().st_size <= LONGEST_ROW:
            continue
        with open_unpacked(file) as opened:
            suspicious = may_have_long_rows(opened, separator)
        if suspicious:
            shortener = Shortener(separator, columns)
            with open_unpacked(file) as opened:
                write_unnamed(copy, partial(shortener.copy, opened))
            found[-1] = copy if shortener.replaced else file
    return csv if found == list(csv.files) else replace(csv, files=tuple(found))


def copies_of(csv: CsvFiles, folder: Path) -> list[Path]:
    """Where copies of the files are written."""
    return [folder / f"short{number}.csv" for number in range(len(csv.files))]


def csv_problem(csv: CsvFiles, *, owner: bool) -> str | None:
    """What is wrong with a file that could not be read, without a word of what it holds.

    For the `owner` the message names the line: NOT PRIVATE.
    """
    for file in csv.files:
        bad = find_bad_line(file, _UTF_8, csv.separator, len(csv.names))
        if bad is not None:
            return bad.words(numbered=owner)
    return None
