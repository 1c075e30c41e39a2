from __future__ import annotations

import csv
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from candling.measures import title
from candling.privacy import Drawn, PlainDraw, PlainNoise
from candling.system.progress import Phase, heard_by
from tests.cli.conftest import Run, check_golden

MEASURES = ["repair", "rows", "drastic"]


def test_json_has_the_promised_keys(run: Run, people: Path, rules: Path) -> None:
    result = run("release", people, rules, "--epsilon", "1", "--json")
    assert result.code == 0
    card = json.loads(result.out)
    assert list(card) == ["schema", "epsilon", "person", "grade", *MEASURES, "about", "noise"]
    assert card["epsilon"] == 1
    for name in MEASURES:
        assert {"value", "low", "high", "note"} <= set(card[name])
    assert [name for name in MEASURES if "epsilon" in card[name]] == ["drastic"]
    assert card["drastic"]["epsilon"] == 0
    assert "Epsilon 1 was spent. No ledger" in result.err
    assert "No ledger" in result.err


def test_only_what_is_asked_for_is_paid_for(run: Run, people: Path, rules: Path) -> None:
    result = run("release", people, rules, "--epsilon", "0.5", "--measures", "repair", "--json")
    card = json.loads(result.out)
    assert list(card) == ["schema", "epsilon", "person", "grade", "repair", "about", "noise"]
    assert card["epsilon"] == 0.5
    assert card["repair"]["kind"] == "lower_bound"
    assert "Epsilon 0.5 was spent." in result.err


def test_what_is_public_costs_nothing(run: Run, people: Path, rules: Path) -> None:
    asked = ["release", people, rules, "--epsilon", "1", "--measures", "rows"]
    out = " ".join(run(*asked, "--public-rows", "6").out.split())
    assert out.endswith("Nothing was spent: no number was computed from the rows.")
    assert "as stated" in out


def test_a_measure_that_the_rules_do_not_allow_has_a_reason(
    run: Run, people: Path, rules: Path
) -> None:
    asked = ["release", people, rules, "--epsilon", "1", "--measures", "rows,maximal_consistent"]
    refused = json.loads(run(*asked, "--json").out)["maximal_consistent"]
    assert (refused["value"], refused["low"], refused["high"]) == (None, None, None)
    assert "key(Id)" in refused["reason"]
    assert "Zip -> City" in refused["reason"]


