"""No mutant of a ledger's rows, tables or bytes is called sound and counts otherwise."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from candling.errors import CandlingError
from candling.ledger import open_ledger
from candling.ledger.entry import COLUMNS
from tests.fuzz import ledgers

Mutation = Callable[[Path, Random], str]


def outcome(path: Path, good: list[dict[str, Any]], receipt: dict[str, Any]) -> str:
    """Whether a mutant is found, is the same ledger still, or lost its end."""
    try:
        ledger = open_ledger(path)
        ledger.verify()
    except CandlingError:
        return "found"
    entries = list(ledger.export())
    if entries == good:
        return "same"
    assert entries == good[: len(entries)], "another history is called sound"
    with pytest.raises(CandlingError):  # nothing but a receipt shows that the end is missing
        ledger.verify(receipt)
    return "end missing"


@pytest.mark.parametrize(
    ("mutation", "mutants", "least"),
    [
        (ledgers.with_changed_rows, 150, 100),
        (ledgers.with_changed_tables, 40, 15),
        (ledgers.with_changed_bytes, 80, 30),
        (ledgers.with_a_journal, 20, 0),
    ],
)
def test_a_mutant_is_found_or_counts_the_same(
    tmp_path: Path, mutation: Mutation, mutants: int, least: int
) -> None:
    good, path = tmp_path / "good.ledger", tmp_path / "a.ledger"
    ledgers.make(good)
    entries, receipt = list(open_ledger(good).export()), open_ledger(good).show().to_dict()
    random, outcomes = Random(mutation.__name__), []
    for _ in range(mutants):
        for old in tmp_path.glob("a.ledger*"):
            old.unlink()
        shutil.copy(good, path)
        mutation(path, random)
        outcomes.append(outcome(path, entries, receipt))
    assert outcomes.count("found") >= least, outcomes


def test_every_cell_of_every_entry(tmp_path: Path) -> None:
    """Each cell gets a handful of other values, and verify finds every one."""
    good, path = tmp_path / "good.ledger", tmp_path / "a.ledger"
    ledgers.make(good)
    values = (None, 0, -1, 1, 2**62, 1.5, "", "x", b"x", "0" * 64)
    for column in COLUMNS:
        for seq in range(1, 12):
            for value in values:
                shutil.copy(good, path)
                if ledgers.set_cell(path, column, seq, value):
                    with pytest.raises(CandlingError):
                        open_ledger(path).verify()
