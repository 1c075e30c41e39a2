from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
    assert len(json.loads(run("reproduce", "--list", "--json").out)) == 11


def test_one_experiment(run: Run, tmp_path: Path) -> None:
    first = run("reproduce", "examples", "--out", "results", "--json")
    assert (first.code, first.err) == (0, "")
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


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["introductoin"], "Did you mean introduction?"),
        (["examples", "--data", "nowhere"], "There is no folder nowhere"),
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
