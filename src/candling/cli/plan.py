"""`candling plan`: the cost and the noise of a release, without any data."""

from typing import Annotated

import typer

import candling
from candling.cli import options
from candling.errors import UsageError
from candling.model.results import PlanData
from candling.render import terminal as output
from candling.render.views import view_plan


def plan(
    rules: options.Rules = None,
    rule: options.Rule = None,
    epsilon: Annotated[
        str | None, typer.Option(metavar="E", help="The privacy budget to plan with.")
    ] = None,
    error: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=ERROR",
            help="The average error to reach, such as repair=5 or problematic@16=100 (at threshold "
            "16): finds the smallest epsilon for it. May be repeated.",
        ),
    ] = None,
    rows: Annotated[
        int | None, typer.Option(metavar="N", help="About how many rows the table has.")
    ] = None,
    measures: options.Measures = None,
    split: options.Split = None,
    person: options.Person = None,
    rows_per_person: options.RowsPerPerson = None,
    persons: Annotated[
        int | None, typer.Option(metavar="N", help="About how many persons the table has.")
    ] = None,
    repair: Annotated[
        int | None, typer.Option(metavar="N", help="About how many rows are to be deleted.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Plan a release: what epsilon pays for, and how much noise it adds. Reads no data.

    [bold]Examples[/bold]

    candling plan rules.txt --epsilon 1 --rows 10000

    candling plan rules.txt --error repair=5 --error problematic@16=100

    candling plan rules.txt --epsilon 1 --person patient --rows 10000 --persons 2000 --repair 150
    """
    release_plan = candling.plan(
        options.read_rules(rules, rule),
        epsilon=epsilon,
        target_errors=_target_errors(error) if error else None,
        rows=rows,
        measures=options.names(measures),
        split=options.shares(split),
        person=options.person(person),
        rows_per_person=rows_per_person,
        persons=persons,
        repair=repair,
    )
    if as_json:
        output.print_json(release_plan.to_dict())
    else:
        show(release_plan)


def show(release_plan: PlanData) -> None:
    """Print what epsilon pays for, and the mean errors at a few thresholds."""
    output.show(view_plan(release_plan))


def _target_errors(texts: list[str]) -> dict[str, float]:
    errors = {}
    for text in texts:
        name, _, number = text.partition("=")
        try:
            errors[name.strip()] = float(number)
        except ValueError:
            raise UsageError(
                f"Write a target error as repair=5, not {text!r}.", code="U205"
            ) from None
    return errors
