"""Every change of a card is found, in its JSON and in its page; and so is every other trick."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import candling
from candling.ledger.signing import new_secret
from candling.render.html import _environment, embedded
from candling.system.canonical_json import canonical_json, parse_canonical
from candling.verify_card import Finding, public_key, verify_file
from tests.drawn_cards import drawn_card, noisy
from tests.postgres import Server
from tests.releases.tables import study
from tests.render.cards import line, receipt
from tests.render.shown import card_page

EVERYTHING = [
    *("rows", "drastic", "minimal_inconsistent", "problematic", "maximal_consistent", "repair"),
    *("by_rule", "worst_rule"),
]
RULES = "zip: a -> b\nnot(t1.b < 0)"
OTHERS = '0x"\\/ \n,é'


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "budget.ledger")
    server: Server = request.getfixturevalue("postgres")
    return server.fresh()


def made(place: str | Path, **options: Any) -> candling.Card:
    """A small card, from a new ledger."""
    candling.create_ledger(place).add("visits", 3)
    return released(place, **options)


def released(place: str | Path, **options: Any) -> candling.Card:
    of = study(RULES, a=[1, 1, 2], b=[1, 2, 3])
    asked: dict[str, Any] = {"epsilon": 1, "measures": ["repair", "rows"], "request_id": "r/1"}
    return of.release(ledger=str(place), dataset="visits", **asked | options)


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(content: str | bytes) -> Path:
        path = tmp_path / "card"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


Write = Callable[[str | bytes], Path]


@pytest.fixture
def small() -> dict[str, Any]:
    """The shortest card with all kinds of values in it, signed."""
    card = drawn_card(rules=["a/b -> é"], epsilon=Fraction(1, 10**7), rows=noisy(7)).to_dict()
    card["rows"]["note"] = "a\n\\"
    card["receipt"] = receipt(head="ee05", ledger="5f2c", candling="")
    return card | {"signature": new_secret().signature(card)}


# What is genuine


def test_json_and_page_of_a_fresh_and_of_a_repeated_card(place: str, tmp_path: Path) -> None:
    cards = [made(place), released(place)]
    ledger = candling.open_ledger(place)
    for number, card in enumerate(cards):
        assert card.receipt is not None
        assert card.receipt.repeated == bool(number)
        page, told = tmp_path / f"{number}.html", tmp_path / f"{number}.json"
        card.to_html(page)
        told.write_text(json.dumps(card.to_dict(), indent=2, ensure_ascii=False))
        for path in (page, told):
            assert verify_file(path, ledger=ledger).finding is Finding.GENUINE
            assert verify_file(path, key=ledger.public_key).finding is Finding.GENUINE
            alone = verify_file(path)
            assert (alone.finding, alone.good) == (Finding.INTACT, True)
            assert "anyone can make a key" in alone.message
            assert alone.key == ledger.public_key
            assert alone.card is not None
            assert alone.card.to_dict() == card.to_dict()


def test_a_card_read_back_writes_the_same_page(place: str, file: Write) -> None:
    card = made(place)
    again = candling.Card.from_dict(json.loads(json.dumps(card.to_dict())))
    page = card_page(again)
    assert page == card_page(card)
    assert verify_file(file(page)).good


def test_another_version_shows_the_same_stored_card(
    place: str, file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is signed is what is shown, so an upgrade between two looks does no harm."""
    made(place)
    monkeypatch.setattr(
        "candling.ledger.budget_state.Receipt.__init__.__defaults__", (False, "9.9.9")
    )
    card = released(place).to_dict()
    monkeypatch.undo()
    assert card["receipt"]["candling"] == "9.9.9"
    again = candling.Card.from_dict(card)
    assert again.to_dict() == card
    ledger = candling.open_ledger(place)
    assert verify_file(file(json.dumps(card)), ledger=ledger).finding is Finding.GENUINE


TABLES: dict[str, dict[str, list[Any]]] = {
    "junk": {"a": [1] * 300, "b": list(range(300))},
    "clean": {"a": list(range(300)), "b": [7] * 300},
    "one row": {"a": [1], "b": [1]},
    "empty": {"a": [], "b": []},
    "nulls": {"a": [None] * 50, "b": [None] * 50},
    "star": {"a": [1] * 300, "b": [0] + [-1] * 299},
}


