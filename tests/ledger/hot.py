"""A journal as a process leaves it that is killed in the middle of a commit."""

from __future__ import annotations

import struct
from pathlib import Path

from candling.ledger.sqlite import SqliteStore

MAGIC = bytes.fromhex("d9d505f920a163d7")
HEADER = struct.Struct(">8s5I")  # magic, records, nonce, pages of the file, sector and page size


def journal_of(path: Path) -> Path:
    return path.with_name(path.name + "-journal")


def crash(path: Path, *, written: bool) -> None:
    """Kill a writer: after its journal is on the disk, before the journal is marked as done.

    With `written`, the file has all its changes. A finished commit only overwrites the header of
    the journal, so putting the header back gives what the killed process would have left.
    """
    before = path.read_bytes()
    with SqliteStore(path).open_writer() as connection:
        connection.execute(
            "insert into candling_entries select 999, time, kind, dataset, people, 'crashed', "
            "units, limit_units, spent_units, body, previous, hash "
            "from candling_entries where seq = 2"
        )
        connection.execute("delete from candling_entries where seq = 999")
        header = journal_of(path).read_bytes()[: HEADER.size]
    content = bytearray(journal_of(path).read_bytes())
    _, _, nonce, pages, sector, page_size = HEADER.unpack(header)
    records = _records(content, nonce, sector, page_size)
    assert records >= 2
    content[: HEADER.size] = HEADER.pack(MAGIC, records, nonce, pages, sector, page_size)
    journal_of(path).write_bytes(content)
    if not written:
        path.write_bytes(before)


def _records(content: bytearray, nonce: int, sector: int, page_size: int) -> int:
    """How many records of the journal are of its last transaction: their checksums say so."""
    number, start = 0, sector
    while start + page_size + 8 <= len(content):
        page = content[start + 4 : start + 4 + page_size]
        checksum = (nonce + sum(page[at] for at in range(page_size - 200, 0, -200))) % 2**32
        if int.from_bytes(content[start + 4 + page_size :][:4]) != checksum:
            break
        number, start = number + 1, start + page_size + 8
    return number
