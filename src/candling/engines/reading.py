"""Reading what may be in conflict, and no more, from wherever the table is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

from candling.engines.classes import (
    Classes,
    coded_core,
    comparable,
    names_of,
    read_classes,
)
from candling.engines.core import core
from candling.engines.failures import told, unreadable
from candling.engines.forms import Table
from candling.engines.parts import Parts
from candling.engines.sources import collect
from candling.engines.spread import Spread, read_spread
from candling.errors import DataError, UsageError
from candling.rules import Constraint

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

SMALL = 50_000  # rows of a table that the embedded engine gives as it is, which is quicker
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
    if _count(table, most + 1) > most:
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
    apart: Sequence[str] = (),
    memory: str | None = None,
) -> Parts:
    """What may be in conflict: values in no conflict are NULL, and rows in none are one class.

    `apart` are columns in which NULL matters in itself. What is too large for the memory comes in
    parts: only Spark can keep them, on its executors.
    """
    if not names_of(constraints) or _small(table):
        return read_classes(table, constraints, memory=memory)
    found: pa.Table | Spread
    if table.engine == "pyspark":
        found = read_spread(
            table, core_query(table, constraints, apart), constraints, apart, memory
        )
        if isinstance(found, Spread):
            return found
    else:
        with _at_hand(table, names_of(constraints)) as near:
            found = collect(near, core_query(near, constraints, apart), names_of(constraints))
    return coded_core(found, constraints, apart, table.forms, memory=memory)


def read_all(
    table: Table, constraints: Sequence[Constraint], *, memory: str | None = None
) -> Classes:
    """All distinct rows: from the embedded engine alone."""
    if table.engine != "duckdb":
        raise not_here()
    return read_classes(table, constraints, memory=memory)


def not_here() -> UsageError:
    """What needs all rows in one place is not done with a table on a server."""
    return UsageError(
        "This method looks at all rows in one place, and those of a table on a server stay there. "
        "Take the default method, or export the table to Parquet and name the file.",
        code="U108",
    )


def core_query(table: Table, constraints: Sequence[Constraint], apart: Sequence[str]) -> ir.Table:
    """What the engine is asked, over the columns that the rules read."""
    names = names_of(constraints)
    forms = {name: table.columns[name].form for name in names}
    # Spark would sort all rows where the extremes of texts are asked for: equal ones once.
    return core(table.rows(names), forms, constraints, apart, once=table.engine == "pyspark")


@contextmanager
def _at_hand(table: Table, names: Sequence[str]) -> Iterator[Table]:
    """The table, or a copy: the core reads it once for every group of rules.

    In the embedded engine, a file of text would be parsed and a query be run as often.
    """
    backend = table.backend
    if table.engine != "duckdb" or table.stored:
        yield table
        return
    name = f"candling_{uuid4().hex}"
    told(
        lambda: backend.raw_sql(f"create temp table {name} as {table.select(names)}"),
        lambda error: unreadable("The engine", error),
    )
    try:
        copied = {n: replace(table.columns[n], sql=f"c{i}") for i, n in enumerate(names)}
        yield Table(backend, name, copied, stored=True)
    finally:
        backend.raw_sql(f"drop table {name}")


def _small(table: Table) -> bool:
    if table.engine != "duckdb":
        return False
    return _count(table, SMALL + 1) <= SMALL


def _count(table: Table, most: int) -> int:
    """How many rows there are, up to a limit."""
    few = table.rows(()).limit(most)
    return int(collect(table, few.aggregate(n=few.count()), ()).column(0)[0].as_py())
