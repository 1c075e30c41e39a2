from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run, check_golden


def test_a_plan(run: Run, rules: Path) -> None:
    asked = ["plan", rules, "--epsilon", "1", "--rows", "100", "--measures", "all"]
    result = run(*asked, "--json")
    assert result.code == 0
    plan = json.loads(result.out)
    assert plan["epsilon"] == 1
    assert list(plan["problematic"]["error_by_threshold"]) == [str(2**i) for i in range(8)]
    assert plan["repair"]["error"] > 0
    shown = " ".join(run(*asked).out.split())
    assert shown.startswith("Epsilon 1: 0.333 for Rows to delete and Rows, 0.667 for Rows in")
    assert "Without Rows in conflict and Conflicts, the same epsilon gives less noise" in shown
    assert "off by" in shown
    assert "free" not in shown
    assert "e+" not in shown


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_output(run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Errors are constants of the mechanism, and may change; what is around them is kept."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(
        "candling.releases.plan.expected_errors",
        lambda statistics, epsilon, hinted: [
            [float(2 * s / epsilon) for s in statistic.sensitivities] for statistic in statistics
        ],
    )
    every = "repair,rows,problematic,minimal_inconsistent,drastic,maximal_consistent,by_rule"
    shown = run("plan", rules, "--epsilon", "1", "--measures", f"{every},worst_rule").out
    check_golden("plan", shown, columns=columns)


def test_what_is_paid_for_by_itself(run: Run, rules: Path) -> None:
    asked = ["plan", rules, "--epsilon", "1", "--measures", "repair,worst_rule"]
    assert "Epsilon 1: 0.8 for Rows to delete, 0.2 for Worst rule." in run(*asked).out


def test_errors_are_in_plain_digits(run: Run, rules: Path) -> None:
    tiny = run("plan", rules, "--epsilon", "100", "--measures", "rows").out
    assert "off by less than 0.01 on average" in tiny
    huge = run("plan", rules, "--epsilon", "0.000001", "--measures", "rows").out
    assert re.search(r"off by \d,\d\d0,000 on average", huge)


def test_the_epsilon_for_a_target_error(run: Run, rules: Path) -> None:
    wishes = ["--error", "repair=5", "--error", "problematic@16=100"]
    plan = json.loads(run("plan", rules, *wishes, "--measures", "all", "--json").out)
    assert plan["repair"]["error"] <= 5
    assert plan["problematic"]["error_by_threshold"]["16"] <= 100


@pytest.mark.parametrize(("epsilon", "warned"), [("1", False), ("4.9", False), ("5", True)])
def test_a_high_epsilon_gets_a_warning(
    run: Run, rules: Path, epsilon: str, *, warned: bool
) -> None:
    err = run("plan", rules, "--epsilon", epsilon).err
    assert (f"Warning: Epsilon {epsilon} protects little" in err) == warned


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
        ["--error", "repair=1e-60"],
        ["--rows-per-person", "1000", "--error", "repair=1"],
    ],
)
def test_mistakes(run: Run, rules: Path, options: list[str]) -> None:
    result = run("plan", rules, *options)
    assert result.code == 2
    assert result.err.startswith("error U205: ")
