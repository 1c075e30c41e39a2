"""Persons who own several rows: who they are, how many rows they have, and which rows count.

Rows belong to one person if they are equal in the columns that name the person, in the form that a
table has for every value. Rows with NULL in one of these belong to nobody and are left out.

Which of a person's rows are kept depends on that person's rows alone (docs/privacy.md, Theorem 16).
They are sorted by what the rules read, and each gets a number from a hash of the person and of its
place. The rows with the smallest numbers stay: a random sample that is the same on every engine and
in every order of the table. Rows that the rules cannot tell apart can stand in for each other, so
that ties do not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from candling.errors import UsageError, did_you_mean
from candling.records import dataclass
from candling.rules import ColumnType, Constraint
from candling.tables.conditions_sql import columns_read
from candling.tables.values import Table, TableColumn

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
        owned=select_owned_rows(table, dict(zip(values, names, strict=True)), cut.person),
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


def select_owners(
    table: Table, constraints: Iterable[Constraint], person: Sequence[str]
) -> tuple[Table, list[str]]:
    """The rows that have a person, and the names of the columns that name the person there.

    Of the columns of the table it has those that the rules read.
    """
    names = list(dict.fromkeys(columns_read(table, constraints).values()))
    values = {f"b{i}": name for i, name in enumerate(names)}
    sql = dict.fromkeys(table.columns, "null") | {name: short for short, name in values.items()}
    known = {name: replace(column, sql=sql[name]) for name, column in table.columns.items()}
    owners = {
        f"candling_owner_{i}": replace(table.columns[name], sql=f"p{i}")
        for i, name in enumerate(person)
    }
    source = select_owned_rows(table, values, person)
    return replace(table, source=source, columns=known | owners, stored=False), [*owners]


def require_person(table: Table, person: Sequence[str]) -> None:
    """Refuse columns for a person that the table does not have, or cannot compare."""
    for name in person:
        if name not in table.columns:
            hint = did_you_mean(name, table.columns)
            raise UsageError(f"The table has no column {name!r} for a person.{hint}", code="U216")
        if table.columns[name].form.kind is ColumnType.OTHER:
            raise UsageError(
                f"The column {name!r} cannot identify persons: its values are lists, structs or "
                "others that cannot be compared.",
                code="U216",
            )
        if table.columns[name].form.kind is ColumnType.TIMESTAMP:
            raise UsageError(
                f"The column {name!r} cannot identify persons: it holds points in time, and those "
                "outside the range of an engine would be the same person. Cast it to text.",
                code="U216",
            )
        if not table.columns[name].one_to_one:
            raise UsageError(
                f"The column {name!r} cannot identify persons: it holds 128-bit numbers, and those "
                "with more than 38 digits would be the same person. Cast it to text.",
                code="U216",
            )


def count_persons_above(table: Table, person: Sequence[str], numbers: Sequence[int]) -> list[int]:
    """For each of these numbers, how many persons have more rows. Private."""
    return _sum_over_persons(
        table, person, [f"case when n > {n} then 1 else 0 end" for n in numbers]
    )


def count_rows_within(table: Table, person: Sequence[str], levels: Sequence[int]) -> list[int]:
    """For each level, how many rows there are if at most so many of each person count. Private.

    With all rows of a person it grows by what the person has, and at most by the level.
    """
    return _sum_over_persons(table, person, [f"least(n, {level})" for level in levels])


def _sum_over_persons(table: Table, person: Sequence[str], summands: Sequence[str]) -> list[int]:
    """Sums over all persons, in one query, of what the number `n` of their rows makes in SQL."""
    columns = ", ".join(f"p{i}" for i in range(len(person)))
    sums = ", ".join(f"coalesce(sum({s}), 0) as a{i}" for i, s in enumerate(summands))
    owned = select_owned_rows(table, {}, person)
    query = (
        f"select {sums} from (select count(*) as n from {owned} "  # noqa: S608 - quoted names
        f"group by {columns}) candling_people"
    )
    (row,) = table.fetch(query, {f"a{i}": "int64" for i in range(len(summands))}).to_pylist()
    return [int(row[f"a{i}"]) for i in range(len(summands))]


def select_owned_rows(table: Table, values: dict[str, str], person: Sequence[str]) -> str:
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
