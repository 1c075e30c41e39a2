"""`candling release --report`: what cannot be written is found out before anything is charged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import candling
from candling.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("Zip,City\n10,Ulm\n10,Bonn\n20,Kiel\n", encoding="utf-8")
    Path("rules.txt").write_text("Zip -> City\n", encoding="utf-8")
    candling.create_ledger("budget.ledger").add("people", 3)
    return tmp_path


def release(*options: str) -> int:
    charge = ["--ledger", "budget.ledger", "--dataset", "people"]
    with pytest.raises(SystemExit) as stop:
        main(["release", "people.csv", "rules.txt", "--epsilon", "1", *charge, *options])
    assert stop.value.code is None or isinstance(stop.value.code, int)
    return stop.value.code or 0


def spent() -> float:
    state = candling.open_ledger("budget.ledger").show().to_dict()
    return float(state["datasets"]["people"]["charged"])


def test_a_report_beside_the_card(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release("--report", "card.html", "--json") == 0
    card = json.loads(capsys.readouterr().out)
    page = Path("card.html").read_text(encoding="utf-8")
    assert "Data quality of" in page
    assert card["receipt"]["head"] in page
    assert "Ulm" not in page


@pytest.mark.parametrize("path", ["nowhere/card.html", ".", "people.csv"])
def test_nothing_is_charged_for_a_report_that_cannot_be_written(
    folder: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    before = Path("people.csv").read_bytes()
    assert release("--report", path) == 2
    assert "error U104:" in capsys.readouterr().err
    assert spent() == 0
    assert Path("people.csv").read_bytes() == before


def test_an_old_report_is_replaced_only_if_that_is_said(folder: Path) -> None:
    assert release("--report", "card.html") == 0
    old = Path("card.html").read_text(encoding="utf-8")
    assert release("--report", "card.html") == 2
    assert (spent(), Path("card.html").read_text(encoding="utf-8")) == (1, old)
    assert release("--report", "card.html", "--force") == 0
    assert spent() == 2
    assert Path("card.html").read_text(encoding="utf-8") != old
    assert release("--report", "people.csv", "--force") == 2
    assert spent() == 2
