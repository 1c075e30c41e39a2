"""`candling owner`: what only the owner of a table may see."""

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
    rich_markup_mode="rich",
    help="Look at the rows in conflict, or write a cleaned copy. [bold]Not private[/bold]: for the "
    "owner of the table only.\n\n[bold]Examples[/bold]\n\n"
    "candling owner conflicts visits.csv rules.txt\n\n"
    "candling owner repair visits.csv rules.txt --out cleaned.csv",
)

NOT_PRIVATE = "NOT PRIVATE: these are rows of the table, for its owner only."
Limit = Annotated[
    int, typer.Option(metavar="N", min=0, help="How many rows to show, of each rule the worst.")
]
Page = Annotated[
    str | None, typer.Option("--html", metavar="FILE", help="Write it as a page of HTML, too.")
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
) -> None:
    """List the rows in conflict under each rule. [bold]Not private[/bold]: for the owner only.

    Rows are numbered in the order of the table, from 1. Those with the most conflicts come first:
    they are the likely culprits.

    [bold]Examples[/bold]

    candling owner conflicts visits.csv rules.txt

    candling owner conflicts visits.csv rules.txt --limit 100 --html conflicts.html
    """
    from candling.owner import check_place, conflicts_page, find_conflicts, read_owned, write_page

    if html is not None:
        check_place(html, data, force=force, kinds=_PAGES)
    constraints = candling.load_constraints(rules)
    with output.progress():
        owned = read_owned(data, constraints, table=table, memory=memory)
        found = find_conflicts(owned, limit=limit)
    if html is not None:
        write_page(conflicts_page(found, f"Conflicts in {data}"), html)
    if as_json:
        output.not_private(NOT_PRIVATE, stderr=True)
        output.print_json(found.to_dict())
        return
    output.not_private(NOT_PRIVATE)
    output.line(f"{data} under {output.count(len(constraints), 'rule')} of {rules}")
    output.line()
    _show_conflicts(found)
    _tell_page(html)


def repair(
    data: options.Data,
    rules: options.Rules,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="FILE", help="Write a copy without them: .csv or .parquet."),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", min=0, help="How many of the rows to list here.")
    ] = 20,
    html: Page = None,
    force: Force = False,
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long to look for a smallest repair.")
    ] = 60.0,
    as_json: options.Json = False,
    table: options.Table = None,
    memory: options.Memory = None,
) -> None:
    """Find the fewest rows to remove, and write a copy without. [bold]Not private[/bold].

    The table itself is never changed. Where no smallest set is proved within the time limit, the
    best one found is used, which is at most twice as large, and said so.

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
        owned = read_owned(data, constraints, table=table, memory=memory)
        found = find_repair(owned, time_limit=time_limit)
        if out is not None:
            removed = (row.row for row in found.removed)
            write_copy(data, removed, out, table=table, memory=memory)
    if html is not None:
        write_page(repair_page(found, f"A repair of {data}"), html)
    if as_json:
        output.not_private(NOT_PRIVATE, stderr=True)
        output.print_json(found.to_dict() | {"copy": out})
        return
    output.not_private(NOT_PRIVATE)
    output.line(f"{data} under {output.count(len(constraints), 'rule')} of {rules}")
    output.line()
    _show_repair(found, limit)
    if out is not None:
        output.line()
        kept = output.count(found.rows - len(found.removed), "row")
        output.line(f"Wrote {out}: {kept}, and every rule holds.")
    _tell_page(html)


_PAGES = (".html", ".htm")


def _show_conflicts(found: "ConflictsFound") -> None:
    rows = output.count(found.rows, "row")
    output.line(f"{found.in_conflict:,} of {rows} take part in a conflict.")
    if any(rule.rows for rule in found.rules if rule.rule.rows == 1):
        output.line(
            "A row that breaks a rule alone is not paired with others: without it they may be fine."
        )
    for rule in found.rules:
        output.line()
        _show_rule(rule)


def _show_rule(found: "RuleConflicts") -> None:
    output.line(str(found.rule), style="bold")
    if not found.rows:
        output.line("holds", head="  ", style="green")
        return
    rows, pairs = output.count(found.rows, "row"), output.count(found.conflicts, "conflict")
    alone = found.rule.rows == 1
    shown = ""
    if 0 < len(found.shown) < found.rows:
        which = f"first {len(found.shown):,}" if alone else f"{len(found.shown):,} worst"
        shown = f"; the {which}:"
    many = rows if alone else f"{rows} in {pairs}"
    output.line(f"{many}{shown}", head="  ")
    if not found.shown:
        return
    columns = found.rule.columns
    heads = ("row", *columns) if alone else ("row", "conflicts", "with", *columns)
    cells = []
    for r in found.shown:
        values = (_cell(r.values[name]) for name in columns)
        beside = () if alone else (f"{r.conflicts:,}", f"{r.other:,}")
        cells.append((f"{r.row:,}", *beside, *values))
    output.grid(heads, cells, numbers=1 if alone else 3)


def _show_repair(found: "RepairFound", limit: int) -> None:
    rows = output.count(found.rows, "row")
    if not found.removed:
        output.line(f"Every rule holds: none of {rows} has to go.")
        return
    share = f"{len(found.removed) / found.rows:.1%}"
    output.line(f"Without {len(found.removed):,} of {rows} ({share}) every rule holds.")
    if found.smallest:
        output.line("No smaller set of rows would do.")
    else:
        output.warning(
            "A smaller set may exist: none was proved smallest within the time limit. This one is "
            "at most twice the smallest."
        )
    shown = found.removed[:limit]
    if not shown:
        return
    output.line()
    cells = [(f"{r.row:,}", ", ".join(map(_label, r.breaks))) for r in shown]
    output.grid(("row", "breaks"), cells, numbers=1)
    if len(shown) < len(found.removed):
        more = len(found.removed) - len(shown)
        output.line(f"and {more:,} more; --limit, --json or --html show all", head="  ")


def _label(rule: Any) -> str:
    return rule.label or str(rule)


def _cell(value: Any) -> str:
    return "NULL" if value is None else "''" if value == "" else str(value)


def _tell_page(html: str | None) -> None:
    if html is not None:
        output.line()
        output.line(f"Wrote {html}. It holds rows of the table, too.")


command.add(app, conflicts)
command.add(app, repair)
