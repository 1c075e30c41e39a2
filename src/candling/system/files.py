"""Files and addresses that users name: read with care, written whole or not at all.

Nothing here loads an engine: the command line lists them in its help.

Whatever name they have and whatever is behind it (a pipe that never ends, a device, a gigabyte of
zeros, a loop of links), reading ends soon, with the content or with one reason why not. Whatever
fails half way while writing, the old file stays as it was.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from candling.errors import CandlingError, UsageError
from candling.escaping import quote_path
from candling.records import dataclass
from candling.system.temporary import folder_beside


@dataclass(frozen=True, slots=True)
class Registration:
    """How users and Ibis name an engine, and the module that has it as `ENGINE`."""

    name: str  # as in `engine=` and `--engine`
    module: str
    ibis: tuple[str, ...]  # Ibis's names for the backends whose tables it takes
    aliases: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()  # of the addresses of its servers
    data_schemes: tuple[str, ...] = ()  # with which the address of a table begins
    examples: tuple[str, ...] = ()  # of addresses
    has_databases: bool = False  # an address names a user and a database, which may be shown


REGISTERED = {
    engine.name: engine
    for engine in (
        # Polars and SQLite live in this process too, so handing their rows over moves nothing far.
        Registration("duckdb", "candling.tables.backends.duckdb", ("duckdb", "polars", "sqlite")),
        Registration(
            "spark",
            "candling.tables.backends.spark",
            ("pyspark",),
            schemes=("spark", "sc"),
            data_schemes=("spark",),
            examples=("spark://HOST:PORT", "sc://HOST:PORT"),
        ),
        Registration(
            "postgresql",
            "candling.tables.backends.postgresql",
            ("postgres",),
            aliases=("postgres",),
            schemes=("postgresql", "postgres"),
            data_schemes=("postgresql", "postgres"),
            examples=("postgresql://HOST/DATABASE",),
            has_databases=True,
        ),
    )
}


def engine_spellings() -> tuple[str, ...]:
    """What may be written for an engine: names, and examples of addresses."""
    return tuple(text for e in REGISTERED.values() for text in (e.name, *e.examples))


def registered_for(address: str) -> Registration | None:
    """The engine whose servers have addresses of this scheme; None if no engine's have."""
    kind = scheme(address)
    return next((e for e in REGISTERED.values() if kind in e.schemes), None)


def scheme(text: str) -> str | None:
    """What stands before `://`, in small letters; None if nothing does."""
    before, separator, _ = text.partition("://")
    return before.lower() if separator else None


def hide_secrets(text: str) -> str:
    """An address without what may be secret: the password, tokens and other parameters.

    What is no address, such as a path, stays as it is.
    """
    engine, kind = registered_for(text), scheme(text)
    if engine is None:
        return text
    try:
        parts = urlsplit(text)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return f"{kind}://..."
    if not engine.has_databases:
        return f"{kind}://{parts.netloc.rpartition('@')[2].partition(';')[0]}"
    if "@" in parts.path:  # a slash in a password that was not escaped
        return f"{kind}://..."
    user = f"{parts.username}@" if parts.username else ""
    return f"{kind}://{user}{parts.hostname or ''}{port}{parts.path}"


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)  # errors of a full or broken disk
_MOST = 32 << 20  # bytes of a file that is read at once: far more than any card or rules file has
_WAITS_NOT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)


# Reading


class UnreadableError(Exception):
    """Why a file cannot be read, in words that follow "FILE cannot be read: "."""


class NotTextError(UnreadableError):
    """A file that can be read and is not text."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line  # with the first byte that is wrong, from 1


@contextlib.contextmanager
def open_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """An ordinary file, open for reading; UnreadableError for everything else, at once.

    What is not an ordinary file is never read: a pipe may have nobody at its other end.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | _WAITS_NOT)
    except (OSError, ValueError) as error:
        raise UnreadableError(reason_of(error)) from None
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        other = "not an ordinary file: save it as one first"
        raise UnreadableError(f"it is {'a directory' if stat.S_ISDIR(kind) else other}")
    with os.fdopen(descriptor, "rb") as file:
        yield file


def read_bytes(path: str | os.PathLike[str], *, most: int = _MOST) -> bytes:
    """The bytes of an ordinary file of up to `most` bytes; UnreadableError for everything else."""
    with open_file(path) as file:
        return read_open(file, most=most)


def read_text(path: str | os.PathLike[str], *, most: int = _MOST) -> str:
    """The text of an ordinary file in UTF-8; UnreadableError for everything else."""
    return decode_utf8(read_bytes(path, most=most))


def read_open(file: BinaryIO, *, most: int = _MOST) -> bytes:
    """The bytes of an open file."""
    try:
        content = file.read(most + 1)
    except OSError as error:
        raise UnreadableError(reason_of(error)) from None
    if len(content) > most:
        raise UnreadableError(f"it is larger than {most:,} bytes")
    return content


def decode_utf8(content: bytes) -> str:
    """Bytes as text in UTF-8, whose line ends stay; NotTextError if they are something else."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotTextError("it is not text in UTF-8", _line(content, error.start)) from None
    if "\0" in text:  # a file in UTF-16, most likely
        at = content.index(b"\0")
        raise NotTextError("it is not text in UTF-8: it has NUL bytes", _line(content, at))
    return text


def reason_of(error: OSError | ValueError) -> str:
    """What the system says, in small letters; ValueError is for what can be no name at all."""
    if isinstance(error, OSError):
        return (error.strerror or "unknown reason").lower()
    return "no file can have this name"


def _line(content: bytes, position: int) -> int:
    return content.count(b"\n", 0, position) + 1


# Writing


def write_whole(
    path: str | os.PathLike[str], write: Callable[[Path], object], *, private: bool = False
) -> None:
    """Have `write` make a file beside its place, and move it there once it is whole and on disk.

    It is made in a new folder that nobody else may look into. A link stays a link: what it points
    to is replaced. The file gets the permissions of new files, or if `private` those that let
    nobody else read it.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # a device, say, must not be replaced by a file
        raise OSError(errno.EINVAL, "Not an ordinary file")
    with folder_beside(target) as folder:
        draft = folder / target.name
        write(draft)
        if private:
            draft.chmod(0o600)
        _flush(draft)
        draft.replace(target)


def write_bytes(path: str | os.PathLike[str], content: bytes, *, private: bool = False) -> None:
    """Write a file of these bytes."""
    write_whole(path, lambda draft: draft.write_bytes(content), private=private)


def write_text(path: str | os.PathLike[str], text: str, *, private: bool = False) -> None:
    """Write a text as UTF-8, its line ends as they are."""
    write_bytes(path, text.encode(), private=private)


def try_folder(path: str | os.PathLike[str]) -> None:
    """Raise OSError if no file can be made in the folder of a path."""
    with folder_beside(Path(os.path.realpath(path))):
        pass


@contextlib.contextmanager
def refused_with(
    code: str, path: str | os.PathLike[str], *, full_disk: bool = True
) -> Iterator[None]:
    """Turn an error of the system into a UsageError; that of a full disk only if `full_disk`."""
    try:
        yield
    except CandlingError:
        raise
    except (OSError, ValueError) as error:  # ValueError: what can be no name of a file
        if isinstance(error, OSError) and error.errno in FULL and not full_disk:
            raise
        message = f"{quote_path(path)} cannot be written: {reason_of(error)}."
        raise UsageError(message, code=code) from None


def _flush(path: Path) -> None:
    """Wait until a file is on disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
