"""Columns of text as values of the types that are stated for them, in the SQL of any engine.

A cell decides by itself what becomes of it, and none ends in an error. One that does not fit the
type of its column is NULL there, and true in a further column that the rule of the type reads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from candling.reading import TEXT, StatedType
from candling.rules import ColumnType, Statement
from candling.rules.types import type_rule
from candling.tables.values import Form, Table, TableColumn

Cast = Callable[[StatedType, str], str]  # SQL of the value of a text in SQL; NULL if it has none

_START = "candling_misfit_2f61c8_"  # no column of a user's begins like that
_BOOLEAN = Form(ColumnType.BOOLEAN)


def select_typed(
    types: Mapping[str, Statement],
    columns: Sequence[str],
    *,
    quote: Callable[[str], str],
    cast: Cast,
) -> str | None:
    """The columns of a table in SQL, as values of their types, and which cells do not fit.

    None where no text is read as anything else.
    """
    read = {name: stated.type for name, stated in types.items() if stated.type != TEXT}
    if not read:
        return None
    selected = [
        f"{cast(read[name], quote(name))} as {quote(name)}" if name in read else quote(name)
        for name in columns
    ]
    for number, (name, stated) in enumerate(read.items()):
        misfit = f"{quote(name)} is not null and {cast(stated, quote(name))} is null"
        selected.append(f"({misfit}) as {quote(f'{_START}{number}')}")
    return ", ".join(selected)


def is_misfit(name: str) -> bool:
    """Whether a column says which cells of another do not fit."""
    return name.startswith(_START)


def add_types(table: Table, types: Mapping[str, Statement], untyped: Collection[str]) -> Table:
    """The table, whose source has the columns of `select_typed`, with what is known of types."""
    read = {name: stated.type for name, stated in types.items() if stated.type != TEXT}
    columns = dict(table.columns)
    for number, (name, stated) in enumerate(read.items()):
        (misfit,) = type_rule(name, stated).predicates
        sql = table.engine.quote(f"{_START}{number}")
        columns[misfit.left.name] = TableColumn(sql, _BOOLEAN, "boolean")
    left = frozenset(untyped) - set(types)
    return replace(table, columns=columns, stated=dict(types), untyped=left)


def count_misfits(table: Table) -> dict[str, int]:
    """How many cells of each column with a type do not fit it. NOT PRIVATE."""
    rules = {rule.columns[0]: rule.predicates[0].left.name for rule in table.type_rules}
    if not rules:
        return {}
    counted = ", ".join(
        f"coalesce(sum(case when {table.columns[name].sql} then 1 else 0 end), 0) as c{i}"
        for i, name in enumerate(rules.values())
    )
    types = {f"c{i}": "int64" for i in range(len(rules))}
    query = f"select {counted} from {table.source}"  # noqa: S608 - quoted names
    (row,) = table.fetch(query, types).to_pylist()
    return {column: int(row[f"c{i}"]) for i, column in enumerate(rules)}
