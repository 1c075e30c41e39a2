"""Files of text: encoding, first line, copies in UTF-8; and why one could not be read."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, AnyStr, BinaryIO

from candling.records import dataclass
from candling.system.temporary import write_unnamed
from candling.tables.files.paths import open_binary
from candling.tables.files.shorten import LONGEST_ROW

SEPARATORS = ",\t;|"  # if two are as frequent in the first line, the first
_MARKS = {  # longest first: that of UTF-32 begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_UTF_8 = ("utf-8", "utf-8-sig", "ascii")  # as DuckDB reads it, with a mark or without
_HEAD = 1 << 20  # bytes in which the first line ends
_PIECE = 1 << 20


@contextmanager
def open_unpacked(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if its ending says that they are packed."""
    with open_binary(path) as file:
        if path.suffix.lower() == ".gz":
            import gzip

            with gzip.open(file) as inner:
                yield inner  # type: ignore[misc] # it reads bytes
        elif path.suffix.lower() == ".zst":
            import pyarrow as pa

            with pa.CompressedInputStream(file, "zstd") as stream:
                yield io.BufferedReader(stream)
        else:
            yield io.BufferedReader(file)  # type: ignore[type-var]


def encoding_of(path: Path, stated: str | None) -> str:
    """The encoding of a file: the stated one, else what its byte order mark says, else UTF-8."""
    if stated is not None and stated not in ("utf-8", "ascii"):
        return stated
    with open_unpacked(path) as file:
        start = file.read(4)
    if stated is None:
        for mark, name in _MARKS.items():
            if start.startswith(mark):
                return name
    return "utf-8-sig"  # which reads it without a mark, too


def is_utf_8(encoding: str) -> bool:
    """Whether DuckDB reads it as it is."""
    return encoding in _UTF_8


@contextmanager
def open_decoded(path: Path, encoding: str) -> Iterator[IO[str]]:
    """The text of a file, its line ends as they are."""
    with open_unpacked(path) as file:
        yield io.TextIOWrapper(file, encoding=encoding, newline="")


def first_line(path: Path, encoding: str) -> tuple[int, str]:
    """The first line that is not empty, with what a quoted line break adds to it.

    With the number of empty lines above it.
    """
    with open_unpacked(path) as file:
        head = file.read(_HEAD)
    whole = head.decode(encoding, "replace")
    text = whole.lstrip("\r\n")
    above = whole[: len(whole) - len(text)]
    empty = above.count("\n") or above.count("\r")
    end, quoted = 0, False
    for end, character in enumerate(text):  # noqa: B007 - where it ends
        if character == '"':
            quoted = not quoted
        elif character in "\r\n" and not quoted:
            break
    else:
        return empty, text.split("\n", 1)[0] if quoted else text
    return empty, text[:end]


def most_frequent_separator(line: str) -> str:
    """What stands most often between the cells of a line, outside of quotes."""
    bare = "".join(line.split('"')[::2])
    return max(SEPARATORS, key=bare.count)


def cells_of(line: str, separator: str) -> list[str]:
    """The cells of one line."""
    return next(csv.reader(io.StringIO(line, newline=""), delimiter=separator), [])


def in_utf_8(files: Sequence[Path], encoding: str, folder: Path) -> list[Path]:
    """Copies of the files in UTF-8, not packed, in the folder.

    Raises UnicodeError where a file is not in that encoding.
    """
    copies = []
    for number, path in enumerate(files):
        copies.append(folder / f"{number}.csv")
        with open_decoded(path, encoding) as text:
            write_unnamed(copies[-1], partial(_copy_in_utf_8, text))
    return copies


def _copy_in_utf_8(text: IO[str], out: BinaryIO) -> None:
    while piece := text.read(_PIECE):
        out.write(piece.encode())


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
        with open_decoded(path, encoding) as text, _long_cells():
            return _find_ragged_line(text, separator, cells) or _mixed_ends(path)
    except UnicodeError:
        return _undecodable(path, encoding)
    except (OSError, EOFError):
        return None


def find_undecodable_line(path: Path, encoding: str) -> BadLine | None:
    """The first line of a file that is not in the encoding; None if all are."""
    try:
        with open_decoded(path, encoding) as text:
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
    with open_unpacked(path) as file:
        for content in _parts_of_lines(file):
            try:
                decoder.decode(content)
            except UnicodeError:
                break
            line += content.endswith(b"\n")
    usual = "cp1252 (Western Europe), cp1251 (Cyrillic), shift_jis or utf-16-le"
    return BadLine(
        line,
        f"is not text in {shown.upper()}",
        f"name its encoding with --encoding, often {usual}",
    )


def _parts_of_lines(file: IO[AnyStr]) -> Iterator[AnyStr]:
    """Lines, those that are too long in parts: one line may be larger than the memory."""
    while part := file.readline(LONGEST_ROW + 1):
        yield part


def _lines_to_parse(text: IO[str]) -> Iterator[str]:
    for part in _parts_of_lines(text):
        if len(part) > LONGEST_ROW:
            raise csv.Error("field limit")  # as the reader says it of a cell
        yield part


def _find_ragged_line(text: IO[str], separator: str, cells: int) -> BadLine | None:
    """The first line that is not of so many cells, or whose quotes are wrong."""
    records = csv.reader(_lines_to_parse(text), delimiter=separator, strict=True)
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
            "the first line must hold the names of all columns: remove titles above it, or name "
            "the separator with --delimiter",
        )
    if bad > 2 and not _followed_by_rows(records, cells):
        return BadLine(
            bad,
            f"ends with a line that does not have {many} like its first line",
            "remove totals and notes below the table, and put cells with separators in quotes",
        )
    return BadLine(
        bad,
        f"has a line that does not have {many} like its first line",
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
            f"has a cell of more than {LONGEST_ROW:,} characters",
            "is it a table, and is every quote closed?",
        )
    if "expected after" in words:
        return BadLine(
            line,
            "has text after a closing quote",
            'double the quotes within a cell ("a ""b"" c")',
        )
    return BadLine(
        line,
        "has a quote that is not closed",
        "close it, or put the cell in quotes and double those inside",
    )


def _mixed_ends(path: Path) -> BadLine | None:
    """The first line that does not end as the first one does; None if all do, or cells are long."""
    with open_unpacked(path) as file:
        first = None
        for line, content in enumerate(_parts_of_lines(file), start=1):
            if len(content) > LONGEST_ROW:
                return BadLine(
                    line,
                    f"has a line of more than {LONGEST_ROW:,} bytes",
                    "is it a table, and is every quote closed?",
                )
            if content.endswith(b"\n"):
                windows = content.endswith(b"\r\n")
                first = windows if first is None else first
                if windows != first:
                    return BadLine(
                        line,
                        "mixes Windows and Unix line endings",
                        "convert it, for example with dos2unix",
                    )
    return None


@contextmanager
def _long_cells() -> Iterator[None]:
    """Cells as long as DuckDB takes them; no longer, or a lone quote would fill the memory."""
    before = csv.field_size_limit(LONGEST_ROW)
    try:
        yield
    finally:
        csv.field_size_limit(before)