@pytest.mark.parametrize("table", TABLES)
def test_the_card_of_any_table_is_what_it_says(table: str, tmp_path: Path, file: Write) -> None:
    ledger = candling.create_ledger(tmp_path / "budget.ledger")
    ledger.add("visits", 5)
    of = study("a -> b\na, b -> b\nnot(t1.b > t2.b and t1.a = t2.a)\nkey(b)", None, **TABLES[table])
    for epsilon in ("1/3", "0.1", 1):
        for _ in range(2):
            card = of.release(
                epsilon,
                measures=EVERYTHING,
                ledger=ledger,
                dataset="visits",
                request_id=f"{epsilon}",
            )
            told = card.to_dict()
            for content in (json.dumps(told), card_page(card)):
                assert verify_file(file(content), ledger=ledger).finding is Finding.GENUINE
    assert ledger.verify(told).entries == 8


def test_spaces_and_the_order_of_keys_may_change(small: dict[str, Any], file: Write) -> None:
    for text in (
        json.dumps(small),
        json.dumps(small, indent=7),
        json.dumps(small, sort_keys=True, separators=(",", ":")),
        json.dumps(small, ensure_ascii=False) + " \r\n\t ",
    ):
        assert verify_file(file(text), key=small["signature"]["key"]).good


# Every change of one character


def changes(text: str, others: str = OTHERS) -> Iterator[str]:
    """The text with one character replaced, removed or added, anywhere."""
    for position in range(len(text) + 1):
        before, after = text[:position], text[position:]
        yield from (before + other + after for other in others)
        if after:
            yield before + after[1:]
            yield before + chr(ord(after[0]) ^ 1) + after[1:]
            yield from (before + other + after[1:] for other in others)


def is_found(path: Path, key: str | None) -> bool:
    try:
        return not verify_file(path, key=key).good
    except candling.UsageError as error:
        return error.code == "U106"


def tokens(text: str) -> list[str]:
    """The tokens of a JSON text, which spaces between them do not change."""
    found = json.JSONDecoder(strict=True)
    listed, at = [], 0
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
        elif text[at] in "{}[]:,":
            listed.append(text[at])
            at += 1
        else:
            _, end = found.raw_decode(text, at)
            listed.append(text[at:end])
            at = end
    return listed


@pytest.mark.parametrize("trusted", [True, False])
def test_every_changed_character_of_the_json_is_found(
    small: dict[str, Any], file: Write, trusted: bool
) -> None:
    """What is not found is a space between two tokens: not a token has changed then."""
    key = small["signature"]["key"] if trusted else None
    text = json.dumps(small, indent=1, ensure_ascii=False)
    assert not is_found(file(text), key)
    harmless = 0
    for changed in changes(text):
        if changed != text and not is_found(file(changed), key):
            assert tokens(changed) == tokens(text), changed
            assert canonical_json(parse_canonical(changed)) == canonical_json(small)
            harmless += 1
    assert harmless > 50


def test_every_changed_byte_of_the_page_is_found(tmp_path: Path, file: Write) -> None:
    card = made(tmp_path / "budget.ledger")
    ledger = candling.open_ledger(tmp_path / "budget.ledger")
    page = card_page(card)
    content = page.encode()
    assert verify_file(file(page), ledger=ledger).good
    step = 97  # of some 40,000 positions; where the card begins, and near the ends, all of them
    start = page.index('<meta name="candling-card"')
    near = {*range(30), *range(len(page) - 30, len(page)), *range(start, start + 100)}
    for position in sorted({*range(0, len(page), step), *near}):
        before, after = page[:position], page[position:]
        for changed in (before + after[1:], before + " " + after):
            if changed != page:
                assert is_found(file(changed), ledger.public_key), position
    for changed_bytes in (
        content + b"\n",
        content[:-1],
        b"\xef\xbb\xbf" + content,
        content + b"\0",
    ):
        assert is_found(file(changed_bytes), ledger.public_key)
    assert is_found(file(content.replace(b"\n", b"\r\n")), ledger.public_key)


# Tricks


def test_a_number_a_rule_or_the_receipt_changed_by_hand(place: str, file: Write) -> None:
    card = made(place).to_dict()
    ledger = candling.open_ledger(place)
    for path, value in (
        (("repair", "value"), 12345),
        (("repair", "low"), 12345),
        (("rows", "note"), "fine"),
        (("about", "rules"), [line("zip: b -> a"), line("not(t1.b < 0)")]),
        (("about", "rules"), card["about"]["rules"][::-1]),
        (("about", "time"), "2020-01-01T00:00:00Z"),
        (("receipt", "dataset"), "others"),
        (("receipt", "repeated"), True),
        (("receipt", "candling"), "0.0.0"),
        (("epsilon",), 0.5),
        (("new",), {}),
    ):
        forged = copy.deepcopy(card)
        inner = forged
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = value
        for content in (json.dumps(forged), _page(forged, card)):
            for by in ({"key": ledger.public_key}, {"ledger": ledger}, {}):
                assert verify_file(file(content), **by).finding is Finding.ALTERED, path


