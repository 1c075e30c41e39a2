"""The GitHub Action and the pre-commit hook, run here as these services run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from candling.cli.action import COMMANDS, OF_RELEASE, OPTIONS, PREFIX, arguments, main
from candling.errors import UsageError
from tests import junit

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def outputs_of(text: str) -> dict[str, str]:
    """The outputs of a step, as GitHub reads them."""
    found, lines = {}, iter(text.split("\n"))
    for line in lines:
        name, sign, value = line.partition("<<")
        if sign and "=" not in name:
            inside = list(iter(lines.__next__, value))
            found[name] = "\n".join(inside)
        elif "=" in line:
            name, _, value = line.partition("=")
            found[name] = value
    return found


def step(tmp_path: Path, **inputs: str) -> tuple[int, str, dict[str, str]]:
    """Run the step that grades, with its environment as action.yml makes it; code and files."""
    grade: dict[str, Any] = ACTION["runs"]["steps"][-1]
    environment = {}
    for variable, expression in grade["env"].items():
        name = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", expression)
        assert name is not None
        default = ACTION["inputs"][name[1]].get("default", "")
        environment[variable] = inputs.get(name[1].replace("-", "_"), default)
    summary, outputs = tmp_path / "summary.md", tmp_path / "outputs"
    environment |= {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(outputs)}
    done = subprocess.run(
        ["bash", "-e", "-c", grade["run"]],
        cwd=tmp_path,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    read = [path.read_text() if path.exists() else "" for path in (summary, outputs)]
    return done.returncode, read[0], outputs_of(read[1])


@pytest.mark.parametrize(
    ("gate", "ending"),
    [
        ("zip > 1", (0, "pass")),
        ("zip > 0", (1, "fail")),
        ("zip > 0 $(touch evil)", (2, "error")),
    ],
)
def test_the_action_grades(
    tmp_path: Path, people: Path, rules: Path, gate: str, ending: tuple[int, str]
) -> None:
    code, outcome = ending
    ended, summary, outputs = step(
        tmp_path, data=people.name, rules=rules.name, fail_if=f"{gate}\n\ngrade < 1%\n"
    )
    assert ended == code
    assert outputs["outcome"] == outcome
    assert not (tmp_path / "evil").exists()
    if code < 2:
        suite = junit.read((tmp_path / "candling.xml").read_text())
        assert suite.outcomes[gate] == ("passed" if code == 0 else "failure")
        assert f"| `{gate}` |" in summary
        assert "NOT PRIVATE" in summary


@pytest.mark.parametrize("name", ["a\noutcome=pass\nb.xml", "a\nreport<<end\nb\nend\nc", "x=<<y"])
def test_the_name_of_a_report_sets_no_other_output(
    tmp_path: Path, people: Path, rules: Path, name: str
) -> None:
    asked = {"data": people.name, "rules": rules.name, "fail_if": "zip > 0", "report": name}
    ended, _, outputs = step(tmp_path, **asked)
    assert ended == 1
    assert outputs == {"report": name, "outcome": "fail"}
    junit.read((tmp_path / name).read_text())


def test_a_gate_that_cannot_tell_may_be_let_through(
    tmp_path: Path, people: Path, rules: Path
) -> None:
    inputs = {"command": "release", "data": people.name, "rules": rules.name, "epsilon": "1"}
    gate = {"fail_if": "repair >= 1"}  # of six rows, noise hides all
    assert step(tmp_path, **inputs, **gate)[0] in (1, 4)
    ended, summary, outputs = step(tmp_path, **inputs, fail_if="rows > 6", cannot_tell="pass")
    assert (ended, outputs["outcome"] == "cannot tell") in ((0, True), (1, False))
    assert "NOT PRIVATE" not in summary


def test_the_action_protects_persons(tmp_path: Path, people: Path, rules: Path) -> None:
    inputs = {"command": "release", "data": people.name, "rules": rules.name, "epsilon": "1"}
    whose = {"person": "Id", "rows_per_person": "2", "fail_if": "rows > 6"}
    step(tmp_path, **inputs, **whose, cannot_tell="pass")
    report = (tmp_path / "candling.xml").read_text()
    assert "The grade counts at most 2 rows of each person (as stated)" in report


def test_the_action_checks_rules(tmp_path: Path, rules: Path) -> None:
    assert step(tmp_path, command="check", rules=rules.name)[0] == 0
    rules.write_text("Zip -> ->\n")
    assert step(tmp_path, command="check", rules=rules.name)[0] == 2


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"command": "exat"}, "Did you mean 'exact'?"),
        ({"rules": ""}, "needs `rules`"),
        ({"data": ""}, "needs `data`"),
        ({"epsilon": "1"}, "`epsilon` is an input of `release` only"),
        ({"command": "check", "fail-if": "grade < 9%"}, "has no gates"),
    ],
)
def test_inputs_that_make_no_sense(inputs: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError) as error:
        arguments({"data": "t.csv", "rules": "r.txt"} | inputs)
    assert (error.value.code, words in str(error.value)) == ("U310", True)
    given = {"data": "t.csv", "rules": "r.txt"} | inputs
    assert main({f"{PREFIX}{k.replace('-', '_').upper()}": v for k, v in given.items()}) == 2


def test_every_input_reaches_the_command() -> None:
    inputs = set(ACTION["inputs"])
    passed = {*OPTIONS, "command", "data", "rules", "fail-if", "cannot-tell", "report", "package"}
    assert inputs == passed
    assert set(OF_RELEASE) < set(OPTIONS)
    assert all("${{" not in step["run"] for step in ACTION["runs"]["steps"])
    assert COMMANDS[0] == ACTION["inputs"]["command"]["default"]


def test_the_hook_checks_every_file(tmp_path: Path, rules: Path) -> None:
    wrong = tmp_path / "wrong.rules"
    wrong.write_text("Zip -> ->\n")
    command = [sys.executable, *HOOK["entry"].split()[1:]]
    fine = subprocess.run([*command, rules], capture_output=True, text=True, check=False)
    assert (fine.returncode, fine.stdout) == (0, "")
    both = subprocess.run([*command, wrong, rules], capture_output=True, text=True, check=False)
    assert both.returncode == 2
    assert "wrong.rules:1" in both.stderr


@pytest.mark.parametrize(
    ("path", "ours"),
    [
        ("rules.txt", True),
        ("data/visits-rules.yaml", True),
        ("visits.rules", True),
        ("requirements.txt", False),
        ("rules.py", False),
    ],
)
def test_the_hook_looks_at_rules_files(path: str, ours: bool) -> None:
    assert bool(re.search(HOOK["files"], path)) is ours
