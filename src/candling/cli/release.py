"""`candling release`: noisy measures for people who may not see the rows."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import candling
from candling.cli import options, pipelines
from candling.cli.check import note_findings
from candling.cli.options import Format
from candling.errors import BudgetError, UsageError
from candling.escaping import code_for_markdown, for_json, quote_path
from candling.render import terminal as output
from candling.system.files import hide_secrets, refused_with, try_folder, write_text

if TYPE_CHECKING:
    from candling import Card, ConstraintSet
    from candling.render.ci import Report


def release(
    data: options.Data,
    rules: options.Rules = None,
    *,
    epsilon: options.Epsilon,
    rule: options.Rule = None,
    measures: options.Measures = None,
    split: options.Split = None,
    person: options.Person = None,
    rows_per_person: options.RowsPerPerson = None,
    public_rows: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="The number of rows, if it is public: no epsilon is spent on it."
        ),
    ] = None,
    max_rows: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="A public upper bound on the number of rows. It bounds other numbers."
        ),
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            metavar="L",
            envvar="CANDLING_LEDGER",
            help="The ledger to charge: a file, or postgresql://user@host/database.",
        ),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(metavar="D", help="The dataset in the ledger that pays.")
    ] = None,
    request_id: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="A name for this request: used again, it shows the stored result for free. `auto` "
            "makes it from the commit (GITHUB_SHA, CI_COMMIT_SHA, ... or git), --table-version and "
            "the request, so a pipeline that runs again pays once.",
        ),
    ] = None,
    table_version: pipelines.TableVersion = None,
    lists_are_public: options.ListsArePublic = False,
    by: options.By = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Also write the card as JSON, which compare, explain and verify read.",
        ),
    ] = None,
    report: options.Report = None,
    title: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="With --report and without a ledger: the name of the table, for the top of the "
            "page.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite an older card or page.")
    ] = False,
    fail_if: options.Gates = None,
    form: options.FormatOption = None,
    as_json: options.JsonShort = False,
    table: options.Table = None,
    engine: options.Engine = None,
    memory: options.Memory = None,
    reading: options.Reading = None,
) -> None:
    """Release noisy measures under epsilon-differential privacy.

    Every run spends epsilon again: two releases with 0.5 reveal as much about a person as one
    with 1. A ledger keeps count, and refuses (exit code 3) a release that its budget does not
    allow.

    A gate compares the grade, a measure, or a measure divided by the rows with a number. It fails
    if the condition holds in the whole 95% interval, and is ok if it holds nowhere in it. A gate on
    one rule, by its label or its text in double quotes, needs `by_rule`.

    Exit codes: 0 fine, 1 a gate failed, 2 the caller's mistake, 3 the budget refused,
    4 a gate cannot tell.

    [bold]Examples[/bold]

    candling release visits.csv rules.txt --epsilon 1

    candling release visits.parquet rules.txt --epsilon 0.5 --measures repair,rows --json

    candling release visits.csv rules.txt --epsilon 1 --fail-if "grade < 95%"

    candling release visits.csv rules.txt --epsilon 1 --person patient

    candling release visits.csv rules.txt --epsilon 1 --person patient --rows-per-person 8

    candling release visits.csv rules.txt --epsilon 1 --ledger budget.ledger --dataset visits

    candling release visits.csv rules.txt --epsilon 1 -o card.json --report card.html

    candling release visits.csv --rule "Zip -> City" --epsilon 1

    candling release visits.csv rules.txt --epsilon 1 --fail-if "grade < 95%" --format junit

    candling release s3://clinic/visits.parquet rules.txt --epsilon 1 --engine spark
    """
    _check_files(to, report, title, ledger, force=force)  # before anything is charged
    chosen = options.chosen_format(form, as_json=as_json)
    pipelines.need_gates(chosen, fail_if)
    from candling.releases.session import prepare_release, run_request

    data, constraints = options.read_arguments(data, rules, rule)
    note_findings(constraints)
    prepared = prepare_release(
        constraints,
        epsilon,
        gates=fail_if or (),
        measures=options.names(measures),
        split=options.shares(split),
        person=options.person(person),
        rows_per_person=rows_per_person,
        public_rows=public_rows,
        max_rows=max_rows,
    )
    for warning in prepared.warnings:
        output.note(f"Warning: {warning}")
    request = pipelines.request_id(
        request_id, table_version, prepared.request.parameters(), dataset
    )
    with output.progress(), options.hint_for_person(person), _refusal_as_json(chosen):
        account = prepared.open_account(ledger, dataset, request_id=request, by=by)
        card = run_request(
            prepared,
            account,
            data,
            table=table,
            memory=memory,
            engine=engine,
            reading=reading,
            lists_are_public=lists_are_public,
        )
    words = f" under {output.count(len(constraints), 'rule')} of "
    head = (hide_secrets(data), words, constraints.source)
    try:
        if chosen in pipelines.REPORTS:
            pipelines.show_report(chosen, _report(card, constraints, data))
        else:
            _print(card, head, chosen)
        if to is not None:
            write_text(Path(to), for_json(card.to_dict(), indent=2) + "\n")
            output.remark(f"Wrote {to}.")
    except OSError as error:  # the output failed
        if card.receipt is not None:
            again = f"--request-id {card.receipt.request_id}"
            error.add_note(f"The release is charged and stored; {again} shows it again, for free.")
        raise
    if chosen is not Format.table:  # which shows them with the card
        for warning in _warnings(card):
            output.note(f"Warning: {warning}")
    if report is not None:
        card.to_html(report, overwrite=force, title=title)
        output.remark(f"Wrote {report}.")
    if card.gates:
        pipelines.exit_by(card.gates)


def _check_files(
    to: str | None, report: str | None, title: str | None, ledger: str | None, *, force: bool
) -> None:
    """Raise UsageError if a file cannot be written, or if the title has no place."""
    if title is not None and (report is None or ledger is not None):
        raise UsageError(
            "--title names the table on the page (--report) of a release without a ledger; with "
            "one, the page shows the dataset.",
            code="U218",
        )
    if report is not None:
        from candling.render.html import check_target

        check_target(report, overwrite=force)
    if to is None:
        return
    target = Path(to)
    with refused_with("U104", to, full_disk=False):
        if target.suffix.lower() != ".json":
            raise UsageError(
                f"{quote_path(to)} cannot be written: a card is JSON, so its name must end in "
                ".json.",
                code="U104",
            )
        if os.path.lexists(target):
            if not force:
                raise UsageError(
                    f"{quote_path(to)} exists, and may be the only copy of what was paid for. "
                    "Choose another "
                    "name, or use --force to replace it.",
                    code="U104",
                )
            candling.Card.load(to)  # nothing but a card is replaced
        try_folder(to)


def _print(
    card: "Card",
    head: tuple[str, str, str],  # table, our words, rules
    chosen: Format,
) -> None:
    """Print the card in the chosen format."""
    from candling.render.csv import card_as_csv
    from candling.render.text import render_markdown
    from candling.render.views import view_card
    from candling.render.views.card_details import describe_budget
    from candling.render.wording import statements

    if chosen is Format.table:
        output.line("".join(head))
        output.line()
        output.show(view_card(card))
        return
    if chosen is Format.markdown:
        data, words, rules = head
        title = f"{code_for_markdown(data)}{words}{code_for_markdown(rules)}"
        output.raw(render_markdown(view_card(card), title))
        return
    if chosen is Format.csv:
        output.raw(card_as_csv(card))
        for verdict in card.gates:
            output.remark(str(verdict))
    else:
        output.print_json(card.to_dict())
    output.remark(describe_budget(card))
    for statement in statements(card)[:1]:
        output.remark(statement)


def _warnings(card: "Card") -> list[str]:
    """What a reader should not miss, for formats that do not show it themselves."""
    from candling.render.wording import warnings

    return warnings(card)


def _report(card: "Card", constraints: "ConstraintSet", data: str) -> "Report":
    from candling.render.ci import Report, cases_of
    from candling.render.views.card_details import describe_budget
    from candling.render.wording import guarantee

    facts = {"table": hide_secrets(data), "grade": str(card.grade), "budget": describe_budget(card)}
    if card.epsilon:
        facts["person"] = guarantee(card.person)
    return Report("release", constraints.source, cases_of(card.gates, constraints), facts)


@contextmanager
def _refusal_as_json(chosen: Format) -> Iterator[None]:
    """A context that prints the numbers of a refused release as JSON, if that is the format."""
    try:
        yield
    except BudgetError as error:
        if chosen is Format.json:
            numbers = ("requested", "remaining", "difference")
            refused = {name: float(getattr(error, name)) for name in numbers}
            whose = {"dataset": error.dataset, "people": error.people}
            output.print_json({"refused": whose | refused})
        raise
