"""`candling compare`: did the quality change between two releases, beyond noise?"""

from typing import Annotated

import typer

import candling
from candling.cli import CANNOT_TELL, GATE_FAILED, options, pipelines
from candling.cli.options import Format
from candling.model.gate import Outcome
from candling.model.results import ComparisonData, Verdict
from candling.render import terminal as output
from candling.render.ci import Case, Report
from candling.render.html import check_target, render_page, write_page
from candling.render.views.comparison import (
    change_in_words,
    verdict_in_words,
    view_comparison,
)


def compare(
    before: Annotated[
        str,
        typer.Argument(metavar="A", help="A release: its JSON or its page.", show_default=False),
    ],
    after: Annotated[str, typer.Argument(metavar="B", help="A later release.", show_default=False)],
    report: options.Report = None,
    force: options.Force = False,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="Compare cards of different rules or persons, too."),
    ] = False,
    fail_if_worse: Annotated[
        bool,
        typer.Option(
            "--fail-if-worse",
            help="Exit with 1 if the quality is worse, with 4 if noise hides the answer.",
        ),
    ] = False,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="The output format: table or json; junit reports whether it got worse.",
            show_default="table",
        ),
    ] = None,
    as_json: options.JsonShort = False,
) -> None:
    """Tell whether the quality changed from release A to release B, beyond noise.

    It spends nothing, because it reads released numbers only. Each difference has an interval, and
    is called better or worse only if noise cannot explain it. The grade (1 - repair/rows) decides
    if both cards have one, otherwise the counts do.

    [bold]Examples[/bold]

    candling compare january.json february.json

    candling compare january.html february.html --report change.html --fail-if-worse
    """
    known = (Format.table, Format.json, Format.junit)
    chosen = options.chosen_format(form, as_json=as_json, known=known)
    if report is not None:
        check_target(report, overwrite=force)
    comparison = candling.compare(
        candling.Card.load(before), candling.Card.load(after), anyway=anyway
    )
    if chosen is Format.json:
        output.print_json(comparison.to_dict())
    elif chosen is Format.junit:
        pipelines.show_report(chosen, _report(comparison, before, after))
    else:
        output.show(view_comparison(comparison))
    if report is not None:
        write_page(report, render_page(view_comparison(comparison)), overwrite=force)
        output.note(f"Wrote {report}.")
    if fail_if_worse and (code := _code(comparison.verdict)):
        raise typer.Exit(code)


def _report(comparison: ComparisonData, before: str, after: str) -> Report:
    """One case: whether the quality got worse."""
    outcomes = {Verdict.WORSE: Outcome.FAIL, Verdict.CANNOT_TELL: Outcome.CANNOT_TELL}
    outcome = outcomes.get(comparison.verdict, Outcome.PASS)
    changes = {d.name: " ".join(change_in_words(d)) for d in comparison.measures}
    case = Case(f"{after} is not worse than {before}", outcome, verdict_in_words(comparison))
    return Report("compare", after, [case], changes)


def _code(verdict: Verdict) -> int:
    return {Verdict.WORSE: GATE_FAILED, Verdict.CANNOT_TELL: CANNOT_TELL}.get(verdict, 0)
