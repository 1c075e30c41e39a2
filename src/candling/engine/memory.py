"""How much memory may be used, arrays that go to disk beyond it, and the error when both end."""

from __future__ import annotations

import mmap
import os
import re
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from candling.deadline import check_time
from candling.errors import DataError, UsageError

UNITS = {"K": 10, "M": 20, "G": 30, "T": 40}
LEAST = 64 * 10**6  # bytes with which the embedded engine can still work
SMALL = 2**20  # bytes of an array that is not worth a file
PIECE = 2**18  # entries of a long array that are worked on at a time

Entry = TypeVar("Entry", bound=np.generic)


def memory_limit(memory: str | None) -> int:
    """The limit in bytes that was stated, as in "4GB"; three quarters of the machine's if none."""
    if memory is None:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4
    sized = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT])(i?)B\s*", memory, re.IGNORECASE)
    if sized is None or float(sized[1]) == 0:
        raise UsageError(
            f"The memory limit {memory!r} is not understood; write a number and a unit, as 4GB.",
            code="U101",
        )
    power = UNITS[sized[2].upper()]
    unit = 2**power if sized[3] else 1000 ** (power // 10)
    limit = int(float(sized[1]) * unit)
    if limit < LEAST:
        raise UsageError(
            f"The memory limit {memory!r} is too small for the engine: allow 64MB or more.",
            code="U101",
        )
    return limit


def new_array(size: int, dtype: type[Entry], memory: str | None) -> npt.NDArray[Entry]:
    """An array of zeros: in memory while all such arrays fit the limit, else in a file.

    So a table with more conflicts takes longer, and is never refused because of the limit: that
    would tell about its rows. The file has no name, and is gone with the array or the process.
    """
    check_time()
    needed = size * np.dtype(dtype).itemsize
    if needed <= SMALL:
        return np.zeros(size, dtype)
    # The rest is for what does not grow with the pairs, and for what NumPy makes on the way.
    if not _HELD.take(needed, memory_limit(memory) * 4 // 5):
        return _in_a_file(needed, dtype)
    try:
        array = np.zeros(size, dtype)
    except MemoryError:
        _HELD.give_back(needed)
        raise
    weakref.finalize(array, _HELD.give_back, needed).atexit = False
    return array


class _Held:
    """The bytes of the arrays in memory: one count for the process, as memory is one."""

    def __init__(self) -> None:
        self._bytes = 0
        # An array may end in any thread, also while this one has the lock.
        self._lock = threading.RLock()

    def take(self, needed: int, limit: int) -> bool:
        """Count these bytes too, if they fit."""
        with self._lock:
            fits = self._bytes + needed <= limit
            self._bytes += needed * fits
            return fits

    def give_back(self, needed: int) -> None:
        with self._lock:
            self._bytes -= needed


_HELD = _Held()


def _in_a_file(needed: int, dtype: type[Entry]) -> npt.NDArray[Entry]:
    """Zeros in a file without a name, in the folder for temporary files (TMPDIR)."""
    try:
        with tempfile.TemporaryFile() as file:
            # Reserved now: writing to pages that the disk has no room for would kill the process.
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, needed)
            else:
                for start in range(0, needed, PIECE):
                    file.write(bytes(min(PIECE, needed - start)))
                file.flush()
            pages = mmap.mmap(file.fileno(), needed)
    except OSError:
        raise too_little() from None
    return np.frombuffer(pages, dtype)


def pieces(size: int) -> Iterator[slice]:
    """A long array bit by bit, so that what NumPy makes on the way stays small."""
    for start in range(0, size, PIECE):
        check_time()
        yield slice(start, min(start + PIECE, size))


def runs(offsets: npt.NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Ranges of consecutive lists, begun by `offsets`, of about as many entries as a piece.

    A single list may be longer; none is split.
    """
    count, start = len(offsets) - 1, 0
    while start < count:  # every range has a list or more
        check_time()
        after = np.searchsorted(offsets, offsets[start] + PIECE, side="right") - 1
        stop = min(max(int(after), start + 1), count)
        yield start, stop
        start = stop


@contextmanager
def one_clear_error() -> Iterator[None]:
    """Say it in one way, wherever memory runs out."""
    try:
        yield
    except MemoryError:
        raise too_little() from None


def too_little() -> DataError:
    """The error itself."""
    # No size in it: how many conflicts a table has is nobody's business.
    return DataError(
        "The machine has too little memory, or too little room on disk for temporary files, for "
        "the conflicts of this table: use a larger one, name a larger disk in TMPDIR, or give "
        "fewer rules at a time.",
        code="D107",
    )
