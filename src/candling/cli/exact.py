"""`candling exact`: the exact measures, for the owner of the table."""

from typing import TYPE_CHECKING, Annotated

import typer

import candling
from candling.addresses import shown
from candling.cli import options
from candling.cli.check import note_findings
from candling.present.terminal import output

if TYPE_CHECKING:
    from candling import Exact
    from candling.measures.measure import ExactWords


def exact(
    data: options.Data,
    rules: options.Rules,
    as_json: options.Json = False,
    table: options.Table = None,
    engine: options.Engine = None,
    memory: options.Memory = None,
    reading: options.Reading = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="The time limit for everything. Without it, only the search for the exact repair "
            "is limited, to one minute.",
        ),
    ] = None,
) -> None:
    """Compute the exact measures. [bold]Not private[/bold]: for the owner of the table only.

    [bold]Examples[/bold]

    candling exact visits.csv rules.txt

    candling exact clinic.duckdb rules.txt --table visits --json

    candling exact hospital.public.visits rules.txt --engine spark

    candling exact public.visits rules.txt --engine postgresql://analyst@db.example.org/clinic
    """
    constraints = candling.load_constraints(rules)
    note_findings(constraints)
    with output.progress():
        result = candling.exact(
            data,
            constraints,
            table=table,
            memory=memory,
            engine=engine,
            reading=reading,
            time_limit=time_limit,
        )
    if as_json:
        output.not_private(stderr=True)
        output.print_json(result.to_dict())
        return
    output.not_private()
    output.line(f"{shown(data)} under {output.count(len(constraints), 'rule')} of {rules}")
    output.line()
    show(result)


def show(result: "Exact") -> None:
    """Every measure with its value and what it means."""
    from candling.measures import MEASURES

    words = {name: words for m in MEASURES.values() for name, words in m.exact_words.items()}
    output.table(
        (name, _value(value), _meaning(words[name], value, result.rows))
        for name, value in result.to_dict().items()
    )


def _value(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _meaning(words: "ExactWords", value: float | None, rows: int) -> str:
    if value is None:
        return words.unknown
    if not value and words.zero is not None:
        return words.zero
    share = f": {value / rows:.1%}" if words.share and rows else ""
    return words.meaning + share
