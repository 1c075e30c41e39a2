"""Checking a whole ledger: every hash, every sum, every pair, from the first entry on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from candling.errors import LedgerError
from candling.ledger import store
from candling.ledger.canonical import canonical, written
from candling.ledger.entry import COLUMNS, Entry, genesis_hash, is_sealed, is_time
from candling.ledger.receipt import Evidence, Receipt, receipt_of
from candling.ledger.signing import flaw

_NUMBERS = ("seq", "units", "limit_units", "spent_units")
_OPTIONAL = ("dataset", "request", "fingerprint")
# What a card has beside the stored result. The signature covers all of it; the rest of a receipt is
# compared with the entry.
_NOT_STORED = frozenset({"gates", "receipt", "signature"})
_NOT_IN_ENTRY = frozenset({"candling", "repeated"})


@dataclass(frozen=True, slots=True)
class Verified:
    """A ledger whose entries fit together."""

    ledger: str
    entries: int
    head: str
    datasets: int
    receipts: int  # that were given, alone or in a card, and fit

    def to_dict(self) -> dict[str, Any]:
        return {
            "sound": True,
            "ledger": self.ledger,
            "sequence": self.entries,
            "head": self.head,
            "datasets": self.datasets,
            "receipts": self.receipts,
        }


@dataclass(slots=True)
class _Books:
    """What the entries so far add up to."""

    budgets: dict[str, tuple[int, int]] = field(default_factory=dict)  # limit and spent
    reserved: dict[str, Entry] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)


def verify(kept: store.Store, evidence: tuple[Evidence, ...] = ()) -> Verified:
    """Raise LedgerError with the first entry that is wrong; else what was checked."""
    if why := kept.damage():
        raise LedgerError(f"{kept.shown}: {why}.", code="L110")
    with kept.reading() as connection:
        meta = store.read_meta(connection, kept.shown)
    _check_secret(kept, meta)
    named = {item.sequence for item in evidence}
    pairs: dict[int, tuple[Entry, Entry | None]] = {}  # entries that are named, with their charges
    previous = genesis_hash(meta.format, meta.ledger, meta.created, meta.public_key)
    books, count = _Books(), 0
    for count, entry in enumerate(store.scan(kept), start=1):
        why = _wrong(entry, count, previous, books)
        if why is not None:
            raise LedgerError(
                f"Entry {count} of {kept.shown} is wrong: {why}.", code="L110", sequence=count
            )
        previous = entry.hash
        if count in named:
            pairs[count] = entry, books.reserved.get(entry.request or "")
    if not count:
        raise LedgerError(
            f"Entry 1 of {kept.shown} is wrong: it is missing.", code="L110", sequence=1
        )
    for item in evidence:
        check_evidence(item, meta, count, *pairs.get(item.sequence, (None, None)))
    return Verified(meta.ledger, count, previous, len(books.budgets), len(evidence))


def _check_secret(kept: store.Store, meta: store.Meta) -> None:
    try:
        with kept.reading() as connection:
            store.read_secret(connection, meta, kept.shown)
    except LedgerError as error:
        if error.code != "L104":  # a server may let somebody look who may not sign
            raise


def check_evidence(
    evidence: Evidence, meta: store.Meta, entries: int, entry: Entry | None, charge: Entry | None
) -> None:
    """Raise LedgerError unless the ledger has what was kept of it, to the last character.

    `entry` is the one with the number that the evidence names, `charge` the charge of its request;
    `entries` is how many the ledger has.
    """
    if evidence.ledger != meta.ledger:
        raise LedgerError("The receipt is of another ledger.", code="L115")
    if evidence.sequence > entries:
        raise LedgerError(
            f"The receipt is of entry {evidence.sequence}, and the ledger ends at entry {entries}: "
            "an older copy was put back, or its end was cut off.",
            code="L115",
            sequence=entries + 1,
        )
    if entry is None or evidence.head != entry.hash:
        raise LedgerError(
            f"Entry {evidence.sequence} is another one than when the receipt was written: the "
            "ledger went on from an older copy, or was written anew.",
            code="L115",
            sequence=evidence.sequence,
        )
    why = _difference(evidence, entry, receipt_of(meta.ledger, entry, charge=_paid(entry, charge)))
    if why is None and evidence.card is not None:
        found = flaw(evidence.card, meta.public_key)
        why = None if found is None else found.words
    if why is not None:
        what = "receipt" if evidence.card is None else "card"
        raise LedgerError(
            f"The {what} is not as the ledger gave it for entry {entry.seq}: {why}.",
            code="L117",
            sequence=entry.seq,
        )


def _paid(entry: Entry, charge: Entry | None) -> Entry | None:
    """The charge that a receipt of the entry tells of: a result's."""
    return charge if entry.kind == "result" else None


