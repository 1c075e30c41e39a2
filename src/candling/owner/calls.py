"""The owner's views in Python. NOT PRIVATE."""

from __future__ import annotations

import os
from typing import Any

from candling.calls import Rules, checked, rules_of
from candling.errors import UsageError
from candling.failures import on_rows
from candling.memory import one_clear_error
from candling.owner.conflicts import ConflictsFound, find_conflicts
from candling.owner.copy import check_place, write_copy
from candling.owner.repair import RepairFound, find_repair
from candling.owner.table import read_owned
from candling.reading import Reading


@checked()
def conflicts(
    data: Any,
    rules: Rules,
    *,
    limit: int = 20,
    table: str | None = None,
    memory: str | None = None,
    reading: Reading | None = None,
) -> ConflictsFound:
    """The rows in conflict under each rule: NOT PRIVATE, for the owner of the table.

    `limit` is how many rows of each rule come with their values. See `analyze` for data and rules.
    """
    constraints = rules_of(rules)

    def find() -> ConflictsFound:
        owned = read_owned(data, constraints, table=table, memory=memory, reading=reading)
        return find_conflicts(owned, limit=limit)

    return on_rows(lambda: one_clear_error(find))


@checked()
def repair(
    data: Any,
    rules: Rules,
    *,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    time_limit: float = 60.0,
    table: str | None = None,
    memory: str | None = None,
    reading: Reading | None = None,
) -> RepairFound:
    """The fewest rows without which every rule holds: NOT PRIVATE, for the owner of the table.

    `time_limit` is for the search, in seconds; a search that it ends gives a set that may be twice
    as large, and says so (`smallest`). `out` is a .csv, .tsv or .parquet file for a copy of a table
    that is given by its path, without these rows. See `analyze` for data and rules.
    """
    constraints = rules_of(rules)
    to = None if out is None else os.fspath(out)
    if to is not None:
        if not isinstance(data, str | os.PathLike):
            raise UsageError(
                "`out` is for a table that is given by its path; of an object, drop the rows that "
                "`removed` lists yourself.",
                code="U304",
            )
        check_place(to, os.fspath(data), force=overwrite)

    def find() -> RepairFound:
        owned = read_owned(data, constraints, table=table, memory=memory, reading=reading)
        found = find_repair(owned, time_limit=time_limit)
        if to is not None:
            rows = (row.row for row in found.removed)
            write_copy(os.fspath(data), rows, to, table=table, memory=memory, reading=reading)
        return found

    return on_rows(lambda: one_clear_error(find))
