"""One entry of a ledger, and the hash that ties it to all entries before it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from candling.ledger.canonical import canonical

_ENTRY = b"candling ledger entry 1\x00"
_GENESIS = b"candling ledger genesis 2\x00"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")

KINDS = ("init", "add", "raise", "reserve", "result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What happened, and what the dataset's budget was afterwards. Fields are columns."""

    seq: int  # 1, 2, 3, ... without a gap
    time: str  # UTC; of `reserve` and `result` when the release was asked for, and none later
    kind: str
    dataset: str | None  # None for `init` only
    request: str | None  # the request id of `reserve` and `result`
    units: int  # added to the limit (`add`, `raise`) or spent (`reserve`)
    limit_units: int  # of the dataset, after this entry
    spent_units: int
    fingerprint: str | None  # keyed, of the table behind a `result`
    body: str  # JSON, as `canonical.written` writes it
    previous: str  # the hash of the entry before
    hash: str

    def __repr__(self) -> str:
        return f"Entry({self.seq}, {self.kind}, {self.dataset!r})"  # no fingerprint in a repr

    @property
    def details(self) -> dict[str, Any]:
        """The body as an object."""
        return dict(json.loads(self.body))


COLUMNS = tuple(f.name for f in fields(Entry))


def entry_hash(values: Mapping[str, object]) -> str:
    """The hash over every column but the hash itself, the previous hash included."""
    text = canonical([values[name] for name in COLUMNS if name != "hash"])
    return hashlib.sha256(_ENTRY + text.encode("ascii")).hexdigest()


def sealed(**values: Any) -> Entry:
    """An entry with its hash."""
    return Entry(**values, hash=entry_hash(values))


def is_sealed(entry: Entry) -> bool:
    """Whether the hash is that of the other columns."""
    return entry.hash == entry_hash({name: getattr(entry, name) for name in COLUMNS})


def genesis_hash(version: int, ledger: str, created: str, public_key: str) -> str:
    """What the first entry has for a previous hash: it commits to all that a ledger is made with.

    The public key commits to the secret, so the chain may be shown and the secret not.
    """
    text = canonical([version, ledger, created, public_key])
    return hashlib.sha256(_GENESIS + text.encode("ascii")).hexdigest()


def utc_now() -> str:
    """The time, in UTC, always of the same length."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def is_time(text: str) -> bool:
    """Whether a text was written by `utc_now`."""
    return _TIME.fullmatch(text) is not None
