"""What a release asks of a ledger: checked, exact, and without any data."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from candling.errors import UsageError
from candling.ledger.entry import utc_now
from candling.ledger.units import charge_units

LONGEST_NAME, LONGEST_REASON = 200, 2000


@dataclass(frozen=True, slots=True)
class Claim:
    """One request for budget. The same id with the same parameters is the same request."""

    dataset: str
    request_id: str
    units: int
    parameters: Mapping[str, Any]  # everything that shapes the result, as JSON can hold it
    by: str | None = None  # who asks, as they say
    # When it was made, before any table is opened: every later time would tell how long that took.
    time: str = field(default_factory=utc_now, compare=False)


def make_claim(
    dataset: str,
    epsilon: object,
    parameters: Mapping[str, Any],
    *,
    request_id: str | None = None,
    by: str | None = None,
) -> Claim:
    """A claim on the budget of `dataset`; `epsilon` is None for what costs nothing at all.

    Without a `request_id` a fresh one is made.
    """
    return Claim(
        checked_name("dataset", dataset),
        str(uuid.uuid4()) if request_id is None else checked_name("request_id", request_id),
        0 if epsilon is None else charge_units(epsilon),
        parameters,
        None if by is None else checked_name("by", by),
    )


def checked_name(what: str, name: object) -> str:
    """A name that can be printed, stored and typed again."""
    fits = isinstance(name, str) and 0 < len(name) <= LONGEST_NAME
    if not (fits and isinstance(name, str) and name.isprintable() and name == name.strip()):
        raise UsageError(
            f"`{what}` must be a name of 1 to {LONGEST_NAME} printable characters that does not "
            "start or end with a space.",
            code="U209",
        )
    return name


def checked_reason(reason: object) -> str:
    """A reason for others to read."""
    if not (isinstance(reason, str) and 0 < len(reason.strip()) <= LONGEST_REASON):
        raise UsageError(
            f"A raised limit needs a reason, in up to {LONGEST_REASON:,} characters.", code="U209"
        )
    return reason.strip()
