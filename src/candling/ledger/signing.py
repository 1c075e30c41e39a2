"""Cards that cannot be forged: a ledger signs what it shows, and anybody can check it.

A ledger is made with one secret: the private Ed25519 key (RFC 8032) that signs cards. The ledger
and every card contain the public key, and the first hash of the ledger's chain commits to it.

The signature covers the canonical JSON of the card with its receipt, without the signature itself.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from candling.records import dataclass
from candling.system.canonical_json import canonical_json

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ALGORITHM = "ed25519"
_CARD = b"candling card 1\x00"
_SECRET_BYTES, _KEY_BYTES, _SIGNATURE_BYTES = 32, 32, 64
_FIELDS = {"algorithm", "key", "value"}

# A public key is a point of a curve over the integers modulo P, written as its y and the sign of
# its x. These y belong to the eight points whose order divides 8. With such a point as key, one
# signature holds for many cards: with y = 1 for every card, and anybody can write it.
_P = 2**255 - 19
_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_WEAK = frozenset({0, 1, _P - 1, _ORDER_8, _P - _ORDER_8})


class Flaw(StrEnum):
    """Why a signature does not hold."""

    UNSIGNED = "unsigned"
    OTHER_KEY = "other_key"
    ALTERED = "altered"

    @property
    def words(self) -> str:
        """The flaw as the end of a sentence about the card."""
        return _WORDS[self]


_WORDS = {
    Flaw.UNSIGNED: "it has no signature",
    Flaw.OTHER_KEY: "it is signed with another key",
    Flaw.ALTERED: "its signature does not match",
}


@dataclass(frozen=True, slots=True)
class Secret:
    """What only the ledger knows. Anybody who has it can sign in the ledger's name."""

    text: str = field(repr=False)  # hexadecimal

    @property
    def public_key(self) -> str:
        """The key that anybody may know, as `ed25519:` and base64."""
        return _public_text(self._signing_key())

    def signature(self, card: Mapping[str, Any]) -> dict[str, str]:
        """The field `signature` of a card; the same card always gets the same."""
        key = self._signing_key()
        value = _encode_base64(key.sign(_signed_bytes(card)))
        return {"algorithm": ALGORITHM, "key": _public_text(key), "value": value}

    def _signing_key(self) -> Ed25519PrivateKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(self.text))


def new_secret() -> Secret:
    """A fresh secret, from the randomness of the system."""
    return Secret(secrets.token_hex(_SECRET_BYTES))


def is_secret(text: str) -> bool:
    """Whether a text has the form of a secret."""
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        return False
    return len(raw) == _SECRET_BYTES and raw.hex() == text


def is_public_key(text: str) -> bool:
    """Whether a text is a public key as candling writes it, and only its owner can sign with it."""
    return _key_bytes(text) is not None


def flaw(card: Mapping[str, Any], key: str | None = None) -> Flaw | None:
    """What is wrong with the signature of a card; None if it holds.

    Without a `key`, the key inside the card is used. That only shows that the holder of that key
    signed the card as it is, and anybody can make a key.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    signature = card.get("signature")
    if signature is None:
        return Flaw.UNSIGNED
    if not isinstance(signature, Mapping) or signature.keys() != _FIELDS:
        return Flaw.ALTERED
    if key is not None and signature["key"] != key:
        return Flaw.OTHER_KEY
    raw, value = _key_bytes(signature["key"]), _decode_base64(signature["value"], _SIGNATURE_BYTES)
    if signature["algorithm"] != ALGORITHM or raw is None or value is None:
        return Flaw.ALTERED
    try:
        Ed25519PublicKey.from_public_bytes(raw).verify(value, _signed_bytes(card))
    except (InvalidSignature, ValueError):  # another signature, or bytes that are not a key
        return Flaw.ALTERED
    return None


def _public_text(key: Ed25519PrivateKey) -> str:
    return f"{ALGORITHM}:{_encode_base64(key.public_key().public_bytes_raw())}"


def _signed_bytes(card: Mapping[str, Any]) -> bytes:
    unsigned = {name: part for name, part in card.items() if name != "signature"}
    return _CARD + canonical_json(unsigned).encode("ascii")


def _key_bytes(text: object) -> bytes | None:
    """The bytes of a public key; None for any other text, and for a key of small order."""
    name, _, encoded = text.partition(":") if isinstance(text, str) else ("", "", "")
    raw = _decode_base64(encoded, _KEY_BYTES) if name == ALGORITHM else None
    if raw is None:
        return None
    y = int.from_bytes(raw, "little") % 2**255
    return raw if y < _P and y not in _WEAK else None


def _encode_base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _decode_base64(text: object, length: int) -> bytes | None:
    """The bytes of a base64 text; None for a text that `_encode_base64` would not write.

    The last digit has bits that mean nothing, so other texts would give the same bytes.
    """
    if not isinstance(text, str):
        return None
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if len(raw) == length and _encode_base64(raw) == text else None
