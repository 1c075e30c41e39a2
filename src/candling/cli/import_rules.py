"""`candling import`: a rules file from the files of other tools."""

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from candling.cli import options
from candling.errors import UsageError
from candling.render import terminal as output
from candling.system.files import refused_with, write_text

if TYPE_CHECKING:
    from candling import Imported
    from candling.rules import ColumnType

_STDOUT = "-"


def import_rules(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A dbt schema.yml, SQL with CREATE TABLE, a data contract (ODCS), a Great "
            "Expectations suite or a pandera schema.",
            show_default=False,
        ),
    ],
    to: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The file to write; - prints it.")
    ] = "rules.txt",
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file to write.")] = False,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "--table",
            metavar="NAME",
            help="The model or table whose rules are meant, where FILE has several.",
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="DATA",
            help="The table: names are spelled as there, literals get the types of its columns. "
            "No row is read.",
        ),
    ] = None,
    data_table: Annotated[
        str | None,
        typer.Option("--data-table", metavar="NAME", help="The table in a DuckDB file of --data."),
    ] = None,
    engine: options.Engine = None,
    public: Annotated[
        list[str] | None,
        typer.Option(
            "--public",
            metavar="TABLE=FILE",
            help="A public list that foreign keys to TABLE look into, a CSV file; repeatable.",
        ),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The dialect of SQL: postgres, snowflake, bigquery, ..."),
    ] = None,
    format: Annotated[  # noqa: A002 - the name of the option
        str | None,
        typer.Option(
            metavar="NAME",
            help="The format of FILE, where it cannot be seen: dbt, sql, odcs, gx or pandera.",
        ),
    ] = None,
    as_json: options.Json = False,
    reading: options.Reading = None,
) -> None:
    """Write a rules file from the tests and constraints that you already have elsewhere.

    Every rule is written below the place that it came from. What rules cannot say is listed with
    the reason, here and at the end of the file. Shares of rows that may be wrong become gates.

    [bold]Examples[/bold]

    candling import models/schema.yml --model orders

    candling import schema.sql --table orders --dialect postgres --data orders.parquet

    candling import contract.odcs.yaml --public countries=countries.csv --output -
    """
    import candling

    path = Path(to)
    if to != _STDOUT and os.path.lexists(path) and not force:
        raise UsageError(
            f"{to!r} exists. Choose another name with --output, or use --force to overwrite it.",
            code="U104",
        )
    imported = candling.import_rules(
        file,
        table=model,
        format=format,
        dialect=dialect,
        public=_lists(public or []),
        beside=None if to == _STDOUT else path.parent,
        columns=None if data is None else _columns(data, data_table, engine, reading),
    )
    if to == _STDOUT:
        if as_json:
            output.print_json(imported.to_dict())
        else:
            output.raw(imported.text)
        return
    with refused_with("U104", to):
        write_text(path, imported.text)
    if as_json:
        output.print_json({"output": to, **imported.to_dict()})
        return
    where = "DATA" if data is None else options.place(data, data_table, engine, reading)
    _show(imported, to, where)


def _lists(given: list[str]) -> dict[str, str]:
    """Public lists by their tables."""
    found = {}
    for item in given:
        table, equals, path = item.partition("=")
        if not equals or not table.strip() or not path.strip():
            raise UsageError(f"Write --public countries=countries.csv, not {item!r}.", code="U504")
        if not Path(path).is_file():
            raise UsageError(f"The file {path!r} of --public does not exist.", code="U504")
        found[table.strip()] = path
    return found


def _columns(
    data: str, table: str | None, engine: str | None, reading: options.Reading
) -> "dict[str, ColumnType | None]":
    from candling.imports.read import types_of
    from candling.tables import open_table

    return types_of(open_table(data, table=table, engine=engine, reading=reading))


def _show(imported: "Imported", to: str, where: str) -> None:
    of = "" if imported.table is None else f" ({imported.table})"
    output.line(
        f"Wrote {to}: {output.count(len(imported.rules), 'rule')} from {imported.source}{of}."
    )
    differing = [rule for rule in imported.rules if rule.differs is not None]
    if differing:
        output.line()
        output.line("These mean almost the same as the originals:")
        for rule in differing:
            output.line(f"{rule.label}: {rule.differs}", head="  ")
    if imported.fail_if:
        output.line()
        output.line("Limits on numbers become gates:")
        output.commands(*(f'--fail-if "{gate}"' for gate in imported.fail_if))
    if imported.left_out:
        output.line()
        output.line(f"{output.count(len(imported.left_out), 'item')} could not be translated:")
        for left in imported.left_out:
            output.line(f"{left.origin}: {left.reason}", head="  ")
    output.line()
    rules = shlex.quote(to)
    output.line("Read the file, then run:")
    output.commands(f"candling check {rules} {where}", f"candling exact {where} {rules}")
