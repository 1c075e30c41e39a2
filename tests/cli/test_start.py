"""The guided first run: answers in, commands out, and nothing done."""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Result, Run, check_golden

Answered = Callable[..., Result]
YES = ""


class Terminal(io.StringIO):
    """Standard input that a test can take for a terminal."""


@pytest.fixture
def answered(run: Run, people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch) -> Answered:
    """Run `candling start ARGS...` with piped answers, beside a table and its rules."""
    monkeypatch.chdir(people.parent)

    def call(answers: list[str], *args: str) -> Result:
        monkeypatch.setattr("sys.stdin", Terminal("".join(f"{line}\n" for line in answers)))
        return run("start", *args)

    return call


def commands_of(result: Result) -> list[str]:
    """The commands that it prints at the end."""
    assert result.code == 0, result.err
    _, _, end = result.out.partition("Run these in this order:")
    return [line.strip() for line in end.splitlines() if line.startswith("  candling")]


ALL_PROPOSED = ["people.csv", "rules.txt", "none", YES, "1", YES, YES, YES, YES]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_output(answered: Answered, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = answered(["people.csv", YES, "Id", "8", "2", "1", YES, "none"])
    assert result.code == 0
    text, commands, listed = result.out.partition("  candling check")
    check_golden("start", text, columns=columns)  # commands are never broken
    assert "people.csv rules.txt --epsilon 1 --person Id --rows-per-person 8" in commands + listed


def test_the_commands_work_as_they_are(answered: Answered, run: Run) -> None:
    listed = commands_of(answered(ALL_PROPOSED))
    assert [command.split()[1] for command in listed] == [
        "check", "exact", "ledger", "ledger", "release",
    ]  # fmt: skip
    assert not Path("budget.ledger").exists()
    for command in listed:
        assert run(*shlex.split(command)[1:]).code == 0, command
    assert Path("card.json").is_file()
    assert Path("card.html").is_file()
    again = commands_of(answered(ALL_PROPOSED[:-1]))
    assert not any("ledger add" in command or "ledger init" in command for command in again)
    assert "--ledger budget.ledger --dataset people" in again[-1]


def test_rules_one_by_one(answered: Answered, run: Run) -> None:
    answers = ["Zip -> City", "key(Id)", YES, "none", "1", "1", YES, "none"]
    listed = commands_of(answered(answers, "people.csv"))
    assert all("--rule 'Zip -> City' --rule 'key(Id)'" in command for command in listed)
    for command in listed:
        assert run(*shlex.split(command)[1:]).code == 0, command


def test_without_rules_it_starts_with_a_rules_file(answered: Answered) -> None:
    Path("rules.txt").unlink()
    listed = commands_of(answered([YES, "none", "1", "1", "none"], "people.csv"))
    assert listed[0] == "candling init people.csv"
    assert listed[1] == "candling check people.csv rules.txt"


def test_it_proposes_the_column_of_a_person(answered: Answered) -> None:
    Path("visits.csv").write_text("Visit,PatientID\n1,1\n")
    answers = ["visits.csv", "key(Visit)", YES, YES, YES, YES, YES, "none"]
    assert "--person PatientID" in commands_of(answered(answers))[-1]


def test_as_json(answered: Answered) -> None:
    result = answered(ALL_PROPOSED, "--json")
    steps = json.loads(result.out)["steps"]
    assert steps[-1]["commands"][0].startswith("candling release people.csv rules.txt --epsilon 1")


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ([], "U219"),
        (["people.csv"], "U219"),
        ([""], "U219"),
        (["-"], "U219"),
        (["none.csv"], "D101"),
        (["people.csv", "nothing.txt"], "R101"),
        (["people.csv", "Zip -> Citty"], "R201"),
        (["people.csv", YES, "Idd"], "U216"),
        (["people.csv", YES, "none", "0"], "U219"),
        (["people.csv", YES, "none", "1", "much"], "U201"),
        (["people.csv", YES, "none", "1", "1", YES, "new.ledger", "people", "none"], "L107"),
    ],
)
def test_wrong_answers_stop_it_with_a_code(
    answered: Answered, answers: list[str], code: str
) -> None:
    result = answered(answers)
    assert result.code == 2
    assert code in result.err
    assert "Run these" not in result.out


def test_on_a_terminal_a_wrong_answer_is_asked_for_again(
    answered: Answered, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Terminal, "isatty", lambda _: True)
    result = answered(["none.csv", "people.csv", *ALL_PROPOSED[1:]])
    assert "D101" in result.err
    assert commands_of(result)


def test_rows_are_not_looked_at(answered: Answered) -> None:
    seen = answered(ALL_PROPOSED).out
    Path("people.csv").write_text("Id,Zip,City,Age\n9,9,Secret,9\n")
    assert answered(ALL_PROPOSED).out == seen
