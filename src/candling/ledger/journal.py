"""Whether the journal beside a ledger file may be rolled back.

A process that ends in the middle of a commit leaves a *hot* journal: the pages as they were before.
The next process that opens the file puts these pages back. That is right only if nothing was
committed in between. If the file was charged under another name, or moved away, charged and moved
back, or replaced by a copy, the old pages would erase charges.

So every commit writes into the first page of the file the random number that is in the header of
its own journal. The journal holds the first page as it was before. A journal is put back only if
the first page of the file is exactly that one (nothing was written yet) or has the number of this
journal (this commit wrote it). Whoever committed in between left another number, under whatever
name.

A write-ahead log, which candling never makes, would do the same, and so would a journal that
somebody else put there. Both are refused.
"""

from __future__ import annotations

import os
import stat
import struct
import threading
import time
from pathlib import Path

from candling.errors import LedgerError

SUFFIX, LOG_SUFFIX = "-journal", "-wal"
_MAGIC = bytes.fromhex("d9d505f920a163d7")
_HEADER = struct.Struct(">8s5I")  # magic, records, nonce, pages of the file, sector and page size
_UNCOUNTED = 0xFFFFFFFF  # in place of a number of records: as many as there are
_COUNTER, _MARK = slice(24, 28), slice(60, 64)  # of the first page: of changes, and for our use
_LOOKS, _PAUSE = 2, 0.1  # another process may be writing right now: look again

# Open descriptors by device and inode, never closed: closing one would drop the locks that SQLite
# holds on the same file in other threads of this process.
_descriptors: dict[tuple[int, int], int] = {}
_opening = threading.Lock()


def check_journal(path: Path) -> None:
    """Refuse a ledger file beside which lies what would change it once it is opened."""
    danger = _danger(path)
    for _ in range(_LOOKS):
        if danger is None:
            return
        time.sleep(_PAUSE)
        danger = _danger(path)
    if danger is not None:
        raise danger


def check_no_journal(path: Path) -> None:
    """Refuse to make a ledger where the journal of an earlier one would be taken for its own."""
    if _content(_beside(path), len(_MAGIC)) == _MAGIC or _log_size(path):
        raise LedgerError(
            f"A ledger was at {str(path)!r} before, and a program crashed while it wrote to it: "
            "its journal is still there. Find that ledger. If it is gone for good, remove "
            f"{path.name + SUFFIX!r} and {path.name + LOG_SUFFIX!r}.",
            code="L120",
        )


def _danger(path: Path) -> LedgerError | None:
    """What lies beside the file and would change it; None if nothing does."""
    journal = _beside(path)
    if _log_size(path):
        return LedgerError(
            f"{str(path) + LOG_SUFFIX!r} was left by another program that changed the ledger: to "
            "open it now could erase charges. candling never makes such a file. Keep copies of "
            "both files, then move it away and run `candling ledger verify --receipt` with the "
            "newest receipt that you have.",
            code="L120",
        )
    if not _is_ours(journal, path):
        return LedgerError(
            f"{str(journal)!r} is not a file of the ledger's owner alone, so somebody else could "
            "use it to erase charges. Remove it if you did not put it there.",
            code="L120",
        )
    if not _fits(path, journal):
        return LedgerError(
            f"{str(journal)!r} was left by a process that crashed, and the ledger was changed "
            "since then under another name, or replaced by a copy. To open it now would erase "
            f"charges. Keep copies of both files, then move {journal.name!r} away and run "
            "`candling ledger verify --receipt` with the newest receipt that you have.",
            code="L120",
        )
    return None


def _beside(path: Path) -> Path:
    return path.with_name(path.name + SUFFIX)


def _log_size(path: Path) -> int:
    """The size of a write-ahead log: SQLite reads it whatever the file says of itself."""
    try:
        return path.with_name(path.name + LOG_SUFFIX).lstat().st_size
    except FileNotFoundError:
        return 0


def _is_ours(journal: Path, path: Path) -> bool:
    """Whether a journal is missing, or a file that only the owner of the ledger can write."""
    try:
        status = journal.lstat()
    except FileNotFoundError:
        return True
    alone = status.st_uid == path.stat().st_uid and not status.st_mode & 0o022
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and alone


def number_of(path: Path) -> int:
    """The number of the journal of a transaction that is under way, for the first page."""
    return _number(_content(_beside(path), _HEADER.size))


def _fits(path: Path, journal: Path) -> bool:
    """Whether nothing was committed since the journal was written."""
    if _content(journal, len(_MAGIC)) != _MAGIC:
        return True
    # The file first: whoever commits in between makes the journal newer, never older.
    first_page = _start(path)
    content = _content(journal)
    if not content.startswith(_MAGIC) or len(content) < _HEADER.size:
        return True
    before = _first_page_before(content)
    if before is None:
        return False
    unwritten = (first_page[_COUNTER], first_page[_MARK]) == (before[_COUNTER], before[_MARK])
    return unwritten or int.from_bytes(first_page[_MARK]) == _number(content)


def _number(header: bytes) -> int:
    nonce: int = _HEADER.unpack(header[: _HEADER.size])[2]
    return nonce & 0x7FFFFFFF


def _first_page_before(content: bytes) -> bytes | None:
    """The first page as the journal has it; None if it does not have that page."""
    _, records, _, _, sector, page_size = _HEADER.unpack_from(content)
    length = page_size + 8  # with the number of the page and a checksum
    there = max(0, len(content) - sector) // length
    for record in range(there if records == _UNCOUNTED else min(records, there)):
        start = sector + record * length
        if int.from_bytes(content[start : start + 4]) == 1:
            return content[start + 4 : start + 4 + page_size]
    return None


def _content(journal: Path, length: int = -1) -> bytes:
    try:
        with journal.open("rb") as file:
            return file.read(length)
    except FileNotFoundError:
        return b""


def _start(path: Path) -> bytes:
    """The header in the first page of a file."""
    status = path.stat()
    key = (status.st_dev, status.st_ino)
    with _opening:
        if key not in _descriptors or os.fstat(_descriptors[key]).st_nlink == 0:
            _descriptors[key] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        descriptor = _descriptors[key]
    return os.pread(descriptor, _MARK.stop, 0)
