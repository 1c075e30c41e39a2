"""Budgets of people: whose they are, what is left of them, and receipts of charges.

What is known of a person adds up over all datasets with rows of that person, so a budget belongs to
people, and every dataset about them draws on it. Spent by people is the sum of all charges to their
datasets: each made while a dataset was theirs, or before it became theirs. A charge counts once for
the same people, and it never stops counting, so no move gives anything back.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

from candling.errors import BudgetError, LedgerError, UsageError, did_you_mean
from candling.escaping import quote_path
from candling.ledger import store
from candling.ledger.entry import (
    Entry,
    budget_units,
    checked_new,
    epsilon_text,
    is_hash,
    look_alikes,
)
from candling.model.receipt import Receipt, epsilon_of
from candling.records import dataclass
from candling.system.canonical_json import RewrittenError, parse_canonical
from candling.system.files import UnreadableError, read_text


@dataclass(frozen=True, slots=True)
class OpenCharge:
    """A charge without a result: its process is still running, or it failed."""

    request_id: str
    units: int
    time: str
    by: str | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "request_id": self.request_id,
            "epsilon": float(epsilon_of(self.units)),
            "time": self.time,
            "by": self.by,
        }


@dataclass(frozen=True, slots=True)
class BudgetState:
    """The budget of people."""

    people: str
    limit_units: int
    spent_units: int  # on their datasets, and on those that were theirs

    @property
    def remaining(self) -> Fraction:
        return epsilon_of(self.limit_units - self.spent_units)

    def to_dict(self) -> dict[str, Any]:
        return {
            "limit": float(epsilon_of(self.limit_units)),
            "spent": float(epsilon_of(self.spent_units)),
            "remaining": float(self.remaining),
        }


@dataclass(frozen=True, slots=True)
class DatasetState:
    """One dataset, and the people whose budget it draws on."""

    name: str
    budget: BudgetState
    charged_units: int  # for all its releases, whoever its people were
    results: int
    without_result: tuple[OpenCharge, ...]

    @property
    def remaining(self) -> Fraction:
        """What is left for it and all other datasets of its people."""
        return self.budget.remaining

    def to_dict(self) -> dict[str, Any]:
        return {
            "people": self.budget.people,
            "charged": float(epsilon_of(self.charged_units)),
            "remaining": float(self.remaining),
            "results": self.results,
            "without_result": [charge.to_dict() for charge in self.without_result],
        }


@dataclass(frozen=True, slots=True)
class LedgerState:
    """All budgets of a ledger, and its head."""

    ledger: str
    place: str
    created: str
    entries: int
    head: str
    budgets: tuple[BudgetState, ...]
    datasets: tuple[DatasetState, ...]
    trial: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The state as `candling ledger show --json` prints it."""
        return {
            "ledger": self.ledger,
            "place": self.place,
            "created": self.created,
            "trial": self.trial,
            "sequence": self.entries,
            "head": self.head,
            "budgets": {b.people: b.to_dict() for b in self.budgets},
            "datasets": {d.name: d.to_dict() for d in self.datasets},
        }

    def datasets_of(self, budget: BudgetState) -> tuple[DatasetState, ...]:
        """The datasets that draw on a budget."""
        return tuple(dataset for dataset in self.datasets if dataset.budget == budget)


