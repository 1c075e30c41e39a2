"""A table as its owner sees it: every row with its number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any

import pyarrow as pa

from candling.engines import Classes, open_source, read_rows
from candling.engines.engine import quoted
from candling.phases import Phase, enter
from candling.reading import Reading
from candling.rules import Constraint, ConstraintSet, check_schema, compile_rules
from candling.rules.model import CONDITION


@dataclass(frozen=True, slots=True)
class OwnedTable:
    """The rows of a table in its order, coded and as they are. NOT PRIVATE.

    Row 1 is the first one of the file, after the header where there is one.
    """

    classes: Classes = field(repr=False)  # one row each, in the order of the table
    values: pa.Table = field(repr=False)  # the columns that the rules read

    def cells(self, row: int, columns: tuple[str, ...]) -> dict[str, Any]:
        """Some values of a row, by column."""
        return {name: self.values.column(name)[row - 1].as_py() for name in columns}


def read_owned(
    data: Any,
    rules: ConstraintSet,
    *,
    table: str | None = None,
    memory: str | None = None,
    reading: Reading | None = None,
) -> OwnedTable:
    """The table behind `data` (see `candling.analyze`), which the rules must fit."""
    enter(Phase.READING)
    source = open_source(data, table=table, memory=memory, reading=reading)
    owned = source.canonical()
    check_schema(rules, owned.schema)
    constraints = compile_rules(rules)
    classes = read_rows(owned, constraints, memory=memory)
    values = pa.table({})
    if names := _names(constraints, list(owned.columns)):
        shown = ", ".join(f"{quoted(name)} as {quoted(known)}" for known, name in names.items())
        values = owned.fetch(f"select {shown} from {source.rows}", {})  # noqa: S608 - quoted
    return OwnedTable(classes, values)


def _names(constraints: Iterable[Constraint], columns: Sequence[str]) -> dict[str, str]:
    """The table's names of the columns that rules read, by the names that the rules have."""
    return {
        source.name.removeprefix(CONDITION): (
            source.name if source.position is None else columns[source.position]
        )
        for rule in constraints
        for predicate in rule.predicates
        for column in predicate.columns
        for source in column.sources
    }


def plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if abs(value) != float("inf") else str(value)
    if isinstance(value, date | time):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else str(value)
