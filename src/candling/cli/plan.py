"""`candling plan`: what a release would cost and how noisy it would be, without any data."""

from typing import TYPE_CHECKING, Annotated

import typer

import candling
from candling.cli import options, output
from candling.errors import UsageError

if TYPE_CHECKING:
    from candling import Plan


def plan(
    rules: options.Rules,
    epsilon: Annotated[
        str | None, typer.Option(metavar="E", help="The privacy budget to plan with.")
    ] = None,
    error: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=ERROR",
            help="A mean error to reach, as repair=5 or problematic@16=100 (at threshold 16); "
            "finds the smallest epsilon. May be repeated.",
        ),
    ] = None,
    rows: Annotated[
        int | None, typer.Option(metavar="N", help="About how many rows the table has.")
    ] = None,
    measures: options.Measures = None,
    split: options.Split = None,
    rows_per_person: options.RowsPerPerson = 1,
    method: options.Method = options.MethodName.one_draw,
    as_json: options.Json = False,
) -> None:
    """Plan a release: how the budget is split, and the noise that follows. Reads no data.

    [bold]Examples[/bold]

    candling plan rules.txt --epsilon 1 --rows 10000

    candling plan rules.txt --error repair=5 --error problematic@16=100
    """
    made = candling.plan(
        rules,
        epsilon=epsilon,
        wishes=_wishes(error) if error else None,
        rows=rows,
        measures=options.names(measures),
        split=options.shares(split),
        rows_per_person=rows_per_person,
        method=options.method(method),
    )
    if as_json:
        output.print_json(made.to_dict())
    else:
        show(made)


def show(made: "Plan") -> None:
    """The split and the mean errors, thresholds as columns of their own."""
    output.line(
        f"epsilon {float(made.epsilon):g}, each person owning "
        f"{output.count(made.rows_per_person, 'row')} at most"
    )
    output.line()
    rows = []
    for planned in made.measures.values():
        cost = f"{float(planned.epsilon):.3g}" if planned.epsilon else "free"
        if planned.reason is not None:
            rows.append((planned.name, "-", planned.reason))
        elif planned.error is not None:
            rows.append((planned.name, cost, f"off by {planned.error:,.3g} on average"))
        elif not planned.by_threshold:
            rows.append((planned.name, cost, "no number to be off"))
        else:
            errors = ", ".join(f"{e:,.3g} at {t:,}" for t, e in planned.by_threshold.items())
            rows.append((planned.name, cost, f"noise on average, by threshold: {errors}"))
    output.table(rows)
    output.line()
    output.line(
        "A threshold limits how much one row can count. The release chooses one by itself: a "
        "larger one loses less of the measure and adds more noise."
    )


def _wishes(given: list[str]) -> dict[str, float]:
    found = {}
    for text in given:
        name, _, number = text.partition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            raise UsageError(
                f"Write a wished error as repair=5, not {text!r}.", code="U205"
            ) from None
    return found
