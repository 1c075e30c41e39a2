"""Where the files of a table are: paths, and standard input.

Nothing is opened that is not an ordinary file: a pipe would let us wait for ever, a device has no
end. A path is a path of this machine and no address, and where a file of that name is there, no
character in it stands for others.

A table is read more than once, and a pipe is not. What kind of file it is, its first bytes say;
those of CSV say nothing, so it is CSV if they say nothing else.
"""

from __future__ import annotations

import glob
import os
import shutil
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from candling.errors import DataError, nearest, translate_failure
from candling.escaping import quote_path
from candling.records import dataclass
from candling.system.files import reason_of
from candling.system.temporary import make_folder, write_unnamed

_ENDINGS = {
    "csv": "csv",
    "tsv": "csv",
    "txt": "csv",
    "parquet": "parquet",
    "pq": "parquet",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "arrow": "arrow",
    "feather": "arrow",
    "ipc": "arrow",
    "duckdb": "database",
    "ddb": "database",
    "xlsx": "excel",
    "xlsm": "excel",
    "sqlite": "sqlite",
    "sqlite3": "sqlite",
    "db": "sqlite",
}
STANDARD_INPUT = "-"
_OLD = ("xls", "xlsb", "ods", "numbers")
PACKED = (".gz", ".zst")
WILD = "*?["
_WHAT = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True, slots=True)
class TablePath:
    """The files behind a path or a pattern; they are there, and can be told to be files."""

    path: Path
    kind: str  # "csv", "parquet", "json", "arrow", "database", "excel" or "sqlite"
    files: tuple[Path, ...]
    is_pattern: bool
    is_input: bool = False  # what standard input gave, written to a file

    @property
    def shown(self) -> str:
        """Its name in messages."""
        return "standard input" if self.is_input else repr(str(self.path))

    @property
    def packed(self) -> bool:
        """Whether the bytes are compressed."""
        return self.path.suffix.lower() in PACKED


def find(name: str | os.PathLike[str]) -> TablePath:
    """The files that a path or a pattern names; a DataError says why there are none."""
    text = os.fspath(name)
    if text == STANDARD_INPUT:
        path, kind = spool_stdin()
        return TablePath(path, kind, (path,), is_pattern=False, is_input=True)
    _require_a_path(text)
    path = Path(text)
    is_pattern = not is_there(path) and any(c in path.name for c in WILD)
    files: tuple[Path, ...] = (path,)
    if is_pattern:
        files = tuple(map(Path, sorted(glob.glob(text, recursive=True))))  # noqa: PTH207
        if not files:
            raise DataError(f"No file fits the pattern {text!r}.", code="D101")
    for file in files:
        require_file(file)
    return TablePath(path, _kind(path), files, is_pattern)


def is_there(path: Path) -> bool:
    """Whether anything has this path; a DataError if that cannot be found out."""
    return _mode(path) is not None


def require_file(path: Path, *, or_folder: bool = False) -> None:
    """Refuse what is no ordinary file, before it is opened."""
    mode = _mode(path)
    if mode is None:
        raise DataError(
            f"The file {quote_path(path)} does not exist.{_nearest_file(path)}", code="D101"
        )
    if not (or_folder and stat.S_ISDIR(mode)):
        _require_file(path, mode)


def open_binary(path: Path) -> BinaryIO:
    """The file, opened for reading without waiting for anybody."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    file = os.fdopen(descriptor, "rb", buffering=0)
    _require_file(path, os.fstat(descriptor).st_mode)
    return file


def _mode(path: Path) -> int | None:
    """What the system knows of a path; None if there is nothing."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        reason = reason_of(error)
    raise DataError(f"{quote_path(path)} cannot be accessed: {reason}.", code="D101")


