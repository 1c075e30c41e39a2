"""Whether a card, as JSON or as a page, is as its ledger gave it out.

The signature covers every character of a card's JSON but spaces. A page carries its card, and is
made again from it: what is not byte for byte the same was changed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import Any

from candling._version import __version__
from candling.card import Card
from candling.errors import LedgerError, UsageError
from candling.escaping import quote_path
from candling.ledger import Ledger
from candling.ledger.signing import Flaw, flaw, is_public_key
from candling.records import dataclass
from candling.render.html import embedded, made_by, render_page
from candling.render.views import view_card
from candling.system.canonical_json import RewrittenError, parse_canonical
from candling.system.files import UnreadableError, decode_utf8, read_bytes, read_text

_LONGEST_KEY_FILE = 1000  # bytes


class Finding(StrEnum):
    """What the check of a file found."""

    GENUINE = "genuine"  # as the holder of the key, or the ledger, gave it out
    INTACT = "intact"  # as the holder of some key gave it out
    UNSIGNED = "unsigned"
    OTHER_KEY = "other_key"
    ALTERED = "altered"
    NOT_STORED = "not_stored"  # signed by the ledger's key, and not what the ledger has
    OTHER_VERSION = "other_version"  # the card in a page is intact, the page cannot be checked


_SIGNED = (Finding.GENUINE, Finding.INTACT)


@dataclass(frozen=True, slots=True)
class Verification:
    """The finding about a file, and why."""

    finding: Finding
    message: str
    key: str | None = None  # by which it is signed, or says so
    card: Card | None = field(default=None, repr=False)  # if its signature holds

    @property
    def good(self) -> bool:
        """Whether nothing speaks against the file."""
        return self.finding in _SIGNED

    def to_dict(self) -> dict[str, Any]:
        """The answer as `candling verify --json` prints it."""
        return {
            "good": self.good,
            "finding": str(self.finding),
            "message": self.message,
            "key": self.key,
        }


def verify_file(
    path: str | os.PathLike[str], *, key: str | None = None, ledger: Ledger | None = None
) -> Verification:
    """Whether the card in a file is genuine.

    With `key`, it must be signed by that public key; with `ledger`, by the ledger's, and be what
    the ledger stored. Raises UsageError if the file holds no card.
    """
    file = _bytes(path)
    text = _text(file, path)
    page = text if text.lstrip().startswith("<") else None
    card_text = text if page is None else _card_text(page, path)
    if card_text is None:
        return Verification(
            Finding.UNSIGNED,
            "The page has no signed card: it was made without a ledger, or the card was removed.",
        )
    try:
        content = parse_canonical(card_text)
    except RewrittenError as error:
        return Verification(Finding.ALTERED, f"It is not as candling wrote it: {error}.")
    except (ValueError, RecursionError):
        if page is None:
            raise _no_card(path) from None
        return Verification(Finding.ALTERED, "The card in the page is not valid JSON.")
    if not isinstance(content, dict) or "schema" not in content:
        raise _no_card(path)
    verification = _verify_card(content, key, ledger)
    if verification.finding not in _SIGNED:
        return verification
    try:
        card = Card.from_dict(content)
    except UsageError:  # somebody signed something else
        raise _no_card(path) from None
    verification = replace(verification, card=card)
    return verification if page is None else _verify_page(page, file, card, verification)


def public_key(text: str) -> str:
    """The public key that a text is, or that stands in the file that it names."""
    if is_public_key(text):
        return text
    try:
        content = read_text(text, most=_LONGEST_KEY_FILE).strip()
    except UnreadableError:
        content = ""
    if not is_public_key(content):
        raise UsageError(
            f"{text!r} is neither a public key (ed25519:...) nor a file with one. The owner of the "
            "ledger prints it with `candling ledger key`.",
            code="U306",
        )
    return content


def _verify_card(
    content: Mapping[str, Any], key: str | None, ledger: Ledger | None
) -> Verification:
    """Whether the JSON of a card is signed: as it is in the file, before anything else reads it."""
    signature = content.get("signature")
    named = signature.get("key") if isinstance(signature, Mapping) else None
    signer = named if isinstance(named, str) and is_public_key(named) else None
    trusted = key if ledger is None else ledger.public_key
    wrong = flaw(content, trusted)
    if wrong is not None:
        other = signer if wrong is Flaw.OTHER_KEY else None
        return Verification(Finding(wrong.value), _explain_flaw(wrong), other)
    if ledger is not None:
        try:
            ledger.check(content)
        except LedgerError as error:
            if error.code not in ("L115", "L116", "L117"):
                raise
            return Verification(Finding.NOT_STORED, str(error), signer)
        stored = f"It is what {ledger.place.shown} stored, and signed by its key."
        return Verification(Finding.GENUINE, stored, signer)
    if key is not None:
        return Verification(
            Finding.GENUINE, "Unchanged since the holder of the key signed it.", signer
        )
    return Verification(
        Finding.INTACT,
        "Unchanged since the holder of the key below signed it. The file cannot prove whose key "
        "that is, because anyone can make a key. Compare it with the key that the owner of the "
        "ledger gave you, or pass that one with --key.",
        signer,
    )


def _explain_flaw(wrong: Flaw) -> str:
    if wrong is Flaw.OTHER_KEY:
        return (
            "The card is signed with a different key than the one you trust: it comes from another "
            "ledger, or someone forged it and signed it with another key."
        )
    if wrong is Flaw.UNSIGNED:
        return "The card is not signed. Only cards that were charged to a ledger are."
    return "The signature does not match: the card was changed after it was signed."


def _verify_page(page: str, file: bytes, card: Card, verification: Verification) -> Verification:
    """The verification of the card, if the page around it is the one that the card gives."""
    if render_page(view_card(card)).encode() == file:
        return verification
    version = made_by(page)
    again = "`candling verify PAGE --report NEW` writes the page of that card."
    if version not in (None, __version__):
        return Verification(
            Finding.OTHER_VERSION,
            "The card in the page is intact. The rest of the page was made by "
            f"candling {version}, so candling {__version__} cannot check it. {again}",
            verification.key,
            card,
        )
    return Verification(
        Finding.ALTERED,
        "The card in the page is intact, but the page around it was changed: it is not the page "
        f"that this card gives. {again}",
        verification.key,
        card,
    )


def _bytes(path: str | os.PathLike[str]) -> bytes:
    try:
        return read_bytes(path)
    except UnreadableError as error:
        raise UsageError(f"{quote_path(path)} cannot be read: {error}.", code="U106") from None


def _text(file: bytes, path: str | os.PathLike[str]) -> str:
    try:
        return decode_utf8(file)
    except UnreadableError:
        raise _no_card(path) from None


def _card_text(page: str, path: str | os.PathLike[str]) -> str | None:
    """The JSON inside of a page; None if the page is ours and has none."""
    text = embedded(page)
    if text is None and made_by(page) is None:
        raise _no_card(path)
    return text


def _no_card(path: str | os.PathLike[str]) -> UsageError:
    return UsageError(
        f"{quote_path(path)} is not a card: neither the JSON of a release nor its page.",
        code="U106",
    )
