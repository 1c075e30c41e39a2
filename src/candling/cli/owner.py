"""`candling owner`: the rows in conflict and a cleaned copy, for the owner of a table."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

import candling
from candling.cli import command, options
from candling.present.terminal import output

if TYPE_CHECKING:
    from candling.owner import ConflictsFound, RepairFound, RuleConflicts

app = typer.Typer(
    name="owner",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    help="Show the rows in conflict, or write a cleaned copy. [bold]Not private[/bold]: for the "
    "owner of the table only.\n\n[bold]Examples[/bold]\n\n"
    "candling owner conflicts visits.csv rules.txt\n\n"
    "candling owner repair visits.csv rules.txt --out cleaned.csv",
)

NOT_PRIVATE = "NOT PRIVATE: these are rows of the table, for its owner only."
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
    rules: options.Rules,
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
    from candling.owner import check_place, conflicts_page, find_conflicts, read_owned, write_page

    if html is not None:
        check_place(html, data, force=force, kinds=_PAGES)
    constraints = candling.load_constraints(rules)
    with output.progress():
        owned = read_owned(data, constraints, table=table, memory=memory, reading=reading)
        result = find_conflicts(owned, limit=limit)
    if html is not None:
        write_page(conflicts_page(result, f"Conflicts in {data}"), html)
    if as_json:
        output.not_private(NOT_PRIVATE, stderr=True)
        output.print_json(result.to_dict())
        return
    output.not_private(NOT_PRIVATE)
    output.line(f"{data} under {output.count(len(constraints), 'rule')} of {rules}")
    output.line()
    _show_conflicts(result)
    _print_page_note(html)


def repair(
    data: options.Data,
    rules: options.Rules,
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

    The table itself is never changed. If the time limit ends before a set is proved smallest, the
    result is the best set found, which is at most twice as large, and the output says so.

    [bold]Examples[/bold]

    candling owner repair visits.csv rules.txt --out cleaned.csv

    candling owner repair visits.parquet rules.txt --out cleaned.parquet --html removed.html
    """
    from candling.owner import (
        check_place,
        find_repair,
        read_owned,
        repair_page,
        write_copy,
        write_page,
    )

    if out is not None:
        check_place(out, data, force=force)
    if html is not None:
        check_place(html, data, force=force, kinds=_PAGES)
    constraints = candling.load_constraints(rules)
    with output.progress():
        owned = read_owned(data, constraints, table=table, memory=memory, reading=reading)
        result = find_repair(owned, time_limit=time_limit)
        if out is not None:
            removed = (row.row for row in result.removed)
            write_copy(data, removed, out, table=table, memory=memory, reading=reading)
    if html is not None:
        write_page(repair_page(result, f"A repair of {data}"), html)
    if as_json:
        output.not_private(NOT_PRIVATE, stderr=True)
        output.print_json(result.to_dict() | {"copy": out})
        return
    output.not_private(NOT_PRIVATE)
    output.line(f"{data} under {output.count(len(constraints), 'rule')} of {rules}")
    output.line()
    _show_repair(result, limit)
    if out is not None:
        output.line()
        kept = output.count(result.rows - len(result.removed), "row")
        output.line(f"Wrote {out}: {kept}, and every rule holds.")
    _print_page_note(html)


_PAGES = (".html", ".htm")


def _show_conflicts(result: "ConflictsFound") -> None:
    rows = output.count(result.rows, "row")
    output.line(f"{result.in_conflict:,} of {rows} take part in a conflict.")
    if any(rule.rows for rule in result.rules if rule.rule.rows == 1):
        output.line(
            "A row that breaks a rule alone is not paired with others: without it they may be fine."
        )
    for rule in result.rules:
        output.line()
        _show_rule(rule)


def _show_rule(result: "RuleConflicts") -> None:
    output.line(str(result.rule), style="bold")
    if not result.rows:
        output.line("holds", head="  ", style="green")
        return
    rows, pairs = output.count(result.rows, "row"), output.count(result.conflicts, "conflict")
    alone = result.rule.rows == 1
    shown = ""
    if 0 < len(result.shown) < result.rows:
        which = f"first {len(result.shown):,}" if alone else f"{len(result.shown):,} worst"
        shown = f"; the {which}:"
    many = rows if alone else f"{rows} in {pairs}"
    output.line(f"{many}{shown}", head="  ")
    if not result.shown:
        return
    columns = result.rule.columns
    heads = ("row", *columns) if alone else ("row", "conflicts", "with", *columns)
    cells = []
    for r in result.shown:
        values = (_cell(r.values[name]) for name in columns)
        beside = () if alone else (f"{r.conflicts:,}", f"{r.other:,}")
        cells.append((f"{r.row:,}", *beside, *values))
    output.grid(heads, cells, numbers=1 if alone else 3)


def _show_repair(result: "RepairFound", limit: int) -> None:
    rows = output.count(result.rows, "row")
    if not result.removed:
        output.line(f"Every rule holds: none of {rows} must be removed.")
        return
    share = f"{len(result.removed) / result.rows:.1%}"
    output.line(f"Without {len(result.removed):,} of {rows} ({share}) every rule holds.")
    if result.smallest:
        output.line("No smaller set of rows is enough.")
    else:
        output.warning(
            "A smaller set may exist: the time limit ended before the search did. This set is at "
            "most twice the smallest."
        )
    shown = result.removed[:limit]
    if not shown:
        return
    output.line()
    cells = [(f"{r.row:,}", ", ".join(map(_label, r.breaks))) for r in shown]
    output.grid(("row", "breaks"), cells, numbers=1)
    if len(shown) < len(result.removed):
        more = len(result.removed) - len(shown)
        output.line(f"and {more:,} more; --limit, --json or --html show all", head="  ")


def _label(rule: Any) -> str:
    return rule.label or str(rule)


def _cell(value: Any) -> str:
    return "NULL" if value is None else "''" if value == "" else str(value)


def _print_page_note(html: str | None) -> None:
    if html is not None:
        output.line()
        output.line(f"Wrote {html}. It also holds rows of the table.")


command.add(app, conflicts)
command.add(app, repair)
