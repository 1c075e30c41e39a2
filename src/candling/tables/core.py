"""Read the core of a table: the rows that may be in conflict.

A column says nothing of a row that no rule with this column sees in a conflict. So the engine
finds, rule by rule, which rows may be in a conflict, and every value that matters to none of their
rules becomes NULL, which breaks no rule. What is left is grouped and counted: rows in no conflict
are one group, and an almost unique column splits nothing where it breaks nothing. The conflict
graph stays what it was, and nothing of the size of the table leaves the engine.

The engine may keep too much and must never keep too little; what it kept is looked at again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from candling.errors import DataError
from candling.rules import Column, Constraint, Predicate
from candling.tables.classes import (
    CoreColumns,
    OwnedClasses,
    Parts,
    comparable,
    names_of,
    read_classes,
)
from candling.tables.conditions_sql import with_conditions
from candling.tables.persons import Cut, limit_rows_per_person, select_owners
from candling.tables.queries import Relation
from candling.tables.values import Table

SMALL = 200_000  # rows of a table that the embedded engine gives as it is, which is quicker
FEW = 50_000  # cells that are read and coded sooner than Arrow is loaded
# Of a table: values have codes of 31 bits, and numbers of pairs, doubled, have 63.
MOST_ROWS = 2**30 - 1


def require_rows(table: Table, constraints: Sequence[Constraint]) -> None:
    """Refuse a table of more rows than there are numbers for, before anything is charged.

    Columns that a rule compares with each other share their codes. The limit is part of what is
    public (docs/privacy.md): the guarantee is for tables within it.
    """
    table.parse()
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
    rows = table.count(SMALL + 1) if names and table.engine.in_process else None
    table = limit_rows_per_person(table, constraints, cut)
    if not names or (rows is not None and rows <= SMALL):
        few = rows is not None and rows * len(names) <= FEW
        return read_classes(table, constraints, few=few, memory=memory)
    table = with_conditions(table, constraints)
    columns = CoreColumns(
        tuple(constraints), tuple(not_null), {name: table.columns[name].form for name in names}
    )
    with table.engine.materialized(table, names) as near:
        query = core_query(near, constraints, not_null)
        return near.engine.read_core(near, query, columns, memory)


def read_owned(
    table: Table,
    constraints: Sequence[Constraint],
    person: Sequence[str],
    *,
    memory: str | None = None,
) -> OwnedClasses:
    """What may be in conflict, by person, of all rows that have one.

    It is in this process as one part, whatever the engine: conflicts lead from person to person.
    """
    from candling.tables.arrow_coding import code_columns

    names = names_of(constraints)
    small = table.engine.in_process and table.count(SMALL + 1) <= SMALL
    table, owners = select_owners(table, constraints, person)
    table = with_conditions(table, constraints, also=owners)
    forms = {name: table.columns[name].form for name in names}
    columns, every = CoreColumns(tuple(constraints), (), forms), [*names, *owners]
    if small or not names:
        arrow = table.groups(every)
    else:
        with table.engine.materialized(table, every) as near:
            arrow = near.collect(core_query(near, constraints, (), owners))
    persons = np.zeros(arrow.num_rows, np.int64)
    for place, name in enumerate(owners, start=len(names)):
        _, (codes,) = code_columns([arrow.column(place)], [table.columns[name].form])
        # Both are below 2**31, so each pair has a number of 62 bits.
        pairs = persons * (int(codes.max(initial=0)) + 1) + codes
        persons = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    return OwnedClasses(columns.encode(arrow, memory=memory), persons)


def core_query(
    table: Table,
    constraints: Sequence[Constraint],
    not_null: Sequence[str],
    owners: Sequence[str] = (),
) -> Relation:
    """What the engine is asked, over the columns that the rules read, as c0, c1, ...

    With columns of `owners`, which come after them, rows are apart by owner.
    """
    from candling.tables.candidates import Comparing, select_core  # of large tables alone

    names = names_of(constraints)
    place = {name: f"c{number}" for number, name in enumerate([*names, *owners])}
    forms = {place[name]: table.columns[name].form for name in names}
    return select_core(
        table.rows([*names, *owners]),
        [_rename_columns(c.canonical, place) for c in constraints],
        Comparing(forms, table.engine.counts_equal_rows_first),
        [place[name] for name in not_null],
        [place[name] for name in owners],
    )


def _rename_columns(constraint: Constraint, place: dict[str, str]) -> Constraint:
    def of(predicate: Predicate) -> Predicate:
        left, right = predicate.left, predicate.right
        if isinstance(right, Column):
            right = Column(right.row, place[right.name])
        return Predicate(Column(left.row, place[left.name]), predicate.op, right)

    return replace(constraint, predicates=tuple(map(of, constraint.predicates)))
