"""What a ledger promises, on every store."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from candling.errors import BudgetError, LedgerError, UsageError
from candling.ledger import (
    Ledger,
    Reservation,
    Stored,
    create_ledger,
    make_claim,
    open_ledger,
    store,
)
from candling.ledger.entry import is_time
from candling.ledger.signing import Secret
from tests.ledger.conftest import NewPlace, charge, reserve


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(LedgerError) as error:
        yield
    assert error.value.code == code


def test_ten_tenths_fit_into_one_and_the_eleventh_is_refused(ledger: Ledger) -> None:
    for i in range(10):
        kept = charge(ledger, f"r{i}", 0.1)
    assert kept.receipt.remaining == 0
    with pytest.raises(BudgetError) as error:
        charge(ledger, "r10", 0.1)
    assert error.value.code == "L201"
    assert error.value.remaining == 0
    assert error.value.difference == Fraction(1, 10)
    for words in ("requested  0.1", "remaining  0 of 1", "difference 0.1"):
        assert words in str(error.value)
    assert ledger.show().entries == 22  # a refusal leaves nothing behind


def test_three_thirds_do_not_fit_as_each_is_rounded_up(ledger: Ledger) -> None:
    charge(ledger, "a", Fraction(1, 3))
    charge(ledger, "b", Fraction(1, 3))
    with pytest.raises(BudgetError) as error:
        charge(ledger, "c", Fraction(1, 3))
    assert error.value.difference == Fraction(2, 10**12)


def test_what_costs_nothing_is_kept_too(ledger: Ledger) -> None:
    charge(ledger, "all", 1)
    assert charge(ledger, "free", None).receipt.charged == 0


def test_a_receipt_says_it_all(ledger: Ledger) -> None:
    receipt = charge(ledger, "r1", "0.25").receipt
    told = receipt.to_dict()
    assert is_time(told.pop("time"))
    assert told.pop("head") == ledger.show().head
    assert told.pop("candling")
    assert told == {
        "ledger": ledger.meta.ledger,
        "sequence": 4,
        "kind": "result",
        "dataset": "visits",
        "people": "visits",
        "request_id": "r1",
        "charged": 0.25,
        "limit": 1.0,
        "spent": 0.25,
        "remaining": 0.75,
        "repeated": False,
    }


def test_a_charge_and_its_result_carry_the_time_of_the_request(ledger: Ledger) -> None:
    claim = make_claim("visits", "0.1", {}, request_id="r1")
    held = ledger.reserve(claim)
    assert isinstance(held, Reservation)
    kept = ledger.store_result(held, {"value": 1})
    told = [entry["time"] for entry in ledger.export() if entry["request_id"] == "r1"]
    assert told == [claim.time, claim.time]
    assert kept.receipt.time == claim.time
    ledger.verify(kept.receipt)


def test_a_repeated_request_gives_the_stored_result_at_no_cost(place: str, ledger: Ledger) -> None:
    first = charge(ledger, "r1", 1)
    claim = make_claim("visits", 1, {"measures": ["repair"]}, request_id="r1")
    again = open_ledger(place)
    for found in (again.find(claim), again.reserve(claim)):
        assert isinstance(found, Stored)
        assert found.result == {"value": "r1"}
        assert found.receipt.repeated
        assert found.receipt.head == first.receipt.head
    assert again.show().entries == 4


@pytest.mark.parametrize(
    "other",
    [
        {"epsilon": "0.2"},
        {"dataset": "staff"},
        {"parameters": {"measures": ["rows"]}},
        {"parameters": {}},
    ],
)
def test_a_request_id_stands_for_one_request(ledger: Ledger, other: dict[str, Any]) -> None:
    ledger.add("staff", 1)
    charge(ledger, "r1")
    asked: dict[str, Any] = {
        "dataset": "visits",
        "epsilon": "0.1",
        "parameters": {"measures": ["repair"]},
    }
    claim = make_claim(request_id="r1", **asked | other)
    for use in (ledger.find, ledger.reserve):
        with refused("L111"):
            use(claim)
    assert ledger.find(make_claim(request_id="r1", **asked)) is not None


def test_an_abandoned_charge_stays_spent_and_is_listed(ledger: Ledger) -> None:
    reserve(ledger, "lost", "0.7", by="ada")
    claim = make_claim("visits", "0.7", {"measures": ["repair"]}, request_id="lost")
    for use in (ledger.find, ledger.reserve):
        with refused("L112"):
            use(claim)
    (dataset,) = ledger.show().datasets
    assert (dataset.remaining, dataset.results) == (Fraction(3, 10), 0)
    (lost,) = dataset.without_result
    assert (lost.request_id, lost.units, lost.by) == ("lost", 7 * 10**11, "ada")
    assert is_time(lost.time)


def test_many_draw_on_one_budget(place: str, ledger: Ledger) -> None:
    charge(open_ledger(place), "ada", "0.6", by="ada")
    with pytest.raises(BudgetError):
        charge(open_ledger(place), "bob", "0.6", by="bob")


def test_datasets_have_budgets_of_their_own(ledger: Ledger) -> None:
    ledger.add("staff", "0.5")
    charge(ledger, "r1", 1)
    charge(ledger, "r2", "0.5", dataset="staff")
    assert {d.name: d.remaining for d in ledger.show().datasets} == {"visits": 0, "staff": 0}


def test_raising_a_limit(ledger: Ledger) -> None:
    charge(ledger, "r1", 1)
    receipt = ledger.raise_limit(2, "the yearly report", dataset="visits", by="the owner")
    assert receipt.limit == 2
    assert receipt.remaining == receipt.spent == 1
    charge(ledger, "r2", 1)
    (raised,) = [e for e in ledger.export() if e["kind"] == "raise"]
    assert (raised["reason"], raised["by"]) == ("the yearly report", "the owner")
    assert raised["epsilon"] == 1


@pytest.mark.parametrize("budget", [1, "0.5", "1.0000000000001"])
def test_a_limit_is_never_lowered(ledger: Ledger, budget: object) -> None:
    with refused("L107"):
        ledger.raise_limit(budget, "why not", dataset="visits")


@pytest.mark.parametrize("reason", ["", "  ", "x" * 2001, None])
def test_a_raised_limit_needs_a_reason(ledger: Ledger, reason: Any) -> None:
    with pytest.raises(UsageError, match="reason"):
        ledger.raise_limit(2, reason, dataset="visits")


@pytest.mark.parametrize("name", ["", " a", "a\n", "a\x00b", "x" * 201, "\ud800", None, 1])
def test_names_that_cannot_be_used(ledger: Ledger, name: Any) -> None:
    with pytest.raises(UsageError, match="visible"):
        ledger.add(name, 1)
    if name is not None:
        with pytest.raises(UsageError, match="visible"):
            make_claim("visits", 1, {}, request_id=name)
        with pytest.raises(UsageError, match="visible"):
            make_claim("visits", 1, {}, by=name)


def test_names_of_all_kinds(ledger: Ledger) -> None:
    for name in ("Käse 🧀", "'; drop table candling_entries; --", "%s ? $1", "a" * 200):
        ledger.add(name, 1)
        charge(ledger, f"id of {name}"[:200], dataset=name)
    ledger.verify()


def test_a_dataset_is_added_once(ledger: Ledger) -> None:
    with refused("L106"):
        ledger.add("visits", 5)


def test_an_unknown_dataset_is_named_with_the_nearest(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match="Did you mean 'visits'") as error:
        reserve(ledger, "r", dataset="visit")
    assert error.value.code == "L105"
    with refused("L105"):
        ledger.raise_limit(2, "because", dataset="other")


def test_a_missing_ledger_is_an_error_and_not_a_new_budget(place: str) -> None:
    with refused("L101"):
        open_ledger(place)
    with refused("L101"):  # and asking did not make one
        open_ledger(place)


def test_a_ledger_is_never_overwritten(place: str, ledger: Ledger) -> None:
    with refused("L103"):
        create_ledger(place)
    assert open_ledger(place).show() == ledger.show()


def test_the_secret_is_never_shown(ledger: Ledger) -> None:
    kept = charge(ledger, "a")
    with ledger.place.open_reader() as connection:
        ((secret,),) = connection.execute("select secret from candling_key")
    secrets = [secret, base64.b64encode(bytes.fromhex(secret)).decode()]
    shown = [
        repr(ledger),
        repr(ledger.show()),
        repr(ledger.meta),
        repr(Secret(secret)),
        repr(kept),
        json.dumps(list(ledger.export())),
        json.dumps(ledger.show().to_dict()),
        json.dumps(ledger.verify(kept.receipt).to_dict()),
        json.dumps(kept.receipt.to_dict()),
    ]
    for text in shown:
        assert not any(secret in text for secret in secrets)


# Exchanged under our feet


def test_a_result_is_not_kept_if_its_charge_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.ledger"
    ledger = create_ledger(path)
    ledger.add("visits", 1)
    before = path.read_bytes()
    held = reserve(ledger, "r1")
    path.write_bytes(before)  # the old copy is put back
    with refused("L115"):
        ledger.store_result(held, {"value": 1})


def test_another_ledger_in_its_place_is_noticed(tmp_path: Path) -> None:
    one, other = tmp_path / "a.ledger", tmp_path / "b.ledger"
    ledger = create_ledger(one)
    ledger.add("visits", 1)
    create_ledger(other).add("visits", 1)
    other.replace(one)
    for use in (lambda: reserve(ledger, "r1"), ledger.show, lambda: list(ledger.export())):
        with refused("L115"):
            use()


def test_a_ledger_that_disappears_is_not_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.ledger"
    ledger = create_ledger(path)
    path.unlink()
    with refused("L101"):
        ledger.add("visits", 1)
    assert not path.exists()


def test_a_newer_ledger_is_refused_and_left_alone(ledger: Ledger, place: str) -> None:
    with ledger.place.open_writer() as connection:
        connection.execute(f"update candling_meta set format = {store.FORMAT + 1}")
    for use in (
        lambda: open_ledger(place),
        lambda: ledger.add("staff", 1),
        lambda: reserve(ledger, "r1"),
        ledger.show,
        ledger.verify,
    ):
        with pytest.raises(LedgerError, match="newer") as error:
            use()
        assert error.value.code == "L108"


def test_an_older_ledger_is_refused_and_left_alone(ledger: Ledger, place: str) -> None:
    with ledger.place.open_writer() as connection:
        connection.execute("alter table candling_meta rename column public_key to key")
        connection.execute("update candling_meta set format = 1")
    for use in (lambda: open_ledger(place), lambda: reserve(ledger, "r1"), ledger.show):
        with pytest.raises(LedgerError, match="older version made it") as error:
            use()
        assert error.value.code == "L118"


def test_ledgers_know_nothing_of_each_other(new_place: NewPlace) -> None:
    one, other = create_ledger(new_place()), create_ledger(new_place())
    assert one.meta.ledger != other.meta.ledger
    assert one.public_key != other.public_key
    one.add("visits", 1)
    other.add("visits", 2)
    assert one.show().datasets[0].remaining == 1
