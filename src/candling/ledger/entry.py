"""What a ledger holds: names, claims, and entries that are chained by their hashes.

A second name for the same dataset is a second budget for the same people. So a new name that looks
like an existing one needs a confirmation. Two names look the same if they are equal

- without regard to case, accents, compatibility forms (full width, ligatures) and the kind of
  separator, and with Greek and Cyrillic letters taken for the Latin letters of their shape, or
- the same, with 1, I and | taken for l, 0 for O and "rn" for m.

The letters are a small part of Unicode's list of confusables (UTS 39): those that people who write
Latin, Greek or Cyrillic meet. A name in which they stand inside of a Latin word is refused.

A ledger adds and compares epsilon in whole units of 10**-12, rounded against the spender, so ten
charges of 0.1 fill a budget of 1 exactly.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from candling.errors import LedgerError, UsageError
from candling.model.receipt import UNITS, Receipt
from candling.privacy.budget import LARGEST, SMALLEST, exact_epsilon, exact_fraction
from candling.records import dataclass
from candling.system.canonical_json import canonical_json

# ruff: noqa: RUF001 - letters that look like others are what this is about


LONGEST_NAME = 200

# Letters by the Latin letter whose shape they have.
_SHAPES = {
    "A": "ΑА", "B": "ΒВ", "C": "ϹС", "E": "ΕЕ", "F": "Ϝ", "H": "ΗН", "I": "ΙІӀ", "J": "ͿЈ",
    "K": "ΚК", "M": "ΜМ", "N": "Ν", "O": "ΟО", "P": "ΡР", "Q": "Ԛ", "S": "Ѕ", "T": "ΤТ",
    "V": "Ѵ", "W": "Ԝ", "X": "ΧХ", "Y": "ΥУҮ", "Z": "Ζ",
    "a": "αа", "c": "ϲс", "d": "ԁ", "e": "е", "g": "ɡ", "h": "һ", "i": "ιіı", "j": "ϳј",
    "k": "κк", "l": "ӏ", "m": "м", "n": "ηп", "o": "οо", "p": "ρр", "q": "ԛ", "s": "ѕ",
    "t": "τт", "u": "υ", "v": "νѵ", "w": "ωԝ", "x": "χх", "y": "γуү",
}  # fmt: skip
_LATIN = {ord(letter): latin for latin, letters in _SHAPES.items() for letter in letters}
# Latin letters with a stroke, which have no decomposition.
_LATIN |= {ord(letter): latin for letter, latin in zip("đħłøŧĐĦŁØŦ", "dhlotDHLOT", strict=True)}
_NOT_LATIN = frozenset(
    chr(code) for code in _LATIN if not unicodedata.name(chr(code)).startswith("LATIN")
)
_TALL = str.maketrans("1I|0", "lllO")
_SEPARATORS = re.compile(r"[\s\-_.]+")
# Printable by their category, and yet nothing is to be seen (Default_Ignorable_Code_Point).
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


def checked_name(what: str, name: object) -> str:
    """A name that can be printed, stored and typed again, in its composed form (NFC)."""
    composed = unicodedata.normalize("NFC", name) if isinstance(name, str) else ""
    fits = 0 < len(composed) <= LONGEST_NAME and composed == composed.strip()
    if not (fits and composed.isprintable()) or _INVISIBLE.search(composed):
        raise UsageError(
            f"`{what}` must be a name of 1 to {LONGEST_NAME} visible characters that does not "
            "start or end with a space.",
            code="U209",
        )
    return composed


def checked_new(what: str, name: object) -> str:
    """A name that may be added: no word of it mixes Latin letters with letters that look Latin."""
    composed = checked_name(what, name)
    for word in re.findall(r"[^\W\d_]+", composed):
        odd = sorted(_NOT_LATIN.intersection(word))
        if odd and any("LATIN" in unicodedata.name(letter, "") for letter in word):
            shown = ", ".join(f"U+{ord(o):04X} {unicodedata.name(o).capitalize()}" for o in odd)
            raise UsageError(
                f"`{what}` mixes alphabets within a word: {shown}. It looks like another name in "
                "Latin letters; write it in one alphabet.",
                code="U209",
            )
    return composed


def look_alikes(name: str, others: Iterable[str]) -> list[str]:
    """The names, other than this very one, that people could take for it."""
    skeletons = _skeletons(name)
    return sorted(o for o in others if o != name and not skeletons.isdisjoint(_skeletons(o)))


def _skeletons(name: str) -> set[str]:
    """What is left of a name if one looks without care, in two ways."""
    apart = unicodedata.normalize("NFKD", name)
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    latin = _SEPARATORS.sub("-", bare.translate(_LATIN)).strip("-")
    return {latin.casefold(), latin.translate(_TALL).casefold().replace("rn", "m")}


_ENTRY = b"candling ledger entry 3\x00"
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
    body: str  # JSON, as `compact_json` writes it
    previous: str  # the hash of the entry before
    hash: str

    @property
    def details(self) -> dict[str, Any]:
        """The body as an object; raises LedgerError if it is none, which candling never writes."""
        try:
            details = json.loads(self.body, parse_constant=_refuse)
        except (TypeError, ValueError, RecursionError):
            details = None
        if not isinstance(details, dict):
            raise self._damage_error("its body is not JSON as candling writes it")
        return details

    @property
    def result(self) -> dict[str, Any]:
        """What a `result` stored."""
        result = self.details.get("result")
        if not isinstance(result, dict):
            raise self._damage_error("it holds no result")
        return result

    @property
    def requested(self) -> str:
        """When a `reserve` was asked for. Only this time is shown beside a release.

        The time of the entry may be that of a request which was made while this one opened its
        table, and would tell how long that took.
        """
        requested = self.details.get("requested")
        if not isinstance(requested, str):
            raise self._damage_error("the time of its request is missing")
        return requested

    def _damage_error(self, why: str) -> LedgerError:
        return LedgerError(
            f"Entry {self.seq} of the ledger is damaged: {why}.", code="L110", sequence=self.seq
        )


COLUMNS = tuple(f.name for f in fields(Entry))
_NUMBERS = ("seq", "units", "limit_units", "spent_units")
_OPTIONAL = ("dataset", "people", "request")


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


def seal_entry(**values: Any) -> Entry:
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
    """A result in the ledger, with its receipt and a signature over both."""

    result: Mapping[str, Any]
    receipt: Receipt
    signature: Mapping[str, str]


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
