"""Odd numbers on the command line and in TOML: each is answered or clearly refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import candling
from candling.system.limits import memory_limit
from tests.cli.conftest import Run

NUMBERS = [
    *("9" * 400, "9" * 5000, "0x" + "f" * 6000, "1e300", "1e400", "1e999999999", "1e-999999999"),
    *("nan", "inf", "-1", "0." + "0" * 5000 + "1", "1/" + "9" * 5000, "1_0", "\u0663"),
    *("9" * 400 + "GB", "9" * 5000 + "TB", "99999999999TB", "1e300GB", "\u0669" * 20 + "GB"),
]
OPTIONS = [
    ("exact {people} {rules}", "--time-limit={}"),
    ("exact {people} {rules}", "--memory={}"),
    ("exact {people} {rules}", "--rows-per-person={}"),
    ("exact {people} {rules}", "--fail-if=repair > {}"),
    ("release {people} {rules}", "--epsilon={}"),
    ("release {people} {rules} --epsilon 1", "--max-rows={}"),
    ("release {people} {rules} --epsilon 1", "--rows-per-person={}"),
    ("plan {rules}", "--epsilon={}"),
    ("plan {rules}", "--error=repair={}"),
    ("plan {rules} --epsilon 1", "--rows={}"),
    ("plan {rules} --epsilon 1 --measures repair,rows", "--split=draw={}"),
    ("ledger init new.ledger", "--budget={}"),
    ("owner conflicts {people} {rules}", "--limit={}"),
    ("owner repair {people} {rules}", "--time-limit={}"),
    ("suggest {people}", "--time-limit={}"),
    ("demo", "--rows={}"),
]


@pytest.fixture
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("command", "option"), OPTIONS, ids=lambda text: text.split("=")[0])
@pytest.mark.usefixtures("_here")
def test_odd_numbers(run: Run, people: Path, rules: Path, command: str, option: str) -> None:
    words = command.format(people=people, rules=rules).split()
    for number in NUMBERS:
        result = run(*words, option.format(number))
        assert result.code in (0, 1, 2, 4), (number[:20], result.err)
        Path("new.ledger").unlink(missing_ok=True)


@pytest.mark.parametrize("number", ["0x" + "f" * 6000, "9" * 4000, "0o" + "7" * 6000, str(2**63)])
@pytest.mark.parametrize("key", ["rows_per_person", "max_rows", "memory", "null"])
@pytest.mark.usefixtures("_here")
def test_integers_beyond_64_bits_in_the_file(run: Run, rules: Path, key: str, number: str) -> None:
    for value in (number, f"[{number}]"):
        Path("candling.toml").write_text(f"{key} = {value}\n")
        result = run("plan", rules, "--epsilon", "1")
        assert (result.code, result.out) == (2, "")
        assert "U301" in result.err


def test_limits_of_memory() -> None:
    assert memory_limit("1000TB") == 10**15
    assert memory_limit("1.5GiB") == 3 * 2**29
    for text in ("1001TB", "9" * 400 + "GB", "0GB", "63MB", "\u0669GB"):
        with pytest.raises(candling.UsageError) as caught:
            memory_limit(text)
        assert caught.value.code == "U101"
        assert len(str(caught.value)) < 200
