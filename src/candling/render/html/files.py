"""Where a report may be written: never over something by accident."""

from __future__ import annotations

import os
from pathlib import Path

from candling.errors import UsageError
from candling.files import refused_with, try_folder, write_text

_OURS = b'<meta name="generator" content="candling '  # as the template writes it, near the start


def check_target(path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Raise UsageError if a page cannot be written to a path, or may not.

    To be asked before a budget is charged. An older report needs `overwrite`: it may be the only
    copy of numbers that were paid for. Anything else there, such as the table, is left alone.
    """
    with refused_with("U104", path, full_disk=False):
        _check(path, Path(os.path.realpath(path)), overwrite=overwrite)
        try_folder(path)


def _check(path: str | os.PathLike[str], target: Path, *, overwrite: bool) -> None:
    """Raise for what is there; links lead to `target`, which is what would be replaced."""
    if target.is_dir() or not target.name:
        raise _refusal(path, "it is a folder: name a file in it")
    if not target.parent.is_dir():
        raise _refusal(path, "its folder does not exist")
    if target.exists() and not target.is_file():
        raise _refusal(path, "it is not an ordinary file")
    if target.exists() and not _is_report(target):
        raise _refusal(path, "it exists and is not a report of candling; choose another name")
    if target.exists() and not overwrite:
        raise UsageError(
            f"{os.fspath(path)!r} exists, and may be the only copy of what was paid for. Choose "
            "another name, or say --force (overwrite=True) to replace it.",
            code="U104",
        )


def write_page(path: str | os.PathLike[str], page: str, *, overwrite: bool = False) -> None:
    """Write a page, if it may be written there."""
    check_target(path, overwrite=overwrite)
    # A full disk is not the caller's mistake: the command line has another exit code for it.
    with refused_with("U104", path, full_disk=False):
        write_text(path, page)


def _is_report(target: Path) -> bool:
    """Whether a file is one of our pages, or empty."""
    try:
        with target.open("rb") as file:
            start = file.read(1000)
    except OSError:
        return False
    return not start or (start.startswith(b"<!DOCTYPE html>") and _OURS in start)


def _refusal(path: str | os.PathLike[str], why: str) -> UsageError:
    return UsageError(f"{os.fspath(path)!r} cannot be written: {why}.", code="U104")
