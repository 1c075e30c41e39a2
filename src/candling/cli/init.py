"""`candling init`: a rules file to start from, made of names and types of columns.

A format without types, such as CSV, does not say them: there, types are proposed from the rows.
"""

import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from candling.cli import options
from candling.errors import UsageError
from candling.escaping import for_terminal, quote_path
from candling.model.person import looks_like_person
from candling.render import terminal as output
from candling.render.wording import TYPES_NOT_PRIVATE, look_like, option
from candling.rules import ColumnType, ConstraintSet
from candling.rules.printer import name_text
from candling.rules.types import KINDS, NO_RULES
from candling.system.files import hide_secrets, refused_with, write_text

if TYPE_CHECKING:
    from candling.owner.proposed_types import ProposedTypes
    from candling.tables import Table

_WIDTH = 50  # up to which the remarks on types stand below each other
_LISTED = 40  # columns named in the file; a table may have a thousand
_ROW_NUMBERS = (
    "",
    "#",
    "id",
    "index",
    "no",
    "nr",
    "row",
    "row_id",
    "row_number",
    "rowid",
    "unnamed: 0",
)
_MOMENTS = (ColumnType.DATE, ColumnType.TIMESTAMP)
_CONSTANTS = {  # the language has no constants of other types
    ColumnType.NUMBER: "0",
    ColumnType.STRING: "'a value'",
    ColumnType.BOOLEAN: "true",
    ColumnType.DATE: "2024-01-31",
    ColumnType.TIMESTAMP: "2024-01-31",
}


def rules_for(
    data: str, schema: Mapping[str, ColumnType], proposed: "ProposedTypes | None" = None
) -> str:
    """The text of a rules file for a table with these columns; every rule is commented out.

    Prose starts with `# `; a rule starts with `#` alone and is valid once that is taken off. Types
    that are `proposed` are stated, but for those that the owner has to choose.
    """
    schema = {**schema, **_kinds(proposed)}
    origin = ", from the names and types of its columns alone" if proposed is None else ""
    lines = [
        f"# Rules for {for_terminal(data)}{origin}.",
        "#",
        "# Lines that start with # are comments. The examples below use your columns; whether they",
        "# should hold is your decision: remove the # of those that should, edit them, add others.",
        "# Then run `candling check` on this file.",
        "#",
        "# Columns:",
        *_columns(schema),
        *_person(schema),
        *_types(proposed),
    ]
    for explanation, rules in _examples(schema):
        lines += ["", f"# {explanation}", *(f"#{rule}" for rule in rules)]
    return "\n".join(lines) + "\n"


def _columns(schema: Mapping[str, ColumnType]) -> Iterator[str]:
    listed = [
        (name_text(name), "text" if kind is ColumnType.STRING else kind)
        for name, kind in list(schema.items())[:_LISTED]
    ]
    width = max((len(name) for name, _ in listed), default=0)
    for name, kind in listed:
        unfit = " (no rule can use it)" if kind is ColumnType.OTHER else ""
        yield f"#     {name:<{width}}  {kind}{unfit}"
    if len(schema) > _LISTED:
        yield f"#     and {len(schema) - _LISTED} more"


def _kinds(proposed: "ProposedTypes | None") -> dict[str, ColumnType]:
    """What the proposed types can be compared with."""
    columns = () if proposed is None else proposed.columns
    return {column.column: KINDS[column.type.kind] for column in columns}


def _types(proposed: "ProposedTypes | None") -> Iterator[str]:
    """A line for each type, with the share of cells that fit it."""
    if proposed is None:
        return
    which = "the rows" if proposed.all_rows else f"the first {proposed.rows:,} rows"
    yield ""
    yield f"# The file does not state the types of its columns. These come from {which}, so the"
    yield "# percentages are NOT PRIVATE: delete them before you share this file. A cell that does"
    yield "# not fit its type breaks a rule. A column without a type is text."
    listed = []
    for column in proposed.columns:
        start, doubt = ("", "") if column.doubt is None else ("#", f"; {column.doubt}")
        for reading in column.readings:
            line = f"{start}type {name_text(column.column)}: {reading.type}"
            listed.append((line, f"{_percent(reading.fit, column.cells)} of its cells fit{doubt}"))
    width = min(max((len(line) for line, _ in listed), default=0), _WIDTH)
    yield from (f"{line:<{width}}  # {words}" for line, words in listed)


