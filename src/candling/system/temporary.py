"""Temporary folders, which may hold rows of a table: they go with the process, whatever ends it.

All that a process keeps there is in one folder that only its user can look into. The folder is
removed when the process ends, by a signal too (`process.py`). After an end that runs no code
(SIGKILL, a crash, a power cut) the next process removes it: each process holds a lock on its own
folder, and a folder that can be locked belongs to a process that is gone.

A file that is only read by its path loses its name before anything is written to it, where the
system has /proc: the path is then a link to an open file, and not even SIGKILL leaves a row.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from candling.records import dataclass

_PREFIX = "candling-"
_HIDDEN = ".candling-"  # of a folder beside a file that is written
_MARK = ".candling-temporary"  # in a folder that may be removed
_OPEN_FILES = Path("/proc/self/fd")


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder of this process."""

    path: Path
    process: int
    lock: int | None  # a descriptor


_FOLDERS: dict[Path, _Folder] = {}
_OPEN: dict[Path, int] = {}  # files without a name, by the links to them


def make_folder() -> Path:
    """A new folder in the folder for temporary files (TMPDIR)."""
    return Path(tempfile.mkdtemp(dir=_root()))


def remove_folder(path: Path) -> None:
    """Remove a folder that `make_folder` made, with all that is in it.

    A process that was forked leaves the folders of its parent alone.
    """
    if any(path.is_relative_to(f.path) and f.process != os.getpid() for f in [*_FOLDERS.values()]):
        return
    for link in [link for link in _OPEN if link.is_relative_to(path)]:
        os.close(_OPEN.pop(link))
    shutil.rmtree(path, ignore_errors=True)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder, for as long as the block lasts."""
    folder = make_folder()
    try:
        yield folder
    finally:
        remove_folder(folder)


@contextmanager
def folder_beside(target: Path) -> Iterator[Path]:
    """A new folder on the file system of a file, for as long as the block lasts."""
    _sweep(target.parent, _HIDDEN)
    made = _make_locked(target.parent, _HIDDEN)
    try:
        yield made.path
    finally:
        _remove(made)


def write_unnamed(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file in a folder that `make_folder` made, if possible without a name on disk."""
    with path.open("x+b") as file:
        if _OPEN_FILES.is_dir():
            _OPEN[path] = os.dup(file.fileno())
            path.unlink()
            path.symlink_to(_OPEN_FILES / str(_OPEN[path]))
        write(file)


def remove_all() -> None:
    """Remove all folders of this process, at its end."""
    for folder in list(_FOLDERS.values()):
        if folder.process == os.getpid():  # a child that was forked has those of its parent, too
            _remove(folder)


atexit.register(remove_all)


def _root() -> Path:
    """The folder of this process."""
    place = Path(tempfile.gettempdir())
    for folder in _FOLDERS.values():
        if (folder.process, folder.path.parent) == (os.getpid(), place) and folder.path.is_dir():
            return folder.path
    _sweep(place, _PREFIX)
    return _make_locked(place, _PREFIX).path


def _make_locked(place: Path, prefix: str) -> _Folder:
    """A new folder that no other process takes for a leftover."""
    path = place / f"{prefix}{secrets.token_hex(8)}"
    # Known before it is there: a signal may come between any two steps.
    _FOLDERS[path] = _Folder(path, os.getpid(), None)
    path.mkdir(mode=0o700)
    lock = _lock(path)
    folder = _FOLDERS[path] = _Folder(path, os.getpid(), lock)
    if lock is not None:  # else it could be taken for a leftover
        (path / _MARK).touch()
    return folder


def _remove(folder: _Folder) -> None:
    remove_folder(folder.path)
    _FOLDERS.pop(folder.path, None)
    if folder.lock is not None:
        os.close(folder.lock)


def _sweep(place: Path, prefix: str) -> None:
    """Remove the folders of processes that are gone."""
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and _is_leftover(entry):
                lock = _lock(Path(entry.path))
                if lock is not None:
                    shutil.rmtree(entry.path, ignore_errors=True)
                    os.close(lock)


def _is_leftover(entry: os.DirEntry[str]) -> bool:
    """Whether a folder was made here, by this user; its process may live."""
    with suppress(OSError):
        own = entry.stat(follow_symlinks=False).st_uid == os.geteuid()
        return own and entry.is_dir(follow_symlinks=False) and Path(entry.path, _MARK).is_file()
    return False


def _lock(path: Path) -> int | None:
    """A descriptor that locks a folder; None if a process holds it, or it cannot be locked."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_ino == path.stat().st_ino:
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None
