"""candling.toml: default values of options, from a file that can be trusted.

A file in a directory above may have been put there by anybody. Settings say where a charge goes and
which server gets a password, so what others could have written is not obeyed.

The command line and the environment override the file. An epsilon is never in it. A file that
somebody else could have written is not obeyed (`trust.py`), and the address of a server is taken
only from a file in the current directory, or from one that the caller names.
"""

import os
import re
import shlex
import stat
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from candling.cli.options import Format, join_list
from candling.errors import UsageError, nearest
from candling.escaping import quote_path
from candling.records import dataclass
from candling.render.wording import cut
from candling.system.files import UnreadableError, decode_utf8, open_file, read_open, scheme

with suppress(ImportError):  # Windows has neither, and no owners to ask for
    import grp
    import pwd

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
                doubt = Doubt(f"its directory {quote_path(folder)} cannot be looked at")
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
        whose = f"it is in {quote_path(place)}, which belongs" if folder else "it belongs"
        return Doubt(f"{whose} to {_user(status.st_uid)}", of_stranger=_is_open(place.parent))
    if stat.S_ISLNK(status.st_mode) or (folder and status.st_mode & stat.S_ISVTX):
        return None  # a link has no mode, and in a sticky directory only owners replace files
    others = status.st_mode & stat.S_IWOTH
    group = status.st_mode & stat.S_IWGRP and not named and not _is_private_group(status)
    if not others and not group:
        return None
    what = f"its directory {quote_path(place)}" if folder else "it"
    who = "all users" if others else "a group of users"
    return Doubt(f"{who} can change {what}", f"chmod go-w {shlex.quote(str(place))}")


def _is_open(folder: Path) -> bool:
    """Whether everybody may put files into a directory."""
    return bool(folder.stat().st_mode & stat.S_IWOTH)


def _is_private_group(status: os.stat_result) -> bool:
    """Whether the group of a file is the one that its owner is alone in, as Debian makes them."""
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
    try:
        return f"the user {pwd.getpwuid(number).pw_name!r}"
    except KeyError:
        return f"the user with the number {number}"


NAME = "candling.toml"
VARIABLE = "CANDLING_CONFIG"  # of the environment: a file that the caller names
_PATHS = ("ledger", "rules")
_KINDS: dict[str, type] = {
    "ledger": str,
    "dataset": str,
    "rules": str,
    "engine": str,
    "memory": str,
    "format": str,
    "person": str,
    "rows_per_person": int,
    "max_rows": int,
    "null": list,
    "encoding": str,
    "delimiter": str,
    "decimal": str,
    "header": bool,
    "type": dict,
}
KEYS = frozenset(_KINDS)
_CHOICES: dict[str, list[str]] = {"format": list(Format)}
_WORDS = {
    str: "a string in quotes",
    int: "a whole number",
    bool: "true or false",
    list: 'a list of strings, as ["NA", "N/A"]',
    dict: 'columns with their types, as { Zip = "text" }',
}
_SPENDING = ("epsilon", "budget", "split")
_LARGEST = 64 << 10  # bytes
_MOST_INTEGER = 2**63  # TOML has no integers beyond 64 bits
_LONGEST = 60  # characters of a name that a message shows


@dataclass(frozen=True)
class Settings:
    """What a file says, and what the caller should know about files that were passed over."""

    values: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None
    notices: tuple[str, ...] = ()


def settings(named: str | None = None) -> Settings:
    """The settings of the file that is named, or of the nearest candling.toml if there is one.

    Paths in it are relative to the file.
    """
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        here = Path("/")
    if named is not None:
        path = here / named
        doubt = doubt_about(path, named=True)
        if doubt is not None:
            raise _distrust_error(path, doubt)
        return Settings(_read(path, here, named=True), path)
    notices: list[str] = []
    for path in candidates(here):
        doubt = doubt_about(path, named=False)
        if doubt is not None and doubt.of_stranger and path.parent != here:
            # Everybody can put a file into such a directory: it must not stop who works below.
            notices.append(f"Ignored {path}: {doubt.reason}.")
        elif doubt is not None:
            raise _distrust_error(path, doubt)
        else:
            return Settings(_read(path, here, named=False), path, tuple(notices))
    return Settings(notices=tuple(notices))