def _percent(part: int, whole: int) -> str:
    """A share that is 100% only if it is all."""
    share = min(1000 * part // whole, 999 if part < whole else 1000)
    return "100%" if share == 1000 else f"{share / 10:.1f}%"


def _person(schema: Mapping[str, ColumnType]) -> Iterator[str]:
    if columns := looks_like_person(schema):
        yield "#"
        yield f"# {for_terminal(look_like(columns))}: `candling release` with"
        yield f"# {option(columns)} protects all rows of a person, and not single rows."


def _examples(schema: Mapping[str, ColumnType]) -> Iterator[tuple[str, list[str]]]:
    """What a kind of rule says, and examples of it, for the kinds that the columns allow."""
    kinds = {name_text(n): kind for n, kind in schema.items() if kind is not ColumnType.OTHER}
    names = _skip_row_number(list(kinds))
    if not names:
        yield "No column can be compared, so there are no rules to write for this table.", []
        return
    yield "A key: no two rows agree on all of these columns.", [f"key({next(iter(kinds))})"]
    conditions = [f"{n} = {_CONSTANTS[kinds[n]]}" for n in names if kinds[n] in _CONSTANTS]
    if len(names) > 1:
        dependency = f"{names[0]} -> {names[1]}"
        yield (
            "A functional dependency: rows that agree on the left agree on the right.",
            [dependency],
        )
        if conditions:
            yield (
                "The same, but only between rows that meet a condition.",
                [f"{dependency} where {conditions[-1]}"],
            )
    if pair := _comparable(kinds):
        x, y = pair
        yield (
            "An order between rows: more of the one never goes with less of the other.",
            [f"not(t1.{x} > t2.{x} and t1.{y} < t2.{y})"],
        )
    yield "Rules on single rows: what every row must be.", list(_on_rows(kinds))


def _skip_row_number(names: list[str]) -> list[str]:
    """Columns for examples of dependencies: without a first one that only numbers the rows."""
    numbers_rows = bool(names) and names[0].strip('"').lower() in _ROW_NUMBERS
    return names[1:] if numbers_rows and len(names) > 2 else names


def _on_rows(kinds: Mapping[str, ColumnType]) -> Iterator[str]:
    yield f"{next(iter(kinds))} is not null"
    if pair := _comparable(kinds):
        yield f"{pair[0]} <= {pair[1]}"
    for name, kind in kinds.items():
        if kind is ColumnType.NUMBER:
            yield f"{name} between 0 and 100"
            break
    for name, kind in kinds.items():
        if kind is ColumnType.STRING:
            yield f"{name} in ('a', 'b')"
            yield f"length({name}) <= 20"
            break


def _comparable(kinds: Mapping[str, ColumnType]) -> tuple[str, str] | None:
    """Two columns that compare with each other: moments if there are two, else numbers."""
    for family in (_MOMENTS, (ColumnType.NUMBER,)):
        members = [name for name, kind in kinds.items() if kind in family]
        if len(members) > 1:
            return members[0], members[1]
    return None


_STDOUT = "-"


def init(
    data: options.Data,
    to: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The file to write; - prints it.")
    ] = "rules.txt",
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
    table: options.Table = None,
    engine: options.Engine = None,
    reading: options.Reading = None,
    as_json: options.Json = False,
) -> None:
    """Write a rules file with an example of each kind of rule, using the names of your columns.

    Every rule is commented out: you choose. If the format has types (Parquet, Arrow, databases),
    the file depends only on the names and types of the columns. CSV, JSON, Excel and SQLite have no
    reliable types. For them, candling reads the rows, proposes types, and writes the share of cells
    that fit next to each type. That file is [bold]not private[/bold]. If it is unclear which number
    of a date is the day, it has both readings.

    A CSV file needs a header line. Without one, candling takes the first row for the column names,
    unless you use --no-header.

    [bold]Examples[/bold]

    candling init visits.csv

    candling init visits.parquet

    candling init visits.parquet --output - | less

    candling init public.visits --engine postgresql://analyst@db.example.org/clinic
    """
    path = Path(to)
    if to != _STDOUT and os.path.lexists(path) and not force:
        from candling.tables import open_table

        open_table(
            data, table=table, engine=engine, reading=reading
        )  # if it fails, that comes first
        raise UsageError(
            f"{quote_path(to)} exists. Choose another name with --output, or use --force to "
            "overwrite it.",
            code="U104",
        )
    with output.progress():
        columns, proposed = _look(data, table, engine, reading)
    text = rules_for(hide_secrets(data), columns, proposed)
    if proposed is not None:
        output.not_private(TYPES_NOT_PRIVATE, stderr=as_json or to == _STDOUT)
    if to == _STDOUT:
        output.raw(text)
        return
    with refused_with("U104", to):
        write_text(path, text, private=proposed is not None)
    if as_json:
        found = {"rules": to, "columns": {k: str(v) for k, v in columns.items()}}
        types = () if proposed is None else proposed.columns
        output.print_json(found | {"types": {c.column: c.to_dict() for c in types}})
        return
    todo = "Uncomment" if proposed is None else "Check the types, uncomment"
    output.line(f"Wrote {to}. {todo} the rules that should hold, then run:")
    where = options.place(data, table, engine, reading)
    rules = shlex.quote(to)
    output.commands(f"candling check {rules} {where}", f"candling exact {where} {rules}")


def _look(
    data: str, table: str | None, engine: str | None, reading: options.Reading
) -> "tuple[dict[str, ColumnType], ProposedTypes | None]":
    """The columns of a table, and types for those that have none in its format."""
    from candling.owner.proposed_types import propose_types
    from candling.rules import parse_constraints
    from candling.tables import open_table

    def open_with(rules: ConstraintSet) -> "Table":
        return open_table(data, rules=rules, table=table, engine=engine, reading=reading)

    schema = open_with(NO_RULES).schema
    if not schema:
        return schema, None
    # A rule that reads every column: the types that a SQLite table declares are then known.
    opened = open_with(parse_constraints(f"key({', '.join(map(name_text, schema))})"))
    without = [name for name in opened.schema if name in opened.untyped]
    return opened.schema, propose_types(opened, without) if without else None
