"""What a caller keeps of an entry: enough to prove later that the ledger had it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from candling import __version__
from candling.errors import LedgerError
from candling.ledger.canonical import RewrittenError, parsed
from candling.ledger.entry import Entry
from candling.ledger.units import UNITS, epsilon_of


@dataclass(frozen=True, slots=True)
class Receipt:
    """An entry of a ledger and the budget after it. `head` is the hash of all entries up to it."""

    ledger: str  # its id
    sequence: int
    head: str
    time: str  # UTC; of a release: when it was asked for
    kind: str
    dataset: str
    request_id: str | None
    charged_units: int
    limit_units: int
    spent_units: int
    repeated: bool = False  # a stored result, shown again at no cost
    candling: str = __version__  # that showed it

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
            "request_id": self.request_id,
            "charged": float(self.charged),
            "limit": float(self.limit),
            "spent": float(self.spent),
            "remaining": float(self.remaining),
            "repeated": self.repeated,
            "candling": self.candling,
        }

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Receipt:
        """A receipt from what `to_dict` gave."""
        charged, limit, spent = (
            round(Fraction(str(told[name])) * UNITS) for name in ("charged", "limit", "spent")
        )
        return cls(
            told["ledger"],
            told["sequence"],
            told["head"],
            told["time"],
            told["kind"],
            told["dataset"],
            told["request_id"],
            charged,
            limit,
            spent,
            told["repeated"],
            told["candling"],
        )


def receipt_of(
    ledger: str, entry: Entry, *, charge: Entry | None = None, repeated: bool = False
) -> Receipt:
    """The receipt of an entry; that of a result has its amount from the charge."""
    return Receipt(
        ledger,
        entry.seq,
        entry.hash,
        entry.time,
        entry.kind,
        entry.dataset or "",
        entry.request,
        0 if charge is None else charge.units,
        entry.limit_units,
        entry.spent_units,
        repeated,
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """What somebody kept, that a ledger can be checked against: a receipt, or a card with one."""

    ledger: str
    sequence: int
    head: str
    receipt: Mapping[str, Any]  # all that it says
    card: Mapping[str, Any] | None  # that carries it


def evidence_in(kept: Receipt | Mapping[str, Any]) -> Evidence:
    """The evidence in a receipt, or in a card that carries one."""
    if isinstance(kept, Receipt):
        kept = kept.to_dict()
    card = kept if "receipt" in kept else None
    receipt = kept if card is None else card["receipt"]
    if isinstance(receipt, Mapping):
        match [receipt.get(name) for name in ("ledger", "sequence", "head")]:
            case [str(ledger), int(sequence), str(head)]:
                return Evidence(ledger, sequence, head, receipt, card)
    raise LedgerError(
        "What was given as a receipt has no ledger, sequence and head in it.", code="L116"
    )


def read_receipt(path: str | Path) -> dict[str, Any]:
    """The JSON of a receipt, or of a card with one, from a file."""
    try:
        found = parsed(Path(path).read_text(encoding="utf-8"))
    except RewrittenError as error:
        raise LedgerError(
            f"{str(path)!r} is not as candling wrote it: {error}. Take the file that it wrote.",
            code="L117",
        ) from None
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("receipt", {}), dict):
        raise LedgerError(f"{str(path)!r} is no file with the JSON of a receipt.", code="L116")
    return found
