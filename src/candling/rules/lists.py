"""Public lists of values in files, for `Code in file('icd.csv', 'code')`.

The list is part of the rule: everybody who sees a card may know it. A digest of the values stands
in the rule's canonical text, so that another list makes another rule.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from pathlib import Path

from candling.files import UnreadableError, read_text
from candling.rules.model import Constant

MOST_VALUES = 100_000
_LARGEST = 16 << 20  # bytes
_DIGITS = 16  # of a digest


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
        values = [line.strip() for line in text.splitlines()]
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


def digest(values: Sequence[Constant]) -> str:
    """What the values of a list are recognised by."""
    text = "\n".join(str(value.value) for value in values)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _column(text: str, name: str, column: str) -> list[str]:
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter="\t" if name.endswith("tsv") else ","))
    except csv.Error:
        raise ListError(f"the list {name!r} is not a CSV file") from None
    header = [cell.strip() for cell in lines[0]] if lines else []
    if column not in header:
        known = ", ".join(f"`{cell}`" for cell in header[:6])
        raise ListError(f"the list {name!r} has no column `{column}`", f"it has {known}")
    at = header.index(column)
    return [line[at].strip() for line in lines[1:] if len(line) > at]
