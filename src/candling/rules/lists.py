"""Public lists of values in files, for `Code in file('icd.csv', 'code')`.

The list is part of the rule: everybody who sees a card may know it. A digest of the values stands
in the rule's canonical text, so that another list makes another rule.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from candling.errors import UsageError
from candling.files import UnreadableError, read_text
from candling.rules.conditions import Listed, walk
from candling.rules.model import Constant, Constraint

MOST_VALUES = 100_000
_LARGEST = 16 << 20  # bytes
_DIGITS = 32  # of a digest


class ListError(Exception):
    """Why a list cannot be used, and what to do."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def read_list(folder: Path, name: str, column: str | None) -> tuple[Constant, ...]:
    """The values of a public list: a column of a CSV file, or the lines of a text."""
    try:
        text = read_text(folder / name, most=_LARGEST)
    except UnreadableError as error:
        raise ListError(
            f"the list {name!r} cannot be read: {error}", "paths are seen from the rules file"
        ) from None
    text = text.removeprefix("\ufeff")
    if column is None:
        values = [line.strip() for line in text.split("\n")]
    else:
        values = _column(text, name, column)
    distinct = sorted({value for value in values if value})
    if not distinct:
        raise ListError(f"the list {name!r} has no value")
    if len(distinct) > MOST_VALUES:
        raise ListError(
            f"the list {name!r} has {len(distinct):,} values; {MOST_VALUES:,} is the most"
        )
    if any("\0" in value for value in distinct):
        raise ListError(f"the list {name!r} holds a NUL character")
    return tuple(map(Constant, distinct))


def require_public_lists(rules: Iterable[Constraint], data: object) -> None:
    """Refuse a list that is the table itself: what a row may be would depend on other rows."""
    if not isinstance(data, str | os.PathLike):
        return
    columns = (c for rule in rules for p in rule.predicates for c in p.columns)
    parts = (part for c in columns if c.condition is not None for part in walk(c.condition))
    if any(isinstance(part, Listed) and _same(part.path, data) for part in parts):
        raise UsageError(
            "A list of a rule is the table itself, and lists are public: copy the values that are "
            "no secret to a file of their own. That no value is repeated is key(...).",
            code="R123",
        )


def _same(path: Path | None, data: str | os.PathLike[str]) -> bool:
    try:
        return path is not None and path.samefile(data)
    except (OSError, ValueError):
        return False


def digest(values: Sequence[Constant]) -> str:
    """What the values of a list are recognised by."""
    text = json.dumps([str(value.value) for value in values])  # a value may hold a line break
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _column(text: str, name: str, column: str) -> list[str]:
    try:
        tabs = Path(name).suffix.lower() == ".tsv"
        lines = list(csv.reader(io.StringIO(text), delimiter="\t" if tabs else ","))
    except csv.Error:
        raise ListError(f"the list {name!r} is not a CSV file") from None
    header = [cell.strip() for cell in lines[0]] if lines else []
    if header.count(column) != 1:  # the header is not shown: without one, it is a row
        number = "several columns" if column in header else "no column"
        raise ListError(
            f"the list {name!r} has {number} `{column}`", "its first line must hold the names"
        )
    at = header.index(column)
    return [line[at].strip() for line in lines[1:] if len(line) > at]
