"""`candling import`: a rules file from the files of other tools."""

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from candling.cli import options
from candling.errors import UsageError
from candling.escaping import quote_path
from candling.render import terminal as output
from candling.render.wording import cut
from candling.system.files import refused_with, write_text

if TYPE_CHECKING:
    from candling import Imported
    from candling.imports import ImportedProject
    from candling.rules import ColumnType

_STDOUT = "-"
_LONGEST = 400  # characters of a list of tables
MANIFEST = "manifest.json"  # of dbt


def import_rules(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A dbt schema.yml, SQL with CREATE TABLE, a data contract (ODCS), a Great "
            "Expectations suite or a pandera schema; or a dbt manifest.json or a folder of such "
            "files, for all tables at once.",
            show_default=False,
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write; - prints it. For all tables at once, a folder.",
            show_default="rules.txt, or the folder rules",
        ),
    ] = None,
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

    Every rule is written below the place that it came from. What could not be translated is listed
    with the reason, here and at the end of the file. Shares of rows that may be wrong become gates.

    A folder or a dbt manifest gives one rules file for each table, in the folder of --output. With
    --model, it gives the file of that table only.

    [bold]Examples[/bold]

    candling import models/schema.yml --model orders

    candling import schema.sql --table orders --dialect postgres --data orders.parquet

    candling import contract.odcs.yaml --public countries=countries.csv --output -

    candling import target/manifest.json --output rules

    candling import contracts/
    """
    import candling

    if model is None and (Path(file).is_dir() or Path(file).name == MANIFEST):
        if data is not None:
            raise UsageError("--data is for one table: name it with --model, too.", code="U503")
        _import_all(file, to or "rules", format, dialect, _lists(public or []), as_json, force)
        return
    to = to or "rules.txt"
    path = Path(to)
    if to != _STDOUT and os.path.lexists(path) and not force:
        raise UsageError(
            f"{quote_path(to)} exists. Choose another name with --output, or use --force to "
            "overwrite it.",
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


def _import_all(
    file: str,
    to: str,
    format: str | None,  # noqa: A002 - the name of the option
    dialect: str | None,
    public: dict[str, str],
    as_json: bool,
    force: bool,
) -> None:
    """Write one rules file for each table, into a folder."""
    from candling.imports import import_project

    folder = None if to == _STDOUT else Path(to)
    project = import_project(file, format=format, dialect=dialect, public=public, beside=folder)
    files = _name_files(project.tables)
    if folder is not None:
        there = [name for name in files if os.path.lexists(folder / name)]
        if there and not force:
            raise UsageError(
                f"{str(folder / there[0])!r} exists. Choose another folder with --output, or use "
                "--force to overwrite files.",
                code="U104",
            )
        with refused_with("U104", folder):
            folder.mkdir(parents=True, exist_ok=True)
            for name, imported in files.items():
                write_text(folder / name, imported.text)
    if as_json:
        tables = [{"output": name, **imported.to_dict()} for name, imported in files.items()]
        skipped = [{"origin": x.origin, "reason": x.reason} for x in project.skipped]
        output.print_json({"output": to, "tables": tables, "skipped": skipped})
    elif folder is None:
        output.raw("\n".join(imported.text for imported in files.values()))
    else:
        _show_all(project, files, to)


def _name_files(tables: "Sequence[Imported]") -> "dict[str, Imported]":
    """The file of each table that has a rule, by its name."""
    files: dict[str, Imported] = {}
    for imported in tables:
        if not imported.rules:
            continue
        stem = re.sub(r"[^\w.-]+", "_", imported.table or "rules").strip("._-") or "rules"
        name, number = f"{stem}.txt", 1
        while name.lower() in map(str.lower, files):
            number += 1
            name = f"{stem}_{number}.txt"
        files[name] = imported
    return files


def _show_all(project: "ImportedProject", files: "dict[str, Imported]", to: str) -> None:
    rules = sum(len(imported.rules) for imported in files.values())
    left_out = sum(len(imported.left_out) for imported in project.tables)
    output.line(f"Wrote {output.count(len(files), 'file')} with {output.count(rules, 'rule')}:")
    output.table(
        (str(Path(to, name)), f"{len(imported.rules):,}", _summarise(imported))
        for name, imported in files.items()
    )
    without = [imported.table or imported.source for imported in project.tables
               if not imported.rules]  # fmt: skip
    if without:
        output.line()
        output.line(f"No rules, so no file: {cut(', '.join(without), _LONGEST)}")
    if left_out:
        output.line()
        output.line(
            f"{output.count(left_out, 'item')} could not be translated: each file lists its own, "
            "and --json lists all, with the reasons."
        )
    if project.skipped:
        output.line()
        output.line("These files could not be read:")
        for skipped in project.skipped:
            output.line(f"{skipped.origin}: {skipped.reason}", head="  ")
    if files:
        output.line()
        output.line("Read the files, then run for each table:")
        rules_file = shlex.quote(str(Path(to, next(iter(files)))))
        output.commands(f"candling check {rules_file} DATA", f"candling exact DATA {rules_file}")


def _summarise(imported: "Imported") -> str:
    left = len(imported.left_out)
    return f"from {imported.source}" + (f"; {left:,} not translated" if left else "")


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
