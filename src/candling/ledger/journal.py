"""Whether the journal beside a ledger file may be rolled back.

A process that ends in the middle of a commit leaves a *hot* journal: the pages as they were before.
The next process that opens the file puts these pages back. That is right only if nothing was
committed in between. If the file was charged under another name, or moved away, charged and moved
back, or replaced by a copy, the old pages would erase charges.

Every commit adds 1 to a counter in the first page. The journal holds the first page as it was, with
counter c, so the file must have c (not written yet) or c + 1 (written). A release takes two
commits, one for its charge and one for its result. So whoever released a number in between left a
counter of at least c + 2, and is found here. A charge alone can still be undone; its process then
finds that the ledger lost it, and shows nothing.
"""

from __future__ import annotations

import os
import struct
import threading
import time
from pathlib import Path

from candling.errors import LedgerError

SUFFIX = "-journal"
_MAGIC = bytes.fromhex("d9d505f920a163d7")
_HEADER = struct.Struct(">8s5I")  # magic, records, nonce, pages of the file, sector and page size
_UNCOUNTED = 0xFFFFFFFF  # in place of a number of records: as many as there are
_COUNTER = slice(24, 28)  # of the first page
_LOOKS, _PAUSE = 3, 0.1  # another process may be writing right now: look again

# Open descriptors by device and inode, never closed: closing one would drop the locks that SQLite
# holds on the same file in other threads of this process.
_descriptors: dict[tuple[int, int], int] = {}
_opening = threading.Lock()


def check_journal(path: Path) -> None:
    """Refuse a ledger file beside which lies the journal of an older state."""
    for look in range(_LOOKS):
        if look:
            time.sleep(_PAUSE)
        if _fits(path):
            return
    raise LedgerError(
        f"{str(path) + SUFFIX!r} was left by a process that crashed, and the ledger was changed "
        "since then under another name, or replaced by a copy. To open it now would erase charges. "
        f"Keep copies of both files, then move {path.name + SUFFIX!r} away and run `candling "
        "ledger verify --receipt` with the newest receipt that you have.",
        code="L120",
    )


def _fits(path: Path) -> bool:
    journal = path.with_name(path.name + SUFFIX)
    if not _content(journal, _HEADER.size).startswith(_MAGIC):
        return True
    # The file first: whoever commits in between makes the journal newer, never older.
    counter = _counter(path)
    content = _content(journal)
    if not content.startswith(_MAGIC) or len(content) < _HEADER.size:
        return True
    _, records, _, _, sector, page_size = _HEADER.unpack_from(content)
    if not sector or page_size < 512:
        return True  # SQLite does not use it either
    before = _counter_before(content, records, sector, page_size)
    return before is not None and counter in (before, (before + 1) % 2**32)


def _counter_before(content: bytes, records: int, sector: int, page_size: int) -> int | None:
    """The counter in the first page as the journal has it; None if it does not have that page."""
    length = page_size + 8  # with the number of the page and a checksum
    there = (len(content) - sector) // length
    for record in range(there if records == _UNCOUNTED else min(records, there)):
        start = sector + record * length
        if int.from_bytes(content[start : start + 4]) == 1:
            return int.from_bytes(content[start + 4 : start + 4 + page_size][_COUNTER])
    return None


def _content(journal: Path, length: int = -1) -> bytes:
    try:
        with journal.open("rb") as file:
            return file.read(length)
    except FileNotFoundError:
        return b""


def _counter(path: Path) -> int:
    status = path.stat()
    key = (status.st_dev, status.st_ino)
    with _opening:
        if key not in _descriptors or os.fstat(_descriptors[key]).st_nlink == 0:
            _descriptors[key] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        descriptor = _descriptors[key]
    return int.from_bytes(os.pread(descriptor, 4, _COUNTER.start))
