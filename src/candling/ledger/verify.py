"""Checking a whole ledger: every hash, every sum, every pair, from the first entry on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from candling.errors import LedgerError
from candling.ledger import store
from candling.ledger.entry import COLUMNS, Entry, genesis_hash, is_sealed, is_time, written
from candling.ledger.receipt import Anchor

_NUMBERS = ("seq", "units", "limit_units", "spent_units")
_OPTIONAL = ("dataset", "request", "fingerprint")


@dataclass(frozen=True, slots=True)
class Verified:
    """A ledger whose entries fit together."""

    ledger: str
    entries: int
    head: str
    datasets: int
    receipts: int  # that were given, and fit

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


def verify(kept: store.Store, anchors: tuple[Anchor, ...] = ()) -> Verified:
    """Raise LedgerError with the first entry that is wrong; else what was checked."""
    if why := kept.damage():
        raise LedgerError(f"{kept.shown}: {why}.", code="L110")
    with kept.reading() as connection:
        meta = store.read_meta(connection, kept.shown)
    wanted = {anchor.sequence: "" for anchor in anchors}
    previous = genesis_hash(meta.format, meta.ledger, meta.created, meta.key)
    books, count = _Books(), 0
    for count, entry in enumerate(store.scan(kept), start=1):
        why = _wrong(entry, count, previous, books)
        if why is not None:
            raise LedgerError(
                f"Entry {count} of {kept.shown} is wrong: {why}.", code="L110", sequence=count
            )
        previous = entry.hash
        if count in wanted:
            wanted[count] = entry.hash
    if not count:
        raise LedgerError(
            f"Entry 1 of {kept.shown} is wrong: it is missing.", code="L110", sequence=1
        )
    for anchor in anchors:
        _check_anchor(anchor, meta.ledger, count, wanted[anchor.sequence])
    return Verified(meta.ledger, count, previous, len(books.budgets), len(anchors))


def _check_anchor(anchor: Anchor, ledger: str, entries: int, found: str) -> None:
    if anchor.ledger != ledger:
        raise LedgerError("The receipt is of another ledger.", code="L115")
    if anchor.sequence > entries:
        raise LedgerError(
            f"The receipt is of entry {anchor.sequence}, and the ledger ends at entry {entries}: "
            "an older copy was put back, or its end was cut off.",
            code="L115",
            sequence=entries + 1,
        )
    if anchor.head != found:
        raise LedgerError(
            f"Entry {anchor.sequence} is another one than when the receipt was written: the "
            "ledger went on from an older copy, or was written anew.",
            code="L115",
            sequence=anchor.sequence,
        )


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
        return "its time is none"
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
