"""`candling plan`: the cost and the noise of a release, without any data."""

from typing import TYPE_CHECKING, Annotated

import typer

import candling
from candling.cli import options
from candling.errors import UsageError
from candling.present.epsilon import Spending
from candling.present.terminal import output

if TYPE_CHECKING:
    from candling import Plan
    from candling.releases.plan import Planned

_SHOWN = 4  # thresholds of a measure
_SMALLEST = 0.01
_THRESHOLDS = (
    "A threshold is the number of conflicts in which one row counts at most. The release "
    "chooses it by itself: a small one adds little noise and misses conflicts of rows that have "
    "more, a large one misses few and adds more noise."
)


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
    method: options.Method = options.ONE_DRAW,
    as_json: options.Json = False,
) -> None:
    """Plan a release: what epsilon pays for, and how much noise it adds. Reads no data.

    [bold]Examples[/bold]

    candling plan rules.txt --epsilon 1 --rows 10000

    candling plan rules.txt --error repair=5 --error problematic@16=100
    """
    release_plan = candling.plan(
        rules,
        epsilon=epsilon,
        target_errors=_target_errors(error) if error else None,
        rows=rows,
        measures=options.names(measures),
        split=options.shares(split),
        rows_per_person=rows_per_person,
        method=options.method(method),
    )
    if as_json:
        output.print_json(release_plan.to_dict())
    else:
        show(release_plan)


def show(release_plan: "Plan") -> None:
    """Print what epsilon pays for, and the mean errors at a few thresholds."""
    spending = Spending.of(
        release_plan.epsilon,
        ((planned.name, planned.epsilon) for planned in release_plan.measures.values()),
    )
    people = output.count(release_plan.rows_per_person, "row")
    output.line(
        f"Epsilon {float(release_plan.epsilon):g}{spending.words}; "
        f"each person owns {people} at most."
    )
    output.line()
    output.table(
        (planned.name, _cost(planned) if spending.measure_by_measure else "", _error(planned))
        for planned in release_plan.measures.values()
    )
    if any(planned.by_threshold for planned in release_plan.measures.values()):
        output.line()
        output.line(_THRESHOLDS)


def _cost(planned: "Planned") -> str:
    return f"{float(planned.epsilon or 0):.3g}"


def _error(planned: "Planned") -> str:
    """How far off a number will be."""
    from candling.measures import MEASURES, Unit

    if planned.reason is not None:
        return f"not released: {planned.reason}"
    if planned.error is not None:
        each = ", each rule" if MEASURES[planned.name].unit is Unit.BY_RULE else ""
        return f"off by {_about(planned.error)} on average{each}"
    if not planned.by_threshold:
        return MEASURES[planned.name].without_error or ""
    thresholds = list(planned.by_threshold)
    first, *others = thresholds[:: max(1, round(len(thresholds) / _SHOWN))][:_SHOWN]
    noise = {t: _about(error) for t, error in planned.by_threshold.items()}
    rest = "".join(f", {noise[t]} at {t:,}" for t in others)
    return f"noise of {noise[first]} on average at threshold {first:,}{rest}"


def _about(error: float) -> str:
    """An error in plain digits: two of them, or whole numbers of up to three."""
    if error < _SMALLEST:
        return f"less than {_SMALLEST}"
    return f"{float(f'{error:.3g}'):,.0f}" if error >= 9.95 else f"{error:.2g}"


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
