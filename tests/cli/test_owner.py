from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, check_golden


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_output(
    run: Run, monkeypatch: pytest.MonkeyPatch, people: Path, rules: Path, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.chdir(people.parent)
    rules.write_text(rules.read_text() + "age: not(t1.Age > t2.Age and t1.Zip < t2.Zip)\n")
    rules.write_text(rules.read_text() + "type Zip: integer\n")
    result = run("owner", "conflicts", people.name, rules.name)
    assert (result.code, result.err) == (0, "")
    check_golden("owner-conflicts", result.out, columns=columns)
    result = run("owner", "repair", people.name, rules.name, "--out", "cleaned.csv")
    assert (result.code, result.err) == (0, "")
    check_golden("owner-repair", result.out, columns=columns)


def test_both_say_loudly_that_they_are_not_private(run: Run, people: Path, rules: Path) -> None:
    for command in ("conflicts", "repair"):
        assert run("owner", command, people, rules).out.startswith("NOT PRIVATE: ")
        result = run("owner", command, people, rules, "--json")
        assert result.err.startswith("NOT PRIVATE: ")
        assert json.loads(result.out)["private"] is False
        page = people.with_name(f"{command}.html")
        assert run("owner", command, people, rules, "--html", page).code == 0
        assert "NOT PRIVATE: " in page.read_text(encoding="utf-8")


def test_types(run: Run, people: Path, rules: Path) -> None:
    """Cells that do not fit, counted; the same rows break rules for `exact`."""
    people.write_text("Id,Zip,City,Age\n1,10,Ulm,x\n2,11,Ulm,\n3,-,Ulm,7\n4,12,Ulm,1e3\n")
    more = ("--type", "Zip=integer", "--null", "-")
    result = run("owner", "types", rules, people, *more)
    assert result.out.startswith("NOT PRIVATE: ")
    assert "4 rows; 1 cell does not fit the type of the column." in result.out
    found = json.loads(run("owner", "types", people, rules, "--json", *more).out)
    assert (found["private"], found["rows"]) == (False, 4)
    assert [(c["column"], c["type"], c["misfits"]) for c in found["columns"]] == [
        ("Id", "text", None),
        ("Zip", "integer", 0),
        ("City", "text", None),
        ("Age", "number", 1),
    ]
    assert json.loads(run("exact", people, rules, "--json", *more).out)["repair"] == 1
    found = json.loads(run("owner", "types", people, rules, "--json", *more[:2]).out)
    assert [c["misfits"] for c in found["columns"]] == [None, 1, None, 1]
    people.write_text("Id,Zip,City,Age\n")
    assert "every cell fits" in run("owner", "types", people, rules).out


def test_conflicts_as_json(run: Run, people: Path, rules: Path) -> None:
    found = json.loads(run("owner", "conflicts", people, rules, "--json", "--limit", "1").out)
    assert (found["rows"], found["in_conflict"]) == (6, 4)
    zips = found["rules"][0]
    assert (zips["rule"], zips["rows"], zips["conflicts"]) == ("zip: Zip -> City", 3, 2)
    (worst,) = zips["shown"]
    assert worst == {"row": 3, "conflicts": 2, "with": 1, "values": {"Zip": "10", "City": "Köln"}}
    alone = found["rules"][2]["shown"]
    assert alone == [{"row": 5, "conflicts": 1, "with": None, "values": {"Age": "-1"}}]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_repaired_copy(run: Run, people: Path, rules: Path, ending: str) -> None:
    to = people.with_name(f"cleaned.{ending}")
    before = people.read_bytes()
    found = json.loads(run("owner", "repair", people, rules, "--out", to, "--json").out)
    assert [row["row"] for row in found["removed"]] == [3, 5]
    assert (found["rows"], found["kept"], found["smallest"]) == (6, 4, True)
    assert json.loads(run("exact", to, rules, "--json").out)["drastic"] == 0
    assert people.read_bytes() == before


@pytest.mark.parametrize("out", ["people.csv", "there.csv", "folder", "x.json", "no/x.csv"])
def test_where_a_copy_cannot_go(
    run: Run, people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    monkeypatch.chdir(people.parent)
    Path("there.csv").write_text("mine")
    Path("folder").mkdir()
    result = run("owner", "repair", people.name, rules.name, "--out", out)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error U304: ")
    assert Path("there.csv").read_text() == "mine"
    forced = run("owner", "repair", people.name, rules.name, "--out", out, "--force")
    assert forced.code == (0 if out == "there.csv" else 2)


def test_cells_cannot_speak_to_the_terminal(run: Run, people: Path, rules: Path) -> None:
    people.write_text('Id,Zip,City,Age\n1,10,"\x1b[2Jgone",3\n2,10,Ulm,3\n', encoding="utf-8")
    out = run("owner", "conflicts", people, rules).out
    assert "\x1b" not in out
    assert "\\x1b[2Jgone" in out


def test_without_time_it_says_that_it_may_not_be_the_smallest(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ring of five rows, each in conflict with two others: no cover is found by looking."""
    table = tmp_path / "ring.csv"
    table.write_text("a,b\n" + "".join(f"{i},{i % 5}\n" for i in range(5)))
    rules = tmp_path / "rules.txt"
    rules.write_text("not(t1.a != t2.a)\n")
    monkeypatch.setattr("candling.graph.repair.collapse", _leave_alone)
    out = " ".join(run("owner", "repair", table, rules, "--time-limit", "0").out.split())
    assert "A smaller set may exist" in out
    assert "at most twice the smallest" in out


def _leave_alone(arcs: object, values: list[object], **_: object) -> object:
    from candling.graph.independent import Collapsed

    return Collapsed([], arcs, values)  # type: ignore[arg-type]
