"""What is wrong with a text file that could not be read: the cause, and never a cell."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from candling.engines.texts import decoded, unpacked

_PIECE = 1 << 20
_LONGEST = 2_000_000  # bytes of a line that DuckDB takes
_NOTES = 20  # lines below a table, at most, that are taken for notes


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that no table can have. NOT PRIVATE, but for the words without the number."""

    line: int  # from 1
    cause: str
    fix: str

    def words(self, *, numbered: bool) -> str:
        """What is wrong, to follow the name of the file; the line only if `numbered`."""
        where = f"line {self.line:,}" if numbered else "`candling exact` names the line"
        return f"{self.cause} ({where}): {self.fix}"


def find_bad_line(path: Path, encoding: str, separator: str, cells: int) -> BadLine | None:
    """The first line of a file that is not of so many cells, or is not text; None if all are."""
    try:
        with decoded(path, encoding) as text, _long_cells():
            return _ragged(text, separator, cells) or _mixed_ends(path)
    except UnicodeError:
        return _undecodable(path, encoding)
    except (OSError, EOFError):
        return None


def wrong_encoding(path: Path, encoding: str) -> BadLine | None:
    """The first line of a file that is not in the encoding; None if all are."""
    try:
        with decoded(path, encoding) as text:
            while text.read(_PIECE):
                pass
    except UnicodeError:
        return _undecodable(path, encoding)
    except (OSError, EOFError):
        return None
    return None


def _undecodable(path: Path, encoding: str) -> BadLine:
    """Where decoding stops, found line by line."""
    shown = "utf-8" if encoding == "utf-8-sig" else encoding
    line = 1
    decoder = codecs.getincrementaldecoder(encoding)()
    with unpacked(path) as file:
        for line, content in enumerate(file, start=1):  # noqa: B007 - where it stopped
            try:
                decoder.decode(content)
            except UnicodeError:
                break
    usual = "cp1252 (Western Europe), cp1251 (Cyrillic), shift_jis or utf-16-le"
    return BadLine(
        line,
        f"is not text in {shown.upper()}",
        f"say how it is written, with --encoding: often {usual}",
    )


def _ragged(text: IO[str], separator: str, cells: int) -> BadLine | None:
    """The first line that is not of so many cells, or whose quotes are wrong."""
    records = csv.reader(text, delimiter=separator, strict=True)
    last = 0  # line of the record before
    many = "1 cell" if cells == 1 else f"{cells:,} cells"
    try:
        for record in records:
            if record and len(record) != cells:
                break
            last = records.line_num
        else:
            return None
    except csv.Error as error:
        return _wrong_quote(str(error), last + 1)
    bad = last + 1
    if bad == 2 and len(record) > cells:
        return BadLine(
            bad,
            f"has {many} in its first line and more in the next",
            "the first line must hold the names of all columns: remove titles above it, or say "
            "what separates cells with --delimiter",
        )
    if bad > 2 and not _followed_by_rows(records, cells):
        return BadLine(
            bad,
            f"ends with a line that is not of {many}, as its first line is",
            "remove totals and notes below the table, and put cells with separators in quotes",
        )
    return BadLine(
        bad,
        f"has a line that is not of {many}, as its first line is",
        "remove titles, totals and notes, and put cells with separators in quotes",
    )


def _followed_by_rows(records: Iterator[list[str]], cells: int) -> bool:
    """Whether one of the next lines has so many cells."""
    try:
        return any(len(record) == cells for record in islice(records, _NOTES))
    except csv.Error:
        return True


def _wrong_quote(words: str, line: int) -> BadLine:
    """What Python's reader stopped at, in the record that begins in this line."""
    if "field limit" in words:
        return BadLine(
            line,
            f"has a cell of more than {_LONGEST:,} characters",
            "is it a table, and is every quote closed?",
        )
    if "expected after" in words:
        return BadLine(
            line,
            "has text behind a closing quote",
            'double the quotes inside of a cell ("a ""b"" c")',
        )
    return BadLine(
        line,
        "has a quote that is not closed",
        "close it, or put the cell in quotes and double those inside",
    )


def _mixed_ends(path: Path) -> BadLine | None:
    """The first line that does not end as the first one does; None if all do, or cells are long."""
    with unpacked(path) as file:
        first = None
        for line, content in enumerate(file, start=1):
            if len(content) > _LONGEST:
                return BadLine(
                    line,
                    f"has a line of more than {_LONGEST:,} bytes",
                    "is it a table, and is every quote closed?",
                )
            if content.endswith(b"\n"):
                windows = content.endswith(b"\r\n")
                first = windows if first is None else first
                if windows != first:
                    return BadLine(
                        line,
                        "mixes line ends of Windows and of Unix",
                        "convert it, for example with dos2unix",
                    )
    return None


@contextmanager
def _long_cells() -> Iterator[None]:
    """Cells as long as DuckDB takes them; no longer, or a lone quote would fill the memory."""
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)
