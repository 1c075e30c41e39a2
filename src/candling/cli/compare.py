"""`candling compare`: did the quality change between two releases, beyond noise?"""

from typing import TYPE_CHECKING, Annotated

import typer

from candling.cli import options, output
from candling.cli.exits import CANNOT_TELL, GATE_FAILED

if TYPE_CHECKING:
    from candling.present import Comparison, Difference, Verdict


def compare(
    before: Annotated[
        str, typer.Argument(metavar="A", help="The JSON of a release.", show_default=False)
    ],
    after: Annotated[
        str, typer.Argument(metavar="B", help="The JSON of a later one.", show_default=False)
    ],
    report: options.Report = None,
    force: options.Force = False,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="Compare cards under other rules or rows per person."),
    ] = False,
    fail_if_worse: Annotated[
        bool,
        typer.Option("--fail-if-worse", help="Exit with 1 if it is worse, 4 if it cannot be told."),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Tell whether the quality changed from release A to release B, beyond noise.

    Nothing is spent: it reads what was released. Each difference comes with an interval of its own
    and is called better or worse only if noise does not explain it. The grade
    (1 - repair/rows) decides where both cards have it, otherwise the counts.

    [bold]Examples[/bold]

    candling compare january.json february.json

    candling compare january.json february.json --report change.html --fail-if-worse
    """
    from candling.card import Card
    from candling.present import check_target, compare_cards, comparison_page, write_page

    if report is not None:
        check_target(report, overwrite=force)
    found = compare_cards(Card.load(before), Card.load(after), anyway=anyway)
    if as_json:
        output.print_json(found.to_dict())
    else:
        _show(found)
    if report is not None:
        write_page(report, comparison_page(found), overwrite=force)
        output.note(f"Wrote {report}.")
    if fail_if_worse and (code := _code(found.verdict)):
        raise typer.Exit(code)


def _code(verdict: "Verdict") -> int:
    from candling.present import Verdict

    return {Verdict.WORSE: GATE_FAILED, Verdict.CANNOT_TELL: CANNOT_TELL}.get(verdict, 0)


def _show(found: "Comparison") -> None:
    output.line(f"{found.verdict} (by {', '.join(found.decided_by) or 'nothing'})", style="bold")
    output.line()
    for name, card in (("A", found.a), ("B", found.b)):
        grade = card.grade
        words = grade.words if grade.value is None else f"Grade {grade.shown}  ({grade.words})"
        output.line(words, head=f"  {name}  ")
    output.heading("From A to B")
    output.table(_row(d) for d in found.measures)
    if found.by_rule:
        output.heading("Rows to delete for each rule alone")
        rows = (_row(d) for d in found.by_rule)
        output.table((change, "", f"{meaning}  {rule}") for rule, change, meaning in rows)
    for reason, names in found.reasons.items():
        output.line()
        output.line(f"{', '.join(names)}: {reason}")
    for warning in found.warnings:
        output.note(f"Note: {warning}")


def _row(d: "Difference") -> tuple[str, str, str]:
    from candling.present import change_in_words

    change, bounds = change_in_words(d)
    return d.name, change, f"{d.verdict}  {bounds} ({d.level:.0%})"
