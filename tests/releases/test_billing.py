"""The whole way of a charged release, from a table to a card with a receipt."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import candling
from candling.card import Card
from candling.cli import main
from candling.errors import InternalError
from candling.ledger import Ledger
from candling.releases import session
from candling.system import progress
from tests.without_noise import leave_out_noise

RULES = "zip: Zip -> City\nkey(Id)\n"


@pytest.fixture
def people() -> pd.DataFrame:
    return pd.DataFrame({"Id": [1, 2, 3, 4], "Zip": [1, 1, 2, 2], "City": ["A", "B", "C", "C"]})


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = tmp_path / "budget.ledger"
    candling.create_ledger(place).add("people", 1)
    return place


@pytest.fixture
def rules() -> candling.ConstraintSet:
    return candling.parse_constraints(RULES)


def entries(place: Path, kind: str) -> list[dict[str, Any]]:
    return [e for e in candling.open_ledger(place).export() if e["kind"] == kind]


def test_a_release_is_charged_and_carries_a_receipt(
    people: pd.DataFrame, rules: candling.ConstraintSet, place: Path
) -> None:
    card = candling.release(people, rules, 0.25, ledger=place, dataset="people", by="ada")
    receipt = card.receipt
    assert receipt is not None
    assert receipt.charged == card.epsilon
    assert receipt.remaining == Fraction(3, 4)
    assert card.to_dict()["receipt"] == receipt.to_dict()
    candling.open_ledger(place).verify(card.to_dict())
    (result,) = entries(place, "result")
    told = card.to_dict()
    del told["receipt"], told["signature"]
    assert result["result"] == told
    assert list(result["result"]) == list(told)
    assert entries(place, "reserve")[0]["by"] == "ada"


def test_datasets_of_the_same_people_are_charged_to_one_budget(
    people: pd.DataFrame, rules: candling.ConstraintSet, tmp_path: Path
) -> None:
    place = tmp_path / "patients.ledger"
    ledger = candling.create_ledger(place)
    ledger.add("visits", 1, people="patients")
    ledger.add("stays", people="patients")
    first = candling.release(people, rules, "0.75", ledger=place, dataset="visits")
    assert first.receipt is not None
    assert first.to_dict()["receipt"]["people"] == first.receipt.people == "patients"
    with pytest.raises(candling.BudgetError) as error:
        candling.release("there is no such table", rules, "0.5", ledger=place, dataset="stays")
    assert (error.value.dataset, error.value.people) == ("stays", "patients")
    second = candling.release(people, rules, "0.25", ledger=place, dataset="stays")
    assert second.receipt is not None
    assert second.receipt.remaining == 0
    for card in (first, second):
        again = Card.from_dict(card.to_dict())
        assert again.receipt == card.receipt
    ledger.verify(first.to_dict(), second.to_dict())


def test_a_dataset_that_moves_while_it_is_released(
    people: pd.DataFrame,
    rules: candling.ConstraintSet,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The card names those who paid, and those to whom it moved carry the charge as well."""
    ledger = candling.open_ledger(place)

    def move(step: str) -> None:
        if step == "computed":
            ledger.move("people", "others", "not these", budget=1)

    monkeypatch.setattr(progress, "mark_step", move)
    card = candling.release(people, rules, "0.25", ledger=place, dataset="people")
    assert card.receipt is not None
    assert (card.receipt.people, card.receipt.remaining) == ("people", Fraction(3, 4))
    left = {budget.people: budget.remaining for budget in ledger.show().budgets}
    assert left == {"others": Fraction(3, 4), "people": Fraction(3, 4)}
    ledger.verify(card.to_dict())


def test_a_ledger_may_be_given_open_and_to_a_study(
    people: pd.DataFrame, rules: candling.ConstraintSet, place: Path
) -> None:
    ledger = candling.open_ledger(place)
    study = candling.analyze(people, rules)
    first = study.release("0.5", ledger=ledger, dataset="people", request_id="r")
    again = study.release("0.5", ledger=str(place), dataset="people", request_id="r")
    assert first.receipt is not None
    assert again.receipt is not None
    assert (first.receipt.repeated, again.receipt.repeated) == (False, True)
    with pytest.raises(candling.BudgetError):
        study.release("0.6", ledger=ledger, dataset="people")


