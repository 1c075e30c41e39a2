"""Checks a whole ledger from its first entry on: every hash, every sum, every result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from candling.errors import LedgerError
from candling.ledger import store
from candling.ledger.budget_state import Evidence, receipt_of
from candling.ledger.entry import Entry, genesis_hash, is_sealed, is_time, is_typed
from candling.ledger.signing import flaw
from candling.model.receipt import Receipt
from candling.records import dataclass
from candling.system.canonical_json import canonical_json, compact_json

# Parts of a card that the stored result does not have: the signature covers them. The receipt is
# compared with the entry instead, but for these two fields.
_NOT_STORED = frozenset({"gates", "receipt", "signature"})
_NOT_IN_ENTRY = frozenset({"candling", "repeated"})

_WRONG_SUM = "its limit or its spent budget does not add up"
_NO_RELEASE = "it must not name a request"


@dataclass(frozen=True, slots=True)
class Verified:
    """A ledger whose entries are all right."""

    ledger: str
    entries: int
    head: str
    budgets: int
    datasets: int
    receipts: int  # that were checked too, alone or in a card
    trial: bool = False
    remarks: tuple[str, ...] = ()  # who else may write, for example

    def to_dict(self) -> dict[str, Any]:
        return {
            "sound": True,
            "ledger": self.ledger,
            "sequence": self.entries,
            "head": self.head,
            "budgets": self.budgets,
            "datasets": self.datasets,
            "receipts": self.receipts,
            "trial": self.trial,
            "remarks": list(self.remarks),
        }


@dataclass(slots=True)
class _Totals:
    """The budgets and requests of the entries so far."""

    budgets: dict[str, tuple[int, int]] = field(default_factory=dict)  # of people: limit and spent
    homes: dict[str, str] = field(default_factory=dict)  # the people of each dataset
    charged: dict[str, int] = field(default_factory=dict)  # to each dataset, by all people
    carried: dict[tuple[str, str], int] = field(default_factory=dict)  # by people, for a dataset
    reserved: dict[str, Entry] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    time: str = ""  # of the newest entry that is not a result
    trial: bool = False


def verify(storage: store.Store, evidence: tuple[Evidence, ...] = ()) -> Verified:
    """What was checked; raises LedgerError with the first entry that is wrong."""
    if why := storage.damage():
        raise LedgerError(f"{storage.shown}: {why}.", code="L110")
    with storage.open_reader() as connection:
        meta = store.read_meta(connection, storage.shown)
    _check_secret(storage, meta)
    wanted = {item.sequence for item in evidence}
    pairs: dict[int, tuple[Entry, Entry | None]] = {}  # wanted entries with their charges
    previous = genesis_hash(meta.format, meta.ledger, meta.created, meta.public_key)
    totals, count = _Totals(time=meta.created), 0
    for count, entry in enumerate(store.scan(storage), start=1):
        why = _error(entry, count, previous, totals)
        if why is not None:
            raise LedgerError(
                f"Entry {count} of {storage.shown} is wrong: {why}.", code="L110", sequence=count
            )
        previous = entry.hash
        if count in wanted:
            pairs[count] = entry, totals.reserved.get(entry.request or "")
    if not count:
        raise LedgerError(
            f"Entry 1 of {storage.shown} is wrong: it is missing.", code="L110", sequence=1
        )
    for item in evidence:
        check_evidence(item, meta, count, *pairs.get(item.sequence, (None, None)))
    return Verified(
        meta.ledger,
        count,
        previous,
        len(totals.budgets),
        len(totals.homes),
        len(evidence),
        totals.trial,
        storage.remarks(),
    )


def _check_secret(storage: store.Store, meta: store.Meta) -> None:
    try:
        with storage.open_reader() as connection:
            store.read_secret(connection, meta, storage.shown)
    except LedgerError as error:
        if error.code != "L104":  # a server may let somebody read who may not sign
            raise


def check_evidence(
    evidence: Evidence, meta: store.Meta, entries: int, entry: Entry | None, charge: Entry | None
) -> None:
    """Raise LedgerError unless the ledger has what the evidence says, to the last character.

    `entry` has the number that the evidence names, `charge` is the charge of its request, and
    `entries` is the number of entries in the ledger.
    """
    if evidence.ledger != meta.ledger:
        raise LedgerError("The receipt comes from another ledger.", code="L115")
    if evidence.sequence > entries:
        raise LedgerError(
            f"The receipt names entry {evidence.sequence}, but the ledger ends at entry {entries}: "
            "it was replaced by an older copy, or its end was cut off.",
            code="L115",
            sequence=entries + 1,
        )
    if entry is None or evidence.head != entry.hash:
        raise LedgerError(
            f"Entry {evidence.sequence} is not the entry that the receipt names: the ledger was "
            "continued from an older copy, or rewritten.",
            code="L115",
            sequence=evidence.sequence,
        )
    why = _difference(
        evidence, entry, receipt_of(meta.ledger, entry, charge=_find_charge(entry, charge))
    )
    if why is None and evidence.card is not None:
        signature_flaw = flaw(evidence.card, meta.public_key)
        why = None if signature_flaw is None else signature_flaw.words
    if why is not None:
        what = "receipt" if evidence.card is None else "card"
        raise LedgerError(
            f"The {what} differs from entry {entry.seq} of the ledger: {why}.",
            code="L117",
            sequence=entry.seq,
        )


def _find_charge(entry: Entry, charge: Entry | None) -> Entry | None:
    """The charge that a receipt of the entry shows: only that of a result does."""
    return charge if entry.kind == "result" else None


def _difference(evidence: Evidence, entry: Entry, receipt: Receipt) -> str | None:
    """The first part of a card or a receipt that the ledger does not have like that."""
    expected = {n: part for n, part in receipt.to_dict().items() if n not in _NOT_IN_ENTRY}
    shown = {name: evidence.receipt[name] for name in expected if name in evidence.receipt}
    if evidence.card is None:
        return _first_difference(expected | shown, expected)
    if entry.kind != "result":
        return "the entry is not a release"
    card = {n: part for n, part in evidence.card.items() if n not in _NOT_STORED}
    return _first_difference(card, entry.result) or _first_difference(shown, expected)


def _first_difference(shown: Mapping[str, Any], stored: Mapping[str, Any]) -> str | None:
    for name in dict.fromkeys([*stored, *shown]):
        if name not in shown:
            return f"{name!r} is missing"
        if name not in stored:
            return f"{name!r} was added"
        if canonical_json(shown[name]) != canonical_json(stored[name]):
            return f"{name!r} was changed"
    return None


def _error(entry: Entry, number: int, previous: str, totals: _Totals) -> str | None:
    """What is wrong with the entry that should have this number; None if it is right.

    A right entry is added to the totals.
    """
    if not is_typed(entry):
        return "a column holds a value of the wrong type"
    if entry.seq != number:
        return f"it is missing, entry {entry.seq} follows"
    if entry.previous != previous:
        return "it does not follow from the entry before it, or from the key of the ledger"
    if not is_sealed(entry):
        return "it was changed after it was written"
    if not is_time(entry.time):
        return "its timestamp is invalid"
    details = _details(entry)
    if details is None:
        return "its body is not JSON as candling writes it"
    rule = _RULES.get(entry.kind)
    if rule is None:
        return "its kind is unknown"
    if (number == 1) != (entry.kind == "init"):
        return "a ledger has one entry of kind `init`, the first one"
    if entry.kind != "result":
        if entry.time < totals.time:
            return "it has an earlier time than an entry before it"
        totals.time = entry.time
    return rule(entry, details, totals)


def _details(entry: Entry) -> dict[str, Any] | None:
    try:
        details = entry.details
    except LedgerError:
        return None
    return details if compact_json(details) == entry.body else None


def _init(entry: Entry, details: dict[str, Any], totals: _Totals) -> str | None:
    totals.trial = details.get("trial") is True
    names = (entry.dataset, entry.people, entry.request)
    numbers = (entry.units, entry.limit_units, entry.spent_units)
    fine = names == (None, None, None) and numbers == (0, 0, 0)
    return None if fine else "the first entry has a budget"


def _add(entry: Entry, _: dict[str, Any], totals: _Totals) -> str | None:
    """A new dataset joins its people; if they are new, it opens a budget with nothing spent."""
    if entry.dataset is None or entry.people is None:
        return "it names no dataset or no people"
    if entry.dataset in totals.homes:
        return "its dataset was added before"
    limit, spent = totals.budgets.get(entry.people, (0, 0))
    if (entry.units > 0) != (entry.people not in totals.budgets) or entry.units < 0:
        return "new people need a budget, and others have one"
    if (entry.limit_units, entry.spent_units) != (limit + entry.units, spent):
        return _WRONG_SUM
    if entry.request is not None:
        return _NO_RELEASE
    totals.homes[entry.dataset] = entry.people
    totals.budgets[entry.people] = (entry.limit_units, entry.spent_units)
    return None


def _raise(entry: Entry, details: dict[str, Any], totals: _Totals) -> str | None:
    """The budget of people grows."""
    if entry.dataset is not None or entry.people not in totals.budgets:
        return "it must name people who have a budget, and no dataset"
    limit, spent = totals.budgets[entry.people]
    if entry.units <= 0 or (entry.limit_units, entry.spent_units) != (limit + entry.units, spent):
        return _WRONG_SUM
    if entry.request is not None:
        return _NO_RELEASE
    if not details.get("reason"):
        return "a raised limit has no reason"
    totals.budgets[entry.people] = (entry.limit_units, entry.spent_units)
    return None


def _move(entry: Entry, details: dict[str, Any], totals: _Totals) -> str | None:
    """A dataset joins other people, who carry from now on all that was ever charged to it."""
    if entry.dataset not in totals.homes or entry.people is None:
        return "it names no people, or a dataset that was not added"
    before = totals.homes[entry.dataset]
    if before == entry.people or details.get("from") != before:
        return "it does not move its dataset from the people whose it was to others"
    limit, spent = totals.budgets.get(entry.people, (entry.limit_units, 0))
    both = (entry.people, entry.dataset)
    units = totals.charged.get(entry.dataset, 0) - totals.carried.get(both, 0)
    if (entry.units, entry.limit_units, entry.spent_units) != (units, limit, spent + units):
        return _WRONG_SUM
    if entry.spent_units > limit or limit <= 0:
        return "its people carry more than they had left"
    if entry.request is not None:
        return _NO_RELEASE
    if not details.get("reason"):
        return "a move has no reason"
    totals.homes[entry.dataset] = entry.people
    totals.budgets[entry.people] = (entry.limit_units, entry.spent_units)
    totals.carried[both] = totals.charged.get(entry.dataset, 0)
    return None


def _reserve(entry: Entry, details: dict[str, Any], totals: _Totals) -> str | None:
    requested = details.get("requested")
    if not isinstance(requested, str) or not is_time(requested) or requested > entry.time:
        return "the time of its request is missing, invalid or later than the entry"
    if entry.dataset not in totals.homes or entry.people != totals.homes[entry.dataset]:
        return "it charges a dataset that was not added, or other people than those of the dataset"
    if entry.request is None or entry.request in totals.reserved:
        return "its request id is missing or was used before"
    limit, spent = totals.budgets[entry.people]
    if entry.units < 0 or (entry.limit_units, entry.spent_units) != (limit, spent + entry.units):
        return _WRONG_SUM
    if entry.spent_units > limit:
        return "it charges more than was left"
    totals.budgets[entry.people] = (limit, entry.spent_units)
    both = (entry.people, entry.dataset)
    totals.charged[entry.dataset] = totals.charged.get(entry.dataset, 0) + entry.units
    totals.carried[both] = totals.carried.get(both, 0) + entry.units
    totals.reserved[entry.request] = entry
    return None


def _result(entry: Entry, details: dict[str, Any], totals: _Totals) -> str | None:
    charge = totals.reserved.get(entry.request or "")
    if charge is None or entry.request is None:
        return "it is a result without a charge"
    if (entry.dataset, entry.people) != (charge.dataset, charge.people):
        return "it has another dataset or other people than its charge"
    if entry.request in totals.done or details.get("reserve") != charge.seq:
        return "it is a second result of its request, or names another charge"
    if not isinstance(details.get("result"), dict):
        return "it holds no result"
    if entry.time != charge.time:
        return "its timestamp is not that of its charge"
    budget = totals.budgets[charge.people or ""]
    if entry.units or (entry.limit_units, entry.spent_units) != budget:
        return _WRONG_SUM
    totals.done.add(entry.request)
    return None


_RULES: dict[str, Callable[[Entry, dict[str, Any], _Totals], str | None]] = {
    "init": _init,
    "add": _add,
    "raise": _raise,
    "move": _move,
    "reserve": _reserve,
    "result": _result,
}
