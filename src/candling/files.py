"""Writing files: whole or not at all. Whatever fails half way, the old file stays as it was."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from candling.errors import UsageError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)  # errors of a full or broken disk


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
    with _beside(target) as folder:
        draft = Path(folder) / target.name
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
    with _beside(Path(os.path.realpath(path))):
        pass


@contextlib.contextmanager
def refused_with(
    code: str, path: str | os.PathLike[str], *, full_disk: bool = True
) -> Iterator[None]:
    """Turn an error of the system into a UsageError; that of a full disk only if `full_disk`."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL and not full_disk:
            raise
        reason = (error.strerror or "unknown reason").lower()
        raise UsageError(f"{os.fspath(path)!r} cannot be written: {reason}.", code=code) from None


def _beside(target: Path) -> tempfile.TemporaryDirectory[str]:
    """A new folder, on the file system of the target; it is removed with all that is in it."""
    return tempfile.TemporaryDirectory(prefix=".candling-", dir=target.parent)


def _flush(path: Path) -> None:
    """Wait until a file is on disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
