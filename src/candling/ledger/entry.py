"""One entry of a ledger, the hash that ties it to all entries before it, and its units of epsilon.

A ledger adds and compares epsilon in whole units of 10**-12, rounded against the spender, so ten
charges of 0.1 fill a budget of 1 exactly.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from candling.canonical_json import canonical_json
from candling.errors import LedgerError
from candling.model.receipt import UNITS
from candling.privacy.budget import LARGEST, SMALLEST, exact_epsilon, exact_fraction

_ENTRY = b"candling ledger entry 2\x00"
_GENESIS = b"candling ledger genesis 2\x00"
_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"
_TIME_FORM = re.compile(r"[0-9]{4}(-[0-9]{2}){2}T([0-9]{2}:){2}[0-9]{2}\.[0-9]{6}Z")
_HASH_FORM = re.compile(r"[0-9a-f]{64}")


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN and infinities are not JSON


def charge_units(epsilon: object) -> int:
    """What a release costs, rounded up: 1/3 is 333333333334.

    Raises UsageError unless epsilon is a number between 1e-6 and 100.
    """
    return math.ceil(exact_epsilon(epsilon) * UNITS)


def budget_units(budget: object) -> int:
    """The budget of people, rounded down; a number between 1e-6 and 100, as for a release."""
    number = exact_fraction(budget)
    if number is None or not SMALLEST <= number <= LARGEST:
        raise LedgerError(
            f"A budget must be a number between {float(SMALLEST):f} and {float(LARGEST):g}.",
            code="L107",
        )
    return math.floor(number * UNITS)


def epsilon_text(units: int) -> str:
    """The epsilon of a number of units, as a decimal with every digit and no more."""
    return f"{Decimal(units).scaleb(-12).normalize():f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What happened, and the budget of the people afterwards. Fields are columns."""

    seq: int  # 1, 2, 3, ... without a gap
    # UTC. Of `reserve`, the time of the request or, if later, that of the entry before: but for
    # results, times never decrease. Of `result`, that of its `reserve`.
    time: str
    kind: str  # init, add, raise, move, reserve or result
    dataset: str | None  # None for `init` and `raise`
    people: str | None  # whose budget it is: after a `move`, the new ones; None for `init` only
    request: str | None  # the request id of `reserve` and `result`
    units: int  # added to the limit (`add`, `raise`) or to what is spent (`reserve`, `move`)
    limit_units: int  # of the people, after this entry
    spent_units: int
    fingerprint: str | None  # of the table behind a `result`, made with the ledger's key
    body: str  # JSON, as `compact_json` writes it
    previous: str  # the hash of the entry before
    hash: str

    def __repr__(self) -> str:
        # Without the fingerprint.
        return f"Entry({self.seq}, {self.kind}, {self.dataset!r}, {self.people!r})"

    @property
    def details(self) -> dict[str, Any]:
        """The body as an object; raises LedgerError if it is none, which candling never writes."""
        try:
            details = json.loads(self.body, parse_constant=_refuse)
        except (TypeError, ValueError, RecursionError):
            details = None
        if not isinstance(details, dict):
            raise self._damaged("its body is not JSON as candling writes it")
        return details

    @property
    def result(self) -> dict[str, Any]:
        """What a `result` stored."""
        result = self.details.get("result")
        if not isinstance(result, dict):
            raise self._damaged("it holds no result")
        return result

    @property
    def requested(self) -> str:
        """When a `reserve` was asked for. Only this time is shown beside a release.

        The time of the entry may be that of a request which was made while this one opened its
        table, and would tell how long that took.
        """
        requested = self.details.get("requested")
        if not isinstance(requested, str):
            raise self._damaged("the time of its request is missing")
        return requested

    def _damaged(self, why: str) -> LedgerError:
        return LedgerError(
            f"Entry {self.seq} of the ledger is damaged: {why}.", code="L110", sequence=self.seq
        )


COLUMNS = tuple(f.name for f in fields(Entry))
_NUMBERS = ("seq", "units", "limit_units", "spent_units")
_OPTIONAL = ("dataset", "people", "request", "fingerprint")


def is_typed(entry: Entry) -> bool:
    """Whether every column holds a value of its type."""
    for name in COLUMNS:
        value = getattr(entry, name)
        if name in _NUMBERS:
            if type(value) is not int:
                return False
        elif not isinstance(value, str) and not (value is None and name in _OPTIONAL):
            return False
    return True


def entry_hash(values: Mapping[str, object]) -> str:
    """The hash over every column but the hash itself, the previous hash included."""
    text = canonical_json([values[name] for name in COLUMNS if name != "hash"])
    return hashlib.sha256(_ENTRY + text.encode("ascii")).hexdigest()


def sealed(**values: Any) -> Entry:
    """An entry with its hash."""
    return Entry(**values, hash=entry_hash(values))


def is_sealed(entry: Entry) -> bool:
    """Whether the hash is that of the other columns."""
    return entry.hash == entry_hash({name: getattr(entry, name) for name in COLUMNS})


def genesis_hash(version: int, ledger: str, created: str, public_key: str) -> str:
    """The previous hash of the first entry: it commits to everything a ledger is made with.

    The public key commits to the secret, so the chain can be shown without the secret.
    """
    text = canonical_json([version, ledger, created, public_key])
    return hashlib.sha256(_GENESIS + text.encode("ascii")).hexdigest()


def utc_now() -> str:
    """The time, in UTC, always of the same length."""
    return datetime.now(UTC).strftime(_TIME)


def is_time(text: str) -> bool:
    """Whether `utc_now` could have written a text."""
    if _TIME_FORM.fullmatch(text) is None:
        return False
    try:
        datetime.strptime(text, _TIME).replace(tzinfo=UTC)
    except ValueError:  # the 31st of February
        return False
    return True


def is_hash(text: str) -> bool:
    """Whether a text has the form of an entry's hash."""
    return _HASH_FORM.fullmatch(text) is not None
