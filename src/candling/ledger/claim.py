"""What a release asks of a ledger, and what it gets: a claim, a reservation, a stored result."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from candling.errors import UsageError
from candling.ledger.entry import Entry, charge_units, epsilon_text, utc_now
from candling.ledger.names import checked_name
from candling.model.receipt import Receipt

LONGEST_REASON = 2000


@dataclass(frozen=True, slots=True)
class Claim:
    """One request for budget. The same id with the same parameters is the same request."""

    dataset: str
    request_id: str
    units: int
    parameters: Mapping[str, Any]  # everything that shapes the result, as JSON can hold it
    by: str | None = None  # the name that the caller states
    # When it was made, before any table is opened: a later time would show how long that took.
    time: str = field(default_factory=utc_now, compare=False)


@dataclass(frozen=True, slots=True)
class Reservation:
    """Budget that is spent, for a result that is not stored yet."""

    claim: Claim
    charge: Entry

    @property
    def words(self) -> str:
        """What to tell the caller if the result never comes."""
        return (
            f"Epsilon {epsilon_text(self.claim.units)} of {self.claim.dataset!r} stays spent, "
            f"for request {self.claim.request_id}."
        )


@dataclass(frozen=True, slots=True)
class Stored:
    """A result in the ledger, with its receipt and a signature over both.

    `doubts` are reasons to suspect that the dataset now stands for another table.
    """

    result: Mapping[str, Any]
    receipt: Receipt
    signature: Mapping[str, str]
    doubts: tuple[str, ...] = ()


def make_claim(
    dataset: str,
    epsilon: object,
    parameters: Mapping[str, Any],
    *,
    request_id: str | None = None,
    by: str | None = None,
) -> Claim:
    """A claim on the budget of `dataset`; `epsilon` is None for a release that costs nothing.

    Without a `request_id` it gets a fresh one.
    """
    return Claim(
        checked_name("dataset", dataset),
        str(uuid.uuid4()) if request_id is None else checked_name("request_id", request_id),
        0 if epsilon is None else charge_units(epsilon),
        parameters,
        None if by is None else checked_name("by", by),
    )


def checked_reason(reason: object) -> str:
    """A reason that others can read."""
    if not (isinstance(reason, str) and 0 < len(reason.strip()) <= LONGEST_REASON):
        raise UsageError(
            f"The reason must be a text of up to {LONGEST_REASON:,} characters.", code="U209"
        )
    return reason.strip()
