from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_rules_alone(run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(rules.parent)
    result = run("check", rules.name)
    assert result.code == 0
    assert result.out.splitlines() == [
        "rules.txt: 3 rules, all well written.",
        "",
        "  1  zip  fd   Zip -> City",
        "  2       key  key(Id)",
        "  3       row  Age >= 0",
    ]


def test_with_the_columns_of_a_table(run: Run, rules: Path, people: Path) -> None:
    result = run("check", rules, people)
    assert result.code == 0
    assert f"and {people} has the columns for them." in " ".join(result.out.split())


def test_only_the_schema_is_looked_at(run: Run, rules: Path, people: Path) -> None:
    """A clean and a dirty table of the same columns get the same answer."""
    dirty = run("check", rules, people).out
    people.write_text("Id,Zip,City,Age\n1,10,Ulm,30\n")
    assert run("check", rules, people).out == dirty


def test_a_column_that_is_not_there(run: Run, rules: Path, people: Path) -> None:
    rules.write_text("Zip -> Citi\n")
    result = run("check", rules, people)
    assert result.code == 2
    assert result.out == ""
    assert "R201" in result.err
    assert "City" in result.err  # did you mean


def test_json(run: Run, rules: Path) -> None:
    rules.write_text("far: not(t1.A = t2.A and t1.B > t2.B and t1.C < t2.C)\nA -> B where C = 1\n")
    report = json.loads(run("check", rules, "--json").out)
    assert list(report) == ["source", "rules", "findings", "problems"]
    assert report["rules"][0] == {
        "line": 1,
        "label": "far",
        "rule": "not(t1.A = t2.A and t1.B < t2.B and t1.C > t2.C)",
        "kind": "order",
        "conditional": False,
        "equal": ["A"],
    }
    assert report["rules"][1]["conditional"] is True
    assert report["findings"] == report["problems"] == []


def test_findings_are_shown_and_stop_nobody(run: Run, rules: Path) -> None:
    rules.write_text("A -> B\nnot(t1.A = t2.A and t1.B != t2.B)\nnot(t1.A < t1.A)\n")
    result = run("check", rules)
    assert result.code == 0
    assert f"{rules}:2: R301 repeats line 1" in result.out
    assert f"{rules}:3: R303 can never fire" in result.out
    found = json.loads(run("check", rules, "--json").out)["findings"]
    assert [(f["code"], f["line"], f["other_line"]) for f in found] == [
        ("R301", 2, 1),
        ("R303", 3, None),
    ]


def test_problems_as_json_keep_the_exit_code(run: Run, rules: Path) -> None:
    rules.write_text("A -> \nkey(B)\n")
    result = run("check", rules, "--json")
    assert result.code == 2
    (problem,) = json.loads(result.out)["problems"]
    assert problem["line"] == 1
    assert problem["code"].startswith("R")
    assert "Traceback" not in result.err


@pytest.mark.parametrize("columns", ["20", "60", "80", "120"])
def test_no_width_loses_a_word(
    run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    text = "not(t1.Alpha = t2.Alpha and t1.Beta < t2.Beta and t1.Gamma > t2.Gamma)"
    rules.write_text(f"a-rather-long-label: {text}\n")
    monkeypatch.setenv("COLUMNS", columns)
    out = run("check", rules).out
    assert text in " ".join(out.split())
    assert "[equal on Alpha]" in " ".join(out.split())
    assert not any(line != line.rstrip() for line in out.splitlines())
