"""Read the core of a table: the rows of each person that count and may be in conflict.

Which of a person's rows are kept depends on that person's rows alone (docs/privacy.md, Theorem 16).
They are sorted by what the rules read, and each gets a number from a hash of the person and of its
place. The rows with the smallest numbers stay: a random sample that is the same on every engine and
in every order of the table. Rows that the rules cannot tell apart can stand in for each other, so
that ties do not matter. Rows with NULL for a person belong to nobody and are left out.

A column says nothing of a row that no rule with this column sees in a conflict. So the engine
finds, rule by rule, which rows may be in a conflict, and every value that matters to none of their
rules becomes NULL, which breaks no rule. What is left is grouped and counted: rows in no conflict
are one group, and an almost unique column splits nothing where it breaks nothing. The conflict
graph stays what it was, and nothing of the size of the table leaves the engine.

The engine may keep too much and must never keep too little; what it kept is looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from candling.errors import DataError, UsageError, did_you_mean
from candling.rules import Column, ColumnType, Constraint, Predicate
from candling.tables.classes import CoreColumns, Parts, comparable, names_of, read_classes
from candling.tables.conditions_sql import columns_read, with_conditions
from candling.tables.values import Table, TableColumn

if TYPE_CHECKING:
    import ibis.expr.types as ir

# Only the rows of those who have too many are sorted.
_KEPT = """\
(with candling_owned as (
  select {columns}, count(*) over (partition by {person}) as candling_rows from {owned}
), candling_placed as (
  select {columns}, row_number() over (partition by {person} order by {by_value}) as candling_place
  from candling_owned where candling_rows > {most}
), candling_turns as (
  select {values}, row_number() over (partition by {person} order by {number} asc) as candling_turn
  from candling_placed
)
select {values} from candling_owned where candling_rows <= {most} union all
select {values} from candling_turns where candling_turn <= {most}) candling_kept"""
_WHOLE = 9 * 10**15  # to where a double that is rounded down is an integer of 64 bits
_PART = 2**32


@dataclass(frozen=True, slots=True)
class Cut:
    """At most `most` rows of each person, who is named by these columns."""

    person: tuple[str, ...]
    most: int


def limit_rows_per_person(
    table: Table, constraints: Iterable[Constraint], cut: Cut | None
) -> Table:
    """The table without the rows that are cut; of its columns it has those that the rules read."""
    if cut is None:
        return table
    names = list(dict.fromkeys(columns_read(table, constraints).values()))
    values = [f"b{i}" for i in range(len(names))]
    person = [f"p{i}" for i in range(len(cut.person))]
    source = _KEPT.format(
        most=cut.most,
        owned=_select_owned_rows(table, dict(zip(values, names, strict=True)), cut.person),
        values=", ".join(values) or "1 as nothing",
        person=", ".join(person),
        columns=", ".join([*values, *person]),
        by_value=", ".join(f"{name} asc nulls last" for name in values or person),
        number=_number(table, cut.person),
    )
    # Positions of columns stay what they were; nobody reads the others.
    sql = dict.fromkeys(table.columns, "null") | dict(zip(names, values, strict=True))
    known = {name: replace(column, sql=sql[name]) for name, column in table.columns.items()}
    return replace(table, source=source, columns=known, stored=False)


def require_person(table: Table, person: Sequence[str]) -> None:
    """Refuse columns for a person that the table does not have, or cannot compare."""
    for name in person:
        if name not in table.columns:
            hint = did_you_mean(name, table.columns)
            raise UsageError(f"The table has no column {name!r} for a person.{hint}", code="U216")
        if table.columns[name].form.kind is ColumnType.OTHER:
            raise UsageError(
                f"The column {name!r} cannot name a person: its values are lists, structs or "
                "others that are not compared.",
                code="U216",
            )
        if table.columns[name].form.kind is ColumnType.TIMESTAMP:
            raise UsageError(
                f"The column {name!r} cannot name a person: it holds points in time. Those that an "
                "engine cannot reach are taken for one. Cast it to text.",
                code="U216",
            )
        if not table.columns[name].one_to_one:
            raise UsageError(
                f"The column {name!r} cannot name a person: of its numbers, which have 128 bits, "
                "those with more than 38 digits are taken for one. Cast it to text.",
                code="U216",
            )


def count_persons_above(table: Table, person: Sequence[str], numbers: Sequence[int]) -> list[int]:
    """For each of these numbers, how many persons have more rows. Private."""
    columns = ", ".join(f"p{i}" for i in range(len(person)))
    above = ", ".join(
        f"coalesce(sum(case when n > {number} then 1 else 0 end), 0) as a{i}"
        for i, number in enumerate(numbers)
    )
    owned = _select_owned_rows(table, {}, person)
    query = (
        f"select {above} from (select count(*) as n from {owned} "  # noqa: S608 - quoted names
        f"group by {columns}) candling_people"
    )
    (row,) = table.fetch(query, {f"a{i}": "int64" for i in range(len(numbers))}).to_pylist()
    return [int(row[f"a{i}"]) for i in range(len(numbers))]


def _select_owned_rows(table: Table, values: dict[str, str], person: Sequence[str]) -> str:
    """Rows that somebody owns: some columns, and those that name the person as p0, p1, ..."""
    named = values | {f"p{i}": name for i, name in enumerate(person)}
    selected = ", ".join(f"{table.columns[name].sql} as {short}" for short, name in named.items())
    person_is_known = " and ".join(f"p{i} is not null" for i in range(len(person)))
    return (
        f"(select * from (select {selected} from {table.source}) candling_all "  # noqa: S608
        f"where {person_is_known}) candling_owned"
    )


def _number(table: Table, person: Sequence[str]) -> str:
    """What the rows of a person are put into a random order by."""
    digest = table.engine.digest
    parts = [_key(table, f"p{i}", table.columns[name]) for i, name in enumerate(person)]
    place = f"cast(candling_place as {digest.text})"
    return digest.hashed.format(" || ':' || ".join([*parts, place]))


def _key(table: Table, short: str, column: TableColumn) -> str:
    """A text for the person, the same on every engine; two persons may share one."""
    digest = table.engine.digest
    if column.dtype == "binary":
        return digest.hexadecimal.format(short)
    if column.form.kind is not ColumnType.NUMBER or column.dtype == "int64":
        return f"cast({short} as {digest.text})"
    # Engines write floats and decimals in ways of their own, but whole numbers alike.
    if column.dtype.startswith("decimal"):
        return f"cast(floor({short}) as {digest.text})"

    def whole(value: str) -> str:
        return f"cast(cast(floor({value}) as bigint) as {digest.text})"

    # Of a larger double, two parts of which each is an integer of 64 bits; all of it is exact.
    above = f"floor({short} / {_PART}.0)"
    parts = f"{whole(above)} || '+' || {whole(f'{short} - {above} * {_PART}.0')}"
    return (
        f"case when abs({short}) < {_WHOLE} then {whole(short)} "
        f"when abs({short}) < {_WHOLE * _PART}.0 then {parts} else '' end"
    )


SMALL = 200_000  # rows of a table that the embedded engine gives as it is, which is quicker
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
    small = not names or _small(table)
    table = limit_rows_per_person(table, constraints, cut)
    if small:
        return read_classes(table, constraints, memory=memory)
    table = with_conditions(table, constraints)
    columns = CoreColumns(
        tuple(constraints), tuple(not_null), {name: table.columns[name].form for name in names}
    )
    with table.engine.materialized(table, names) as near:
        query = core_query(near, constraints, not_null)
        return near.engine.read_core(near, query, columns, memory)


def core_query(
    table: Table, constraints: Sequence[Constraint], not_null: Sequence[str]
) -> ir.Table:
    """What the engine is asked, over the columns that the rules read, as c0, c1, ..."""
    from candling.tables.candidates import Comparing, select_core  # with Ibis, which takes a while

    names = names_of(constraints)
    place = {name: f"c{number}" for number, name in enumerate(names)}
    forms = {place[name]: table.columns[name].form for name in names}
    return select_core(
        table.rows(names),
        [_rename_columns(c.canonical, place) for c in constraints],
        Comparing(forms, table.engine.counts_equal_rows_first),
        [place[name] for name in not_null],
    )


def _rename_columns(constraint: Constraint, place: dict[str, str]) -> Constraint:
    def of(predicate: Predicate) -> Predicate:
        left, right = predicate.left, predicate.right
        if isinstance(right, Column):
            right = Column(right.row, place[right.name])
        return Predicate(Column(left.row, place[left.name]), predicate.op, right)

    return replace(constraint, predicates=tuple(map(of, constraint.predicates)))


def _small(table: Table) -> bool:
    return table.engine.in_process and table.count(SMALL + 1) <= SMALL
