"""Released implies charged, whatever happens in between."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest

from candling.errors import BudgetError, LedgerError
from candling.ledger import Ledger, create_ledger, make_claim, open_ledger
from candling.ledger.sqlite import SqliteStore
from candling.system import progress
from tests.effort import reduce
from tests.ledger.conftest import charge, in_mount, reserve
from tests.ledger.rounds import (
    DATASETS,
    EPSILON,
    MOVE,
    PEOPLE,
    SEPARATOR,
    SHOWN,
    Round,
    dataset_of,
)

ROOT = Path(__file__).parent.parent.parent


def played(
    kind: str, place: str, rounds: int, mount: tuple[Path, Path] | None = None
) -> list[Round]:
    """Play rounds, where the second path of `mount` is the first one under another name."""
    command = [sys.executable, "-m", "tests.ledger.rounds", kind, place, str(rounds)]
    if mount is not None:
        command = in_mount(*mount, command)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if mount is not None and ("unshare:" in done.stderr or "mount:" in done.stderr):
        pytest.skip(f"mounting is not allowed here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return [Round(**json.loads(line)) for line in done.stdout.splitlines()]


def judged(ledger: Ledger, rounds: list[Round]) -> dict[str, str]:
    """What became of each request, if every value that was shown is charged and stored."""
    ledger.verify()
    entries: dict[tuple[str, str], dict[str, Any]] = {
        (e["request_id"], e["kind"]): e for e in ledger.export() if e["request_id"]
    }
    became = {}
    for done in rounds:
        charge = entries.get((done.request_id, "reserve"))
        result = entries.get((done.request_id, "result"))
        if done.shown is not None:
            assert charge is not None, f"{done} was shown and is not charged"
            assert charge["epsilon"] == float(EPSILON)
            assert result is not None, f"{done} was shown and is not stored"
            assert result["result"]["rows"]["value"] == done.shown
        became[done.request_id] = (
            "nothing" if charge is None else "charged" if result is None else "stored"
        )
    state = ledger.show()
    charges = [e for (_, kind), e in entries.items() if kind == "reserve"]
    charged = {d.name: d.charged_units for d in state.datasets}
    assert sum(charged.values()) == len(charges) * EPSILON * 10**12
    for budget in state.budgets:
        theirs = sum(dataset.charged_units for dataset in state.datasets_of(budget))
        assert theirs <= budget.spent_units <= budget.limit_units
    if len(state.budgets) == 1:
        assert state.budgets[0].spent_units == sum(charged.values())
    return became


@pytest.fixture
def ledger(place: str) -> Ledger:
    """A ledger with two datasets of the same people and a budget of 1."""
    return with_people(create_ledger(place))


def with_people(ledger: Ledger) -> Ledger:
    for dataset in DATASETS:
        ledger.add(dataset, 1, people=PEOPLE)
    return ledger


BECOMES = {
    "found": "nothing",
    "reserving": "nothing",
    "reserved": "charged",
    "computed": "charged",
    "storing": "charged",
    "stored": "stored",
    SHOWN: "stored",
    None: "stored",
}


@pytest.mark.parametrize("rounds", [reduce(240, 4)])
def test_killed_at_every_step(ledger: Ledger, place: str, rounds: int) -> None:
    rounds = rounds if isinstance(ledger.place, SqliteStore) else rounds // 3
    done = played("steps", place, rounds)
    became = judged(ledger, done)
    assert len(done) == rounds
    for one in done:
        assert one.signal == (SIGKILL if one.step else 0)
        assert (one.shown is not None) == (one.step in (SHOWN, None)), one
        assert became[one.request_id] == BECOMES[one.step], one
    assert {one.step for one in done} == {*progress.STEPS, SHOWN, None}
    _ask_again(place, done[:40], became)


def _ask_again(place: str, done: list[Round], became: dict[str, str]) -> None:
    """A repeated request gives the value that was shown, or none: never fresh noise."""
    ledger = open_ledger(place)
    for one in done:
        parameters = {"measures": ["rows"]}
        dataset = dataset_of(one.request_id)
        claim = make_claim(dataset, EPSILON, parameters, request_id=one.request_id)
        match became[one.request_id]:
            case "nothing":
                assert ledger.find(claim) is None
            case "charged":
                with pytest.raises(LedgerError) as error:
                    ledger.reserve(claim)
                assert error.value.code == "L112"
            case "stored":
                found = ledger.find(claim)
                assert found is not None
                assert one.shown in (None, found.result["rows"]["value"])


def test_killed_at_any_time(ledger: Ledger, place: str) -> None:
    done = played("times", place, reduce(200, 4) if isinstance(ledger.place, SqliteStore) else 60)
    became = Counter(judged(ledger, done).values())
    assert all(one.code is None for one in done)
    assert became["nothing"] > 0
    assert became["stored"] > 0
    assert any(one.shown is None for one in done)


# Several names


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "one").mkdir()
    path = tmp_path / "one" / "a.ledger"
    with_people(create_ledger(path))
    return path


def test_killed_in_a_directory_with_two_names(path: Path, tmp_path: Path) -> None:
    """Both names of the directory hold the same journal."""
    other = tmp_path / "other"
    other.mkdir()
    places = SEPARATOR.join(map(str, (path, other / path.name)))
    done = played("times", places, 120, mount=(path.parent, other))
    became = Counter(judged(open_ledger(path), done).values())
    assert {one.code for one in done} == {None}
    assert became["nothing"] > 0
    assert became["stored"] > 0


def test_killed_under_one_name_of_a_mounted_file(path: Path, tmp_path: Path) -> None:
    """What is asked under the other name is refused, so nothing can be lost by it."""
    other = tmp_path / "b.ledger"
    other.touch(0o600)
    places = SEPARATOR.join(map(str, (path, other)))
    done = played("times", places, 120, mount=(path, other))
    became = judged(open_ledger(path), done)
    assert {one.code for one in done} <= {None, "L119"}
    for one in done[1::2]:
        assert one.shown is None
        assert became[one.request_id] == "nothing"
    assert any(one.shown for one in done[::2])


def test_killed_and_moved_away_from_the_journal(path: Path, tmp_path: Path) -> None:
    """Whatever was shown is charged and stored, wherever the file is in the end."""
    other = tmp_path / "b.ledger"
    done = played("moved", SEPARATOR.join(map(str, (path, other))), 200)
    end = path if path.exists() else other
    with suppress(FileNotFoundError):  # of the last crash
        end.with_name(end.name + "-journal").unlink()
    ledger = open_ledger(end)
    stored = {e["request_id"]: e for e in ledger.export() if e["kind"] == "result"}
    charged = {e["request_id"] for e in ledger.export() if e["kind"] == "reserve"}
    for one in done:
        if one.shown is not None:
            assert one.request_id in charged, f"{one} was shown and is not charged"
            assert stored[one.request_id]["result"]["rows"]["value"] == one.shown
    assert {one.code for one in done} <= {None, "L110", "L115", "L120"}
    assert sum(one.shown is not None for one in done) > 10


def test_a_copy_put_back_is_found_by_every_later_receipt(path: Path) -> None:
    """Of releases after the copy, each receipt shows it; without a receipt, nothing does."""
    ledger = open_ledger(path)
    before = charge(ledger, "before", EPSILON).receipt
    copy = path.with_name("copy")
    shutil.copy2(path, copy)
    after = [charge(ledger, f"after-{n}", EPSILON).receipt for n in range(3)]
    copy.replace(path)
    assert ledger.verify(before).receipts == 1
    charge(ledger, "newer", EPSILON)
    ledger.verify()
    for receipt in after:
        with pytest.raises(LedgerError) as error:
            ledger.verify(receipt)
        assert error.value.code == "L115"


@pytest.mark.parametrize("rounds", [80])
def test_a_full_disk(tmp_path: Path, rounds: int) -> None:
    path = tmp_path / "a.ledger"
    ledger = with_people(create_ledger(path))
    done = played("full", str(path), rounds)
    became = judged(ledger, done)
    told = Counter((one.code, became[one.request_id]) for one in done)
    assert {code for code, _ in told} == {None, "L113"}
    assert told["L113", "nothing"] > 0  # no room to reserve
    assert told["L113", "charged"] > 0  # no room to store: spent, not shown
    assert told[None, "stored"] > 0
    assert told["L113", "stored"] == told[None, "charged"] == told[None, "nothing"] == 0


def test_16_processes_at_the_limit(ledger: Ledger, place: str) -> None:
    """Of 16 that ask for the last ten parts of one budget, ten get one, six are refused.

    Half of them release one dataset of the people, half the other.
    """
    parameters = {"measures": ["rows"]}
    rest = 1 - 11 * EPSILON  # one is spent by the process that starts the others
    ledger.reserve(make_claim("visits", rest, parameters, request_id="before"))
    done = played("race", place, 16)
    assert Counter(one.code for one in done) == {None: 10, "L201": 6}
    assert sum(one.shown is not None for one in done) == 10
    ledger.verify()
    state = ledger.show()
    assert [budget.remaining for budget in state.budgets] == [0]
    assert sum(dataset.results for dataset in state.datasets) == 11
    for dataset in DATASETS:
        with pytest.raises(BudgetError):
            ledger.reserve(make_claim(dataset, EPSILON, parameters))


def test_processes_that_charge_and_move_at_once(ledger: Ledger, place: str) -> None:
    """Whatever comes first: each charge is carried by the people of its dataset, once."""
    done = played("moving race", place, 24)
    became = judged(ledger, done)
    assert {one.code for one in done} <= {None, "L106"}  # another process moved it already
    charged = [one for one in done if not one.request_id.startswith(MOVE)]
    assert {became[one.request_id] for one in charged} == {"stored"}
    assert any(entry["kind"] == "move" for entry in ledger.export())


def test_killed_while_datasets_move(ledger: Ledger, place: str) -> None:
    done = played("moves", place, reduce(200, 4) if isinstance(ledger.place, SqliteStore) else 60)
    became = Counter(judged(ledger, done).values())
    assert all(one.code is None for one in done)
    assert became["stored"] > 0
    assert sum(entry["kind"] == "move" for entry in ledger.export()) > 1


def test_a_ledger_file_is_flushed_at_every_commit(tmp_path: Path) -> None:
    create_ledger(tmp_path / "a.ledger")
    store = SqliteStore(tmp_path / "a.ledger")
    with store.open_writer() as connection:
        assert connection.execute("pragma synchronous") == [(2,)]  # FULL
        assert connection.execute("pragma journal_mode") == [("persist",)]


def test_a_file_that_was_switched_to_a_write_ahead_log_is_switched_back(tmp_path: Path) -> None:
    path = tmp_path / "a.ledger"
    ledger = create_ledger(path)
    other = sqlite3.connect(path)
    other.execute("pragma journal_mode = wal")
    other.close()
    ledger.add("visits", 1)
    assert not path.with_name("a.ledger-wal").exists()
    ledger.verify()


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_locked_file(tmp_path: Path, when: str) -> None:
    """A lock that stays: before the charge nothing happens, after it the charge stays spent."""
    path = tmp_path / "a.ledger"
    create_ledger(path).add("visits", 1)
    ledger = open_ledger(path)
    hasty = Ledger(SqliteStore(path, patience=0.1), ledger.meta)
    held = None
    if when == "after":
        held = reserve(hasty, "r1", 1)
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("begin exclusive")
    try:
        with pytest.raises(LedgerError, match="Another process has locked") as error:
            _ = hasty.store_result(held, {}) if held else reserve(hasty, "r1", 1)
    finally:
        blocker.close()
    assert error.value.code == "L109"
    ledger.verify()
    (dataset,) = ledger.show().datasets
    assert (dataset.remaining == 0, len(dataset.without_result)) == (
        (False, 0) if held is None else (True, 1)
    )
