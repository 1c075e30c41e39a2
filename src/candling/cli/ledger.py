"""`candling ledger`: the budgets of people, their datasets, and what was spent."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

import candling
from candling.cli import options
from candling.cli.app import add_command
from candling.errors import LedgerError
from candling.escaping import for_json
from candling.model.receipt import UNITS, Receipt
from candling.render import terminal as output
from candling.render.wording import HIGH, factor

if TYPE_CHECKING:
    from candling.ledger import BudgetState, DatasetState, LedgerState

app = typer.Typer(
    name="ledger",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    help="Keep and show the privacy budgets of the people in your datasets.\n\n"
    "[bold]Examples[/bold]\n\n"
    "candling ledger init budget.ledger\n\n"
    "candling ledger add budget.ledger --dataset visits --people patients --budget 3\n\n"
    "candling release visits.csv rules.txt --epsilon 1 --ledger budget.ledger --dataset visits",
)

_TRIAL = "This ledger is for trials: it may be in memory, and lose its charges."

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
People = Annotated[
    str | None,
    typer.Option(
        metavar="P",
        help="The people whom the dataset is about, by a name that you choose. All their datasets "
        "share one budget. Without it, the dataset gets new people with its own name.",
        show_default=False,
    ),
]
Budget = Annotated[
    str,
    typer.Option(
        metavar="B", help="The most that all releases may cost together.", show_default=False
    ),
]
NewBudget = Annotated[
    str | None,
    typer.Option(
        metavar="B",
        help="The budget of new people: the most that the releases of all their datasets may cost.",
        show_default=False,
    ),
]
Reason = Annotated[
    str,
    typer.Option(metavar="TEXT", help="The reason, which everyone can read.", show_default=False),
]
LookAlike = Annotated[
    bool,
    typer.Option(
        "--look-alike",
        help="Allow a name that looks like another one, because it means something else.",
    ),
]


def init(
    ledger: Ledger,
    trial: Annotated[
        bool,
        typer.Option(
            "--trial",
            help="Only to try it out: allows a file in memory (tmpfs), which loses all charges "
            "when the machine restarts. The ledger is marked as a trial for ever.",
        ),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Make a new, empty ledger. An existing file is never overwritten.

    [bold]Examples[/bold]

    candling ledger init budget.ledger

    candling ledger init postgresql://owner@db.example.org/budgets
    """
    state = candling.create_ledger(ledger, trial=trial).show()
    if as_json:
        output.print_json(state.to_dict())
        return
    output.line(f"Made {state.place}. Now add a dataset with its whole budget:")
    place = shlex.quote(state.place)
    output.commands(f"candling ledger add {place} --dataset NAME --budget 1")


def add(
    ledger: Ledger,
    dataset: Dataset,
    people: People = None,
    budget: NewBudget = None,
    look_alike: LookAlike = False,
    by: options.By = None,
    as_json: options.Json = False,
) -> None:
    """Add a dataset, with the people whom it is about and, if they are new, their budget.

    What releases reveal about a person adds up over all datasets with rows of that person. So
    datasets about the same people share one budget: give them the same --people.

    [bold]Examples[/bold]

    candling ledger add budget.ledger --dataset visits --people patients --budget 3

    candling ledger add budget.ledger --dataset prescriptions --people patients

    candling ledger add budget.ledger --dataset staff --budget 1
    """
    receipt = candling.open_ledger(ledger).add(
        dataset, budget, people=people, by=by, look_alike=look_alike
    )
    text = f"{dataset} has a budget of {_number(receipt.limit)}."
    if receipt.dataset != receipt.people:
        text = f"{dataset} draws on the budget of {receipt.people}: {_show_rest(receipt)}."
    _print_receipt(receipt, as_json, text)
    _warn(receipt)


def raise_limit(
    ledger: Ledger,
    budget: Budget,
    reason: Reason,
    people: Annotated[
        str | None,
        typer.Option(metavar="P", help="The people whose budget it is.", show_default=False),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            metavar="D", help="Or a dataset: the budget of its people.", show_default=False
        ),
    ] = None,
    by: options.By = None,
    as_json: options.Json = False,
) -> None:
    """Raise the budget of people. It cannot be lowered, and the ledger keeps the reason.

    [bold]Examples[/bold]

    candling ledger raise budget.ledger --people patients --budget 4 --reason "yearly report"

    candling ledger raise budget.ledger --dataset visits --budget 4 --reason "yearly report"
    """
    receipt = candling.open_ledger(ledger).raise_limit(
        budget, reason, people=people, dataset=dataset, by=by
    )
    draws = "" if dataset in (None, receipt.people) else f", on which {dataset} draws,"
    left = f"{_number(receipt.spent)} is spent, {_number(receipt.remaining)} left"
    text = f"The budget of {receipt.people}{draws} is now {_number(receipt.limit)}: {left}."
    _print_receipt(receipt, as_json, text)
    _warn(receipt)