def test_a_repeated_request_reads_no_table_and_gives_the_same_card(
    people: pd.DataFrame, rules: candling.ConstraintSet, place: Path
) -> None:
    asked: dict[str, Any] = {
        "ledger": place,
        "dataset": "people",
        "request_id": "r",
        "measures": [
            "rows",
            "repair",
            "by_rule",
            "worst_rule",
            "maximal_consistent",
            "problematic",
        ],
    }
    first = candling.release(people, rules, 1, **asked)
    again = candling.release("there is no such table", rules, 1, **asked)
    old, new = first.to_dict(), again.to_dict()
    for told in (old, new):
        candling.open_ledger(place).check(told)
        del told["signature"]
    assert old.pop("receipt") | {"repeated": True} == new.pop("receipt")
    assert json.dumps(old) == json.dumps(new)
    assert [m.interval() for m in again] == [m.interval() for m in first]
    assert again.by_rule[0].name == first.by_rule[0].name
    assert again.repair.interval(0.5) == first.repair.interval(0.5)


@pytest.mark.parametrize(
    "other",
    [
        {"epsilon": "0.2"},
        {"measures": ["rows"]},
        {"split": {"draw": 1, "worst_rule": 1}},
        {"rows_per_person": 2},
        {"public_rows": 4},
        {"max_rows": 9},
        {"rules": candling.parse_constraints("key(Id)")},
        {"dataset": "others"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_a_request_id_stands_for_everything_that_shapes_a_release(
    people: pd.DataFrame, rules: candling.ConstraintSet, place: Path, other: dict[str, Any]
) -> None:
    candling.open_ledger(place).add("others", 1)
    asked: dict[str, Any] = {
        "rules": rules,
        "epsilon": "0.1",
        "measures": ["rows", "repair", "worst_rule"],
        "dataset": "people",
    }
    candling.release(people, ledger=place, request_id="r", **asked)
    same = asked | {"epsilon": 0.1, "rules": candling.parse_constraints(RULES + "key(Id)\n")}
    candling.release(people, ledger=place, request_id="r", **same)
    with pytest.raises(candling.LedgerError) as error:
        candling.release(people, ledger=place, request_id="r", **asked | other)
    assert error.value.code == "L111"
    assert len(entries(place, "reserve")) == 1


def test_a_refused_release_opens_no_table(rules: candling.ConstraintSet, place: Path) -> None:
    with pytest.raises(candling.BudgetError):
        candling.release("there is no such table", rules, 2, ledger=place, dataset="people")
    with pytest.raises(candling.LedgerError):
        candling.release("there is no such table", rules, 1, ledger=place, dataset="person")
    assert not entries(place, "reserve")


def test_what_is_wrong_before_a_row_is_read_costs_nothing(
    people: pd.DataFrame, rules: candling.ConstraintSet, place: Path
) -> None:
    asked: dict[str, Any] = {"ledger": place, "dataset": "people"}
    with pytest.raises(candling.UsageError):
        candling.release(people, rules, 1, measures=["repar"], **asked)
    with pytest.raises(candling.ConstraintError):
        candling.release(people, candling.parse_constraints("Zip -> Town"), 1, **asked)
    with pytest.raises(candling.DataError):
        candling.release("there is no such table.csv", rules, 1, **asked)
    assert not entries(place, "reserve")


@pytest.mark.parametrize("error", [ValueError("a cell"), KeyboardInterrupt(), MemoryError()])
def test_what_fails_after_the_charge_stays_spent_and_says_so(
    people: pd.DataFrame,
    rules: candling.ConstraintSet,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("candling.releases.session.run_release", fail)
    told: dict[type[BaseException], type[Exception]] = {
        ValueError: InternalError,
        MemoryError: candling.DataError,
    }
    with pytest.raises(told.get(type(error), type(error))) as raised:
        candling.release(people, rules, 0.5, ledger=place, dataset="people", request_id="r")
    assert "a cell" not in str(raised.value)
    assert raised.value.__notes__ == ["Epsilon 0.5 of 'people' stays spent, for request r."]
    (dataset,) = candling.open_ledger(place).show().datasets
    assert dataset.remaining == Fraction(1, 2)
    assert len(dataset.without_result) == 1


def test_nothing_is_read_before_it_is_charged_nor_shown_before_it_is_stored(
    people: pd.DataFrame,
    rules: candling.ConstraintSet,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order: list[str] = []

    def watched(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            order.append(name)
            return original(*args, **options)

        return call

    monkeypatch.setattr(progress, "mark_step", order.append)
    for name in ("read_core", "run_release"):
        monkeypatch.setattr(session, name, watched(name, getattr(session, name)))
    candling.release(people, rules, 1, ledger=place, dataset="people")
    before, after = progress.STEPS[:3], progress.STEPS[3:]
    assert order == [*before, "read_core", "run_release", *after]
    assert (before[-1], after[0], after[-1]) == ("reserved", "computed", "stored")


def test_a_ledger_needs_a_dataset_and_the_other_way_round(
    people: pd.DataFrame, rules: candling.ConstraintSet, place: Path
) -> None:
    alone: list[dict[str, Any]] = [
        {"ledger": place},
        {"dataset": "people"},
        {"request_id": "r"},
        {"by": "ada"},
    ]
    for options in alone:
        with pytest.raises(candling.UsageError) as error:
            candling.release(people, rules, 1, **options)
        assert error.value.code == "U208"


def test_what_is_public_costs_nothing(
    people: pd.DataFrame, rules: candling.ConstraintSet, place: Path
) -> None:
    asked: dict[str, Any] = {"measures": ["rows"], "public_rows": 4}
    card = candling.release(people, rules, 1, ledger=place, dataset="people", **asked)
    assert card.receipt is not None
    assert card.receipt.charged == 0
    assert card.receipt.remaining == 1


# Times


@dataclass
class Clock:
    """A `datetime` that stands still but where it is moved."""

    moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    strptime = staticmethod(datetime.strptime)

    def now(self, _: object) -> datetime:
        return self.moment


def printed(capfd: pytest.CaptureFixture[str], *args: str | Path) -> str:
    capfd.readouterr()
    with pytest.raises(SystemExit) as stop:
        main([str(arg) for arg in args])
    assert not stop.value.code
    return "".join(capfd.readouterr())


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_nothing_that_leaves_tells_how_long_a_release_took(
    people: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    form: str,
) -> None:
    """Whole outputs of a quick and a slow release of one table, on copies of one ledger."""
    people.to_parquet(tmp_path / "people.parquet")
    (tmp_path / "rules.txt").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    leave_out_noise(monkeypatch)
    release = ["release", "people.parquet", "rules.txt", "--epsilon", "0.5", "--format", form]
    release += ["--measures", "rows,repair,drastic,by_rule", "--report", "card.html"]
    release += ["--ledger", "copy.ledger", "--dataset", "people", "--request-id", "r"]
    clock, start, pause = Clock(), Clock().moment, timedelta(0)
    monkeypatch.setattr("candling.ledger.entry.datetime", clock)
    monkeypatch.setattr("candling.releases.request.datetime", clock)
    candling.create_ledger("budget.ledger").add("people", 1)

    def reached(_: str) -> None:
        """Every step takes its time: opening the table, reading it, drawing noise, storing."""
        clock.moment += pause

    monkeypatch.setattr(progress, "mark_step", reached)
    outputs = []
    for pause in (timedelta(0), timedelta(hours=1)):
        clock.moment = start
        shutil.copy("budget.ledger", "copy.ledger")
        told = [printed(capfd, *release), Path("card.html").read_text(encoding="utf-8")]
        assert clock.moment == start + len(progress.STEPS) * pause
        Path("card.html").unlink()
        told.append(printed(capfd, *release))  # the stored card
        told.append(Path("card.html").read_text(encoding="utf-8"))
        Path("card.html").unlink()
        for command in ("show", "export", "verify"):
            told.append(printed(capfd, "ledger", command, "copy.ledger"))
            told.append(printed(capfd, "ledger", command, "copy.ledger", "--json"))
        outputs.append(told)
    quick, slow = outputs
    assert slow == quick
    times = re.findall(r"\d{4}-\d\d-\d\d[T ]([\d:.]+)", "".join(slow))
    assert set(times) <= {"00:00", "00:00:00", "00:00:00.000000"}, "that of the request"
    assert len(times) > 10


PROGRAM = """
import os, signal, sys
from candling.system import progress
from candling.cli import main
die = lambda: os.kill(os.getpid(), signal.SIGKILL)
progress.mark_step = lambda step: die() if step == sys.argv[1] else None
main(sys.argv[2:])
"""


@pytest.mark.parametrize("step", progress.STEPS)
def test_a_real_release_killed_at_every_step_shows_nothing(
    people: pd.DataFrame, place: Path, tmp_path: Path, step: str
) -> None:
    people.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "rules.txt").write_text(RULES)
    command = ["release", "people.csv", "rules.txt", "--epsilon", "0.5", "--json"]
    command += ["--ledger", str(place), "--dataset", "people", "--request-id", "r"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, step, *command],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")
    ledger: Ledger = candling.open_ledger(place)
    ledger.verify()
    expected = ("reserve",) * (step not in ("found", "reserving")) + ("result",) * (
        step == "stored"
    )
    assert tuple(e["kind"] for e in ledger.export() if e["request_id"]) == expected
