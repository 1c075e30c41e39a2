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


# Keys with which anybody can sign: points of the curve -x^2 + y^2 = 1 + D x^2 y^2 modulo P

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
PRIME_ORDER = 2**252 + 27742317777372353535851937790883648493
Point = tuple[int, int]
IDENTITY: Point = (0, 1)


def add(one: Point, other: Point) -> Point:
    (x1, y1), (x2, y2) = one, other
    product = D * x1 * x2 * y1 * y2
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P)
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, P)
    return x % P, y % P


def times(factor: int, point: Point) -> Point:
    total = IDENTITY
    while factor:
        total = add(total, point) if factor % 2 else total
        point, factor = add(point, point), factor // 2
    return total


def point_with(y: int) -> Point | None:
    """A point of the curve with this y."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    root = pow(square, (P + 3) // 8, P)
    root = root if root * root % P == square else root * pow(2, (P - 1) // 4, P) % P
    return (root, y) if root * root % P == square else None


def small_points() -> set[Point]:
    """All points whose order divides 8, out of the curve's equation."""
    points = filter(None, map(point_with, range(2, 60)))
    return {times(i * PRIME_ORDER, point) for point in points for i in range(8)}


def encodings(point: Point) -> set[bytes]:
    """Every 32 bytes that some reader takes for the point: reduced or not, with either sign."""
    x, y = point
    signs = {x % 2} if x else {0, 1}
    return {
        (y_as_written + (sign << 255)).to_bytes(32, "little")
        for y_as_written in (y, y + P)
        if y_as_written < 2**255
        for sign in signs
    }


WEAK = sorted(bytes_ for point in small_points() for bytes_ in encodings(point))


def test_the_weak_keys_are_all_there_are() -> None:
    points = small_points()
    assert len(points) == 8
    assert all(times(8, point) == IDENTITY for point in points)
    assert len(WEAK) == 14


@pytest.mark.parametrize("raw", WEAK, ids=bytes.hex)
def test_a_key_of_small_order_is_no_key(raw: bytes) -> None:
    """With the first of them as key, one constant signature holds for every card."""
    key = f"ed25519:{base64.b64encode(raw).decode()}"
    assert not is_public_key(key)
    identity = (1).to_bytes(32, "little")
    forged = base64.b64encode(identity + bytes(32)).decode()
    signature = {"algorithm": "ed25519", "key": key, "value": forged}
    for epsilon in range(20):  # a point of order 8 needs a few tries
        card = CARD | {"epsilon": epsilon, "signature": signature}
        assert flaw(card) is flaw(card, key) is Flaw.ALTERED


def test_a_key_is_written_in_one_way() -> None:
    """A number y beyond P stands for the y less P, so that the same key had two names."""
    for y in range(19):
        raw = (y + P).to_bytes(32, "little")
        assert not is_public_key(f"ed25519:{base64.b64encode(raw).decode()}")