@pytest.mark.usefixtures("without_noise")
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_output(
    run: Run, monkeypatch: pytest.MonkeyPatch, people: Path, rules: Path, columns: int
) -> None:
    """CANDLING_UPDATE_GOLDEN=1 writes the files again; look at the difference before you commit."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.chdir(people.parent)
    asked = "repair,rows,drastic,problematic,maximal_consistent,by_rule,worst_rule"
    result = run("release", people.name, rules.name, "--epsilon", "2", "--measures", asked)
    check_golden("release", result.out, columns=columns)


def test_a_worst_rule_that_is_paid_for_by_itself(run: Run, people: Path, rules: Path) -> None:
    asked = ["release", people, rules, "--epsilon", "1", "--measures", "repair,rows,worst_rule"]
    out = " ".join(run(*asked).out.split())
    assert "(chosen with noise, for epsilon 0.2)" in out
    assert "0.8 for Rows to delete and Rows, 0.2 for Worst rule." in out
    assert " epsilon value" not in out
    shares = ["--split", "draw=1,worst_rule=3"]
    card = json.loads(run(*asked, *shares, "--json").out)
    assert (card["epsilon"], card["worst_rule"]["epsilon"]) == (1, 0.75)
    assert "| epsilon |" not in run(*asked, "--format", "markdown").out


@pytest.mark.usefixtures("without_noise")
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_output_with_a_ledger_and_gates(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.chdir(tmp_path)
    run("demo", "--rows", "2000", "--keep", ".")
    run("ledger", "init", "budget.ledger")
    run("ledger", "add", "budget.ledger", "--dataset", "visits", "--budget", "3")
    gates = (
        "grade < 90%",
        "repair/rows > 10%",
        "repair/rows > 1.5%",
        "rows < 10,000",
        "drastic >= 1",
    )
    options = [part for gate in gates for part in ("--fail-if", gate)]
    charge = ["--ledger", "budget.ledger", "--dataset", "visits", "--request-id", "first"]
    asked = ["release", "hospital.csv", "rules.txt", "--epsilon", "1", *charge, *options]
    result = run(*asked)
    assert result.code == 1
    assert result.err.count("\n") == 1
    assert result.err.startswith('Warning: The column "Patient" looks like the id of a person')
    check_golden("release-ledger", result.out, columns=columns)
    again = run(*asked)
    assert again.code == 1
    assert "shown again at no cost" in " ".join(again.out.split())
    assert _judged(again.out) == _judged(result.out), "a stored card is judged as it was"
    shown = re.sub(
        r"\d{4}-\d\d-\d\dT[\d:.]+Z",
        "2024-01-31T12:00:00.000000Z",
        run("ledger", "show", "budget.ledger").out,
    )
    shown = re.sub(r"\b[0-9a-f]{64}\b", "0123456789abcdef" * 3, shown)
    check_golden("ledger-show", shown, columns=columns)


def _judged(out: str) -> list[str]:
    lines = " ".join(out.split()).split(" Gates ")[1].split(" Epsilon ")[0]
    return re.split(r"(?<=\)) ", lines.split(" This is the stored")[0])


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--epsilon", "0"], "U201"),
        (["--epsilon", "nan"], "U201"),
        (["--epsilon", "1", "--measures", "repar"], "U202"),
        (["--epsilon", "1", "--rows-per-person", "0"], "U203"),
        (["--epsilon", "1", "--measures", "repair,rows", "--split", "repair=1,rows=1"], "U204"),
        (["--epsilon", "1", "--measures", "repair,worst_rule", "--split", "draw=1"], "U204"),
        (["--epsilon", "1", "--measures", "repair", "--split", "repair"], "U204"),
    ],
)
def test_mistakes(run: Run, people: Path, rules: Path, options: list[str], code: str) -> None:
    result = run("release", people, rules, *options)
    assert result.code == 2
    assert result.err.startswith(f"error {code}: ")
    assert result.out == ""


def test_a_release_is_explained(run: Run, people: Path, rules: Path, tmp_path: Path) -> None:
    card = tmp_path / "card.json"
    asked = ["release", people, rules, "--epsilon", "1", "--json", "--fail-if", "rows > 10,000"]
    card.write_text(run(*asked).out)
    result = run("explain", card)
    assert "Gate: ok: rows is not above 10,000 (" in result.out
    assert result.code == 0
    for name in MEASURES:
        assert f"\n{title(name)}\n" in result.out
    assert "Epsilon 1 was spent." in result.out
    assert "It cost epsilon" not in result.out
    chosen = run(*asked[:-2], "--measures", "rows,worst_rule")
    card.write_text(chosen.out)
    assert "It cost epsilon 0.2, 20% of the release." in run("explain", card).out


@pytest.mark.parametrize("content", [None, "no json", "[]", "{}"])
def test_what_is_no_release_cannot_be_explained(
    run: Run, tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "card.json"
    if content is not None:
        path.write_text(content)
    result = run("explain", path)
    assert result.code == 2
    assert result.err.startswith("error U106: ")


def test_a_repair_of_nothing_breaks_no_rule(
    run: Run, people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = Drawn(0, -1000, Fraction(1, 2), PlainNoise(2.0, 1))
    monkeypatch.setattr(PlainDraw, "draw", lambda _: (far,))
    out = run("release", people, rules, "--epsilon", "1", "--measures", "repair").out
    assert "Rows to delete         0  0 " in out
    assert "broken" not in out


def test_both_orders_are_understood(
    run: Run, people: Path, rules: Path, without_noise: None
) -> None:
    owner = (["owner", "conflicts"], ["owner", "repair"])
    for options in (["exact"], ["release", "--epsilon", "1"], ["check"], *owner):
        one, other = (run(*options, *pair) for pair in ((people, rules), (rules, people)))
        assert one == other
        assert one.code == 0


@pytest.mark.parametrize(
    "options", [["--rows-per-person", "1000000000000000"], ["--max-rows", "-1"]]
)
def test_numbers_beyond_reason(run: Run, people: Path, rules: Path, options: list[str]) -> None:
    result = run("release", people, rules, "--epsilon", "1", *options)
    assert (result.code, result.err[:11]) == (2, "error U203:")


# Formats


def test_every_format_has_the_same_numbers(
    run: Run, people: Path, rules: Path, without_noise: None
) -> None:
    asked = ["release", people, rules, "--epsilon", "2", "--measures", "rows,repair,by_rule"]
    card = json.loads(run(*asked, "--format", "json").out)
    short = json.loads(run(*asked, "--json").out)
    short["about"]["time"] = card["about"]["time"]  # a second may have passed
    assert short == card
    lines = list(csv.DictReader(run(*asked, "--format", "csv").out.splitlines()))
    of_person = lines.pop(1)
    assert (of_person["measure"], of_person["value"]) == ("rows_per_person", "1")
    assert [line["measure"] for line in lines] == ["grade", "rows", "repair", *["by_rule"] * 4]
    for line in lines[:3]:
        value = card[line["measure"]]["value"]
        assert line["value"] == ("" if value is None else str(value))
        assert float(line["estimate"]) == card[line["measure"]]["estimate"]
        assert float(line["high"]) == card[line["measure"]]["high"]
    assert [line["rule"] for line in lines[3:]] == [part["rule"] for part in card["by_rule"]]
    page = run(*asked, "--format", "markdown").out
    low, high = card["rows"]["low"], card["rows"]["high"]
    value = "-" if card["rows"]["value"] is None else card["rows"]["value"]
    assert f"| Rows | {value} | {low} to {high} | rows in the table |" in page
    assert page.startswith("### ")


@pytest.mark.usefixtures("without_noise")
@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_no_format_changes_the_exit_code(run: Run, people: Path, rules: Path, form: str) -> None:
    asked = ["release", people, rules, "--epsilon", "9", "--measures", "rows,repair"]
    for gate, code, outcome in (
        ("rows > 1", 1, "fail"),
        ("rows > 1,000", 0, "pass" if form == "json" else "ok"),
        ("repair/rows > 50%", 4, "cannot tell"),
    ):
        result = run(*asked, "--fail-if", gate, "--format", form)
        assert result.code == code
        assert outcome in (result.err if form == "csv" else result.out)


def test_an_unknown_format(run: Run, people: Path, rules: Path) -> None:
    result = run("release", people, rules, "--epsilon", "1", "--format", "xml")
    assert result.code == 2
    assert "markdown" in result.err


# Gates


def test_gates_as_json(run: Run, people: Path, rules: Path, without_noise: None) -> None:
    asked = ["release", people, rules, "--epsilon", "9", "--measures", "rows,repair", "--json"]
    result = run(*asked, "--fail-if", "rows > 1", "--fail-if", " repair/rows  > 50% ")
    assert result.code == 1
    gates = json.loads(result.out)["gates"]
    assert gates[0] == {"gate": "rows > 1", "outcome": "fail", "low": 6, "high": 6, "level": 0.95}
    assert gates[1]["gate"] == "repair/rows > 50%"
    assert gates[1]["outcome"] == "cannot tell"
    assert 0 < gates[1]["low"] < 1 / 2 < gates[1]["high"] <= 1


@pytest.mark.parametrize(
    ("gate", "code"),
    [("repar > 2", "U302"), ("problematic > 2", "U303"), ("maximal_consistent > 2", "U303")],
)
def test_a_mistake_in_a_gate_is_found_before_anything_is_read_or_charged(
    run: Run, tmp_path: Path, rules: Path, gate: str, code: str
) -> None:
    ledger = tmp_path / "budget.ledger"
    run("ledger", "init", ledger)
    run("ledger", "add", ledger, "--dataset", "d", "--budget", "3")
    measures = "maximal_consistent,rows"
    asked = ["release", "not-there.csv", rules, "--epsilon", "1", "--measures", measures]
    result = run(*asked, "--ledger", ledger, "--dataset", "d", "--fail-if", gate)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error {code}: ")
    assert json.loads(run("ledger", "show", ledger, "--json").out)["datasets"]["d"]["charged"] == 0


def test_why_there_is_no_grade(run: Run, people: Path, rules: Path) -> None:
    out = run("release", people, rules, "--epsilon", "1", "--measures", "repair").out
    assert "No grade: it is 1 - repair/rows, and `rows` was not released." in out
    out = run("release", people, rules, "--epsilon", "1", "--measures", "rows").out
    assert "`repair` was not released." in out


# Beside the result


def test_quiet(run: Run, people: Path, rules: Path) -> None:
    asked = ["release", people, rules, "--epsilon", "1", "--json"]
    assert run(*asked).err != ""
    result = run(*asked, "--quiet")
    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out)
    assert run("release", people, rules, "--epsilon", "0", "-q").err.startswith("error U201")


def test_phases_are_words_and_follow_from_the_request_alone(
    run: Run, people: Path, rules: Path, tmp_path: Path
) -> None:
    ledger = tmp_path / "budget.ledger"
    run("ledger", "init", ledger)
    run("ledger", "add", ledger, "--dataset", "d", "--budget", "3")
    clean = tmp_path / "clean.csv"
    clean.write_text("Id,Zip,City,Age\n1,10,Ulm,30\n")

    def phases(data: Path) -> list[Phase]:
        told: list[Phase] = []
        with heard_by(told.append):
            charge = ["--ledger", ledger, "--dataset", "d"]
            assert run("release", data, rules, "--epsilon", "1", *charge).code == 0
        return told

    told = phases(people)
    assert told[0] == Phase.READING
    assert told[-1] == Phase.STORING
    assert set(told) == set(Phase)
    assert phases(clean) == told


def test_a_terminal_sees_a_spinner_and_a_pipe_does_not(
    run: Run, people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["release", people, rules, "--epsilon", "1"]
    assert run(*asked).err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    told = run(*asked).err  # how far a spinner gets on so small a table is up to the machine
    assert any(phase.value in told for phase in Phase)
    assert run(*asked, "--quiet").err == ""
