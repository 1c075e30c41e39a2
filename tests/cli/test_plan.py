from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_a_plan(run: Run, rules: Path) -> None:
    result = run("plan", rules, "--epsilon", "1", "--rows", "100", "--json")
    assert result.code == 0
    plan = json.loads(result.out)
    assert plan["epsilon"] == 1
    assert list(plan["problematic"]["error_by_threshold"]) == [str(2**i) for i in range(8)]
    assert plan["repair"]["error"] > 0
    shown = run("plan", rules, "--epsilon", "1", "--rows", "100").out
    assert "off by" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_epsilon_for_a_wished_error(run: Run, rules: Path) -> None:
    wishes = ["--error", "repair=5", "--error", "problematic@16=100"]
    plan = json.loads(run("plan", rules, *wishes, "--json").out)
    assert plan["repair"]["error"] <= 5
    assert plan["problematic"]["error_by_threshold"]["16"] <= 100


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--epsilon", "1", "--error", "repair=5"],
        ["--error", "repair"],
        ["--error", "repair=-1"],
        ["--error", "problematic=5"],
        ["--error", "drastic=5"],
        ["--error", "nothing=5"],
        ["--error", "repair=0.0000001"],
    ],
)
def test_mistakes(run: Run, rules: Path, options: list[str]) -> None:
    result = run("plan", rules, *options)
    assert result.code == 2
    assert result.err.startswith("error U205: ")
