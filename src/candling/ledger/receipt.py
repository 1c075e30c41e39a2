"""Receipts: what a caller keeps of an entry, enough to prove later that the ledger had it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from candling.canonical_json import RewrittenError, parse_unchanged
from candling.errors import LedgerError
from candling.files import UnreadableError, read_text
from candling.ledger.entry import Entry, is_hash
from candling.model.receipt import Receipt


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
