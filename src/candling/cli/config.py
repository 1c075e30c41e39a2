"""candling.toml: defaults for what is the same in every call, found beside the data or above it.

The command line and the environment win over the file. What is spent is never in it.
"""

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from candling.cli.options import Format, methods
from candling.errors import UsageError
from candling.suggest import nearest

NAME = "candling.toml"
_PATHS = ("ledger", "rules")
_KINDS: dict[str, type] = {
    "ledger": str,
    "dataset": str,
    "rules": str,
    "engine": str,
    "memory": str,
    "method": str,
    "format": str,
    "rows_per_person": int,
    "max_rows": int,
}
KEYS = frozenset(_KINDS)
_CHOICES: dict[str, Callable[[], list[str]]] = {"method": methods, "format": lambda: list(Format)}
_WORDS = {str: "a text in quotes", int: "a whole number"}
_SPENDING = ("epsilon", "budget", "split")


def settings(start: Path | None = None) -> dict[str, Any]:
    """The settings of the nearest candling.toml, {} if there is none; paths from where it is."""
    path = find(start or Path.cwd())
    if path is None:
        return {}
    try:
        text = path.read_text(encoding="utf-8")
        found = tomllib.loads(text)
    except OSError as error:
        raise _wrong(path, f"it cannot be read: {(error.strerror or '').lower()}") from None
    except UnicodeDecodeError:
        raise _wrong(path, "it is not text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(place[1]) if place else None
        said = str(error).split(" (at ")[0]
        raise _wrong(path, f"it is not TOML: {said[:1].lower()}{said[1:]}", line) from None
    for key, value in found.items():
        _check(path, text, key, value)
    return {key: _resolved(path, key, value) for key, value in found.items()}


def find(start: Path) -> Path | None:
    """The file in `start` or the nearest directory above it, up to the project's or one's own."""
    for directory in _upwards(start):
        if (directory / NAME).is_file():
            return directory / NAME
    return None


def _upwards(start: Path) -> Iterator[Path]:
    home = Path.home()
    for directory in (start, *start.parents):
        yield directory
        if directory == home or (directory / ".git").exists():
            return


def _check(path: Path, text: str, key: str, value: Any) -> None:
    line = _line_of(text, key)
    if key in _SPENDING:
        raise _wrong(
            path, f"{key!r} cannot stand here: what is spent is said with every command", line
        )
    if key not in _KINDS:
        near = nearest(key, _KINDS)
        hint = f"did you mean {near!r}?" if near else f"known are {', '.join(_KINDS)}"
        raise _wrong(path, f"there is no setting {key!r}; {hint}", line)
    kind = _KINDS[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise _wrong(path, f"{key!r} must be {_WORDS[kind]}", line)
    choices = _CHOICES[key]() if key in _CHOICES else None
    if choices is not None and value not in choices:
        near = nearest(str(value), choices)
        hint = f"did you mean {near!r}?" if near else f"known are {', '.join(choices)}"
        raise _wrong(path, f"there is no {key} {value!r}; {hint}", line)


def _resolved(path: Path, key: str, value: Any) -> Any:
    """A path as seen from where the file is; a database's address stays as it is."""
    if key not in _PATHS or "://" in value:
        return value
    full = path.parent / Path(value).expanduser()
    try:
        return str(full.relative_to(Path.cwd()))
    except ValueError:
        return str(full)


def _line_of(text: str, key: str) -> int | None:
    """The line on which a key stands, as far as a look can tell."""
    pattern = re.compile(rf"""\s*\[*\s*["']?{re.escape(key)}["']?\s*[\].=]""")
    numbered = enumerate(text.splitlines(), start=1)
    return next((number for number, line in numbered if pattern.match(line)), None)


def _wrong(path: Path, problem: str, line: int | None = None) -> UsageError:
    place = f"{path}:{line}" if line is not None else str(path)
    stop = "" if problem.endswith("?") else "."
    return UsageError(f"{place}: {problem}{stop}", code="U301")
