"""Writing a page: whole or not at all, and never over something by accident."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from candling.errors import UsageError

_OURS = b'<meta name="generator" content="candling '  # as page.py writes it, near the start
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)  # the command line has an exit code for these


def check_target(path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """The file behind a path that a page can be written to, found out by trying its folder.

    To be asked before a budget is charged. An older report needs `overwrite`: it may be the only
    copy of numbers that were paid for. Anything else there, such as the table, is left alone.
    """
    target = Path(os.path.realpath(path))  # through links, so that what they point to is replaced
    if target.is_dir() or not target.name:
        raise _refusal(path, "it is a folder: name a file in it")
    if not target.parent.is_dir():
        raise _refusal(path, "its folder does not exist")
    if target.exists() and not target.is_file():
        raise _refusal(path, "it is no ordinary file")
    if target.exists() and not _is_report(target):
        raise _refusal(path, "it exists and is no report of candling; choose another name")
    if target.exists() and not overwrite:
        raise UsageError(
            f"{os.fspath(path)!r} exists, and may be the only copy of what was paid for. Choose "
            "another name, or say --force (overwrite=True) to replace it.",
            code="U104",
        )
    with _told(path):
        _temporary(target, "").unlink()
    return target


def write_page(path: str | os.PathLike[str], page: str, *, overwrite: bool = False) -> Path:
    """Write a page beside its place, and move it there once it is whole."""
    target = check_target(path, overwrite=overwrite)
    with _told(path):
        made = _temporary(target, page)
        try:
            made.replace(target)
        except BaseException:
            made.unlink(missing_ok=True)
            raise
    return target


def _is_report(target: Path) -> bool:
    """Whether a file is one of our pages, or empty."""
    try:
        with target.open("rb") as file:
            start = file.read(1000)
    except OSError:
        return False
    return not start or (start.startswith(b"<!DOCTYPE html>") and _OURS in start)


def _temporary(target: Path, page: str) -> Path:
    """A new file in the folder of `target`, on disk, with the rights that new files get."""
    made = target.with_name(f".{secrets.token_hex(8)}.tmp")
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0)
    try:
        with os.fdopen(os.open(made, flags, 0o666), "w", encoding="utf-8", newline="\n") as file:
            file.write(page)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    return made


@contextlib.contextmanager
def _told(path: str | os.PathLike[str]) -> Iterator[None]:
    """An error of the system as one of ours, but for a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise
        raise _refusal(path, (error.strerror or "unknown reason").lower()) from None


def _refusal(path: str | os.PathLike[str], why: str) -> UsageError:
    return UsageError(f"{os.fspath(path)!r} cannot be written: {why}.", code="U104")
