from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run

GOLDEN = Path(__file__).parent / "golden"
MEASURES = [
    "rows",
    "drastic",
    "minimal_inconsistent",
    "problematic",
    "maximal_consistent",
    "repair",
]


def test_json_has_the_promised_keys(run: Run, people: Path, rules: Path) -> None:
    result = run("release", people, rules, "--epsilon", "1", "--json")
    assert result.code == 0
    card = json.loads(result.out)
    assert list(card) == ["epsilon", "rows_per_person", *MEASURES, "about"]
    assert card["epsilon"] == 1
    for name in MEASURES:
        assert {"value", "low", "high", "epsilon"} <= set(card[name])
    assert sum(card[name]["epsilon"] for name in MEASURES) == pytest.approx(1)
    assert card["drastic"]["epsilon"] == 0
    assert "No ledger" in result.err


def test_only_what_is_asked_for_is_paid_for(run: Run, people: Path, rules: Path) -> None:
    result = run("release", people, rules, "--epsilon", "0.5", "--measures", "repair", "--json")
    card = json.loads(result.out)
    assert list(card) == ["epsilon", "rows_per_person", "repair", "about"]
    assert card["repair"]["epsilon"] == card["epsilon"] == 0.5
    assert card["repair"]["kind"] == "lp"


def test_a_measure_that_the_rules_do_not_allow_has_a_reason(
    run: Run, people: Path, rules: Path
) -> None:
    card = json.loads(run("release", people, rules, "--epsilon", "1", "--json").out)
    refused = card["maximal_consistent"]
    assert (refused["value"], refused["low"], refused["high"]) == (None, None, None)
    assert "key(Id)" in refused["reason"]
    assert "Zip -> City" in refused["reason"]


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_output(
    run: Run, monkeypatch: pytest.MonkeyPatch, people: Path, rules: Path, columns: int
) -> None:
    """CANDLING_UPDATE_GOLDEN=1 writes the files again; look at the difference before you commit."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.chdir(people.parent)
    asked = "rows,drastic,problematic,maximal_consistent,repair,by_rule,worst_rule"
    result = run("release", people.name, rules.name, "--epsilon", "2", "--measures", asked)
    shown = "\n".join(x for x in result.out.splitlines() if "worst rule" not in x) + "\n"
    golden = GOLDEN / f"release-{columns}.txt"
    if os.environ.get("CANDLING_UPDATE_GOLDEN"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")
    assert max(map(len, shown.splitlines())) <= columns


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--epsilon", "0"], "U201"),
        (["--epsilon", "nan"], "U201"),
        (["--epsilon", "1", "--measures", "repar"], "U202"),
        (["--epsilon", "1", "--rows-per-person", "0"], "U203"),
        (["--epsilon", "1", "--measures", "repair,rows", "--split", "repair=1"], "U204"),
        (["--epsilon", "1", "--measures", "repair", "--split", "repair"], "U204"),
    ],
)
def test_mistakes(run: Run, people: Path, rules: Path, options: list[str], code: str) -> None:
    result = run("release", people, rules, *options)
    assert result.code == 2
    assert result.err.startswith(f"error {code}: ")
    assert result.out == ""


def test_a_split(run: Run, people: Path, rules: Path) -> None:
    options = ["--epsilon", "1", "--measures", "repair,rows", "--split", "repair=3,rows=1"]
    card = json.loads(run("release", people, rules, *options, "--json").out)
    assert (card["repair"]["epsilon"], card["rows"]["epsilon"]) == (0.75, 0.25)


def test_simple_method(run: Run, people: Path, rules: Path) -> None:
    options = ["--epsilon", "1", "--measures", "problematic", "--method", "simple"]
    card = json.loads(run("release", people, rules, *options, "--json").out)
    assert card["problematic"]["threshold"] >= 1


def test_a_release_is_explained(run: Run, people: Path, rules: Path, tmp_path: Path) -> None:
    card = tmp_path / "card.json"
    card.write_text(run("release", people, rules, "--epsilon", "1", "--json").out)
    result = run("explain", card)
    assert result.code == 0
    for name in MEASURES:
        assert f"\n{name}\n" in result.out
    assert "It cost epsilon 0.111, 11% of the release." in result.out


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


def test_a_repair_of_nothing_is_not_beyond_noise(
    run: Run, people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("candling.releases.run.add_laplace", lambda *_: -1000)
    out = run("release", people, rules, "--epsilon", "1", "--measures", "repair").out
    assert "0 to 0" in out
    assert "beyond noise" not in out


def test_arguments_in_the_wrong_order_quote_no_row(run: Run, people: Path, rules: Path) -> None:
    for command in ("exact", "release"):
        options = ["--epsilon", "1"] if command == "release" else []
        result = run(command, rules, people, *options)
        assert result.code == 2
        assert "R104" in result.err
        assert "Ulm" not in result.err


@pytest.mark.parametrize(
    "options", [["--rows-per-person", "1000000000000000"], ["--max-rows", "-1"]]
)
def test_numbers_beyond_reason(run: Run, people: Path, rules: Path, options: list[str]) -> None:
    result = run("release", people, rules, "--epsilon", "1", *options)
    assert (result.code, result.err[:11]) == (2, "error U203:")