def _page_of(content: dict[str, Any]) -> str:
    return card_page(candling.Card.from_dict(content))


def _page(forged: dict[str, Any], card: dict[str, Any]) -> str:
    """The page of a forged card; where that is none, a page with the forged card in it."""
    try:
        return _page_of(forged)
    except candling.UsageError:
        return _page_of(card).replace("epsilon", "new", 1)


def test_a_signature_that_is_gone(place: str, file: Write) -> None:
    card = made(place).to_dict()
    del card["signature"]
    key = candling.open_ledger(place).public_key
    for content in (json.dumps(card), _page_of(card)):
        for found in (verify_file(file(content), key=key), verify_file(file(content))):
            assert (found.finding, found.good, found.key) == (Finding.UNSIGNED, False, None)


def test_a_signature_of_another_card_of_the_same_ledger(place: str, file: Write) -> None:
    one, other = made(place).to_dict(), released(place, request_id="r/2").to_dict()
    ledger = candling.open_ledger(place)
    for content in (one | {"signature": other["signature"]}, one | {"receipt": other["receipt"]}):
        for made_of in (json.dumps(content), _page_of(content)):
            assert verify_file(file(made_of), ledger=ledger).finding is Finding.ALTERED
            assert verify_file(file(made_of)).finding is Finding.ALTERED


def test_a_card_of_another_ledger(place: str, file: Write, tmp_path: Path) -> None:
    made(place)
    foreign = made(tmp_path / "other.ledger").to_dict()
    ledger = candling.open_ledger(place)
    for content in (json.dumps(foreign), _page_of(foreign)):
        assert verify_file(file(content)).finding is Finding.INTACT
        found = verify_file(file(content), key=ledger.public_key)
        assert found.finding is Finding.OTHER_KEY
        assert found.key == foreign["signature"]["key"]
        assert verify_file(file(content), ledger=ledger).finding is Finding.OTHER_KEY


def test_a_forged_card_that_its_forger_signed(place: str, file: Write) -> None:
    card = made(place).to_dict()
    ledger = candling.open_ledger(place)
    clean = drawn_card(repair=noisy(0), rows=noisy(1000)).to_dict() | {"receipt": card["receipt"]}
    forged = clean | {"signature": new_secret().signature(clean)}
    for content in (json.dumps(forged), _page_of(forged)):
        assert verify_file(file(content)).finding is Finding.INTACT  # by a key that nobody knows
        assert verify_file(file(content), key=ledger.public_key).finding is Finding.OTHER_KEY
        assert verify_file(file(content), ledger=ledger).finding is Finding.OTHER_KEY


def test_a_card_that_is_signed_by_a_key_of_small_order(small: dict[str, Any], file: Write) -> None:
    """With the identity as key, this signature holds for whatever a card says."""
    identity = b"\x01" + bytes(31)
    key, value = (base64.b64encode(raw).decode() for raw in (identity, identity + bytes(32)))
    key = f"ed25519:{key}"
    forged = small | {"signature": {"algorithm": "ed25519", "key": key, "value": value}}
    path = file(json.dumps(forged))
    for trusted in (None, key):
        found = verify_file(path, key=trusted)
        assert (found.finding, found.key) == (Finding.ALTERED, None)
    with pytest.raises(candling.UsageError) as error:
        public_key(key)
    assert error.value.code == "U306"


