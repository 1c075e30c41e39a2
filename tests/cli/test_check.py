from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb
import pytest

from tests.cli.conftest import Run


def test_rules_alone(run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(rules.parent)
    result = run("check", rules.name)
    assert result.code == 0
    assert result.out.splitlines() == [
        "rules.txt: 3 rules, all valid.",
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


TYPED = """type Zip: text
key(Id)
Age between 0 and 120
born: Born < 2024-01-31
not(s.2 == t.2 and s.3 != t.3)
"""


def test_every_column_with_its_type(run: Run, rules: Path, people: Path) -> None:
    """What the type comes from stands beside it; columns that no rule reads are left out."""
    people.write_text("Id,Zip,City,Age,Born\n1,010,Ulm,x,31.1.2024\n")
    rules.write_text(TYPED)
    result = run("check", rules, people, "--type", "Born=date(%d.%m.%Y)")
    assert result.code == 0
    assert "4 rules and 1 type, all valid" in " ".join(result.out.split())
    assert result.out.partition("Columns that the rules read:\n")[2].splitlines() == [
        "  Id    text            no type stated",
        "  Zip   text            stated in line 1",
        "  City  text            no type stated",
        "  Age   number          implied by `Age between 0 and 120` (line 3)",
        "  Born  date(%d.%m.%Y)  stated by --type",
    ]
    report = json.loads(run("check", rules, people, "--json").out)
    assert report["types"] == [{"line": 1, "column": "Zip", "type": "text"}]
    assert report["columns"][4] == {
        "column": "Born",
        "type": "date",
        "origin": "implied",
        "by": "`born: Born < 2024-01-31` (line 4)",
    }


def test_types_of_a_schema(run: Run, rules: Path, people: Path) -> None:
    parquet = people.with_suffix(".parquet")
    duckdb.execute(f"copy (from '{people}') to '{parquet}'")
    columns = json.loads(run("check", rules, parquet, "--json").out)["columns"]
    assert [(c["column"], c["type"], c["origin"]) for c in columns] == [
        ("Id", "number", "schema"),
        ("Zip", "number", "schema"),
        ("City", "text", "schema"),
        ("Age", "number", "schema"),
    ]
    assert "from the schema" in run("check", rules, parquet).out


@pytest.mark.parametrize("cells", ["1,2,c,30", "a,b,c,d", ",,,", '31/12/2024,1.5,"1,5",true'])
def test_rows_decide_nothing(run: Run, rules: Path, people: Path, cells: str) -> None:
    """Not the types that are printed, nor whether the rules fit the table."""
    for text in ("Zip -> City\nAge >= 0\n", "Zip <= City\n"):
        rules.write_text(text)
        people.write_text("Id,Zip,City,Age\n")
        before = run("check", rules, people)
        people.write_text(f"Id,Zip,City,Age\n{cells}\n")
        assert run("check", rules, people) == before


def test_an_order_without_a_type_has_the_line_to_paste(run: Run, rules: Path, people: Path) -> None:
    people.write_text("Admission,Discharge\n2024-01-31,2024-02-01\n")
    rules.write_text("Admission <= Discharge\n")
    result = run("check", rules, people)
    assert result.code == 2
    (line,) = re.findall(r"`(type .*?)`", " ".join(result.err.split()))
    rules.write_text(f"{line}\nAdmission <= Discharge\n")
    assert run("check", rules, people).code == 0


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
    assert list(report) == ["source", "types", "rules", "columns", "findings", "problems"]
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
