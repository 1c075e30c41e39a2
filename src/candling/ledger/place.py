"""Check, before anything is written, that a ledger and its journal are safe at a path.

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
import re
import stat
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from candling.errors import LedgerError
from candling.escaping import quote_path

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
    if _content(_find_journal(path), len(_MAGIC)) == _MAGIC or _log_size(path):
        raise LedgerError(
            f"A ledger was at {quote_path(path)} before, and a program crashed while it wrote to "
            "it: its journal is still there. Find that ledger. If it is gone for good, remove "
            f"{path.name + SUFFIX!r} and {path.name + LOG_SUFFIX!r}.",
            code="L120",
        )


def _danger(path: Path) -> LedgerError | None:
    """What lies beside the file and would change it; None if nothing does."""
    journal = _find_journal(path)
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
            f"{quote_path(journal)} is not a file of the ledger's owner alone, so somebody else "
            "could use it to erase charges. Remove it if you did not put it there.",
            code="L120",
        )
    if not _fits(path, journal):
        return LedgerError(
            f"{quote_path(journal)} was left by a process that crashed, and the ledger was changed "
            "since then under another name, or replaced by a copy. To open it now would erase "
            f"charges. Keep copies of both files, then move {journal.name!r} away and run "
            "`candling ledger verify --receipt` with the newest receipt that you have.",
            code="L120",
        )
    return None


def _find_journal(path: Path) -> Path:
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
    return _number(_content(_find_journal(path), _HEADER.size))


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


# Locks or flushing on these cannot be relied on, whatever the server promises.
NETWORK = {
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "gfs2",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "orangefs",
    "prl_fs",
    "smb2",
    "smb3",
    "smbfs",
    "vboxsf",
    "vmhgfs",
}
NETWORK |= {
    f"fuse.{name}"
    for name in (
        "ceph",
        "davfs2",
        "gcsfuse",
        "glusterfs",
        "goofys",
        "juicefs",
        "rclone",
        "s3fs",
        "sshfs",
    )
}
# A restart of the machine empties these, and a budget would begin anew.
MEMORY = {"devtmpfs", "hugetlbfs", "ramfs", "rootfs", "tmpfs"}
_MOUNTS = Path("/proc/self/mountinfo")

Identity = tuple[int, int]  # device and inode


# `path` is without links; messages show the name that the caller gave.


def check_new(path: Path, shown: str) -> None:
    """Refuse a path where no ledger can be made."""
    if path.is_symlink() or path.exists():
        raise LedgerError(
            f"{shown!r} already exists; candling never overwrites a ledger.", code="L103"
        )
    _check_directory(path)
    check_file_system(path, shown)


def check_exists(path: Path, shown: str) -> Identity:
    """Which file a path names; refuses what is not a ledger file that only its owner can access.

    The file must have one name. SQLite finds the journal of a crashed process by the name of the
    file, so under a second name it would miss the journal, and roll back later charges when the
    file is opened under the first name again. A mounted directory is no second name: the journal
    is in that directory, under the same name in both places.
    """
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise LedgerError(
            f"The ledger {shown!r} does not exist. If it was moved, find it: a new ledger would "
            "not know what was spent. Create your first one with `candling ledger init`.",
            code="L101",
        ) from None
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "not a valid path").lower()
        raise LedgerError(f"{shown!r} cannot be read: {reason}.", code="L104") from None
    if not stat.S_ISREG(status.st_mode):
        raise LedgerError(f"{shown!r} is not a file.", code="L102")
    if status.st_mode & 0o077:
        raise LedgerError(
            f"Other users can access {shown!r} (mode "
            f"{stat.S_IMODE(status.st_mode):04o}). Run: chmod 600 {quote(shown)}",
            code="L104",
        )
    _check_links(status, shown)
    if is_mount_point(path):
        raise LedgerError(
            f"{shown!r} is mounted as a single file, so it has a second name elsewhere: a "
            "charge that is made under one name could be lost under the other. Mount the directory "
            "of the ledger instead.",
            code="L119",
        )
    return status.st_dev, status.st_ino


def check_identity(path: Path, shown: str, identity: Identity) -> None:
    """Refuse a file that got a second name, and a path that does not name the same file any more.

    Cheaper than `check_exists`, which was called a moment ago.
    """
    try:
        status = path.stat()
    except OSError:
        raise moved_error(shown) from None
    if (status.st_dev, status.st_ino) != identity:
        raise moved_error(shown)
    _check_links(status, shown)


def _check_links(status: os.stat_result, shown: str) -> None:
    if status.st_nlink != 1:
        raise LedgerError(
            f"{shown!r} has {status.st_nlink} names (hard links): a charge that is made under "
            "one name could be lost under another. Keep one name and remove the others; this lists "
            f"them: find DIRECTORY -samefile {quote(shown)}",
            code="L119",
        )


def moved_error(shown: str) -> LedgerError:
    """The error for a file that lost its name while it was open."""
    return LedgerError(
        f"{shown!r} was moved away or replaced while it was open. Nothing was written; try "
        "again with the ledger in its place.",
        code="L115",
    )


def check_writable(path: Path, shown: str) -> None:
    """Refuse a ledger that cannot be charged; SQLite writes a journal beside the file."""
    _check_directory(path)
    if not os.access(path, os.W_OK):
        raise LedgerError(f"{shown!r} is read-only, so nothing can be charged to it.", code="L104")


def _check_directory(path: Path) -> None:
    folder = path.parent
    if not folder.is_dir():
        raise LedgerError(
            f"The directory {quote_path(folder)} does not exist. Create it first.", code="L104"
        )
    mode = folder.stat().st_mode
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        raise LedgerError(
            f"All users can rename and replace files in {quote_path(folder)}, so a ledger there "
            f"could be replaced by an older copy. Run: chmod o-w {quote(str(folder))}",
            code="L104",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise LedgerError(
            f"Cannot write in {quote_path(folder)}: it is read-only, or you lack the permission.",
            code="L104",
        )


def check_file_system(path: Path, shown: str) -> None:
    """Refuse a network file system."""
    kind = file_system(path)
    if kind in NETWORK:
        raise LedgerError(
            f"{shown!r} is on a network file system ({kind}), where a charge could get lost. "
            "Use a local disk, or PostgreSQL (postgresql://...) for a shared ledger.",
            code="L104",
        )


def memory(path: Path) -> str | None:
    """The type of the file system that holds `path`, if it forgets everything at a restart."""
    kind = file_system(path)
    return kind if kind in MEMORY else None


def file_system(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """The type of the file system that holds `path`; None if the system does not say."""
    place = Path(os.path.realpath(path))
    best, kind = -1, None
    for point, its_kind in _walk_mounts(mounts):
        # Of two mounts on one point the later hides the earlier.
        if place.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), its_kind
    return kind


def is_mount_point(path: Path, mounts: Path = _MOUNTS) -> bool:
    """Whether something is mounted on exactly this path; False if the system does not say."""
    return any(point == path for point, _ in _walk_mounts(mounts, ending=path.name))


def _walk_mounts(mounts: Path, ending: str = "") -> Iterator[tuple[Path, str]]:
    """Where file systems are mounted, and their types; `ending` may leave out other places."""
    try:
        text = os.fsdecode(mounts.read_bytes())
    except OSError:  # not Linux
        return
    escaped = re.sub(r"[ \t\n\\]", lambda m: f"\\{ord(m[0]):03o}", ending)
    if f"{escaped} " not in text:
        return
    for line in text.split("\n"):
        # 36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/root rw
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) >= 5 and after:
            point = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), fields[4])
            yield Path(point), after.split(" ")[0]
