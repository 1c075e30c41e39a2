"""Files of text: their encoding, their first line, and copies in UTF-8 for DuckDB."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from candling.engines.paths import opened

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
def unpacked(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if its ending says that they are packed."""
    with opened(path) as file:
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
    with unpacked(path) as file:
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
def decoded(path: Path, encoding: str) -> Iterator[IO[str]]:
    """The text of a file, its line ends as they are."""
    with unpacked(path) as file:
        yield io.TextIOWrapper(file, encoding=encoding, newline="")


def first_line(path: Path, encoding: str) -> tuple[int, str]:
    """The first line that is not empty, with what a quoted line break adds to it.

    With the number of empty lines above it.
    """
    with unpacked(path) as file:
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
        copy = folder / f"{number}.csv"
        with decoded(path, encoding) as text, copy.open("w", encoding="utf-8", newline="") as out:
            while piece := text.read(_PIECE):
                out.write(piece)
        copies.append(copy)
    return copies
