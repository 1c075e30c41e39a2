from __future__ import annotations

from typing import Any

import pytest

from candling.errors import LedgerError, UsageError
from candling.ledger import Ledger, Stored, make_claim
from candling.ledger.entry import checked_name, checked_new, look_alikes
from tests.ledger.conftest import charge


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("visits", "Visits"),
        ("visits", "VISITS"),
        ("visits", "ｖｉｓｉｔｓ"),  # full width
        ("visits 2025", "visits_2025"),
        ("visits 2025", "visits  -  2025"),
        ("visits", "visits."),
        ("café", "cafe"),
        ("Łódź", "lodz"),
        ("ﬁles", "files"),
        ("сору", "copy"),  # all Cyrillic
        ("ΤΑΧ", "TAX"),  # all Greek
        ("wave1", "wavel"),
        ("wave1", "waveI"),
        ("R0", "RO"),
        ("barn", "bam"),
    ],
)
def test_names_that_look_the_same(name: str, other: str) -> None:
    assert look_alikes(name, [other, "something else"]) == [other]
    assert look_alikes(other, [name]) == [name]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("visits", "visits"),
        ("visits", "visit"),
        ("visits-2024", "visits-2025"),
        ("wave1", "wave2"),
        ("mail", "mall"),
        ("Москва", "Минск"),
        ("東京", "京都"),
    ],
)
def test_names_that_do_not(name: str, other: str) -> None:
    assert look_alikes(name, [other]) == []


def test_composed_and_decomposed_forms_are_one_name(ledger: Ledger) -> None:
    ledger.add("cafe\u0301", 1)
    charge(ledger, "r1", dataset="caf\u00e9")
    charge(ledger, "r2", dataset="cafe\u0301")
    with pytest.raises(LedgerError) as error:
        ledger.add("caf\u00e9", 1)
    assert error.value.code == "L106"
    assert [d.name for d in ledger.show().datasets] == ["caf\u00e9", "visits"]


def test_a_look_alike_needs_a_confirmation(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match=r"'Visits' looks like 'visits'.*--look-alike") as error:
        ledger.add("Visits", 1)
    assert error.value.code == "L121"
    assert len(ledger.show().datasets) == 1
    ledger.add("Visits", 1, look_alike=True)
    ledger.verify()
    charge(ledger, "r1", dataset="Visits")


def test_a_charge_to_a_look_alike_names_the_dataset_that_is_there(ledger: Ledger) -> None:
    for name in ("vіsits", "Visits", "visits_"):
        claim = make_claim(name, "0.1", {})
        with pytest.raises(LedgerError, match="'visits', spelled with other characters") as error:
            ledger.reserve(claim)
        assert error.value.code == "L105"


@pytest.mark.parametrize(
    "name",
    [
        "vi\u200bsits",  # zero width space
        "vi\u200dsits",  # zero width joiner
        "visits\ufeff",
        "vi\u00adsits",  # soft hyphen
        "vi\u2060sits",
        "\u202evisits",  # right to left
        "visits\ufe0f",  # a variation selector: printable, they say
        "visits\u034f",
        "\u3164",
        "\u2800",
        "visits\u2028",
        "visits\u00a0",
        "visits\U000e0041",  # a tag
        "\x1b[31m",
        "visits\u0085",
    ],
)
def test_what_cannot_be_seen_is_no_part_of_a_name(ledger: Ledger, name: str) -> None:
    with pytest.raises(UsageError, match="visible") as error:
        ledger.add(name, 1)
    assert error.value.code == "U209"
    for part in ({"request_id": name}, {"by": name}):
        fields: dict[str, Any] = part
        with pytest.raises(UsageError, match="visible"):
            make_claim("visits", "0.1", {}, **fields)


@pytest.mark.parametrize("name", ["vіsits", "Ζebra", "data сopy", "αlpha"])
def test_a_word_of_two_alphabets_is_refused(ledger: Ledger, name: str) -> None:
    with pytest.raises(UsageError, match=r"mixes alphabets .* U\+0") as error:
        ledger.add(name, 1)
    assert error.value.code == "U209"


@pytest.mark.parametrize(
    "name", ["Москва", "données Москва", "β-Test", "10 kΩ", "東京 data", "Käse"]
)
def test_names_in_every_language(name: str) -> None:
    assert checked_new("dataset", name) == name


def test_a_name_is_measured_as_it_is_stored() -> None:
    assert checked_name("dataset", "e\u0301" * 200) == "é" * 200
    with pytest.raises(UsageError):
        checked_name("dataset", "é" * 201)


def test_a_request_with_another_form_of_the_same_id_is_the_same(ledger: Ledger) -> None:
    charge(ledger, "caf\u00e9")
    claim = make_claim("visits", "0.1", {"measures": ["repair"]}, request_id="cafe\u0301")
    assert isinstance(ledger.reserve(claim), Stored)
