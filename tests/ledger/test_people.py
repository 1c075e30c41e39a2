"""Datasets of the same people draw on one budget, and no move gives anything back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from candling.errors import BudgetError, LedgerError, UsageError
from candling.ledger import Ledger, Stored, create_ledger, make_claim, open_ledger
from tests.ledger.conftest import charge, reserve


@pytest.fixture
def patients(place: str) -> Ledger:
    """A ledger with `visits` and `prescriptions` of the people `patients`, and a budget of 2."""
    made = create_ledger(place)
    made.add("visits", 2, people="patients")
    made.add("prescriptions", people="patients")
    return made


@contextmanager
def refused(code: str, words: str | None = None) -> Iterator[None]:
    with pytest.raises((LedgerError, BudgetError), match=words) as error:
        yield
    assert error.value.code == code


def left(ledger: Ledger) -> dict[str, Fraction]:
    """What is left of each budget, if the ledger is sound."""
    ledger.verify()
    return {budget.people: budget.remaining for budget in ledger.show().budgets}


def homes(ledger: Ledger) -> dict[str, str]:
    return {dataset.name: dataset.budget.people for dataset in ledger.show().datasets}


# One budget


def test_a_release_of_one_dataset_lowers_what_the_other_has_left(patients: Ledger) -> None:
    charge(patients, "a", "1.5", dataset="visits")
    with pytest.raises(BudgetError, match=r"'prescriptions' \(people 'patients'\)") as error:
        reserve(patients, "b", "0.75", dataset="prescriptions")
    assert (error.value.dataset, error.value.people) == ("prescriptions", "patients")
    assert error.value.difference == Fraction(1, 4)
    receipt = charge(patients, "c", "0.5", dataset="prescriptions").receipt
    assert (receipt.dataset, receipt.people) == ("prescriptions", "patients")
    assert (float(receipt.limit), float(receipt.spent), float(receipt.remaining)) == (2, 2, 0)
    assert left(patients) == {"patients": 0}
    assert [float(d.charged_units / 10**12) for d in patients.show().datasets] == [0.5, 1.5]


def test_other_people_have_another_budget(patients: Ledger) -> None:
    patients.add("shifts", 1, people="staff")
    patients.add("rooms", 1)
    charge(patients, "a", 2, dataset="visits")
    charge(patients, "b", 1, dataset="shifts")
    assert left(patients) == {"patients": 0, "rooms": 1, "staff": 0}


def test_joining_needs_no_budget_and_no_other_one(patients: Ledger) -> None:
    assert patients.add("scans", people="patients").limit == 2
    assert patients.add("meals", "2.0", people="patients").limit == 2
    with refused("L107", "have a budget of 2, .* `candling ledger raise`"):
        patients.add("rooms", 3, people="patients")
    assert "rooms" not in homes(patients)
    assert [e["epsilon"] for e in patients.export()] == [0, 2, 0, 0, 0]


def test_new_people_need_a_budget(patients: Ledger) -> None:
    with refused("L107", "'guests' are new .* need a budget"):
        patients.add("stays", people="guests")
    with refused("L107", "Did you mean 'patients'"):
        patients.add("stays", people="patient")
    with refused("L107", "'stays' needs a budget"):
        patients.add("stays")
    with refused("L107", "'guests' are new"):
        patients.move("visits", "guests", "others")
    assert left(patients) == {"patients": 2}


def test_what_joins_later_draws_on_what_is_left(patients: Ledger) -> None:
    charge(patients, "a", "1.75", dataset="visits")
    assert patients.add("scans", people="patients").remaining == Fraction(1, 4)
    with pytest.raises(BudgetError):
        reserve(patients, "b", "0.5", dataset="scans")


# Names


def test_a_dataset_without_people_has_its_own_of_its_name(patients: Ledger) -> None:
    receipt = patients.add("rooms", 1)
    assert (receipt.dataset, receipt.people) == ("rooms", "rooms")
    patients.add("beds", people="rooms")
    charge(patients, "a", 1, dataset="beds")
    assert left(patients) == {"patients": 2, "rooms": 0}


def test_no_dataset_joins_people_by_chance(patients: Ledger) -> None:
    with refused("L122", "already has people 'patients'.* --people patients"):
        patients.add("patients", 2)
    patients.add("patients", people="patients")
    assert homes(patients)["patients"] == "patients"


def test_new_people_cannot_have_the_name_of_a_dataset_of_others(patients: Ledger) -> None:
    with refused("L122", "'visits' is a dataset of the people 'patients'"):
        patients.add("rooms", 1, people="visits")
    with refused("L122", "'visits' is a dataset of the people 'patients'"):
        patients.move("prescriptions", "visits", "others", budget=1)
    patients.move("visits", "visits", "not patients", budget=1)  # its own
    assert left(patients) == {"patients": 2, "visits": 1}


def test_look_alikes_of_people(patients: Ledger) -> None:
    for name, others in (("Patients", "'patients'"), ("Visits", "'visits'")):
        with refused("L121", f"{name!r} looks like {others}"):
            patients.add("rooms", 1, people=name)
        with refused("L121", f"{name!r} looks like {others}"):
            patients.add(name, 1)
        with refused("L121", f"{name!r} looks like {others}"):
            patients.move("visits" if name == "Patients" else "prescriptions", name, "x", budget=1)
    patients.add("rooms", 1, people="Patients", look_alike=True)
    patients.add("beds", people="Patients")  # they are there: nothing to confirm
    patients.add("PATIENTS2", people="patients")
    with refused("L105", "'patients', spelled with other characters"):
        patients.raise_limit(3, "why not", people="patients_")


def test_a_dataset_may_look_like_its_own_people(place: str) -> None:
    ledger = create_ledger(place)
    ledger.add("Patients", 1, people="patients")
    ledger.add("rooms", 1)
    ledger.move("rooms", "Rooms", "they are", budget=1)
    assert homes(ledger) == {"Patients": "patients", "rooms": "Rooms"}


@pytest.mark.parametrize("name", ["", " a", "a\n", "x" * 201, "vi\u200bsits", 1])
def test_names_that_people_cannot_have(patients: Ledger, name: Any) -> None:
    with pytest.raises(UsageError, match="`people` must be a name"):
        patients.add("rooms", 1, people=name)
    with pytest.raises(UsageError, match="`people` must be a name"):
        patients.move("visits", name, "others", budget=1)
    with pytest.raises(UsageError, match="`people` must be a name"):
        patients.raise_limit(3, "why not", people=name)


def test_new_people_are_written_in_one_alphabet(patients: Ledger) -> None:
    with pytest.raises(UsageError, match="`people` mixes alphabets"):
        patients.add("rooms", 1, people="p\u0430tients")


def test_both_forms_of_a_letter_are_one_name(patients: Ledger) -> None:
    patients.add("rooms", 1, people="caf\u00e9")
    patients.add("beds", people="cafe\u0301")
    assert homes(patients)["beds"] == "caf\u00e9"


# Raising


def test_a_budget_is_raised_by_the_name_of_people_or_of_a_dataset(patients: Ledger) -> None:
    charge(patients, "a", 2, dataset="visits")
    receipt = patients.raise_limit(3, "yearly report", people="patients")
    assert (receipt.dataset, receipt.people, float(receipt.limit)) == (None, "patients", 3)
    receipt = patients.raise_limit(4, "yearly report", dataset="prescriptions", by="ada")
    assert (receipt.dataset, receipt.people, float(receipt.limit)) == (None, "patients", 4)
    patients.verify(receipt)
    charge(patients, "b", 2, dataset="visits")
    assert left(patients) == {"patients": 0}


def test_whose_budget_is_raised_must_be_said_once(patients: Ledger) -> None:
    for names in ({}, {"people": "patients", "dataset": "visits"}):
        with pytest.raises(UsageError, match="Say whose budget") as error:
            patients.raise_limit(3, "why not", **names)
        assert error.value.code == "U209"
    with refused("L105", "has no people 'visits'"):
        patients.raise_limit(3, "why not", people="visits")
    with refused("L105", "has no dataset 'patients'"):
        patients.raise_limit(3, "why not", dataset="patients")
    with refused("L107", r"'visits' \(people 'patients'\) is 2"):
        patients.raise_limit(1, "why not", dataset="visits")


# Moving


def test_new_people_carry_what_was_spent_and_old_ones_keep_it(patients: Ledger) -> None:
    charge(patients, "a", "0.5", dataset="visits")
    charge(patients, "b", "0.25", dataset="prescriptions")
    receipt = patients.move("visits", "guests", "no patients", budget=1, by="ada")
    assert (receipt.kind, receipt.dataset, receipt.people) == ("move", "visits", "guests")
    assert (receipt.charged, receipt.remaining) == (Fraction(1, 2), Fraction(1, 2))
    patients.verify(receipt)
    assert left(patients) == {"guests": Fraction(1, 2), "patients": Fraction(5, 4)}
    charge(patients, "c", "0.5", dataset="visits")
    with pytest.raises(BudgetError, match="'guests'"):
        reserve(patients, "d", "0.125", dataset="visits")
    assert left(patients) == {"guests": 0, "patients": Fraction(5, 4)}
    (moved,) = [e for e in patients.export() if e["kind"] == "move"]
    assert (moved["from"], moved["people"], moved["reason"], moved["by"], moved["epsilon"]) == (
        "patients", "guests", "no patients", "ada", 0.5,
    )  # fmt: skip


def test_a_charge_without_a_result_is_carried_too(patients: Ledger) -> None:
    reserve(patients, "lost", "0.5", dataset="visits")
    assert patients.move("visits", "guests", "others", budget=1).spent == Fraction(1, 2)


def test_a_move_is_refused_if_the_people_cannot_carry_it(patients: Ledger) -> None:
    patients.add("rooms", 1)
    charge(patients, "a", "0.75", dataset="rooms")
    charge(patients, "b", "0.5", dataset="visits")
    before = patients.show()
    with refused(
        "L202", r"difference  0\.25\nNothing .* `candling ledger raise` first, to 1\.25 or"
    ):
        patients.move("visits", "rooms", "others")
    with refused("L202", r"remaining   0\.25 of 0\.25\n.*\n.*Give them a budget of 0\.5 or more"):
        patients.move("visits", "guests", "others", budget="0.25")
    assert patients.show() == before
    patients.raise_limit("1.25", "for the move", people="rooms")
    patients.move("visits", "rooms", "others")
    assert left(patients) == {"patients": Fraction(3, 2), "rooms": 0}


def test_no_round_trip_resets_or_counts_twice(patients: Ledger) -> None:
    """Whatever way a dataset takes, its people carry each of its charges once."""
    patients.add("rooms", 2)
    charge(patients, "a", "0.5", dataset="visits")
    patients.move("visits", "rooms", "there")
    charge(patients, "b", "0.25", dataset="visits")
    assert left(patients) == {"patients": Fraction(3, 2), "rooms": Fraction(5, 4)}
    assert patients.move("visits", "patients", "and back").charged == Fraction(1, 4)
    assert left(patients) == {"patients": Fraction(5, 4), "rooms": Fraction(5, 4)}
    for _ in range(3):
        assert patients.move("visits", "rooms", "there").charged == 0
        assert patients.move("visits", "patients", "and back").charged == 0
    charge(patients, "c", "0.125", dataset="visits")
    assert patients.move("visits", "rooms", "there").charged == Fraction(1, 8)
    assert left(patients) == {"patients": Fraction(9, 8), "rooms": Fraction(9, 8)}


def test_a_fresh_budget_for_the_same_rows_cannot_be_had_by_moving(patients: Ledger) -> None:
    """The old way around a budget: a new name, again and again."""
    charge(patients, "a", 2, dataset="visits")
    for number in range(3):
        with refused("L202"):
            patients.move("visits", f"people {number}", "why not", budget="1.5")
    receipt = patients.move("visits", "others", "why not", budget=2)
    assert receipt.remaining == 0


def test_a_move_to_where_it_is_and_of_what_is_not_there(patients: Ledger) -> None:
    with refused("L106", "already about the people 'patients'"):
        patients.move("visits", "patients", "why not")
    with refused("L105", "has no dataset 'visit'. Did you mean 'visits'"):
        patients.move("visit", "patients", "why not")
    with refused("L107", "have a budget of 2"):
        patients.add("rooms", 1)
        patients.move("rooms", "patients", "why not", budget=1)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 2001, None])
def test_a_move_needs_a_reason(patients: Ledger, reason: Any) -> None:
    with pytest.raises(UsageError, match="reason"):
        patients.move("visits", "guests", reason, budget=1)


def test_a_result_belongs_to_those_who_paid(patients: Ledger) -> None:
    """The dataset is moved while a release runs, and before the same request comes again."""
    held = reserve(patients, "a", "0.5", dataset="visits")
    patients.move("visits", "guests", "others", budget=1)
    stored = patients.store_result(held, {"value": 1})
    assert (stored.receipt.people, stored.receipt.remaining) == ("patients", Fraction(3, 2))
    card = {
        **stored.result,
        "receipt": stored.receipt.to_dict(),
        "signature": dict(stored.signature),
    }
    patients.check(card)
    again = patients.reserve(held.claim)
    assert isinstance(again, Stored)
    assert again.receipt.people == "patients"
    assert left(patients) == {"guests": Fraction(1, 2), "patients": Fraction(3, 2)}
    reserve(patients, "b", "0.25", dataset="visits")  # and the next one is paid by the new people
    assert left(patients) == {"guests": Fraction(1, 4), "patients": Fraction(3, 2)}


def test_people_stay_when_their_last_dataset_leaves(patients: Ledger) -> None:
    patients.add("rooms", 1)
    charge(patients, "a", "0.5", dataset="rooms")
    patients.move("rooms", "patients", "same people")
    assert left(patients) == {"patients": Fraction(3, 2), "rooms": Fraction(1, 2)}
    patients.add("beds", people="rooms")
    assert homes(patients)["beds"] == "rooms"


# Receipts


def test_the_people_of_a_receipt_are_compared(patients: Ledger) -> None:
    stored = charge(patients, "a", "0.5", dataset="visits")
    receipt = stored.receipt.to_dict()
    signed = {"receipt": receipt, "signature": dict(stored.signature)}
    card: dict[str, Any] = {**stored.result, **signed}
    patients.check(card)
    forged = receipt | {"people": "guests"}
    with refused("L117", "'people' was changed"):
        patients.check(card | {"receipt": forged})
    with refused("L117", "'people' was changed"):
        patients.verify(forged)
    del forged["people"]
    with refused("L117", "'people' is missing"):
        patients.check(card | {"receipt": forged})


def test_a_receipt_tells_whose_budget_it_is(patients: Ledger) -> None:
    shown = str(charge(patients, "a", "0.5", dataset="visits").receipt)
    assert "0.5 charged to 'visits' (people 'patients'), for request a; 1.5 of 2 left." in shown


# Charges build on checked entries only


def test_no_charge_is_made_if_the_home_of_its_dataset_was_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.ledger"
    ledger = create_ledger(path)
    ledger.add("visits", 1, people="patients")
    ledger.add("rooms", 1)
    charge(ledger, "a", 1, dataset="visits")
    with sqlite3.connect(path) as connection:
        connection.execute("update candling_entries set people = 'rooms' where seq = 2")
    for use in (
        lambda: reserve(ledger, "b", "0.5", dataset="visits"),
        lambda: ledger.move("visits", "rooms", "why not"),
        ledger.show,
    ):
        with refused("L110"):
            use()


def test_a_move_looks_at_every_charge_that_it_carries(tmp_path: Path) -> None:
    path = tmp_path / "a.ledger"
    ledger = create_ledger(path)
    ledger.add("visits", 1)
    for number in range(3):
        reserve(ledger, f"r{number}", "0.25")
    with sqlite3.connect(path) as connection:
        connection.execute("update candling_entries set units = 0 where seq = 3")
    with refused("L110"):
        ledger.move("visits", "guests", "why not", budget=1)


def test_a_dataset_whose_people_cannot_be_found_is_damage(
    patients: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by an index of the file with a changed byte."""
    monkeypatch.setattr("candling.ledger.store.budgets", lambda _: [])
    with refused("L110", "is damaged"):
        patients.show()


# Both stores find the people of a dataset and the budget of people by an index


def test_a_charge_reads_no_other_entries(tmp_path: Path) -> None:
    path = tmp_path / "a.ledger"
    create_ledger(path)
    queries = {
        "select 1 from candling_entries where people = ? order by seq desc limit 1": "by_people",
        "select 1 from candling_entries where dataset = ? and kind in ('add', 'move') "
        "order by seq desc limit 1": "by_joining",
    }
    with sqlite3.connect(path) as connection:
        for query, index in queries.items():
            ((*_, plan),) = connection.execute(f"explain query plan {query}", ("x",)).fetchall()
            assert f"candling_{index} (" in plan, plan


def test_an_opened_ledger_knows_the_same(place: str, patients: Ledger) -> None:
    patients.move("visits", "guests", "others", budget=1)
    other = open_ledger(place)
    assert other.show() == patients.show()
    assert other.find(make_claim("visits", 1, {})) is None
    with pytest.raises(BudgetError):
        other.find(make_claim("visits", "1.5", {}))