def receipt_of(
    ledger: str, entry: Entry, *, charge: Entry | None = None, repeated: bool = False
) -> Receipt:
    """The receipt of an entry; that of a result takes its amount and its time from the charge.

    That of a move says what the new people carry since then.
    """
    moved = entry.units if entry.kind == "move" else 0
    return Receipt(
        ledger,
        entry.seq,
        entry.hash,
        entry.time if charge is None else charge.requested,
        entry.kind,
        entry.dataset,
        entry.people or "",
        entry.request,
        moved if charge is None else charge.units,
        entry.limit_units,
        entry.spent_units,
        repeated,
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """A receipt, or a card with one, that a ledger can be checked against."""

    ledger: str
    sequence: int
    head: str
    receipt: Mapping[str, Any]
    card: Mapping[str, Any] | None  # the card that carries the receipt


def evidence_in(document: Receipt | Mapping[str, Any]) -> Evidence:
    """The evidence in a receipt, or in a card that carries one."""
    if isinstance(document, Receipt):
        document = document.to_dict()
    card = document if "receipt" in document else None
    receipt = document if card is None else card["receipt"]
    if isinstance(receipt, Mapping):
        match [receipt.get(name) for name in ("ledger", "sequence", "head")]:
            case [str(ledger), int(sequence), str(head)] if (
                type(sequence) is int and sequence > 0 and is_hash(head) and _is_id(ledger)
            ):
                return Evidence(ledger, sequence, head, receipt, card)
    raise LedgerError(
        "A receipt must have `ledger` (the id of a ledger), `sequence` (1 or more) and `head` (64 "
        "hexadecimal digits), as a ledger writes them; this one does not.",
        code="L116",
    )


def _is_id(text: str) -> bool:
    """Whether a text has the form of the id of a ledger."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def read_receipt(path: str | Path) -> dict[str, Any]:
    """The JSON of a receipt, or of a card with one, from a file."""
    try:
        document = parse_canonical(read_text(path))
    except RewrittenError as error:
        raise LedgerError(
            f"{quote_path(path)} was changed after candling wrote it: {error}. Use the original "
            "file.",
            code="L117",
        ) from None
    except (UnreadableError, ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or not isinstance(document.get("receipt", {}), dict):
        raise LedgerError(
            f"{quote_path(path)} does not contain the JSON of a receipt.", code="L116"
        )
    return document


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget that a dataset draws on once it has joined people."""

    limit_units: int
    spent_units: int
    opened: bool  # by this dataset: its people are new

    @property
    def remaining_units(self) -> int:
        return self.limit_units - self.spent_units


@dataclass(frozen=True, slots=True)
class People:
    """The people in a ledger, inside of a transaction."""

    connection: store.Connection
    shown: str  # the place of the ledger, as messages show it

    def of_dataset(self, dataset: str) -> str:
        """The people whom a dataset is about."""
        joining = store.find_joining_entry(self.connection, dataset)
        if joining is None:
            hint = _hint(dataset, store.datasets(self.connection))
            raise LedgerError(
                f"{self.shown} has no dataset {dataset!r}.{hint} The owner adds it with "
                "`candling ledger add`.",
                code="L105",
            )
        return str(joining.people)

    def newest_entry(self, people: str) -> Entry:
        """The newest entry of people, which has their limit and what is spent."""
        newest = store.budget_of(self.connection, people)
        if newest is None:
            raise LedgerError(
                f"{self.shown} has no people {people!r}.{self._hint_for(people)}", code="L105"
            )
        return newest

    def resolve_people(self, dataset: str | None, people: str | None) -> str:
        """The people that a caller names, or those of the dataset that the caller names."""
        if (dataset is None) == (people is None):
            raise UsageError(
                "Say whose budget it is: give either `people` or one of their datasets "
                "(`dataset`).",
                code="U209",
            )
        return self.of_dataset(dataset) if dataset is not None else str(people)

    def check_unused(self, dataset: str, people: str | None, *, look_alike: bool) -> None:
        """Refuse a new dataset whose name is taken, looks like another, or would join by chance."""
        if store.find_joining_entry(self.connection, dataset) is not None:
            raise LedgerError(
                f"{self.shown} already has a dataset {dataset!r}. To change its budget, use "
                "`candling ledger raise`; to change its people, `candling ledger move`.",
                code="L106",
            )
        if people is None and store.budget_of(self.connection, dataset) is not None:
            raise LedgerError(
                f"{self.shown} already has people {dataset!r}, who have a budget. If the dataset "
                f"is about them, add it with --people {dataset}; if not, give it another name.",
                code="L122",
            )
        self._check_looks(dataset, {people or dataset}, look_alike=look_alike)

    def budget_to_join(
        self, dataset: str, people: str, budget: object, *, look_alike: bool = False
    ) -> Budget:
        """The budget of the people whom a dataset joins; new people need one."""
        newest = store.budget_of(self.connection, people)
        if newest is None:
            return self._make_budget(dataset, checked_new("people", people), budget, look_alike)
        limit = newest.limit_units
        if budget is not None and budget_units(budget) != limit:
            raise LedgerError(
                f"The people {people!r} have a budget of {epsilon_text(limit)}, on which all their "
                f"datasets draw. Leave --budget out to join them; to change it from "
                f"{epsilon_text(limit)}, use `candling ledger raise`.",
                code="L107",
            )
        return Budget(limit, newest.spent_units, opened=False)

    def units_to_carry(self, dataset: str, people: str, budget: Budget) -> int:
        """The units that people must carry once a dataset is moved to them.

        All that was ever charged to the dataset, but for what they carry already: it may have been
        theirs before. Raises BudgetError if their budget does not allow it.
        """
        entries = store.spent_on(self.connection, dataset)
        charged = sum(entry.units for entry in entries if entry.kind == "reserve")
        units = charged - sum(entry.units for entry in entries if entry.people == people)
        if units > budget.remaining_units:
            remaining = epsilon_text(budget.remaining_units)
            missing = units - budget.remaining_units
            fix = "Raise it with `candling ledger raise` first, to"
            if budget.opened:
                fix = "Give them a budget of"
            raise BudgetError(
                f"The budget of {people!r} does not allow moving {dataset!r} to them: they must "
                "carry what was spent on it.\n"
                f"  spent on it {epsilon_text(units)}\n"
                f"  remaining   {remaining} of {epsilon_text(budget.limit_units)}\n"
                f"  difference  {epsilon_text(missing)}\n"
                f"Nothing was changed. {fix} {epsilon_text(budget.limit_units + missing)} or more.",
                code="L202",
                dataset=dataset,
                people=people,
                requested=epsilon_of(units),
                remaining=epsilon_of(budget.remaining_units),
            )
        return units

    def _make_budget(self, dataset: str, people: str, budget: object, look_alike: bool) -> Budget:
        """The budget of new people."""
        if (
            people != dataset
            and (other := store.find_joining_entry(self.connection, people)) is not None
        ):
            raise LedgerError(
                f"{people!r} is a dataset of the people {other.people!r}. If {dataset!r} is about "
                f"them, say --people {other.people}; if not, give its people another name.",
                code="L122",
            )
        if budget is None:
            if people == dataset:
                why = (
                    f"{dataset!r} needs a budget: --budget B, or --people P if it is about people "
                    "who have one."
                )
            else:
                why = (
                    f"The people {people!r} are new in {self.shown}, so they need a budget: "
                    f"--budget B.{self._hint_for(people)}"
                )
            raise LedgerError(why, code="L107")
        self._check_looks(people, {people, dataset}, look_alike=look_alike)
        return Budget(budget_units(budget), 0, opened=True)

    def _check_looks(self, name: str, own: set[str], *, look_alike: bool) -> None:
        """Refuse a name that people could take for one of other datasets or people."""
        taken = store.datasets(self.connection) | store.all_people(self.connection)
        others = look_alikes(name, taken - own)
        if others and not look_alike:
            raise LedgerError(
                f"{name!r} looks like {', '.join(map(repr, others))}, which {self.shown} has "
                "already. A second name for the same people is a second budget for them. If it "
                "means something else, add it with --look-alike.",
                code="L121",
            )

    def _hint_for(self, people: str) -> str:
        return _hint(people, store.all_people(self.connection))


def _hint(name: str, known: set[str]) -> str:
    """The name that somebody may have meant; empty if there is none."""
    others = look_alikes(name, known)
    if others:
        return f" It has {', '.join(map(repr, others))}, spelled with other characters."
    return did_you_mean(name, sorted(known))
