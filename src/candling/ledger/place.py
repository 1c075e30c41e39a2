"""Checks, before anything is written, that a ledger can be kept at a path."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from candling.errors import LedgerError

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
            f"There is no ledger {shown!r}. If it was moved, find it: a new ledger would "
            "forget what was spent. Make the first one with `candling ledger init`.",
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


def check_unmoved(path: Path, shown: str, identity: Identity) -> None:
    """Refuse a file that got a second name, and a path that does not name the same file any more.

    Cheaper than `check_exists`, which was called a moment ago.
    """
    try:
        status = path.stat()
    except OSError:
        raise moved(shown) from None
    if (status.st_dev, status.st_ino) != identity:
        raise moved(shown)
    _check_links(status, shown)


def _check_links(status: os.stat_result, shown: str) -> None:
    if status.st_nlink != 1:
        raise LedgerError(
            f"{shown!r} has {status.st_nlink} names (hard links): a charge that is made under "
            "one name could be lost under another. Keep one name and remove the others; this lists "
            f"them: find DIRECTORY -samefile {quote(shown)}",
            code="L119",
        )


def moved(shown: str) -> LedgerError:
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
        raise LedgerError(f"There is no directory {str(folder)!r}. Make it first.", code="L104")
    mode = folder.stat().st_mode
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        raise LedgerError(
            f"All users can rename and replace files in {str(folder)!r}, so a ledger there could "
            f"be replaced by an older copy. Run: chmod o-w {quote(str(folder))}",
            code="L104",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise LedgerError(
            f"Cannot write in {str(folder)!r}: it is read-only, or you lack the permission.",
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
    for point, its_kind in _mounted(mounts):
        # Of two mounts on one point the later hides the earlier.
        if place.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), its_kind
    return kind


def is_mount_point(path: Path, mounts: Path = _MOUNTS) -> bool:
    """Whether something is mounted on exactly this path; False if the system does not say."""
    return any(point == path for point, _ in _mounted(mounts, ending=path.name))


def _mounted(mounts: Path, ending: str = "") -> Iterator[tuple[Path, str]]:
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
