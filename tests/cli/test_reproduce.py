from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from pyarrow import csv

from candling_paper import lookalikes
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CANDLING_DATA", raising=False)
    monkeypatch.chdir(tmp_path)


def test_the_list(run: Run) -> None:
    result = run("reproduce", "--list")
    assert (result.code, result.err) == (0, "")
    assert "introduction" in result.out
    assert max(map(len, result.out.splitlines())) <= 80
    assert len(json.loads(run("reproduce", "--list", "--json").out)) == 14


def test_one_experiment(run: Run, tmp_path: Path) -> None:
    first = run("reproduce", "examples", "--out", "results", "--json")
    assert first.code == 0
    assert "No folder of datasets was named" in first.err
    told = json.loads(first.out)
    assert told["mode"] == "quick"
    assert told["experiments"]["examples"] == {
        "cells": 1,
        "computed": 1,
        "written": ["examples.csv"],
    }
    assert (tmp_path / "results" / "examples.csv").is_file()
    again = run("reproduce", "examples", "--out", "results")
    assert "0/1" in again.out
    assert "published_against_measured.md" in again.out


def test_real_data_and_lookalikes_are_told_apart(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "data" / "datasets" / "Adult" / "inputDB2.csv"
    place.parent.mkdir(parents=True)
    csv.write_csv(lookalikes.adult(20, 0), place)
    result = run("reproduce", "examples", "--data", "data", "--json")
    assert result.code == 0
    real, made = (" ".join(part.split()) for part in result.err.split("Look-alikes: "))
    assert real.startswith("From data: adult (a file of unknown origin (SHA-256 ")
    assert "hospital (look-alike made by candling, 114,919 rows)" in made
    told = json.loads(result.out)["datasets"]
    assert {name for name, about in told.items() if about["real"]} == {"adult"}
    assert told["adult"]["file"] == "datasets/Adult/inputDB2.csv"
    assert told["adult"]["published"] is False
    assert len(told["adult"]["sha256"]) == 64


def test_a_folder_without_any_dataset(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "table.csv").write_text("")
    result = run("reproduce", "examples", "--data", "data")
    assert result.code == 2
    said = " ".join(result.err.split())
    assert said.startswith("error U211: The folder data has no dataset.")
    assert "Adult/inputDB2.csv" in said
    assert "adult.parquet" in said
    assert "found table.csv." in said


def test_a_process_that_is_killed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise BrokenProcessPool

    monkeypatch.setattr("candling_paper.experiments.runner.compute_all", broken)
    result = run("reproduce", "examples", "--processes", "2", "--out", "kept")
    assert result.code == 2
    assert "parts are in kept" in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["introductoin"], "Did you mean introduction?"),
        (["examples", "--data", "nowhere"], "The folder nowhere does not exist"),
    ],
)
def test_mistakes(run: Run, args: list[str], said: str) -> None:
    result = run("reproduce", *args)
    assert result.code == 2
    assert result.err.startswith("error U211: ")
    assert said in result.err


def test_without_matplotlib(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("candling_paper.experiments.figures.find_spec", lambda _: None)
    assert run("reproduce", "examples").code == 0  # has no figure
    result = run("reproduce", "datasets")
    assert result.code == 2
    assert "pip install candling-paper" in result.err


def test_interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("candling_paper.experiments.runner.Store.get", stop)
    result = run("reproduce", "examples", "--out", "kept")
    assert result.code == 130
    assert "finished parts are in kept: run the same command" in result.err


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, candling.cli.app; "
        "print([m for m in ('matplotlib', 'numba', 'candling_paper') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
