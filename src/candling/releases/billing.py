"""A release that is charged: reserve, compute, store, and only then show.

The order is what makes it safe, whatever happens in between (docs/ledger.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from candling.card import Card
from candling.errors import LedgerError, UsageError
from candling.gates import judge
from candling.ledger import Claim, Ledger, Stored, make_claim, open_ledger
from candling.ledger.ledger import Place
from candling.model.gate import Gate
from candling.records import dataclass
from candling.releases import Request
from candling.system import progress
from candling.system.progress import Phase, enter


@dataclass(frozen=True, slots=True)
class Account:
    """Who pays for one release, with which claim, and the gates that its card is judged by."""

    ledger: Ledger
    claim: Claim
    gates: tuple[Gate, ...] = ()

    def find(self) -> Card | None:
        """The card, if this very request was made before: no table has to be read for it.

        Raises if the budget, as it is now, would not allow a new one.
        """
        stored = self.ledger.find(self.claim)
        if stored is not None:
            return self._finish(Card.from_dict(stored.result), stored)
        progress.mark_step("found")
        return None

    def charge(self, make: Callable[[], Card]) -> Card:
        """The card that `make` gives, once it is paid for and stored.

        Whatever fails after the charge leaves it spent, and the error says so in a note.
        """
        reservation = self.ledger.reserve(self.claim)
        if isinstance(reservation, Stored):  # another process was faster with the same request
            return self._finish(Card.from_dict(reservation.result), reservation)
        progress.mark_step("reserved")
        try:
            card = make()
            progress.mark_step("computed")
            enter(Phase.STORING)
            result = self.ledger.store_result(reservation, card.to_dict())
        except BaseException as error:
            error.add_note(reservation.words)
            raise
        progress.mark_step("stored")
        return self._finish(card, result)

    def _finish(self, card: Card, stored: Stored) -> Card:
        """The stored card with its receipt and the verdicts of the gates, under one signature."""
        card = replace(card, receipt=stored.receipt, signature=stored.signature)
        if self.gates:
            judged = judge_gates(card, self.gates)
            try:
                verdicts = [verdict.to_dict() for verdict in judged.gates]
                card = replace(judged, signature=self.ledger.sign(card.to_dict(), verdicts))
            except (OSError, LedgerError) as error:
                error.add_note(
                    "The release is charged and stored; "
                    f"--request-id {stored.receipt.request_id} shows it again, for free."
                )
                raise
        return card


def judge_gates(card: Card, gates: tuple[Gate, ...]) -> Card:
    """The card with the verdict of each gate."""
    return replace(card, gates=tuple(judge(gate, card) for gate in gates))


def open_account(
    ledger: Ledger | Place | None,
    dataset: str | None,
    request: Request,
    *,
    request_id: str | None = None,
    by: str | None = None,
    gates: tuple[Gate, ...] = (),
) -> Account | None:
    """The account that pays for a request; None if no ledger was named."""
    if ledger is None:
        if dataset is not None or request_id is not None or by is not None:
            raise UsageError(
                "`dataset`, `request_id` and `by` need a ledger, but none was given. Add `ledger` "
                "(--ledger), or leave them out.",
                code="U208",
            )
        return None
    if dataset is None:
        raise UsageError(
            "A ledger has many budgets. Name the `dataset` (--dataset) that pays for this release.",
            code="U208",
        )
    epsilon = request.epsilon or None  # None: everything in it is public
    claim = make_claim(dataset, epsilon, request.parameters(), request_id=request_id, by=by)
    return Account(ledger if isinstance(ledger, Ledger) else open_ledger(ledger), claim, gates)