def candidates(start: Path) -> Iterator[Path]:
    """The files in `start` and the directories above it, up to the git repository or the home."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - which never fails
    for directory in (start, *start.parents):
        if os.path.lexists(directory / NAME) and not os.path.isdir(directory / NAME):  # noqa: PTH112
            yield directory / NAME
        if directory == home or os.path.lexists(directory / ".git"):
            return


def _read(path: Path, here: Path, *, named: bool) -> dict[str, Any]:
    """What a file says; the file that was checked is the one that is read."""
    try:
        with open_file(path) as file:
            doubt = doubt_about_open(path, file.fileno(), named=named)
            if doubt is not None:
                raise _distrust_error(path, doubt)
            text = decode_utf8(read_open(file, most=_LARGEST))
        values = tomllib.loads(text)
    except UnreadableError as error:
        raise _wrong(path, f"it cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(place[1]) if place else None
        reason = cut(str(error).split(" (at ")[0], 200)
        raise _wrong(path, f"it is not TOML: {reason[:1].lower()}{reason[1:]}", line) from None
    except (ValueError, RecursionError):  # a number of a thousand digits, a thousand brackets
        raise _wrong(path, "it is not TOML that holds settings") from None
    for key, value in values.items():
        _check(path, text, key, value)
        if path.parent != here and not named and _names_a_server(key, value):
            raise _wrong(
                path,
                f"{key!r} is the address of a server, which is taken only from a file in the "
                f"working directory. If you trust it: --config {shlex.quote(str(path))}",
                _line_of(text, key),
            )
    return {key: _resolve_setting(path, here, key, value) for key, value in values.items()}


def _names_a_server(key: str, value: Any) -> bool:
    """Whether a setting makes candling connect to a computer that it names."""
    if not isinstance(value, str):
        return False
    shared = key in _PATHS and value.startswith(("//", "\\\\"))  # a folder of a server, on Windows
    return scheme(value) is not None or shared


def _check(path: Path, text: str, key: str, value: Any) -> None:
    line = _line_of(text, key)
    shown = cut(key, _LONGEST)
    if key in _SPENDING:
        raise _wrong(path, f"{key!r} is not allowed here: state it with every command", line)
    if key not in _KINDS:
        raise _wrong(path, f"unknown setting {shown!r}; {_hint(shown, _KINDS)}", line)
    kind = _KINDS[key]
    texts = _texts(value)
    if type(value) is int and abs(value) >= _MOST_INTEGER:
        raise _wrong(path, f"the number of {key!r} is too large", line)
    if type(value) is not kind or texts is None:
        raise _wrong(path, f"{key!r} must be {_WORDS[kind]}", line)
    if not all(text.isprintable() or text == "\t" for text in texts):
        raise _wrong(path, f"{key!r} has characters that cannot be printed", line)
    choices = _CHOICES.get(key)
    if choices is not None and value not in choices:
        shown = cut(str(value), _LONGEST)
        raise _wrong(path, f"unknown {key} {shown!r}; {_hint(shown, choices)}", line)


def _texts(value: Any) -> list[str] | None:
    """The texts of a setting; None if it is a list or a table with something else in it."""
    parts = [*value, *value.values()] if isinstance(value, dict) else value
    if not isinstance(parts, list):
        return [parts] if isinstance(parts, str) else []
    return parts if all(isinstance(part, str) for part in parts) else None


def _hint(word: str, known: Iterable[str]) -> str:
    near = nearest(word, known)
    return f"did you mean {near!r}?" if near else f"known are {', '.join(known)}"


def _resolve_setting(path: Path, here: Path, key: str, value: Any) -> Any:
    """A setting as its option takes it; a path relative to the file, an address as it is."""
    if isinstance(value, list):
        return join_list(value)
    if isinstance(value, dict):
        return [f"{column}={kind}" for column, kind in value.items()]
    if key not in _PATHS or scheme(value) is not None:
        return value
    full = path.parent / os.path.expanduser(value)  # noqa: PTH111 - ~nobody stays as it is
    try:
        return str(full.relative_to(here))
    except ValueError:
        return str(full)


def _line_of(text: str, key: str) -> int | None:
    """The line that sets a key, found by a simple search."""
    pattern = re.compile(rf"""\s*\[*\s*["']?{re.escape(key)}["']?\s*[\].=]""")
    numbered = enumerate(text.split("\n"), start=1)
    return next((number for number, line in numbered if pattern.match(line)), None)


def _distrust_error(path: Path, doubt: Doubt) -> UsageError:
    fix = doubt.fix or f"name it with --config {shlex.quote(str(path))} if you trust it"
    return UsageError(
        f"candling does not use {quote_path(path)}, because {doubt.reason}. Fix: {fix}. To "
        "continue without the file: --no-config.",
        code="U307",
    )


def _wrong(path: Path, problem: str, line: int | None = None) -> UsageError:
    place = f"{path}:{line}" if line is not None else str(path)
    stop = "" if problem.endswith("?") else "."
    return UsageError(f"{place}: {problem}{stop}", code="U301")