def test_a_card_that_the_ledger_signed_and_does_not_have(
    file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older copy of a ledger knows its key, and not what came after it."""
    path = tmp_path / "budget.ledger"
    candling.create_ledger(path).add("visits", 3)
    before = path.read_bytes()
    card = released(path).to_dict()
    path.write_bytes(before)
    ledger = candling.open_ledger(path)
    found = verify_file(file(json.dumps(card)), ledger=ledger)
    assert (found.finding, found.good) == (Finding.NOT_STORED, False)
    assert "it was replaced by an older copy" in found.message
    released(path)  # the same request again, with other noise
    assert verify_file(file(json.dumps(card)), ledger=ledger).finding is Finding.NOT_STORED
    assert verify_file(file(json.dumps(card)), key=ledger.public_key).good


def test_a_page_whose_card_is_good_and_whose_text_is_not(place: str, file: Write) -> None:
    page = card_page(made(place))
    key = candling.open_ledger(place).public_key
    found = verify_file(file(page.replace("Data quality of", "Great quality of")), key=key)
    assert (found.finding, found.good) == (Finding.ALTERED, False)
    assert "--report" in found.message
    assert found.card is not None
    assert verify_file(file(card_page(found.card)), key=key).good


def test_a_page_with_two_cards(place: str, file: Write) -> None:
    card, other = made(place), released(place, request_id="r/2")
    page = card_page(card)
    start = page.index('<meta name="candling-card"')
    more = card_page(other)[card_page(other).index('<meta name="candling-card"') :]
    element = more[: more.index(">") + 1]
    for position in (start, page.index("</head>"), len(page)):
        changed = page[:position] + element + page[position:]
        assert not verify_file(file(changed)).good


@pytest.mark.parametrize("inside", ["", "{", "[]", "{&quot;a&quot;:1}", "&amp;"])
def test_a_page_with_something_else_for_a_card(tmp_path: Path, file: Write, inside: str) -> None:
    page = card_page(made(tmp_path / "budget.ledger"))
    start = page.index('content="{') + len('content="')
    changed = page[:start] + inside + page[page.index('"', start) :]
    assert is_found(file(changed), None)


def test_a_page_of_another_version(
    place: str, file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = made(place).to_dict()
    monkeypatch.setitem(_environment().globals, "version", "0.0.9")
    page = _page_of(card)
    monkeypatch.undo()
    key = candling.open_ledger(place).public_key
    found = verify_file(file(page), key=key)
    assert (found.finding, found.good) == (Finding.OTHER_VERSION, False)
    assert "candling 0.0.9" in found.message
    assert found.card is not None
    assert found.card.to_dict() == card
    altered = page.replace("&#34;epsilon&#34;:1.0", "&#34;epsilon&#34;:2.0", 1)
    assert altered != page
    assert verify_file(file(altered), key=key).finding is Finding.ALTERED


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", '"><u>', "&quot;", "\ud800\x00\x7f"]
)
def test_no_text_in_a_card_gets_out_of_the_data_block(
    tmp_path: Path, file: Write, text: str
) -> None:
    card = made(tmp_path / "budget.ledger").to_dict()
    del card["signature"]
    card["about"] |= {"rules": [line(text)]}
    card |= {"signature": new_secret().signature(card)}
    page = _page_of(card)
    assert "<script" not in page
    assert "<u>" not in page
    assert page.count("candling-card") == 1
    inside = embedded(page)
    assert inside is not None
    assert parse_canonical(inside) == card
    assert verify_file(file(page)).good


# What is no card


@pytest.mark.parametrize(
    "content",
    [
        *("", "{}", "[]", "null", "1", '"card"', '{"a": 1}', "Id,Zip\n1,2\n", "[" * 100_000),
        *('{"epsilon": NaN}', '{"epsilon": 1} {}', "<html></html>", "<", "\ufeff{}"),
        b"\xff\xfe{\x00}\x00",
        b"\x00\x01",
    ],
)
def test_what_is_no_card(file: Write, content: str | bytes) -> None:
    with pytest.raises(candling.UsageError) as error:
        verify_file(file(content))
    assert error.value.code == "U106"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(candling.UsageError, match="cannot be read") as error:
            verify_file(path)
        assert error.value.code == "U106"


def test_a_receipt_alone_is_no_card(tmp_path: Path, file: Write) -> None:
    receipt = candling.create_ledger(tmp_path / "budget.ledger").add("visits", 3)
    with pytest.raises(candling.UsageError):
        verify_file(file(json.dumps(receipt.to_dict())))


def test_keys_are_given_as_text_or_in_a_file(tmp_path: Path) -> None:
    key = new_secret().public_key
    path = tmp_path / "owner.key"
    path.write_text(f"{key}\n")
    assert public_key(key) == public_key(str(path)) == key
    path.write_text("x" * 2000)
    for text in (str(path), "ed25519:short", key[:-1], str(tmp_path), "", "\0"):
        with pytest.raises(candling.UsageError) as error:
            public_key(text)
        assert error.value.code == "U306"
