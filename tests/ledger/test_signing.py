"""Keys and signatures: what holds, what does not, and what nobody gets to see."""

from __future__ import annotations

import base64
import string
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from candling.ledger.signing import (
    Flaw,
    Secret,
    flaw,
    is_public_key,
    is_secret,
    new_secret,
)
from candling.system.canonical_json import canonical_json

SECRET = Secret("00" * 31 + "01")
CARD: dict[str, Any] = {"epsilon": 1.0, "rows": {"value": 3}, "about": {"rules": ["A -> B"]}}


def signed(card: dict[str, Any] = CARD, secret: Secret = SECRET) -> dict[str, Any]:
    return card | {"signature": secret.signature(card)}


def test_the_secret_is_a_private_key() -> None:
    """The first example of RFC 8032. A change here would make every ledger unable to sign."""
    secret = Secret("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert secret.public_key == f"ed25519:{base64.b64encode(bytes.fromhex(public)).decode()}"


def test_a_signature_is_plain_ed25519_over_canonical_json() -> None:
    """So that a program of somebody else can check it, from what docs/ledger.md says."""
    signature = signed()["signature"]
    assert list(signature) == ["algorithm", "key", "value"]
    algorithm, _, key = signature["key"].partition(":")
    assert algorithm == signature["algorithm"] == "ed25519"
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key))
    message = b"candling card 1\x00" + canonical_json(CARD).encode()
    public.verify(base64.b64decode(signature["value"]), message)


def test_a_signature_holds() -> None:
    assert flaw(signed()) is None
    assert flaw(signed(), SECRET.public_key) is None
    assert signed() == signed()


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 2.0},
        {"epsilon": 1},
        {"rows": {"value": 3.0}},
        {"about": {"rules": ["B -> A"]}},
        {"about": {"rules": ["A -> B", "A -> B"]}},
        {"more": None},
        {"rows": float("nan")},
    ],
)
def test_a_changed_card(change: dict[str, Any]) -> None:
    assert flaw(signed() | change) is Flaw.ALTERED
    assert flaw(signed() | change, SECRET.public_key) is Flaw.ALTERED


def test_a_card_without_a_signature() -> None:
    assert flaw(CARD) is flaw(CARD | {"signature": None}) is Flaw.UNSIGNED


def test_a_signature_of_another_card() -> None:
    other = signed(CARD | {"epsilon": 2.0})
    assert flaw(CARD | {"signature": other["signature"]}) is Flaw.ALTERED


def test_a_card_that_somebody_else_signed() -> None:
    forged = signed(CARD | {"rows": {"value": 0}}, new_secret())
    assert flaw(forged) is None  # as its own key says
    assert flaw(forged, SECRET.public_key) is Flaw.OTHER_KEY
    pretended = forged["signature"] | {"key": SECRET.public_key}
    assert flaw(forged | {"signature": pretended}, SECRET.public_key) is Flaw.ALTERED


@pytest.mark.parametrize("field", ["algorithm", "key", "value"])
@pytest.mark.parametrize("other", [None, 1, "", "ed25519", [], {}, "none", "\x00", "é"])
def test_a_signature_that_is_none(field: str, other: Any) -> None:
    good = signed()["signature"]
    broken = good | {field: other} if good[field] != other else {}
    assert flaw(CARD | {"signature": broken}) is Flaw.ALTERED


@pytest.mark.parametrize("other", [[], "x", 7, {}, {"key": "x"}, True])
def test_a_signature_of_another_shape(other: Any) -> None:
    assert flaw(CARD | {"signature": other}) is Flaw.ALTERED
    more = signed()["signature"] | {"more": 1}
    assert flaw(CARD | {"signature": more}) is Flaw.ALTERED


@pytest.mark.parametrize("field", ["key", "value"])
def test_every_character_of_a_signature_counts(field: str) -> None:
    """Also the last digit of base64, of which some bits mean nothing."""
    good = signed()["signature"]
    text = good[field]
    for position in range(len(text)):
        for letter in string.printable if position > len(text) - 4 else "Aa0/+=g \n":
            for end in (position, position + 1):
                changed = text[:position] + letter + text[end:]
                if changed != text:
                    assert flaw(CARD | {"signature": good | {field: changed}}) is Flaw.ALTERED
        shorter = text[:position] + text[position + 1 :]
        assert flaw(CARD | {"signature": good | {field: shorter}}) is Flaw.ALTERED


def test_secrets_are_fresh_and_not_shown() -> None:
    one, other = new_secret(), new_secret()
    assert one != other
    assert one.public_key != other.public_key
    assert repr(one) == str(one) == "Secret()"
    assert is_secret(one.text)
    assert not any(map(is_secret, ("", "00", "zz" * 32, one.text.upper() + "a", "0x" + "0" * 62)))


def test_what_is_a_public_key() -> None:
    key = SECRET.public_key
    assert is_public_key(key)
    for text in ("", "ed25519:", key[8:], f" {key}", f"{key}\n", key.upper(), f"rsa:{key[8:]}"):
        assert not is_public_key(text)
