"""`candling suggest`: rules that nearly hold, for the owner of a table to choose from."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from candling.cli import options
from candling.errors import UsageError
from candling.escaping import quote_path
from candling.render import terminal as output
from candling.render.wording import RULES_NOT_PRIVATE
from candling.system.files import hide_secrets, refused_with, write_text

if TYPE_CHECKING:
    from candling.owner.suggestions import Proposal, Suggested


def suggest(
    data: options.Data,
    to: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Also write them as a rules file."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
    share: Annotated[
        float,
        typer.Option(
            "--share",
            metavar="S",
            min=0,
            max=0.5,
            help="The share of the rows that may break a rule.",
        ),
    ] = 0.05,
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many rules of each kind to propose.")
    ] = 10,
    rows: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="How many rows to look at: a sample, if it has more."
        ),
    ] = 100_000,
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", min=1, help="How long to search.")
    ] = 60.0,
    as_json: options.Json = False,
    table: options.Table = None,
    memory: options.Memory = None,
    reading: options.Reading = None,
) -> None:
    """Propose rules that nearly hold. [bold]Not private[/bold]: for the owner of the table only.

    It finds keys, dependencies, orders, small sets of values and columns that are never missing,
    and counts the rows that break each rule. You decide which rules should hold. It needs
    the extra `suggest`, which brings Desbordante for the search.

    [bold]Examples[/bold]

    candling suggest visits.csv

    candling suggest visits.parquet --rows 20000 --share 0.05 --output rules.txt
    """
    from candling.owner.suggestions import suggest_rules

    if to is not None and os.path.lexists(to) and not force:
        raise UsageError(
            f"{quote_path(to)} exists. Choose another name with --output, or use --force to "
            "overwrite it.",
            code="U104",
        )
    with output.progress():
        result = suggest_rules(
            data,
            table=table,
            memory=memory,
            reading=reading,
            rows=rows,
            share=share,
            limit=limit,
            time_limit=time_limit,
        )
    if to is not None:
        with refused_with("U104", to):
            write_text(Path(to), result.text, private=True)
    if as_json:
        output.not_private(RULES_NOT_PRIVATE, stderr=True)
        output.print_json(result.to_dict() | {"output": to})
        return
    output.not_private(RULES_NOT_PRIVATE)
    _show(result, hide_secrets(data))
    if to is not None:
        output.line()
        output.line(f"Wrote {to}. Keep the rules that should hold.")


def _show(result: "Suggested", data: str) -> None:
    from candling.owner.suggestions import HEADS

    sample = " (a sample)" if result.sampled else ""
    rows, columns = output.count(result.rows, "row"), output.count(result.columns, "column")
    output.line(f"{data}: {rows}{sample}, {columns}")
    for note in result.notes:
        output.line(note)
    kinds = dict.fromkeys(proposal.kind for proposal in result.proposals)
    for kind in kinds:
        output.line()
        output.line(HEADS[kind], style="bold")
        listed = [p for p in result.proposals if p.kind == kind]
        output.table((_count(p), "", p.rule) for p in listed)
    if not kinds:
        output.line()
        output.line("No rule nearly holds.")


def _count(proposal: "Proposal") -> str:
    return "holds" if not proposal.broken else output.count(proposal.broken, "row")