def move(
    ledger: Ledger,
    dataset: Dataset,
    people: Annotated[
        str,
        typer.Option(metavar="P", help="The people whom the dataset is about.", show_default=False),
    ],
    reason: Reason,
    budget: NewBudget = None,
    look_alike: LookAlike = False,
    by: options.By = None,
    as_json: options.Json = False,
) -> None:
    """Move a dataset to other people. The ledger keeps the reason.

    A move frees no budget: what was spent on the dataset still counts for its earlier people, and
    counts for the new ones, too. If they have less than that left, the move is refused.

    [bold]Examples[/bold]

    candling ledger move budget.ledger --dataset scans --people patients --reason "same people"

    candling ledger move budget.ledger --dataset scans --people dogs --budget 2 --reason "vet"
    """
    receipt = candling.open_ledger(ledger).move(
        dataset, people, reason, budget=budget, by=by, look_alike=look_alike
    )
    carries = f", which now carries the {_number(receipt.charged)} that was spent on it"
    text = f"{dataset} draws on the budget of {receipt.people}{carries if receipt.charged else ''}"
    kept = "What its earlier people spent stays spent."
    _print_receipt(receipt, as_json, f"{text}: {_show_rest(receipt)}. {kept}")


def show(ledger: Ledger, as_json: options.Json = False) -> None:
    """Show every budget, what is left of it, its datasets, and the charges without a result.

    [bold]Examples[/bold]

    candling ledger show budget.ledger

    candling ledger show budget.ledger --json
    """
    state = candling.open_ledger(ledger).show()
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
    output.table(row for budget in state.budgets for row in _rows(state, budget))
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

    With a receipt it also checks that the ledger was not replaced by an older copy. A card must
    match the stored card in every number, rule and word, and its signature must be valid.

    [bold]Examples[/bold]

    candling ledger verify budget.ledger

    candling ledger verify budget.ledger --receipt card.json
    """
    from candling.ledger import read_receipt

    receipts = [read_receipt(path) for path in receipt or ()]
    try:
        opened = candling.open_ledger(ledger)
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

    [bold]Examples[/bold]

    candling ledger export budget.ledger > budget.jsonl
    """
    opened = candling.open_ledger(ledger)
    if as_json:
        output.print_json({"ledger": opened.meta.ledger, "entries": list(opened.export())})
        return
    for entry in opened.export():
        output.raw(for_json(entry) + "\n")


def key(ledger: Ledger, as_json: options.Json = False) -> None:
    """Print the public key of a ledger. Give it to everyone who gets cards.

    With the key, `candling verify` detects a forged card without the ledger.

    [bold]Examples[/bold]

    candling ledger key budget.ledger

    candling ledger key budget.ledger > owner.key
    """
    opened = candling.open_ledger(ledger)
    if as_json:
        output.print_json({"ledger": opened.meta.ledger, "key": opened.public_key})
        return
    output.raw(f"{opened.public_key}\n")


def _print_receipt(receipt: Receipt, as_json: bool, text: str) -> None:
    if as_json:
        output.print_json(receipt.to_dict())
        return
    output.line(text)
    output.note(f"Entry {receipt.sequence}, hash {receipt.head}")


def _warn(receipt: Receipt) -> None:
    """Warn of a budget that protects little when it is spent."""
    if receipt.limit >= HIGH:
        output.note(
            f"Warning: a budget of {_number(receipt.limit)} protects little: when it is spent, a "
            "reader's suspicion about one person can be up to "
            f"{factor(float(receipt.limit))} times as likely. Budgets below 5 are usual."
        )


def _rows(state: "LedgerState", budget: "BudgetState") -> Iterator[tuple[str, str, str]]:
    """One line for people whose only dataset has their name, else one for each of the datasets."""
    spent = f"left of {_units(budget.limit_units)}: {_units(budget.spent_units)} spent"
    datasets = state.datasets_of(budget)
    before = budget.spent_units - sum(dataset.charged_units for dataset in datasets)
    if not before and [dataset.name for dataset in datasets] == [budget.people]:
        yield budget.people, _number(budget.remaining), f"{spent}, {_releases(datasets[0])}"
        return
    yield budget.people, _number(budget.remaining), spent
    for dataset in datasets:
        charged = f"{_units(dataset.charged_units)} charged to it, {_releases(dataset)}"
        yield f"  {dataset.name}", "", charged
    if before:
        yield "  (moved away)", "", f"{_units(before)} charged to datasets that were theirs"


def _releases(dataset: "DatasetState") -> str:
    return output.count(dataset.results, "release")


def _show_rest(receipt: Receipt) -> str:
    return f"{_number(receipt.remaining)} of {_number(receipt.limit)} is left"


def _number(epsilon: Any) -> str:
    return _units(int(epsilon * UNITS))


def _units(number: int) -> str:
    from candling.ledger.entry import epsilon_text

    return epsilon_text(number)


for _function, _name in (
    (init, None),
    (add, None),
    (raise_limit, "raise"),
    (move, None),
    (show, None),
    (verify, None),
    (export, None),
    (key, None),
):
    add_command(app, _function, _name)
