"""Reading what may be in conflict, and no more, from wherever the table is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from candling.engines.classes import CoreColumns, Parts, comparable, names_of, read_classes
from candling.engines.conditions import with_conditions
from candling.engines.core import core
from candling.engines.forms import Table
from candling.engines.persons import Cut, kept
from candling.errors import DataError
from candling.rules import Constraint

if TYPE_CHECKING:
    import ibis.expr.types as ir

SMALL = 200_000  # rows of a table that the embedded engine gives as it is, which is quicker
# Of a table: values have codes of 31 bits, and numbers of pairs, doubled, have 63.
MOST_ROWS = 2**30 - 1


def require_rows(table: Table, constraints: Sequence[Constraint]) -> None:
    """Refuse a table of more rows than there are numbers for, before anything is charged.

    Columns that a rule compares with each other share their codes. The limit is part of what is
    public (docs/privacy.md): the guarantee is for tables within it.
    """
    names = names_of(constraints)
    most = MOST_ROWS // max(map(len, comparable(names, constraints)), default=1)
    if table.size is not None and table.size <= most:
        return
    if table.count(most + 1) > most:
        raise DataError(
            f"The table has more than {most:,} rows, which is the most that candling can measure "
            "under these rules: split it by a column on which conflicting rows always agree, or "
            "take a sample.",
            code="D112",
        )


def read_core(
    table: Table,
    constraints: Sequence[Constraint],
    *,
    not_null: Sequence[str] = (),
    cut: Cut | None = None,
    memory: str | None = None,
) -> Parts:
    """What may be in conflict: values in no conflict are NULL, and rows in none are one class.

    `not_null` are columns in which NULL matters in itself. With a `cut` it is of the rows that are
    kept. What is too large for the memory comes in several parts, if the engine can keep them.
    """
    names = names_of(constraints)
    small = not names or _small(table)
    table = kept(table, constraints, cut)
    if small:
        return read_classes(table, constraints, memory=memory)
    table = with_conditions(table, constraints)
    columns = CoreColumns(
        tuple(constraints), tuple(not_null), {name: table.columns[name].form for name in names}
    )
    with table.engine.at_hand(table, names) as near:
        query = core_query(near, constraints, not_null)
        return near.engine.read_core(near, query, columns, memory)


def core_query(
    table: Table, constraints: Sequence[Constraint], not_null: Sequence[str]
) -> ir.Table:
    """What the engine is asked, over the columns that the rules read."""
    names = names_of(constraints)
    forms = {name: table.columns[name].form for name in names}
    once = table.engine.counts_equal_rows_first
    return core(table.rows(names), forms, constraints, not_null, once=once)


def _small(table: Table) -> bool:
    return table.engine.in_process and table.count(SMALL + 1) <= SMALL
