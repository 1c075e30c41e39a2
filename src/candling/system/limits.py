"""Limits of time and of memory: loops that end, and arrays that go to disk.

How long something takes depends on the table, so a release that gave up would tell about it:
releases have no time limit.
"""

from __future__ import annotations

import math
import mmap
import os
import re
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from candling.errors import DataError, UsageError

LONGEST = 10**9  # seconds of a time limit: 31 years
_SHOWN = 60  # characters of an argument that a message shows
T = TypeVar("T")
_ends: ContextVar[float] = ContextVar("candling_deadline", default=math.inf)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Within it, work that asks `check_time` ends after so many seconds; None: no limit."""
    if seconds is None:
        yield
        return
    check_time_limit(seconds)
    token = _ends.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _ends.reset(token)


def check_time_limit(seconds: float) -> None:
    """Refuse what is no number of seconds."""
    if not 0 <= seconds <= LONGEST:
        raise UsageError(
            f"The time limit must be a number of seconds, 0 or more and up to {LONGEST:,}.",
            code="U102",
        )


def get_time_left() -> float:
    """Seconds until the limit; infinite without one."""
    return _ends.get() - time.monotonic()


def check_time() -> None:
    """Raise DataError if the time is over."""
    if get_time_left() <= 0:
        raise DataError(
            "The time limit was reached before everything was measured. Allow more time, use fewer "
            "rules at a time, or measure a part of the table.",
            code="D113",
        )


@contextmanager
def interrupted_by(interrupt: Callable[[], object]) -> Iterator[None]:
    """Call `interrupt`, from another thread, if the time ends within; then raise DataError."""
    left = get_time_left()
    if math.isinf(left):
        yield
        return
    check_time()
    timer = threading.Timer(left, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception:
        check_time()  # what was interrupted fails in a way of its own
        raise
    finally:
        timer.cancel()


def run_aside(work: Callable[[], T], interrupt: Callable[[], object]) -> T:
    """What `work` gives; a signal calls `interrupt`, which ends it.

    Python hears a signal in its main thread only, and not while that is inside of an engine. So
    the work is done in another thread, and the main thread waits.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    ended: list[tuple[T | None, BaseException | None]] = []
    context, done = copy_context(), threading.Event()  # older Pythons must not be stopped in `join`

    def run() -> None:
        try:
            ended.append((context.run(work), None))
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            ended.append((None, error))
        done.set()

    threading.Thread(target=run, daemon=True).start()
    try:
        done.wait()
    except BaseException:
        interrupt()
        done.wait()
        raise
    value, failure = ended.pop()
    try:
        if failure is not None:
            raise failure
    finally:
        del failure  # its traceback has this frame, which would keep what `work` holds alive
    return cast("T", value)


def must_progress(nearer: bool) -> None:
    """Raise AssertionError if a round of a loop did not bring it nearer to its end.

    That is a bug, which stops here instead of running for ever. Not a CandlingError, as no caller
    can mend it; and nothing of the table is in the words. A time limit ends the loop too.
    """
    check_time()
    if not nearer:
        raise AssertionError("a loop made no progress")


UNITS = {"K": 10, "M": 20, "G": 30, "T": 40}
LEAST = 64 * 10**6  # bytes with which the embedded engine can still work
MOST = 10**15  # bytes: more than any machine has
SMALL = 2**20  # bytes of an array that is not worth a file
PIECE = 2**18  # entries of a long array that are worked on at a time

Entry = TypeVar("Entry", bound=np.generic)


