"""Public lists that rules read from files, and the files of the measured table."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from candling.errors import UsageError, hide_private_errors
from candling.rules import Constraint
from candling.rules.conditions import list_files
from candling.tables.files.paths import STANDARD_INPUT
from candling.tables.open import files_of


def require_public_lists(
    rules: Iterable[Constraint],
    data: Any,
    *,
    public: bool = False,
    table: str | None = None,
    memory: str | None = None,
    engine: str | None = None,
) -> None:
    """Refuse a list that is read from the table: what a row may be would depend on other rows.

    Args:
        rules: Their lists in files are compared.
        data: The table, as for `open_table`.
        public: The owner says that the lists are public, where no files can be compared.
        table: A table inside a file.
        memory: The limit of an engine that has to start for this.
        engine: Where `data` is looked up.
    """
    lists = list_files(rules)
    if not lists or not isinstance(data, str | os.PathLike):
        return
    if os.fspath(data) == STANDARD_INPUT:
        if not public:
            first = next(iter(lists.values()))
            raise UsageError(
                f"The rules read {first}, and candling cannot tell whether standard input comes "
                "from that file. A list must be public. If all lists of these rules are, add "
                "--lists-are-public (in Python, lists_are_public=True). Otherwise give the table "
                "by its file name.",
                code="R123",
            )
        return
    files = hide_private_errors(
        lambda: files_of(str(data), table=table, memory=memory, engine=engine)
    )
    for path, written in lists.items():
        if any(_is_same_file(path, file) for file in files):
            raise UsageError(
                f"The list {written} comes from the table itself, but lists are public: copy the "
                "values that are not secret to another file. To forbid repeated values, write "
                "key(...).",
                code="R123",
            )


def _is_same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by links or not."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False
