"""Whether a file of settings can be trusted: only the caller or root can have written it.

A file in a directory above may have been put there by anybody. Settings say where a charge goes and
which server gets a password, so what others could have written is not obeyed.
"""

import os
import shlex
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_MOST_LINKS = 40  # after which a system gives up


@dataclass(frozen=True)
class Doubt:
    """Why a file is not trusted, and how to mend that."""

    reason: str
    fix: str | None = None
    of_stranger: bool = False  # somebody else put it where everybody may put files


def doubt_about(path: Path, *, named: bool) -> Doubt | None:
    """Why a file, the links to it or their directories are not trusted; None if they are.

    Who names a file vouches for its owner and group, but not for everybody. On Windows nothing is
    checked: it has no owners and modes that Python could ask for.
    """
    if not hasattr(os, "geteuid"):
        return None
    for place in _places(path):
        try:
            status = place.lstat()
        except (OSError, ValueError):
            return None  # nothing is there, and whoever opens it will say so
        doubt = _doubt(place, status, named=named)
        if doubt is not None:
            return doubt
        for folder in place.parents:
            try:
                doubt = _doubt(folder, folder.lstat(), named=named)
            except OSError:
                doubt = Doubt(f"its directory {str(folder)!r} cannot be looked at")
            if doubt is not None:
                return doubt
    return None


def doubt_about_open(path: Path, descriptor: int, *, named: bool) -> Doubt | None:
    """The same of a file that is open: what is read is what was checked."""
    if not hasattr(os, "geteuid"):
        return None
    return _doubt(path, os.fstat(descriptor), named=named)


def _places(path: Path) -> Iterator[Path]:
    """Every link on the way to a file and the file itself, each in a directory without links."""
    place = path
    for _ in range(_MOST_LINKS):
        place = Path(os.path.realpath(place.parent), place.name)
        yield place
        if not place.is_symlink():
            return
        place = place.parent / place.readlink()


def _doubt(place: Path, status: os.stat_result, *, named: bool) -> Doubt | None:
    folder = stat.S_ISDIR(status.st_mode)
    if not named and status.st_uid not in (0, os.geteuid()):
        whose = f"it is in {str(place)!r}, which belongs" if folder else "it belongs"
        return Doubt(f"{whose} to {_user(status.st_uid)}", of_stranger=_is_open(place.parent))
    if stat.S_ISLNK(status.st_mode) or (folder and status.st_mode & stat.S_ISVTX):
        return None  # a link has no mode, and in a sticky directory only owners replace files
    others = status.st_mode & stat.S_IWOTH
    group = status.st_mode & stat.S_IWGRP and not named and not _is_private_group(status)
    if not others and not group:
        return None
    what = f"its directory {str(place)!r}" if folder else "it"
    who = "everybody" if others else "a group"
    return Doubt(f"{who} may write to {what}", f"chmod go-w {shlex.quote(str(place))}")


def _is_open(folder: Path) -> bool:
    """Whether everybody may put files into a directory."""
    return bool(folder.stat().st_mode & stat.S_IWOTH)


def _is_private_group(status: os.stat_result) -> bool:
    """Whether the group of a file is the one that its owner is alone in, as Debian makes them."""
    import grp
    import pwd

    try:
        owner, group = pwd.getpwuid(status.st_uid), grp.getgrgid(status.st_gid)
    except KeyError:
        return False
    return (
        owner.pw_gid == group.gr_gid
        and owner.pw_name == group.gr_name
        and not {*group.gr_mem} - {owner.pw_name}
    )


def _user(number: int) -> str:
    import pwd

    try:
        return f"the user {pwd.getpwuid(number).pw_name!r}"
    except KeyError:
        return f"the user with the number {number}"
