"""Standard input as a table: written to a private file once, and removed when the process ends.

A table is read more than once, and a pipe is not. What kind of file it is, its first bytes say;
those of CSV say nothing, so it is CSV if they say nothing else.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from candling.errors import DataError
from candling.failures import translated

_MARKS = {  # first bytes, and the ending and the kind of such a file
    b"PAR1": (".parquet", "parquet"),
    b"ARROW1": (".arrow", "arrow"),
    b"FEA1": (".arrow", "arrow"),
    b"\xff\xff\xff\xff": (".arrow", "arrow"),
    b"PK\x03\x04": (".xlsx", "excel"),
    b"SQLite format 3\0": (".sqlite", "sqlite"),
    b"\x1f\x8b": (".csv.gz", "csv"),
    b"\x28\xb5\x2f\xfd": (".csv.zst", "csv"),
    b"[": (".json", "json"),
    b"{": (".json", "json"),
}
_DUCKDB = b"DUCK"  # behind eight bytes
_HEAD = 16
_FOLDER = "candling-"


def spooled() -> tuple[Path, str]:
    """The file with what standard input holds, and its kind; read on the first call."""
    stream = None if sys.stdin is None else getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed or stream.isatty():
        raise DataError(
            "Standard input is a terminal or closed, so there is no table to read from it: pipe "
            "one to candling, as in `cat visits.csv | candling exact - rules.txt`. (A file called "
            "- is ./-.)",
            code="D101",
        )
    _, path, kind = _written(stream)
    return path, kind


@cache
def _written(stream: Any) -> tuple[tempfile.TemporaryDirectory[str], Path, str]:
    """The folder, which goes with the process, the file and its kind."""
    folder = tempfile.TemporaryDirectory(prefix=_FOLDER)

    def write() -> tuple[Path, str]:
        head = stream.read(_HEAD)
        ending, kind = kind_of(head)
        path = Path(folder.name) / f"input{ending}"
        with path.open("wb") as file:
            file.write(head)
            shutil.copyfileobj(stream, file, 1 << 20)
        return path, kind

    def explained(error: Exception) -> DataError:
        return DataError(
            f"Standard input cannot be read, or not be kept in {tempfile.gettempdir()!r} "
            f"({type(error).__name__}).",
            code="D103",
        )

    path, kind = translated(write, explained)
    return folder, path, kind


def kind_of(head: bytes) -> tuple[str, str]:
    """The ending and the kind of a file that begins with these bytes."""
    if head[8:12] == _DUCKDB:
        return ".duckdb", "database"
    start = head.lstrip(b" \t\r\n")
    for mark, kind in _MARKS.items():
        if head.startswith(mark) or (mark in (b"[", b"{") and start.startswith(mark)):
            return kind
    return ".csv", "csv"