def memory_limit(memory: str | None) -> int:
    """The limit in bytes that was stated, as in "4GB"; three quarters of the machine's if none."""
    if memory is None:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4
    sized = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT])(i?)B\s*", memory, re.IGNORECASE)
    shown = memory if len(memory) <= _SHOWN else f"{memory[:_SHOWN]}..."
    if sized is None or float(sized[1]) == 0:
        raise UsageError(
            f"The memory limit {shown!r} is not valid. Write a number and a unit, such as 4GB.",
            code="U101",
        )
    power = UNITS[sized[2].upper()]
    size = float(sized[1]) * (2**power if sized[3] else 1000 ** (power // 10))
    if size < LEAST:
        raise UsageError(
            f"The memory limit {shown!r} is too small for the engine: allow 64MB or more.",
            code="U101",
        )
    if size > MOST:
        raise UsageError(
            f"The memory limit {shown!r} is more than any machine has: allow 1000TB or less.",
            code="U101",
        )
    return int(size)


def new_array(size: int, dtype: type[Entry], memory: str | None) -> npt.NDArray[Entry]:
    """An array of zeros: in memory while all such arrays fit the limit, else in a file.

    So a table with more conflicts takes longer, and is never refused because of the limit: that
    would tell about its rows. The file has no name, and is gone with the array or the process.
    """
    check_time()
    needed = size * np.dtype(dtype).itemsize
    if needed <= SMALL:
        return np.zeros(size, dtype)
    limit = memory_limit(memory)
    # The rest is for what does not grow with the pairs, and for what NumPy makes on the way.
    if not _HELD.take(needed, limit * 7 // 10):
        pages = _in_a_file(needed)
        _RESIDENT.watch(pages, limit // 10)
        return np.frombuffer(pages, dtype)
    try:
        array = np.zeros(size, dtype)
    except MemoryError:
        _HELD.release(needed)
        raise
    weakref.finalize(array, _HELD.release, needed).atexit = False
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

    def release(self, needed: int) -> None:
        with self._lock:
            self._bytes -= needed


_HELD = _Held()


class _Resident:
    """Keeps the arrays in files from filling the memory with copies of their pages.

    The system takes such pages back when it needs the room, and not before. So a thread lets them
    go when they are many: what was written is safe, and what is read again comes back.
    """

    def __init__(self) -> None:
        self._files: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._running = False
        self._most = 0

    def watch(self, pages: mmap.mmap, most: int) -> None:
        """Let no more than about `most` bytes of all files be in memory."""
        if not (_STATM.exists() and hasattr(mmap, "MADV_DONTNEED")):
            return
        with self._lock:
            if not self._running:
                self._most = most + _in_memory()
                self._running = True
                threading.Thread(target=self._run, daemon=True).start()
            self._files.add(pages)

    def _run(self) -> None:
        while True:  # until no array in a file is left
            time.sleep(0.02)
            with self._lock:
                files = list(self._files)
                if not files:
                    self._running = False
                    return
                if _in_memory() > self._most:
                    for pages in files:
                        pages.madvise(mmap.MADV_DONTNEED)
            del files


_RESIDENT = _Resident()
_STATM = Path("/proc/self/statm")


def _in_memory() -> int:
    """Bytes of files, libraries included, that this process has in memory."""
    return int(_STATM.read_text().split()[2]) * mmap.PAGESIZE


def _in_a_file(needed: int) -> mmap.mmap:
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
            return mmap.mmap(file.fileno(), needed)
    except OSError:
        raise out_of_memory_error() from None


def pieces(size: int) -> Iterator[slice]:
    """A long array bit by bit, so that what NumPy makes on the way stays small."""
    for start in range(0, size, PIECE):
        check_time()
        yield slice(start, min(start + PIECE, size))


def runs(offsets: npt.NDArray[Any], entries: int = PIECE) -> Iterator[tuple[int, int]]:
    """Ranges of consecutive lists, begun by `offsets`, of about so many entries.

    A single list may be longer; none is split.
    """
    count, start = len(offsets) - 1, 0
    while start < count:  # every range has a list or more
        check_time()
        after = np.searchsorted(offsets, offsets[start] + entries, side="right") - 1
        stop = min(max(int(after), start + 1), count)
        yield start, stop
        start = stop


def translate_memory_error(work: Callable[[], T]) -> T:
    """What `work` gives; said in one way, wherever memory runs out."""
    try:
        return work()
    except MemoryError:  # NumPy's tells the size of an array, which is private
        pass
    raise out_of_memory_error()


def out_of_memory_error() -> DataError:
    """The error itself."""
    # No size in it: how many conflicts a table has is nobody's business.
    return DataError(
        "The machine has too little memory, or too little room on disk for temporary files, for "
        "the conflicts of this table: use a larger one, name a larger disk in TMPDIR, or give "
        "fewer rules at a time.",
        code="D107",
    )
