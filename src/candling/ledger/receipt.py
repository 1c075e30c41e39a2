"""Receipts: what a caller keeps of an entry, enough to prove later that the ledger had it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

from candling import __version__
from candling.canonical_json import RewrittenError, parse_unchanged
from candling.errors import LedgerError
from candling.escaping import for_terminal
from candling.files import UnreadableError, read_text
from candling.ledger.entry import Entry, epsilon_of, is_hash


@dataclass(frozen=True, slots=True)
class Receipt:
    """An entry of a ledger and the budget after it. `head` is the hash of all entries up to it."""

    ledger: str  # its id
    sequence: int
    head: str
    time: str  # UTC; for a release, the time of the request
    kind: str
    dataset: str | None  # None if the limit of people was raised
    people: str  # whose budget it is
    request_id: str | None
    charged_units: int
    limit_units: int
    spent_units: int
    repeated: bool = False  # a stored result, shown again at no cost
    candling: str = __version__  # the version that showed it

    def __str__(self) -> str:
        charged, remaining, limit = map(float, (self.charged, self.remaining, self.limit))
        request = "" if self.request_id is None else f", for request {self.request_id}"
        return for_terminal(
            f"Entry {self.sequence} of ledger {self.ledger}: {charged:g} charged to "
            f"{self.payer}{request}; {remaining:g} of {limit:g} left."
        )

    @property
    def payer(self) -> str:
        """The dataset, and its people if they have another name, as sentences quote them."""
        return named(self.dataset, self.people)

    @property
    def charged(self) -> Fraction:
        return epsilon_of(self.charged_units)

    @property
    def limit(self) -> Fraction:
        return epsilon_of(self.limit_units)

    @property
    def spent(self) -> Fraction:
        return epsilon_of(self.spent_units)

    @property
    def remaining(self) -> Fraction:
        return epsilon_of(self.limit_units - self.spent_units)

    def to_dict(self) -> dict[str, Any]:
        """The receipt under the names of the JSON output."""
        return {
            "ledger": self.ledger,
            "sequence": self.sequence,
            "head": self.head,
            "time": self.time,
            "kind": self.kind,
            "dataset": self.dataset,
            "people": self.people,
            "request_id": self.request_id,
            "charged": float(self.charged),
            "limit": float(self.limit),
            "spent": float(self.spent),
            "remaining": float(self.remaining),
            "repeated": self.repeated,
            "candling": self.candling,
        }


def named(dataset: str | None, people: str) -> str:
    """A dataset, and its people if they have another name, as sentences quote them."""
    if dataset is None or dataset == people:
        return repr(people)
    return f"{dataset!r} (people {people!r})"


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
        document = parse_unchanged(read_text(path))
    except RewrittenError as error:
        raise LedgerError(
            f"{str(path)!r} was changed after candling wrote it: {error}. Use the original file.",
            code="L117",
        ) from None
    except (UnreadableError, ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or not isinstance(document.get("receipt", {}), dict):
        raise LedgerError(f"{str(path)!r} does not contain the JSON of a receipt.", code="L116")
    return document
