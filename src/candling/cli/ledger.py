"""`candling ledger`: the budgets of datasets, and what was spent of them."""

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from candling.cli import command, options
from candling.errors import LedgerError
from candling.escaping import for_json
from candling.present.terminal import output

if TYPE_CHECKING:
    from candling.ledger import DatasetState, Receipt

app = typer.Typer(
    name="ledger",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    help="Keep and show the privacy budgets of datasets.\n\n[bold]Examples[/bold]\n\n"
    "candling ledger init budget.ledger\n\n"
    "candling ledger add budget.ledger --dataset visits --budget 3\n\n"
    "candling release visits.csv rules.txt --epsilon 1 --ledger budget.ledger --dataset visits",
)

_TRIAL = "This ledger is for trials: it may be in memory, and forget its charges."

Ledger = Annotated[
    str,
    typer.Argument(
        metavar="LEDGER",
        help="The ledger: a file, or postgresql://user@host/database.",
        show_default=False,
    ),
]
Dataset = Annotated[
    str,
    typer.Option(
        metavar="D", help="The dataset, by the name that its owner chose.", show_default=False
    ),
]
Budget = Annotated[
    str,
    typer.Option(metavar="B", help="The most that all its releases may cost.", show_default=False),
]


def init(
    ledger: Ledger,
    trial: Annotated[
        bool,
        typer.Option(
            "--trial",
            help="Only to try it out: allows a file in memory (tmpfs), which forgets all charges "
            "when the machine restarts. The ledger says so for ever.",
        ),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Make a new, empty ledger. An existing file is never overwritten.

    [bold]Examples[/bold]

    candling ledger init budget.ledger

    candling ledger init postgresql://owner@db.example.org/budgets
    """
    from candling.ledger import create_ledger

    state = create_ledger(ledger, trial=trial).show()
    if as_json:
        output.print_json(state.to_dict())
        return
    output.line(f"Made {state.place}. Now add a dataset with its whole budget:")
    place = shlex.quote(state.place)
    output.commands(f"candling ledger add {place} --dataset NAME --budget 1")


def add(
    ledger: Ledger,
    dataset: Dataset,
    budget: Budget,
    look_alike: Annotated[
        bool,
        typer.Option(
            "--look-alike",
            help="Allow a name that looks like another one, because its people are others.",
        ),
    ] = False,
    by: options.By = None,
    as_json: options.Json = False,
) -> None:
    """Add a dataset, with the budget for all its releases.

    [bold]Examples[/bold]

    candling ledger add budget.ledger --dataset visits --budget 3
    """
    from candling.ledger import open_ledger

    receipt = open_ledger(ledger).add(dataset, budget, by=by, look_alike=look_alike)
    _print_receipt(receipt, as_json, f"{dataset} has a budget of {_number(receipt.limit)}.")


def raise_limit(
    ledger: Ledger,
    dataset: Dataset,
    budget: Budget,
    reason: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="The reason, which everybody can read.", show_default=False
        ),
    ],
    by: options.By = None,
    as_json: options.Json = False,
) -> None:
    """Raise the budget of a dataset. It cannot be lowered, and the ledger keeps the reason.

    [bold]Examples[/bold]

    candling ledger raise budget.ledger --dataset visits --budget 4 --reason "yearly report"
    """
    from candling.ledger import open_ledger

    receipt = open_ledger(ledger).raise_limit(dataset, budget, reason, by=by)
    left = f"{_number(receipt.spent)} is spent, {_number(receipt.remaining)} left"
    _print_receipt(
        receipt, as_json, f"{dataset} now has a budget of {_number(receipt.limit)}: {left}."
    )


def show(ledger: Ledger, as_json: options.Json = False) -> None:
    """Show every budget, what is left of it, and the charges without a result.

    [bold]Examples[/bold]

    candling ledger show budget.ledger

    candling ledger show budget.ledger --json
    """
    from candling.ledger import open_ledger

    state = open_ledger(ledger).show()
    if as_json:
        output.print_json(state.to_dict())
        return
    output.line(f"{state.place}: {output.count(len(state.datasets), 'dataset')}")
    output.line(f"made {state.created}, {state.entries:,} entries, the last with the hash")
    output.line(state.head)
    if state.trial:
        output.line(_TRIAL)
    if state.datasets:
        output.line()
    output.table((d.name, _number(d.remaining), _spent(d)) for d in state.datasets)
    if any(d.without_result for d in state.datasets):
        output.heading("Spent without a result: failed, or still running")
        output.items(
            f"{d.name}: {_units(charge.units)} at {charge.time}, request {charge.request_id}"
            + (f", by {charge.by}" if charge.by else "")
            for d in state.datasets
            for charge in d.without_result
        )


def verify(
    ledger: Ledger,
    receipt: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="A receipt, or a card with one, that the ledger must have; may be repeated.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Check every entry, and name the first that was edited, removed or moved.

    With a receipt it also finds out whether an older copy replaced the ledger. A card must match
    the stored card in every number, rule and word, and its signature must hold.

    [bold]Examples[/bold]

    candling ledger verify budget.ledger

    candling ledger verify budget.ledger --receipt card.json
    """
    from candling.ledger import open_ledger, read_receipt

    receipts = [read_receipt(path) for path in receipt or ()]
    try:
        opened = open_ledger(ledger)
        verified = opened.verify(*receipts)
    except LedgerError as error:
        if as_json:
            wrong = {"sound": False, "code": error.code, "sequence": error.sequence}
            output.print_json(wrong | {"message": str(error)})
        raise
    if as_json:
        output.print_json(verified.to_dict())
        return
    checked = f"; it has {output.count(verified.receipts, 'receipt')}" if receipts else ""
    output.line(f"{opened.place.shown}: {verified.entries:,} entries, all valid{checked}.")
    output.line(f"The last has the hash {verified.head}.")
    if verified.trial:
        output.line(_TRIAL)
    for remark in verified.remarks:
        output.line(remark)


def export(ledger: Ledger, as_json: options.Json = False) -> None:
    """Print every entry: one JSON object per line, or with --json one object for all.

    It numbers the tables instead of showing their fingerprints.

    [bold]Examples[/bold]

    candling ledger export budget.ledger > budget.jsonl
    """
    from candling.ledger import open_ledger

    opened = open_ledger(ledger)
    if as_json:
        output.print_json({"ledger": opened.meta.ledger, "entries": list(opened.export())})
        return
    for entry in opened.export():
        output.raw(for_json(entry) + "\n")


def key(ledger: Ledger, as_json: options.Json = False) -> None:
    """Print the public key of a ledger. Give it to everybody who gets cards.

    With the key, `candling verify` detects a forged card without the ledger.

    [bold]Examples[/bold]

    candling ledger key budget.ledger

    candling ledger key budget.ledger > owner.key
    """
    from candling.ledger import open_ledger

    opened = open_ledger(ledger)
    if as_json:
        output.print_json({"ledger": opened.meta.ledger, "key": opened.public_key})
        return
    output.raw(f"{opened.public_key}\n")


def _print_receipt(receipt: "Receipt", as_json: bool, text: str) -> None:
    if as_json:
        output.print_json(receipt.to_dict())
        return
    output.line(text)
    output.note(f"Entry {receipt.sequence}, hash {receipt.head}")


def _spent(dataset: "DatasetState") -> str:
    results = output.count(dataset.results, "release")
    limit, spent = _units(dataset.limit_units), _units(dataset.spent_units)
    return f"left of {limit}: {spent} spent, {results}"


def _number(epsilon: Any) -> str:
    from candling.ledger.entry import UNITS

    return _units(int(epsilon * UNITS))


def _units(number: int) -> str:
    from candling.ledger.entry import epsilon_text

    return epsilon_text(number)


for _function, _name in (
    (init, None),
    (add, None),
    (raise_limit, "raise"),
    (show, None),
    (verify, None),
    (export, None),
    (key, None),
):
    command.add(app, _function, _name)
