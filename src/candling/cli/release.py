"""`candling release`: noisy measures that may be shown to people who may not see the rows."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

import candling
from candling.cli import options, output
from candling.errors import BudgetError, LedgerWarning

if TYPE_CHECKING:
    from candling import Measure, Receipt, Scorecard


def release(
    data: options.Data,
    rules: options.Rules,
    epsilon: options.Epsilon,
    measures: options.Measures = None,
    split: options.Split = None,
    rows_per_person: options.RowsPerPerson = 1,
    public_rows: Annotated[
        int | None,
        typer.Option(metavar="N", help="The number of rows, if that is no secret: costs nothing."),
    ] = None,
    max_rows: Annotated[
        int | None,
        typer.Option(metavar="N", help="A public bound on the number of rows: gives upper bounds."),
    ] = None,
    method: options.Method = options.MethodName.joint,
    ledger: Annotated[
        str | None,
        typer.Option(
            metavar="L",
            envvar="CANDLING_LEDGER",
            help="Charge it to this ledger: a file, or postgresql://user@host/database.",
        ),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(metavar="D", help="The dataset of the ledger that pays.")
    ] = None,
    request_id: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The same id again shows the stored result, for free."),
    ] = None,
    by: options.By = None,
    as_json: options.Json = False,
    table: options.Table = None,
    memory: options.Memory = None,
) -> None:
    """Release noisy measures under epsilon-differential privacy.

    Every run spends epsilon anew: two runs with 0.5 tell as much about a person as one with 1.
    A ledger keeps count, and refuses (exit code 3) what its budget does not allow.

    [bold]Examples[/bold]

    candling release visits.csv rules.txt --epsilon 1

    candling release visits.parquet rules.txt --epsilon 0.5 --measures repair,rows --json

    candling release visits.csv rules.txt --epsilon 1 --rows-per-person 10 --max-rows 1000000

    candling release visits.csv rules.txt --epsilon 1 --ledger budget.ledger --dataset visits
    """
    constraints = candling.load_constraints(rules)
    with (
        output.busy("reading the table, looking for conflicts, adding noise"),
        warnings.catch_warnings(record=True) as doubts,
        _refusal_told(as_json),
    ):
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", LedgerWarning)
        card = candling.release(
            data,
            constraints,
            epsilon,
            measures=options.names(measures),
            split=options.shares(split),
            rows_per_person=rows_per_person,
            public_rows=public_rows,
            max_rows=max_rows,
            method=options.method(method),
            ledger=ledger,
            dataset=dataset,
            request_id=request_id,
            by=by,
            table=table,
            memory=memory,
        )
    try:
        if as_json:
            output.print_json(card.to_dict())
        else:
            output.line(f"{data} under {output.count(len(constraints), 'rule')} of {rules}")
            show(card)
    except OSError as error:
        if card.receipt is not None:
            again = f"--request-id {card.receipt.request_id}"
            error.add_note(f"It is charged and stored; {again} shows it again, for free.")
        raise
    for doubt in doubts:
        output.note(f"Doubtful: {doubt.message}")
    output.note(_cost(card))


@contextmanager
def _refusal_told(as_json: bool) -> Iterator[None]:
    """What a refusal says, for programs too."""
    try:
        yield
    except BudgetError as error:
        if as_json:
            numbers = ("requested", "remaining", "difference")
            told = {name: float(getattr(error, name)) for name in numbers}
            output.print_json({"refused": {"dataset": error.dataset} | told})
        raise


def _cost(card: "Scorecard") -> str:
    """What was spent, and what is left, as far as anybody keeps count."""
    receipt: Receipt | None = card.receipt
    spent = f"This spent epsilon {float(card.epsilon):g}"
    if receipt is None:
        return f"{spent}. No ledger was given: keep count yourself."
    left = f"{float(receipt.remaining):g} of {float(receipt.limit):g}"
    if receipt.repeated:
        return (
            f"This is the stored result of request {receipt.request_id}: it spent nothing. "
            f"{left} was left of {receipt.dataset!r} when it was made."
        )
    return f"{spent} of {receipt.dataset!r}; {left} is left. Request {receipt.request_id}."


def show(card: "Scorecard") -> None:
    """The card as a person reads it: values, 95% intervals, cost, and what is missing and why."""
    people = "one row" if card.rows_per_person == 1 else f"up to {card.rows_per_person:,} rows"
    output.line(
        f"epsilon {float(card.epsilon):g}; each person owns {people} at most; 95% intervals"
    )
    output.line()
    output.table((m.name, shown(m.value), _details(m)) for m in card if m.name != "worst_rule")
    if "worst_rule" in card.measures:
        output.line()
        output.line(f"worst rule: {card.worst_rule.value}  {_details(card.worst_rule)}")
    if card.by_rule:
        output.heading("Rows to delete for each rule alone")
        output.table((shown(m.value), "", f"{_details(m)}  {m.name}") for m in card.by_rule)
    reasons = dict.fromkeys(m.reason for m in card if m.reason is not None)
    for reason in reasons:
        output.line()
        output.line(f"{', '.join(m.name for m in card if m.reason == reason)}: {reason}")


def _details(measure: "Measure") -> str:
    return "  ".join(_parts(measure))


def _parts(measure: "Measure") -> Iterator[str]:
    low, high = measure.interval()
    if measure.value is None:
        yield "not released"
    elif measure.name == "drastic" and low == high:
        yield "beyond noise"
    elif measure.name == "rows" and low == high:
        yield "as stated"
    elif high is not None and low is not None:
        yield f"{shown(low)} to {shown(high)}"
    elif low is not None:
        yield f"at least {shown(low)}"
    if "threshold" in measure.extra:
        yield f"threshold {measure.extra['threshold']:,}"
    if measure.extra.get("kind") == "lp":
        yield "linear program"
    yield f"epsilon {float(measure.epsilon):.3g}" if measure.epsilon else "free"


def shown(value: Any) -> str:
    """A released value, or a dash."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
