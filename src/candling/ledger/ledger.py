"""The ledger: reserve, then compute, then store with the charge, then show.

Every method that writes is one transaction, flushed to disk before it returns. Nothing stays open
between two calls, so threads can share a Ledger, and it survives a fork.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import Any

from candling._version import __version__
from candling.errors import BudgetError, LedgerError
from candling.ledger import budget_state, store
from candling.ledger.budget_state import People, evidence_in, receipt_of
from candling.ledger.entry import (
    Claim,
    Entry,
    Reservation,
    Stored,
    budget_units,
    checked_name,
    checked_new,
    checked_reason,
    epsilon_text,
    genesis_hash,
    seal_entry,
    utc_now,
)
from candling.ledger.postgres import PostgresStore
from candling.ledger.signing import Secret, new_secret
from candling.ledger.sqlite import SqliteStore
from candling.ledger.verify import Verified, check_evidence, verify
from candling.model.receipt import UNITS, Receipt, epsilon_of, quote_dataset
from candling.privacy.budget import SMALLEST
from candling.records import dataclass
from candling.system import progress
from candling.system.canonical_json import canonical_json, compact_json

Place = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The budgets of people, on which many datasets draw; see `open_ledger`."""

    place: store.Store = field(repr=False)
    meta: store.Meta

    def __str__(self) -> str:
        return f"Ledger {self.meta.ledger}, made {self.meta.created}, key {self.public_key}"

    @property
    def public_key(self) -> str:
        """The key by which anybody can check that a card is from this ledger."""
        return self.meta.public_key

    # Budgets

    def add(
        self,
        dataset: str,
        budget: object = None,
        *,
        people: str | None = None,
        by: str | None = None,
        look_alike: bool = False,
    ) -> Receipt:
        """Add a dataset: its name, and the people whom it is about.

        New people need a `budget`, the most that the releases of all their datasets may cost.
        People that the ledger knows have one already. Without `people`, they are the dataset's
        own, and new, under its name. A new name that looks like another needs `look_alike=True`.
        """
        dataset = checked_new("dataset", dataset)
        people = None if people is None else checked_name("people", people)
        with self._open_writer() as connection:
            known = self._people(connection)
            known.check_unused(dataset, people, look_alike=look_alike)
            people = dataset if people is None else people
            joined = known.budget_to_join(dataset, people, budget, look_alike=look_alike)
            entry = self._append(
                connection,
                time=utc_now(),
                kind="add",
                dataset=dataset,
                people=people,
                units=joined.limit_units if joined.opened else 0,
                limit_units=joined.limit_units,
                spent_units=joined.spent_units,
                body={"by": _checked_by(by)},
            )
        return receipt_of(self.meta.ledger, entry)

    def raise_limit(
        self,
        budget: object,
        reason: str,
        *,
        people: str | None = None,
        dataset: str | None = None,
        by: str | None = None,
    ) -> Receipt:
        """Set the budget of people to a larger one, for a reason that everybody can read.

        Name the `people`, or a `dataset` of theirs.
        """
        units, reason = budget_units(budget), checked_reason(reason)
        dataset = None if dataset is None else checked_name("dataset", dataset)
        people = None if people is None else checked_name("people", people)
        with self._open_writer() as connection:
            known = self._people(connection)
            people = known.resolve_people(dataset, people)
            newest = known.newest_entry(people)
            if units <= newest.limit_units:
                raise LedgerError(
                    f"The budget of {quote_dataset(dataset, people)} is "
                    f"{epsilon_text(newest.limit_units)}; it can only be raised, not set to "
                    f"{epsilon_text(units)}.",
                    code="L107",
                )
            entry = self._append(
                connection,
                time=utc_now(),
                kind="raise",
                dataset=None,
                people=people,
                units=units - newest.limit_units,
                limit_units=units,
                spent_units=newest.spent_units,
                body={"by": _checked_by(by), "reason": reason},
            )
        return receipt_of(self.meta.ledger, entry)

    def move(
        self,
        dataset: str,
        people: str,
        reason: str,
        *,
        budget: object = None,
        by: str | None = None,
        look_alike: bool = False,
    ) -> Receipt:
        """Say that a dataset is about other people, for a reason that everybody can read.

        What was spent on it stays spent by the people whose it was, and the new ones carry it,
        too: a move gives nothing back. Raises BudgetError if their budget does not allow that.
        New people need a `budget`.
        """
        dataset, people = checked_name("dataset", dataset), checked_name("people", people)
        reason = checked_reason(reason)
        with self._open_writer() as connection:
            known = self._people(connection)
            before = known.of_dataset(dataset)
            if before == people:
                raise LedgerError(
                    f"{dataset!r} is already about the people {people!r}.", code="L106"
                )
            joined = known.budget_to_join(dataset, people, budget, look_alike=look_alike)
            units = known.units_to_carry(dataset, people, joined)
            entry = self._append(
                connection,
                time=utc_now(),
                kind="move",
                dataset=dataset,
                people=people,
                units=units,
                limit_units=joined.limit_units,
                spent_units=joined.spent_units + units,
                body={"by": _checked_by(by), "from": before, "reason": reason},
            )
        return receipt_of(self.meta.ledger, entry)

    # Charges

    def find(self, claim: Claim) -> Stored | None:
        """The stored result of a claim, or None for a new one that the budget allows right now.

        Writes nothing; raises where `reserve` would.
        """
        with self.place.open_reader() as connection:
            self._check_same(connection)
            stored = self._earlier_result(connection, claim)
            if stored is None:
                self._check_affordable(connection, claim)
            return stored

    def reserve(self, claim: Claim) -> Reservation | Stored:
        """Spend the budget that a claim asks for, durably, before any row is read.

        A claim that was made before gets its stored result, at no cost. Raises BudgetError if too
        little is left, LedgerError if the request id belongs to another request or has no result.
        """
        with self._open_writer() as connection:
            stored = self._earlier_result(connection, claim)
            if stored is not None:
                return stored
            people, newest = self._check_affordable(connection, claim)
            self._secret(connection)  # nothing is charged that could not be signed later
            entry = self._append(
                connection,
                time=claim.time,
                kind="reserve",
                dataset=claim.dataset,
                people=people,
                request=claim.request_id,
                units=claim.units,
                limit_units=newest.limit_units,
                spent_units=newest.spent_units + claim.units,
                body={
                    "by": claim.by,
                    "candling": __version__,
                    "parameters": dict(claim.parameters),
                    "requested": claim.time,
                },
            )
            progress.mark_step("reserving")
        return Reservation(claim, entry)

    def store_result(self, reservation: Reservation, result: Mapping[str, Any]) -> Stored:
        """Store a result with its charge, durably. Only what this returns may be shown."""
        charge = reservation.charge
        with self._open_writer() as connection:
            secret = self._secret(connection)
            if store.of_request(connection, reservation.claim.request_id, "reserve") != charge:
                raise LedgerError(
                    f"{self.place.shown} no longer has the charge for request "
                    f"{reservation.claim.request_id}: the ledger was replaced by another copy. "
                    "The result is not shown.",
                    code="L115",
                    sequence=charge.seq,
                )
            # Those who paid, also if the dataset was moved meanwhile.
            newest = self._people(connection).newest_entry(str(charge.people))
            entry = self._append(
                connection,
                time=charge.time,
                kind="result",
                dataset=charge.dataset,
                people=charge.people,
                request=charge.request,
                limit_units=newest.limit_units,
                spent_units=newest.spent_units,
                body={"reserve": charge.seq, "result": dict(result)},
            )
            stored = self._sign(secret, entry, charge)
            progress.mark_step("storing")
        return stored

    # Reading

    def show(self) -> budget_state.LedgerState:
        """Every budget, and the charges that have no result."""
        with self.place.open_reader() as connection:
            self._check_same(connection)
            head = store.head(connection)
            trial = store.is_trial(connection)
            results = store.results_of_each(connection)
            charged = store.charged_to_each(connection)
            waiting = store.without_result(connection)
            entries = store.budgets(connection)
            joinings = store.joinings(connection)
        budgets = {
            str(entry.people): budget_state.BudgetState(
                str(entry.people), entry.limit_units, entry.spent_units
            )
            for entry in entries
        }
        for entry in joinings:
            if entry.people not in budgets:  # by a damaged index
                raise LedgerError(
                    f"{self.place.shown} is damaged: the people of entry {entry.seq} have no "
                    "budget. Run `candling ledger verify`.",
                    code="L110",
                    sequence=entry.seq,
                )
        datasets = (
            budget_state.DatasetState(
                str(entry.dataset),
                budgets[str(entry.people)],
                charged.get(str(entry.dataset), 0),
                results.get(str(entry.dataset), 0),
                tuple(
                    budget_state.OpenCharge(str(w.request), w.units, w.time, w.details.get("by"))
                    for w in waiting
                    if w.dataset == entry.dataset
                ),
            )
            for entry in joinings
        )
        return budget_state.LedgerState(
            self.meta.ledger,
            self.place.shown,
            self.meta.created,
            head.seq,
            head.hash,
            tuple(budgets[people] for people in sorted(budgets)),
            tuple(sorted(datasets, key=lambda dataset: dataset.name)),
            trial,
        )

    def verify(self, *receipts: Receipt | Mapping[str, Any]) -> Verified:
        """Check every entry, and that the ledger still has the entries that the receipts name.

        A card with a receipt must match the stored card in every field, and its signature must
        hold. Raises LedgerError with the `sequence` of the first entry that is wrong.
        """
        return verify(self.place, tuple(map(evidence_in, receipts)))

    def check(self, card: Mapping[str, Any]) -> None:
        """Raise LedgerError unless this ledger stored the card as it is, and signed it.

        Reads the entries of that card only; `verify` reads all entries.
        """
        evidence = evidence_in(card)
        with self.place.open_reader() as connection:
            self._check_same(connection)
            entries = store.head(connection).seq
            exists = 0 < evidence.sequence <= entries
            entry = store.find_by_number(connection, evidence.sequence) if exists else None
            request = None if entry is None else entry.request
            charge = None if request is None else store.of_request(connection, request, "reserve")
        check_evidence(evidence, self.meta, entries, entry, charge)

    def sign(self, card: Mapping[str, Any], gates: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """The signature of a signed card of this ledger with the verdicts of gates.

        Verdicts are not stored: they follow from the card, and may be asked for later.
        """
        self.check(card)
        unsigned = {name: part for name, part in card.items() if name != "signature"}
        with self.place.open_reader() as connection:
            return self._secret(connection).signature(unsigned | {"gates": list(gates)})

    def export(self) -> Iterator[dict[str, Any]]:
        """Every entry as plain values."""
        with self.place.open_reader() as connection:
            self._check_same(connection)
        for entry in map(store.check_hash, store.scan(self.place)):
            yield {
                "sequence": entry.seq,
                "time": entry.time,
                "kind": entry.kind,
                "dataset": entry.dataset,
                "people": entry.people,
                "request_id": entry.request,
                "epsilon": float(epsilon_of(entry.units)),
                "limit": float(epsilon_of(entry.limit_units)),
                "spent": float(epsilon_of(entry.spent_units)),
                **entry.details,
                "previous": entry.previous,
                "hash": entry.hash,
            }

    # Inside a transaction

    @contextmanager
    def _open_writer(self) -> Iterator[store.Connection]:
        with self.place.open_writer() as connection:
            self._check_same(connection)
            if why := self.place.find_alterations(connection):
                raise LedgerError(
                    f"{self.place.shown}: {why}. candling makes no charge on such a ledger.",
                    code="L110",
                )
            yield connection

    def _check_same(self, connection: store.Connection) -> None:
        """Refuse a ledger that was replaced since it was opened."""
        if store.read_meta(connection, self.place.shown) != self.meta:
            raise LedgerError(
                f"{self.place.shown} was replaced by another ledger since it was opened.",
                code="L115",
            )

    def _people(self, connection: store.Connection) -> People:
        return People(connection, self.place.shown)

    def _secret(self, connection: store.Connection) -> Secret:
        return store.read_secret(connection, self.meta, self.place.shown)

    def _sign(
        self, secret: Secret, entry: Entry, charge: Entry, *, repeated: bool = False
    ) -> Stored:
        """The result in an entry with its receipt, signed."""
        result = entry.result
        receipt = receipt_of(self.meta.ledger, entry, charge=charge, repeated=repeated)
        signature = secret.signature(result | {"receipt": receipt.to_dict()})
        return Stored(result, receipt, signature)

    def _append(
        self, connection: store.Connection, *, time: str, body: Mapping[str, Any], **values: Any
    ) -> Entry:
        newest = store.head(connection)
        if values["kind"] != "result":  # a clock that was set back, or a request that waited
            time = max(time, store.find_newest_dated(connection).time)
        columns = {"request": None, "units": 0} | values
        entry = seal_entry(
            seq=newest.seq + 1,
            time=time,
            body=compact_json(body),
            previous=newest.hash,
            **columns,
        )
        store.append(connection, entry)
        return entry

    def _check_affordable(self, connection: store.Connection, claim: Claim) -> tuple[str, Entry]:
        """The people who pay, and their newest entry."""
        known = self._people(connection)
        people = known.of_dataset(claim.dataset)
        newest = known.newest_entry(people)
        remaining = newest.limit_units - newest.spent_units
        if claim.units > remaining:
            raise BudgetError(
                f"The budget of {quote_dataset(claim.dataset, people)} does not allow this "
                "release.\n"
                f"  requested  {epsilon_text(claim.units)}\n"
                f"  remaining  {epsilon_text(remaining)} of {epsilon_text(newest.limit_units)}\n"
                f"  difference {epsilon_text(claim.units - remaining)}\n"
                f"No row was read and nothing charged. {_way_out(remaining)}",
                code="L201",
                dataset=claim.dataset,
                people=people,
                requested=epsilon_of(claim.units),
                remaining=epsilon_of(remaining),
            )
        return people, newest

    def _earlier_result(self, connection: store.Connection, claim: Claim) -> Stored | None:
        """The result of an earlier claim with this request id; None if the id is new."""
        charge = store.of_request(connection, claim.request_id, "reserve")
        if charge is None:
            return None
        same = (charge.dataset, charge.units) == (claim.dataset, claim.units)
        parameters = canonical_json(dict(claim.parameters))
        if not same or canonical_json(charge.details.get("parameters")) != parameters:
            raise LedgerError(
                f"The request id {claim.request_id!r} was used for another request; a new request "
                "needs a new id.",
                code="L111",
            )
        entry = store.of_request(connection, claim.request_id, "result")
        if entry is None:
            raise LedgerError(
                f"Request {claim.request_id!r}, made at {charge.requested}, was charged and has no "
                "result: it is still running, or it failed. Its charge of "
                f"{epsilon_text(charge.units)} stays spent; use a new request id.",
                code="L112",
            )
        return self._sign(self._secret(connection), entry, charge, repeated=True)


def _way_out(remaining: int) -> str:
    """What to do about a release that the budget does not allow; `remaining` is in units."""
    owner = "ask the owner to raise the budget with `candling ledger raise`."
    if remaining < SMALLEST * UNITS:
        return f"Nothing is left to spend: {owner}"
    return f"Request an epsilon of at most {epsilon_text(remaining)}, or {owner}"


def create_ledger(place: Place, *, trial: bool = False) -> Ledger:
    """A new, empty ledger: a file at a path, or tables in a database (`postgresql://...`).

    An existing ledger is never overwritten. A `trial` ledger may be in memory (tmpfs), which
    forgets all charges when the machine restarts; it says for ever that it is for trials.
    """
    storage = _store(place)
    if not trial:
        _check_memory(storage)
    secret = new_secret()
    meta = store.Meta(store.FORMAT, str(uuid.uuid4()), utc_now(), secret.public_key)
    first = seal_entry(
        seq=1,
        time=meta.created,
        kind="init",
        dataset=None,
        people=None,
        request=None,
        units=0,
        limit_units=0,
        spent_units=0,
        body=compact_json({"candling": __version__} | ({"trial": True} if trial else {})),
        previous=genesis_hash(meta.format, meta.ledger, meta.created, meta.public_key),
    )
    with storage.open_new() as connection:
        store.create(connection, meta, secret, first)
    return Ledger(storage, meta)


def open_ledger(place: Place) -> Ledger:
    """The ledger at a path or in a database. A ledger that is missing is an error."""
    storage = _store(place)
    storage.check_fit()
    with storage.open_reader() as connection:
        meta = store.read_meta(connection, storage.shown)
        trial = store.is_trial(connection)
    if not trial:
        _check_memory(storage)
    return Ledger(storage, meta)


def _check_memory(storage: store.Store) -> None:
    kind = storage.memory()
    if kind is not None:
        raise LedgerError(
            f"{storage.shown} is in memory ({kind}), which forgets all charges when the machine "
            "restarts. Use a path on a disk. For a trial, make one with `candling ledger init "
            "--trial`.",
            code="L104",
        )


def _store(place: Place) -> store.Store:
    if isinstance(place, str) and place.startswith(("postgresql://", "postgres://")):
        return PostgresStore(place)
    return SqliteStore(Path(place))


def _checked_by(by: str | None) -> str | None:
    return None if by is None else checked_name("by", by)
