"""`candling owner`: the rows in conflict and a cleaned copy, for the owner of a table."""

from typing import Annotated

import typer

from candling.cli import options
from candling.cli.app import add_command
from candling.render import terminal as output
from candling.render.html import render_page
from candling.render.wording import ROWS_NOT_PRIVATE

app = typer.Typer(
    name="owner",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    help="Show the rows in conflict, write a cleaned copy, or count cells that do not fit their "
    "type. [bold]Not private[/bold]: for the owner of the table only.\n\n[bold]Examples[/bold]\n\n"
    "candling owner conflicts visits.csv rules.txt\n\n"
    "candling owner repair visits.csv rules.txt --out cleaned.csv\n\n"
    "candling owner types visits.csv rules.txt",
)

Limit = Annotated[
    int,
    typer.Option(metavar="N", min=0, help="How many rows to show for each rule, the worst first."),
]
Page = Annotated[
    str | None, typer.Option("--html", metavar="FILE", help="Also write an HTML page.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]


def conflicts(
    data: options.Data,
    rules: options.Rules = None,
    rule: options.Rule = None,
    limit: Limit = 20,
    html: Page = None,
    force: Force = False,
    as_json: options.Json = False,
    table: options.Table = None,
    memory: options.Memory = None,
    reading: options.Reading = None,
) -> None:
    """List the rows in conflict under each rule. [bold]Not private[/bold]: for the owner only.

    Rows are numbered in the order of the table, from 1. Rows with the most conflicts come first:
    they are the most likely errors.

    [bold]Examples[/bold]

    candling owner conflicts visits.csv rules.txt

    candling owner conflicts visits.csv rules.txt --limit 100 --html conflicts.html
    """
    from candling.owner import (
        check_place,
        find_conflicts,
        read_for_owner,
        view_conflicts,
        write_page,
    )

    data, constraints = options.read_arguments(data, rules, rule)
    if html is not None:
        check_place(html, data, force=force, kinds=_PAGES)
    with output.progress():
        owned = read_for_owner(data, constraints, table=table, memory=memory, reading=reading)
        result = find_conflicts(owned, limit=limit)
    if html is not None:
        write_page(render_page(view_conflicts(result, f"Conflicts in {data}")), html)
    if as_json:
        output.not_private(ROWS_NOT_PRIVATE, stderr=True)
        output.print_json(result.to_dict())
        return
    output.not_private(ROWS_NOT_PRIVATE)
    output.line(options.name_both(data, constraints))
    output.line()
    output.show(view_conflicts(result))
    _print_page_note(html)


def repair(
    data: options.Data,
    rules: options.Rules = None,
    rule: options.Rule = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="FILE", help="Write a copy without these rows: .csv or .parquet."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", min=0, help="How many of the rows to list here.")
    ] = 20,
    html: Page = None,
    force: Force = False,
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long to search for a smallest repair.")
    ] = 60.0,
    as_json: options.Json = False,
    table: options.Table = None,
    memory: options.Memory = None,
    reading: options.Reading = None,
) -> None:
    """Find the fewest rows to remove, and write a copy without them. [bold]Not private[/bold].

    The table itself is never changed. If time runs out before a set is proved smallest, the result
    is the best set found, which is at most twice as large, and the output says so.

    [bold]Examples[/bold]

    candling owner repair visits.csv rules.txt --out cleaned.csv

    candling owner repair visits.parquet rules.txt --out cleaned.parquet --html removed.html
    """
    from candling.owner import (
        check_place,
        find_repair,
        read_for_owner,
        view_repair,
        write_copy,
        write_page,
    )

    data, constraints = options.read_arguments(data, rules, rule)
    if out is not None:
        check_place(out, data, force=force)
    if html is not None:
        check_place(html, data, force=force, kinds=_PAGES)
    with output.progress():
        owned = read_for_owner(data, constraints, table=table, memory=memory, reading=reading)
        result = find_repair(owned, time_limit=time_limit)
        if out is not None:
            removed = (row.row for row in result.removed)
            write_copy(
                data, removed, out, table=table, memory=memory, reading=reading, rules=constraints
            )
    if html is not None:
        write_page(render_page(view_repair(result, f"A repair of {data}")), html)
    if as_json:
        output.not_private(ROWS_NOT_PRIVATE, stderr=True)
        output.print_json(result.to_dict() | {"copy": out})
        return
    output.not_private(ROWS_NOT_PRIVATE)
    output.line(options.name_both(data, constraints))
    output.line()
    more = "; --limit, --json or --html show all"
    output.show(view_repair(result, limit=limit, more=more))
    if out is not None:
        output.line()
        kept = output.count(result.rows - len(result.removed), "row")
        output.line(f"Wrote {out}: {kept}, and every rule holds.")
    _print_page_note(html)


def types(
    data: options.Data,
    rules: options.Rules = None,
    rule: options.Rule = None,
    as_json: options.Json = False,
    table: options.Table = None,
    engine: options.Engine = None,
    memory: options.Memory = None,
    reading: options.Reading = None,
) -> None:
    """Count the cells that do not fit the types of their columns. [bold]Not private[/bold].

    It lists every column that the rules read, with its type and where the type comes from. A cell
    that does not fit breaks a rule, and other rules see it as NULL.

    [bold]Examples[/bold]

    candling owner types visits.csv rules.txt

    candling owner types visits.csv rules.txt --type 'Admission=date(%d/%m/%Y)'
    """
    from candling.owner import find_types, view_types

    data, constraints = options.read_arguments(data, rules, rule)
    with output.progress():
        found = find_types(
            data, constraints, table=table, engine=engine, memory=memory, reading=reading
        )
    if as_json:
        output.not_private(stderr=True)
        output.print_json(found.to_dict())
        return
    output.not_private()
    output.line(options.name_both(data, constraints))
    output.line()
    output.show(view_types(found))


_PAGES = (".html", ".htm")


def _print_page_note(html: str | None) -> None:
    if html is not None:
        output.line()
        output.line(f"Wrote {html}. It also holds rows of the table.")


add_command(app, conflicts)
add_command(app, repair)
add_command(app, types)
