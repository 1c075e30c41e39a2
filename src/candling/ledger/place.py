"""Checks, before anything is written, that a ledger can be kept at a path."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

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
_MOUNTS = Path("/proc/self/mountinfo")


def check_new(path: Path) -> None:
    """Refuse a path where no ledger can be made."""
    if path.is_symlink() or path.exists():
        raise LedgerError(
            f"{str(path)!r} already exists; candling never overwrites a ledger.", code="L103"
        )
    _check_directory(path)
    check_file_system(path)


def check_exists(path: Path) -> None:
    """Refuse a path without a ledger file, or with one that other users can access."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise LedgerError(
            f"There is no ledger {str(path)!r}. If it was moved, find it: a new ledger would "
            "forget what was spent. Make the first one with `candling ledger init`.",
            code="L101",
        ) from None
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise LedgerError(f"{str(path)!r} cannot be read: {reason}.", code="L104") from None
    if not stat.S_ISREG(status.st_mode):
        raise LedgerError(f"{str(path)!r} is not a file.", code="L102")
    if status.st_mode & 0o077:
        raise LedgerError(
            f"Other users can access {str(path)!r} (mode "
            f"{stat.S_IMODE(status.st_mode):04o}). Run: chmod 600 {path}",
            code="L104",
        )


def check_writable(path: Path) -> None:
    """Refuse a ledger that cannot be charged; SQLite writes a journal beside the file."""
    _check_directory(path)
    if not os.access(path, os.W_OK):
        raise LedgerError(
            f"{str(path)!r} is read-only, so nothing can be charged to it.", code="L104"
        )


def _check_directory(path: Path) -> None:
    folder = Path(os.path.realpath(path)).parent  # where SQLite puts the journal
    if not folder.is_dir():
        raise LedgerError(f"There is no directory {str(folder)!r}. Make it first.", code="L104")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise LedgerError(
            f"Cannot write in {str(folder)!r}: it is read-only, or you lack the permission.",
            code="L104",
        )


def check_file_system(path: Path) -> None:
    """Refuse a network file system."""
    kind = file_system(path)
    if kind in NETWORK:
        raise LedgerError(
            f"{str(path)!r} is on a network file system ({kind}), where a charge could get lost. "
            "Use a local disk, or PostgreSQL (postgresql://...) for a shared ledger.",
            code="L104",
        )


def file_system(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """The type of the file system that holds `path`; None if the system does not say."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:  # not Linux
        return None
    place = Path(os.path.realpath(path))
    best, kind = -1, None
    for line in lines:
        # 36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/root rw
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), fields[4]))
        # Of two mounts on one point the later hides the earlier.
        if place.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), after.split(" ")[0]
    return kind
