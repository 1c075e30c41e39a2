"""Ed25519 keys of small order, with which anybody can sign: refused wherever a key is read."""

from __future__ import annotations

import base64
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import candling
from candling.errors import LedgerError
from candling.ledger import create_ledger, open_ledger
from candling.ledger.entry import genesis_hash
from candling.ledger.signing import Flaw, flaw, is_public_key
from candling.verify_card import Finding, public_key, verify_file
from tests.cli.conftest import Run, run  # noqa: F401 - a fixture
from tests.drawn_cards import drawn_card, noisy
from tests.render.cards import receipt
from tests.render.shown import card_page

# Points of the curve -x^2 + y^2 = 1 + D x^2 y^2 modulo P

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


KEYS = {raw.hex(): f"ed25519:{base64.b64encode(raw).decode()}" for raw in WEAK}
CARD: dict[str, Any] = {"epsilon": 1.0, "rows": {"value": 3}, "about": {"rules": ["A -> B"]}}
ALWAYS_VALID = base64.b64encode((1).to_bytes(32, "little") + bytes(32)).decode()
weak = pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)


def _forge(card: dict[str, Any], key: str) -> dict[str, Any]:
    """The card with the signature that holds for every card where the identity is the key."""
    return card | {"signature": {"algorithm": "ed25519", "key": key, "value": ALWAYS_VALID}}


def _encode(raw: bytes) -> str:
    return f"ed25519:{base64.b64encode(raw).decode()}"


def test_the_weak_keys_are_all_there_are() -> None:
    points = small_points()
    assert len(points) == 8
    assert all(times(8, point) == IDENTITY for point in points)
    assert len(WEAK) == 14


@weak
def test_a_key_of_small_order_is_no_key(key: str) -> None:
    assert not is_public_key(key)
    for epsilon in range(20):  # a point of order 8 needs a few tries
        card = _forge(CARD | {"epsilon": epsilon}, key)
        assert flaw(card) is flaw(card, key) is Flaw.ALTERED


def test_a_key_is_written_in_one_way() -> None:
    """A number y beyond P stands for the y less P, so that the same key had two names."""
    for y in range(19):
        for sign in (0, 1):
            raw = (y + P + (sign << 255)).to_bytes(32, "little")
            assert not is_public_key(_encode(raw))


@weak
def test_cards_and_pages_that_name_one(key: str, tmp_path: Path) -> None:
    honest = drawn_card(rules=["a -> b"], rows=noisy(7)).to_dict() | {"receipt": receipt()}
    forged = _forge(honest, key)
    page = card_page(candling.Card.from_dict(forged))
    for name, text in (("card.json", json.dumps(forged)), ("card.html", page)):
        path = tmp_path / name
        path.write_text(text)
        for trusted in (None, key):
            found = verify_file(path, key=trusted)
            assert (found.finding, found.good, found.key) == (Finding.ALTERED, False, None)


@weak
def test_key_files_and_options_that_hold_one(key: str, tmp_path: Path, run: Run) -> None:  # noqa: F811
    path = tmp_path / "owner.key"
    path.write_text(f"{key}\n")
    card = tmp_path / "card.json"
    card.write_text(json.dumps(_forge(CARD, key)))
    for given in (key, str(path)):
        with pytest.raises(candling.UsageError) as error:
            public_key(given)
        assert error.value.code == "U306"
        result = run("verify", str(card), "--key", given)
        assert result.code == 2
        assert result.err.startswith("error U306: ")


@weak
def test_ledgers_that_hold_one(key: str, tmp_path: Path, run: Run) -> None:  # noqa: F811
    """With all hashes made to fit, as an intruder would."""
    place = tmp_path / "budget.ledger"
    made = create_ledger(place)
    meta = made.meta
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("update candling_meta set public_key = ?", (key,))
        previous = genesis_hash(meta.format, meta.ledger, meta.created, key)
        connection.execute("update candling_entries set previous = ? where seq = 1", (previous,))
    with pytest.raises(LedgerError) as error:
        open_ledger(place)
    assert error.value.code == "L110"
    for command in ("key", "verify", "show"):
        result = run("ledger", command, str(place))
        assert (result.code, result.out) == (2, "")
        assert result.err.startswith("error L110: ")
