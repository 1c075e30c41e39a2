from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import candling
from candling.ledger import make_claim
from tests.cli.conftest import Result, Run
from tests.postgres import Server

GOLDEN = Path(__file__).parent / "golden"
COMMANDS = ("init", "add", "show", "verify", "export", "raise", "move", "key")


@pytest.fixture
def ledger(run: Run, people: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger with a dataset `people` and a budget of 1, in the directory that we are in."""
    monkeypatch.chdir(people.parent)
    run("ledger", "init", "budget.ledger")
    run("ledger", "add", "budget.ledger", "--dataset", "people", "--budget", "1")
    return Path("budget.ledger")


def release(run: Run, epsilon: str = "0.25", *options: str) -> Result:
    place = ["--ledger", "budget.ledger", "--dataset", "people", "--measures", "rows"]
    return run("release", "people.csv", "rules.txt", "--epsilon", epsilon, *place, *options)


def plain(text: str) -> str:
    """Without what is different every time."""
    text = re.sub(r"\b[0-9a-f]{64}\b", "HASH" + 60 * "-", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "2026-01-01T00:00:00.000000Z", text)
    return re.sub(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UUID" + 32 * "-", text)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(run: Run, command: str) -> None:
    result = run("ledger", command, "--help")
    assert result.code == 0
    assert f"candling ledger {command}" in result.out.split("Examples")[1]
    assert "--json" in result.out


@pytest.mark.usefixtures("without_noise", "rules")
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_output(run: Run, people: Path, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """A whole session; CANDLING_UPDATE_GOLDEN=1 writes the files again."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.chdir(people.parent)
    place = "budget.ledger"
    charged = ["--ledger", place, "--dataset", "people", "--measures", "rows"]
    scans = ["release", "people.csv", "rules.txt", "--ledger", place, "--dataset", "scans"]
    scans += ["--measures", "rows"]
    session = [
        ["ledger", "init", place],
        ["ledger", "add", place, "--dataset", "people", "--budget", "1"],
        ["release", "people.csv", "rules.txt", "--epsilon", ".75", *charged, "--request-id", "a"],
        ["release", "none.csv", "rules.txt", "--epsilon", ".75", *charged, "--request-id", "a"],
        ["release", "people.csv", "rules.txt", "--epsilon", "0.5", *charged],
        ["ledger", "raise", place, "--dataset", "people", "--budget", "2", "--reason", "report"],
        ["ledger", "add", place, "--dataset", "staff", "--budget", "0.5", "--by", "ada"],
        ["ledger", "show", place],
        ["ledger", "add", place, "--dataset", "visits", "--people", "patients", "--budget", "2"],
        ["ledger", "add", place, "--dataset", "scans", "--people", "patients"],
        [*scans, "--epsilon", "0.5", "--request-id", "b"],
        [*scans, "--epsilon", "0.5", "--request-id", "b"],
        [*scans, "--epsilon", "1.75"],
        ["ledger", "raise", place, "--dataset", "visits", "--budget", "3", "--reason", "report"],
        ["ledger", "move", place, "--dataset", "staff", "--people", "patients", "--reason", "ill"],
        ["ledger", "move", place, "--dataset", "people", "--people", "staff", "--reason", "same"],
        ["ledger", "show", place],
        ["ledger", "verify", place],
    ]
    told = []
    for number, command in enumerate(session):
        if number == 7:  # as after a crash
            claim = make_claim("staff", "0.3", {}, request_id="lost", by="bob")
            candling.open_ledger(place).reserve(claim)
        result = run(*command)
        told.append(f"$ candling {' '.join(command)}\n{result.out}{result.err}[{result.code}]\n")
    shown = plain("\n".join(told))
    golden = GOLDEN / f"ledger-{columns}.txt"
    if os.environ.get("CANDLING_UPDATE_GOLDEN"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


@pytest.mark.usefixtures("ledger", "rules")
def test_a_refusal_exits_3_and_shows_the_numbers(run: Run) -> None:
    release(run, "0.75")
    result = release(run, "0.5")
    assert (result.code, result.out) == (3, "")
    for words in ("L201", "requested  0.5", "remaining  0.25 of 1", "difference 0.25"):
        assert words in result.err
    result = release(run, "0.5", "--json")
    assert result.code == 3
    numbers = {"requested": 0.5, "remaining": 0.25, "difference": 0.25}
    whose = {"dataset": "people", "people": "people"}
    assert json.loads(result.out) == {"refused": {**whose, **numbers}}


@pytest.mark.usefixtures("ledger", "rules")
def test_json_of_a_charged_release(run: Run) -> None:
    card = json.loads(release(run, "0.25", "--json", "--by", "ada").out)
    head = ["schema", "epsilon", "person", "grade"]
    assert list(card) == [*head, "rows", "about", "noise", "receipt", "signature"]
    assert card["receipt"]["remaining"] == 0.75
    assert card["receipt"]["dataset"] == card["receipt"]["people"] == "people"


@pytest.mark.usefixtures("ledger", "rules")
def test_the_same_request_again(run: Run, people: Path) -> None:
    first = json.loads(release(run, "0.25", "--request-id", "a", "--json").out)
    people.unlink()
    result = release(run, "0.25", "--request-id", "a", "--json")
    again = json.loads(result.out)
    assert again["rows"] == first["rows"]
    assert again["receipt"]["repeated"]
    assert "shown again at no cost" in result.err


@pytest.mark.usefixtures("rules")
def test_without_a_ledger_it_says_so_once(run: Run, people: Path) -> None:
    result = run("release", people, people.with_name("rules.txt"), "--epsilon", "1")
    assert (result.out + result.err).count("No ledger") == 1


@pytest.mark.usefixtures("rules")
def test_the_ledger_may_come_from_the_environment(
    run: Run, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANDLING_LEDGER", str(ledger))
    command = ["release", "people.csv", "rules.txt", "--epsilon", "0.5", "--measures", "rows"]
    assert run(*command, "--dataset", "people").code == 0
    forgotten = run(*command)
    assert (forgotten.code, forgotten.err[:12]) == (2, "error U208: ")
    assert len(candling.open_ledger(ledger).show().datasets[0].without_result) == 0


@pytest.mark.usefixtures("ledger", "rules")
def test_what_fails_after_the_charge_says_what_it_cost(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors: list[tuple[BaseException, int]] = [
        (KeyError("a cell"), 70),
        (candling.DataError("The engine stopped.", code="D103"), 2),
        (KeyboardInterrupt(), 130),
    ]
    for number, (error, code) in enumerate(errors):

        def fail(*_: Any, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr("candling.releases.session.run_release", fail)
        result = release(run, "0.25", "--request-id", f"r{number}")
        assert (result.code, result.out) == (code, "")
        assert f"Epsilon 0.25 of 'people' stays spent, for request r{number}." in result.err
        assert "a cell" not in result.err
    listed = run("ledger", "show", "budget.ledger").out
    assert all(f"request r{number}" in listed for number in range(3))


def test_verify_names_the_first_wrong_entry(run: Run, ledger: Path, rules: Path) -> None:
    release(run, "0.25")
    with candling.open_ledger(ledger).place.open_writer() as connection:
        connection.execute("update candling_entries set units = 1 where seq = 3")
    result = run("ledger", "verify", ledger)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error L110: Entry 3 of budget.ledger is wrong: ")
    result = run("ledger", "verify", ledger, "--json")
    told = json.loads(result.out)
    assert (result.code, told["sound"], told["sequence"]) == (2, False, 3)


def test_verify_finds_an_older_copy(run: Run, ledger: Path, rules: Path, tmp_path: Path) -> None:
    copy, card = tmp_path / "copy", tmp_path / "card.json"
    shutil.copy2(ledger, copy)
    card.write_text(release(run, "0.25", "--json").out)
    assert run("ledger", "verify", ledger, "--receipt", card).code == 0
    copy.replace(ledger)
    assert run("ledger", "verify", ledger).code == 0
    result = run("ledger", "verify", ledger, "--receipt", card)
    assert (result.code, result.err[:12]) == (2, "error L115: ")
    assert "it was replaced by an older copy" in result.err


@pytest.mark.parametrize("content", [None, "", "[]", '{"receipt": 1}', '{"rows": 1}'])
def test_verify_with_what_is_no_receipt(
    run: Run, ledger: Path, tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "card.json"
    if content is not None:
        path.write_text(content)
    result = run("ledger", "verify", ledger, "--receipt", path)
    assert (result.code, result.err[:12]) == (2, "error L116: ")


def test_export_is_one_entry_a_line(run: Run, ledger: Path, rules: Path) -> None:
    release(run, "0.25", "--request-id", "a")
    result = run("ledger", "export", ledger)
    entries = [json.loads(line) for line in result.out.splitlines()]
    assert [e["kind"] for e in entries] == ["init", "add", "reserve", "result"]
    assert not {"table", "fingerprint"}.intersection(*entries)
    whole = json.loads(run("ledger", "export", ledger, "--json").out)
    assert whole["entries"] == entries


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["init", "budget.ledger"], "L103"),
        (["init", "none/budget.ledger"], "L104"),
        (["show", "none.ledger"], "L101"),
        (["verify", "none.ledger"], "L101"),
        (["export", "rules.txt"], "L104"),
        (["add", "budget.ledger", "--dataset", "people", "--budget", "1"], "L106"),
        (["add", "budget.ledger", "--dataset", "", "--budget", "1"], "U209"),
        (["add", "budget.ledger", "--dataset", "People", "--budget", "1"], "L121"),
        (["add", "budget.ledger", "--dataset", "p\u0435ople", "--budget", "1"], "U209"),
        (["add", "budget.ledger", "--dataset", "peo\u200bple", "--budget", "1"], "U209"),
        (["add", "budget.ledger", "--dataset", "a", "--budget", "nan"], "L107"),
        (["add", "budget.ledger", "--dataset", "a", "--budget", "0"], "L107"),
        (["add", "budget.ledger", "--dataset", "a"], "L107"),
        (["add", "budget.ledger", "--dataset", "a", "--people", "b"], "L107"),
        (["add", "budget.ledger", "--dataset", "a", "--people", "people", "--budget", "2"], "L107"),
        (["add", "budget.ledger", "--dataset", "a", "--people", "People", "--budget", "2"], "L121"),
        (["raise", "budget.ledger", "--budget", "2", "--reason", "x"], "U209"),
        (["raise", "budget.ledger", "--people", "a", "--budget", "2", "--reason", "x"], "L105"),
        (
            ["move", "budget.ledger", "--dataset", "people", "--people", "people", "--reason", "x"],
            "L106",
        ),
        (
            ["move", "budget.ledger", "--dataset", "a", "--people", "people", "--reason", "x"],
            "L105",
        ),
        (
            ["move", "budget.ledger", "--dataset", "people", "--people", "a", "--reason", "x"],
            "L107",
        ),
        (
            ["raise", "budget.ledger", "--dataset", "people", "--budget", "1", "--reason", "x"],
            "L107",
        ),
        (
            ["raise", "budget.ledger", "--dataset", "peopel", "--budget", "2", "--reason", "x"],
            "L105",
        ),
        (
            ["raise", "budget.ledger", "--dataset", "people", "--budget", "2", "--reason", " "],
            "U209",
        ),
    ],
)
@pytest.mark.usefixtures("ledger", "rules")
def test_mistakes(run: Run, command: list[str], code: str) -> None:
    Path("rules.txt").chmod(0o644)
    result = run("ledger", *command)
    assert (result.code, result.out, result.err[:12]) == (2, "", f"error {code}: ")


@pytest.mark.usefixtures("ledger", "rules")
@pytest.mark.parametrize(("redirect", "code"), [(">/dev/full", 74), ("|true", 141)])
def test_output_that_goes_nowhere_can_be_asked_for_again(
    run: Run, redirect: str, code: int
) -> None:
    program = Path(sys.executable).with_name("candling")
    options = "--epsilon 1 --measures rows --json --ledger budget.ledger --dataset people"
    command = f"{program} release people.csv rules.txt {options} {redirect}"
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], check=False, capture_output=True, text=True
    )
    assert result.returncode == code
    found = re.search(r"--request-id (\S+) shows it again, for free", result.stderr)
    assert found is not None
    assert release(run, "1", "--request-id", found[1]).code == 0


@pytest.mark.usefixtures("rules")
def test_two_datasets_of_the_same_people(run: Run, ledger: Path) -> None:
    run("ledger", "add", ledger, "--dataset", "visits", "--people", "people")
    place = ["--ledger", ledger, "--dataset", "visits", "--measures", "rows", "--json"]
    release(run, "0.75")
    result = run("release", "people.csv", "rules.txt", "--epsilon", "0.5", *place)
    assert result.code == 3
    card = json.loads(run("release", "people.csv", "rules.txt", "--epsilon", "0.25", *place).out)
    assert (card["receipt"]["dataset"], card["receipt"]["people"]) == ("visits", "people")
    assert card["receipt"]["remaining"] == 0
    shown = json.loads(run("ledger", "show", ledger, "--json").out)
    assert shown["budgets"] == {"people": {"limit": 1.0, "spent": 1.0, "remaining": 0.0}}
    assert {name: d["charged"] for name, d in shown["datasets"].items()} == {
        "people": 0.75,
        "visits": 0.25,
    }
    assert json.loads(run("ledger", "verify", ledger, "--json").out)["budgets"] == 1


@pytest.mark.usefixtures("rules")
def test_a_move_that_its_people_cannot_carry_exits_3(run: Run, ledger: Path) -> None:
    release(run, "0.75")
    move = ["ledger", "move", ledger, "--dataset", "people", "--people", "a", "--reason", "x"]
    result = run(*move, "--budget", "0.5")
    assert (result.code, result.out, result.err[:12]) == (3, "", "error L202: ")
    moved = json.loads(run(*move, "--budget", "1", "--json").out)
    assert (moved["kind"], moved["dataset"], moved["people"]) == ("move", "people", "a")
    assert (moved["charged"], moved["remaining"]) == (0.75, 0.25)
    Path("receipt.json").write_text(json.dumps(moved))
    assert run("ledger", "verify", ledger, "--receipt", "receipt.json").code == 0


def test_a_look_alike_can_be_confirmed(run: Run, ledger: Path) -> None:
    result = run("ledger", "add", ledger, "--dataset", "People", "--budget", "1", "--look-alike")
    assert result.code == 0
    assert list(json.loads(run("ledger", "show", ledger, "--json").out)["datasets"]) == [
        "People",
        "people",
    ]


def test_a_trial_says_so_everywhere(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "trial.ledger"
    assert json.loads(run("ledger", "init", path, "--trial", "--json").out)["trial"]
    for command in ("show", "verify"):
        assert "for trials" in run("ledger", command, path).out
        assert json.loads(run("ledger", command, path, "--json").out)["trial"]


@pytest.mark.usefixtures("rules")
def test_a_release_with_a_ledger_that_has_two_names(run: Run, ledger: Path) -> None:
    os.link(ledger, "other.ledger")
    result = release(run)
    assert (result.code, result.out, result.err[:12]) == (2, "", "error L119: ")
    result = run("ledger", "verify", "other.ledger", "--json")
    assert result.code == 2
    assert json.loads(result.out)["code"] == "L119"


@pytest.mark.usefixtures("ledger")
def test_a_receipt_that_no_ledger_writes(run: Run) -> None:
    shown = json.loads(run("ledger", "show", "budget.ledger", "--json").out)
    for change in ({"sequence": 0, "head": ""}, {"sequence": True}, {"head": ""}):
        Path("receipt.json").write_text(json.dumps(shown | change))
        result = run("ledger", "verify", "budget.ledger", "--receipt", "receipt.json")
        assert (result.code, result.err[:12]) == (2, "error L116: ")


@pytest.mark.usefixtures("ledger", "rules")
def test_a_release_with_a_ledger_that_is_missing(run: Run) -> None:
    Path("budget.ledger").unlink()
    result = release(run, "0.25")
    assert (result.code, result.out, result.err[:12]) == (2, "", "error L101: ")
    assert not Path("budget.ledger").exists()


@pytest.mark.postgres
@pytest.mark.usefixtures("rules")
def test_a_ledger_in_postgresql(
    run: Run, people: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(people.parent)
    place = postgres.fresh()
    outputs = [
        run("ledger", "init", place),
        run("ledger", "add", place, "--dataset", "people", "--budget", "1"),
        run("release", "people.csv", "rules.txt", "--epsilon", "1", "--ledger", place,
            "--dataset", "people", "--measures", "rows"),
        run("ledger", "show", place),
        run("ledger", "verify", place),
    ]  # fmt: skip
    assert [o.code for o in outputs] == [0] * 5
    assert "Its tables belong to owner" in outputs[-1].out
    refused = run("release", "people.csv", "rules.txt", "--epsilon", "1", "--ledger", place,
                  "--dataset", "people")  # fmt: skip
    assert refused.code == 3
    assert "correct" not in "".join(o.out + o.err for o in [*outputs, refused])


def test_the_next_command_can_be_copied(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("ledger", "init", "it's ours.ledger")
    assert "candling ledger add 'it'\"'\"'s ours.ledger' --dataset NAME" in result.out