def _require_file(path: Path, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise DataError(
            f"{quote_path(path)} is a directory; name a file, or a pattern such as "
            f"{quote_path(path / '*.parquet')}.",
            code="D102",
        )
    what = _WHAT.get(stat.S_IFMT(mode), "not an ordinary file")
    raise DataError(
        f"{quote_path(path)} is {what}, and a table is read more than once: write it to a file "
        "first, and name that; or let candling read standard input, with - as its name.",
        code="D114",
    )


def _require_a_path(text: str) -> None:
    """Refuse what no file of this machine can be called, and addresses."""
    if "://" in text:
        raise DataError(
            f"{text.partition('://')[0] + '://...'!r} is an address, and files are read from this "
            "machine only: download it, and name the file. Spark reads addresses (--engine spark).",
            code="D101",
        )
    if "\0" in text:
        raise DataError(f"{text!r} is not a path: it holds a NUL character.", code="D101")
    try:
        text.encode()
    except UnicodeEncodeError:
        unwritable = True
    else:
        unwritable = False
    if unwritable:
        raise DataError(
            f"{text!r} is not UTF-8, which the reader of files needs: rename the file, or make a "
            "link to it.",
            code="D101",
        )


def _kind(path: Path) -> str:
    suffixes = [s[1:].lower() for s in path.suffixes]
    if path.suffix.lower() in PACKED:
        suffixes.pop()
    kind = _ENDINGS.get(suffixes[-1]) if suffixes else None
    if kind is None and suffixes and suffixes[-1] in _OLD:
        raise DataError(
            f"{quote_path(path)} is of a kind that candling does not read: save it as .xlsx or "
            ".csv.",
            code="D102",
        )
    if kind is None:
        known = ", ".join(f".{e}" for e in _ENDINGS)
        raise DataError(
            f"The extension of {quote_path(path)} does not show what kind of file it is. Known: "
            f"{known}.",
            code="D102",
        )
    return kind


def _nearest_file(path: Path) -> str:
    try:
        names = [p.name for p in path.parent.iterdir()]
    except OSError:
        return ""
    # Two names of tables are alike by their endings alone, so these are not looked at.
    starts = {Path(name).stem: name for name in reversed(names)}
    near = nearest(path.stem, starts)
    return "" if near is None else f" Did you mean {quote_path(path.parent / starts[near])}?"


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
_WITH_LOGS = ("database", "sqlite")  # their readers look for other files beside the real path


def spool_stdin() -> tuple[Path, str]:
    """The file with what standard input holds, and its kind; read on the first call."""
    stream = None if sys.stdin is None else getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed or stream.isatty():
        raise DataError(
            "Standard input is a terminal, or closed. Pipe a table to candling: `cat visits.csv | "
            "candling exact - rules.txt`. (For a file named -, write ./-.)",
            code="D101",
        )
    return _write_stream(stream)


@cache
def _write_stream(stream: Any) -> tuple[Path, str]:
    """The file, in a folder that goes with the process, and its kind."""

    def copy(head: bytes, file: BinaryIO) -> None:
        file.write(head)
        shutil.copyfileobj(stream, file, 1 << 20)

    def write() -> tuple[Path, str]:
        head = stream.read(_HEAD)
        ending, kind = kind_of(head)
        path = make_folder() / f"input{ending}"
        if kind in _WITH_LOGS:
            with path.open("xb") as file:
                copy(head, file)
        else:
            write_unnamed(path, lambda file: copy(head, file))
        return path, kind

    def explain(error: Exception) -> DataError:
        return DataError(
            f"Standard input cannot be read, or not be kept in {tempfile.gettempdir()!r} "
            f"({type(error).__name__}).",
            code="D103",
        )

    return translate_failure(write, explain)


def kind_of(head: bytes) -> tuple[str, str]:
    """The ending and the kind of a file that begins with these bytes."""
    if head[8:12] == _DUCKDB:
        return ".duckdb", "database"
    start = head.lstrip(b" \t\r\n")
    for mark, kind in _MARKS.items():
        if head.startswith(mark) or (mark in (b"[", b"{") and start.startswith(mark)):
            return kind
    return ".csv", "csv"
