"""candling.toml: default values of options, from the current directory or one above it.

The command line and the environment override the file. An epsilon is never in it.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
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
_WORDS = {str: "a string in quotes", int: "a whole number"}
_SPENDING = ("epsilon", "budget", "split")


def settings(start: Path | None = None) -> dict[str, Any]:
    """The settings of the nearest candling.toml, {} if there is none.

    Paths in it are relative to the file.
    """
    path = find(start or Path.cwd())
    if path is None:
        return {}
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except OSError as error:
        raise _wrong(path, f"it cannot be read: {(error.strerror or '').lower()}") from None
    except UnicodeDecodeError:
        raise _wrong(path, "it is not text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(place[1]) if place else None
        reason = str(error).split(" (at ")[0]
        raise _wrong(path, f"it is not TOML: {reason[:1].lower()}{reason[1:]}", line) from None
    for key, value in values.items():
        _check(path, text, key, value)
    return {key: _resolved(path, key, value) for key, value in values.items()}


def find(start: Path) -> Path | None:
    """The file in `start` or the nearest directory above, up to the git repository or the home."""
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
        raise _wrong(path, f"{key!r} is not allowed here: state it with every command", line)
    if key not in _KINDS:
        raise _wrong(path, f"there is no setting {key!r}; {_hint(key, _KINDS)}", line)
    kind = _KINDS[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise _wrong(path, f"{key!r} must be {_WORDS[kind]}", line)
    choices = _CHOICES[key]() if key in _CHOICES else None
    if choices is not None and value not in choices:
        raise _wrong(path, f"there is no {key} {value!r}; {_hint(str(value), choices)}", line)


def _hint(word: str, known: Iterable[str]) -> str:
    near = nearest(word, known)
    return f"did you mean {near!r}?" if near else f"known are {', '.join(known)}"


def _resolved(path: Path, key: str, value: Any) -> Any:
    """A path relative to the file; the address of a database stays as it is."""
    if key not in _PATHS or "://" in value:
        return value
    full = path.parent / Path(value).expanduser()
    try:
        return str(full.relative_to(Path.cwd()))
    except ValueError:
        return str(full)


def _line_of(text: str, key: str) -> int | None:
    """The line that sets a key, found by a simple search."""
    pattern = re.compile(rf"""\s*\[*\s*["']?{re.escape(key)}["']?\s*[\].=]""")
    numbered = enumerate(text.splitlines(), start=1)
    return next((number for number, line in numbered if pattern.match(line)), None)


def _wrong(path: Path, problem: str, line: int | None = None) -> UsageError:
    place = f"{path}:{line}" if line is not None else str(path)
    stop = "" if problem.endswith("?") else "."
    return UsageError(f"{place}: {problem}{stop}", code="U301")