def _difference(evidence: Evidence, entry: Entry, receipt: Receipt) -> str | None:
    """What of a card or a receipt is not what the ledger has."""
    told = {n: part for n, part in receipt.to_dict().items() if n not in _NOT_IN_ENTRY}
    given = {name: evidence.receipt[name] for name in told if name in evidence.receipt}
    if evidence.card is None:
        return _differing(told | given, told)
    if entry.kind != "result":
        return "the entry is no release"
    card = {n: part for n, part in evidence.card.items() if n not in _NOT_STORED}
    return _differing(card, entry.details["result"]) or _differing(given, told)


def _differing(given: Mapping[str, Any], stored: Mapping[str, Any]) -> str | None:
    for name in dict.fromkeys([*stored, *given]):
        if name not in given:
            return f"{name!r} is missing"
        if name not in stored:
            return f"{name!r} was added"
        if canonical(given[name]) != canonical(stored[name]):
            return f"{name!r} was changed"
    return None


def _wrong(entry: Entry, number: int, previous: str, books: _Books) -> str | None:
    """What is wrong with the entry that should have this number; None adds it to the books."""
    if not _is_typed(entry):
        return "a column holds what it never can"
    if entry.seq != number:
        return f"it is missing, entry {entry.seq} follows"
    if entry.previous != previous:
        return "it does not follow from the entry before, or from what the ledger was made with"
    if not is_sealed(entry):
        return "it was changed after it was written"
    if not is_time(entry.time):
        return "its timestamp is invalid"
    details = _details(entry)
    if details is None:
        return "its body is not as a ledger writes it"
    rule = _RULES.get(entry.kind)
    if rule is None:
        return "it is of no known kind"
    if (number == 1) != (entry.kind == "init"):
        return "a ledger starts with `init`, once"
    return rule(entry, details, books)


def _is_typed(entry: Entry) -> bool:
    for name in COLUMNS:
        value = getattr(entry, name)
        if name in _NUMBERS:
            if type(value) is not int:
                return False
        elif not isinstance(value, str) and not (value is None and name in _OPTIONAL):
            return False
    return True


def _details(entry: Entry) -> dict[str, Any] | None:
    try:
        details = entry.details
    except (TypeError, ValueError):
        return None
    return details if written(details) == entry.body else None


def _init(entry: Entry, _details: dict[str, Any], _books: _Books) -> str | None:
    empty = (entry.dataset, entry.request, entry.fingerprint) == (None, None, None)
    nothing = (entry.units, entry.limit_units, entry.spent_units) == (0, 0, 0)
    return None if empty and nothing else "the first entry carries a budget"


def _limit(entry: Entry, details: dict[str, Any], books: _Books) -> str | None:
    """`add` opens a budget with nothing spent, `raise` adds to one."""
    if entry.dataset is None or entry.request is not None or entry.fingerprint is not None:
        return "a budget has a dataset, and nothing of a release"
    known = books.budgets.get(entry.dataset)
    if (known is None) != (entry.kind == "add"):
        return "a dataset is added once, before anything else"
    limit, spent = known or (0, 0)
    if entry.units <= 0 or (entry.limit_units, entry.spent_units) != (limit + entry.units, spent):
        return "its limit or what is spent does not add up"
    if entry.kind == "raise" and not details.get("reason"):
        return "a raised limit has no reason"
    books.budgets[entry.dataset] = (entry.limit_units, entry.spent_units)
    return None


def _reserve(entry: Entry, _details: dict[str, Any], books: _Books) -> str | None:
    known = books.budgets.get(entry.dataset or "")
    if entry.dataset is None or known is None:
        return "it charges a dataset that has no budget"
    if entry.request is None or entry.request in books.reserved:
        return "its request id is missing or was used before"
    limit, spent = known
    if entry.units < 0 or (entry.limit_units, entry.spent_units) != (limit, spent + entry.units):
        return "its limit or what is spent does not add up"
    if entry.spent_units > limit:
        return "it charges more than was left"
    if entry.fingerprint is not None:
        return "a reservation knows no table"
    books.budgets[entry.dataset] = (limit, entry.spent_units)
    books.reserved[entry.request] = entry
    return None


def _result(entry: Entry, details: dict[str, Any], books: _Books) -> str | None:
    charge = books.reserved.get(entry.request or "")
    if charge is None or entry.request is None or entry.dataset != charge.dataset:
        return "it is a result that was not charged"
    if entry.request in books.done or details.get("reserve") != charge.seq:
        return "it is a second result, or one of another charge"
    if entry.time != charge.time:
        return "its timestamp is not that of its charge"
    if entry.units or (entry.limit_units, entry.spent_units) != books.budgets[charge.dataset or ""]:
        return "its limit or what is spent does not add up"
    books.done.add(entry.request)
    return None


_RULES: dict[str, Callable[[Entry, dict[str, Any], _Books], str | None]] = {
    "init": _init,
    "add": _limit,
    "raise": _limit,
    "reserve": _reserve,
    "result": _result,
}
