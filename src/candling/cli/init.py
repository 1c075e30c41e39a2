"""`candling init`: a rules file to start from."""

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from candling.addresses import shown
from candling.cli import options
from candling.cli.starter import rules_for
from candling.errors import UsageError
from candling.files import refused_with, write_text
from candling.render import terminal as output

if TYPE_CHECKING:
    from candling.rules import ColumnType

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

    It uses the names and types of the columns only: the file tells nothing about the rows.
    Every rule is commented out, for you to choose. A CSV file needs a header line: without one,
    candling takes its first row for the column names, unless you say --no-header.

    [bold]Examples[/bold]

    candling init visits.parquet

    candling init visits.parquet --output - | less

    candling init public.visits --engine postgresql://analyst@db.example.org/clinic
    """
    path = Path(to)
    if to != _STDOUT and os.path.lexists(path) and not force:
        raise UsageError(
            f"{to!r} exists. Choose another name with --output, or say --force to overwrite it.",
            code="U104",
        )
    columns = _columns(data, table, engine, reading)
    text = rules_for(shown(data), columns)
    if to == _STDOUT:
        output.raw(text)
        return
    with refused_with("U104", to):
        write_text(path, text)
    if as_json:
        output.print_json({"rules": to, "columns": {k: str(v) for k, v in columns.items()}})
        return
    output.line(f"Wrote {to}. Uncomment the rules that should hold, then run:")
    where = shlex.quote(shown(data)) + "".join(
        f" {option} {shlex.quote(shown(value))}"
        for option, value in (("--table", table), ("--engine", engine))
        if value is not None
    )
    where += "".join(f" {shlex.quote(word)}" for word in options.arguments(reading))
    rules = shlex.quote(to)
    output.commands(f"candling check {rules} {where}", f"candling exact {where} {rules}")


def _columns(
    data: str, table: str | None, engine: str | None, reading: options.Reading
) -> "dict[str, ColumnType]":
    from candling.engines import schema_of

    return schema_of(data, table=table, engine=engine, reading=reading)
