"""What a release leaves behind: nothing of the table, also where no garbage is collected."""

from __future__ import annotations

import gc
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

import candling
from candling.card import Card
from candling.errors import InternalError
from candling.measures.facts import Facts, Part
from candling.measures.repair import Repair
from candling.privacy import LevelsDraw, PlainDraw
from candling.tables import Classes, Table, core

OF_A_TABLE = (Facts, Part, Classes, Table, duckdb.DuckDBPyConnection, PlainDraw, LevelsDraw)
RELEASES = 50
TOLERATED = 16 << 20  # bytes: what the allocator may keep, and far less than 50 connections need
RULES = "type zip, age: integer\nzip -> city\nnot(t1.zip < t2.zip and t1.age > t2.age)"
ALL = ["repair", "rows", "problematic", "minimal_inconsistent", "drastic", "worst_rule"]
ROWS = 300


@pytest.fixture(autouse=True)
def _no_garbage_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    lines = (f"{i % 90},c{i % 80},{i % 70},p{i % 60}" for i in range(ROWS))
    path.write_text("\n".join(["zip,city,age,person", *lines]) + "\n")
    return path


def alive() -> Counter[str]:
    """How many objects of each kind there are that know the table."""
    return Counter(type(o).__name__ for o in gc.get_objects() if type(o) in OF_A_TABLE)


def status(field: str) -> int:
    """A number that Linux knows of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{field}:")).split()[1])


@pytest.mark.parametrize("keep", [False, True], ids=["dropped", "kept"])
def test_fifty_releases_need_no_more_than_one(people: Path, keep: bool) -> None:
    def again() -> Card:
        return candling.release(
            people, "zip -> city", 1, measures=["repair", "rows", "problematic"]
        )

    cards = [again() for _ in range(3)]  # loads and compiles
    before = alive(), threading.active_count(), status("Threads")
    growth = []
    for _ in range(2):  # what the allocator takes once is no leak: a leak grows in both rounds
        resident = status("VmRSS")
        for _ in range(RELEASES):
            card = again()
            if keep:
                cards.append(card)
            assert (threading.active_count(), status("Threads")) == before[1:]
        growth.append(status("VmRSS") - resident)
    assert alive() == before[0]
    assert min(growth) << 10 < TOLERATED


def release(people: Path) -> Card:
    return candling.release(people, RULES, 1, measures=ALL)


WAYS: dict[str, Callable[[Path], object]] = {
    "all measures": release,
    "rule by rule": lambda people: candling.release(people, RULES, 1, measures=["by_rule"]),
    "kept rows of persons": lambda people: candling.release(people, RULES, 1, person="person"),
    "gates": lambda people: candling.release(people, RULES, 1, gates=["grade < 95%"]),
    "a study": lambda people: candling.analyze(people, RULES).release(1),
    "exact": lambda people: candling.exact(people, RULES, by_rule=True),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("small", [0, core.SMALL], ids=["core", "all rows"])
def test_nothing_that_knows_the_table_outlives_a_call(
    way: str, small: int, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "SMALL", small)
    before = alive()
    found = WAYS[way](people)
    assert found is not None
    assert alive() == before


def test_nor_does_it_outlive_a_release_that_is_charged(people: Path, tmp_path: Path) -> None:
    ledger = candling.create_ledger(tmp_path / "budget.ledger", trial=True)
    ledger.add("people", 10)
    before = alive()
    card = candling.release(people, RULES, 1, ledger=ledger, dataset="people")
    assert card.receipt is not None
    assert alive() == before


@pytest.mark.parametrize("error", [ZeroDivisionError, MemoryError])
def test_nor_a_release_that_fails(
    error: type[Exception], people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(Repair, "values", fail)
    before = alive()
    with pytest.raises((InternalError, candling.DataError)) as caught:
        release(people)
    del caught
    assert alive() == before


def test_the_count_sees_what_is_alive(people: Path) -> None:
    before = alive()
    study = candling.analyze(people, RULES)
    study.release(1)
    assert alive() - before >= Counter(["Facts", "Part", "Classes", "Table", "DuckDBPyConnection"])
