from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from candling.cli.init import rules_for
from candling.rules import ColumnType, check_schema, parse_constraints
from tests.cli.conftest import Run

T = ColumnType


def uncommented(text: str) -> str:
    """The file after a user took the # off every rule; prose has a space after it."""
    rules = [line[1:] for line in text.splitlines() if line[:1] == "#" and line[1:2].strip()]
    return "\n".join(rules)


@pytest.mark.parametrize(
    "schema",
    [
        {"A": T.STRING},
        {"A": T.NUMBER},
        {"A": T.TIME},
        {"A": T.BINARY, "B": T.BINARY},
        {"A": T.BOOLEAN, "B": T.TIMESTAMP},
        {"A": T.OTHER, "B": T.DATE, "C": T.TIMESTAMP},
        {"A": T.NUMBER, "B": T.STRING, "C": T.NUMBER},
        {"a column": T.STRING, 'say "hi"': T.NUMBER, "where": T.NUMBER, "Größe": T.DATE},
        {"line\nbreak": T.STRING, "": T.NUMBER, "#": T.NUMBER},
        {f"c{i}": T.NUMBER for i in range(1000)},
    ],
    ids=lambda schema: "-".join(list(schema)[:4]).encode("unicode_escape").decode(),
)
def test_every_example_is_valid_for_the_table(schema: dict[str, ColumnType]) -> None:
    text = rules_for("t.csv", schema)
    assert all(not line or line.startswith("#") for line in text.splitlines())
    rules = parse_constraints(uncommented(text))
    check_schema(rules, schema)
    assert "key" in {rule.shape.kind for rule in rules}


def test_all_kinds_where_the_columns_allow() -> None:
    text = rules_for("t.csv", {"A": T.STRING, "B": T.NUMBER, "C": T.DATE, "D": T.DATE})
    rules = parse_constraints(uncommented(text))
    assert [str(rule.shape.kind) for rule in rules] == ["key", "fd", "fd", "order", *["row"] * 5]
    assert rules.constraints[2].shape.where


def test_a_table_of_which_nothing_compares() -> None:
    assert uncommented(rules_for("t.parquet", {"A": T.OTHER})) == ""
    assert uncommented(rules_for("t.parquet", {})) == ""


def test_a_schema_is_enough(run: Run, people: Path) -> None:
    parquet = people.with_suffix(".parquet")
    duckdb.execute(f"copy (from '{people}') to '{parquet}'")
    before = run("init", parquet, "--output", "-")
    assert "NOT PRIVATE" not in before.out + before.err
    people.write_text("Id,Zip,City,Age\n7,70,Genf,70\n")
    duckdb.execute(f"copy (from '{people}') to '{parquet}'")
    assert run("init", parquet, "--output", "-") == before


def test_types_come_from_the_rows(run: Run, people: Path) -> None:
    """It says so, in the file and beside it; no cell is shown."""
    result = run("init", people, "--output", "-")
    assert result.err.startswith("NOT PRIVATE: ")
    assert "percentages are NOT PRIVATE" in result.out
    assert "Ulm" not in result.out + result.err
    assert result.out.count("of its cells fit") == 3
    assert "type Age: integer  # 100% of its cells fit\n" in result.out
    people.write_text("Id,Zip,City,Age\n")
    assert "of its cells fit" not in run("init", people, "--output", "-").out
    to = people.with_name("new.txt")
    assert run("init", people, "--output", to).out.startswith("NOT PRIVATE: ")
    assert to.stat().st_mode & 0o077 == 0


CELLS = {  # of a column: what is proposed
    ("1", "2.0", "-3"): "type A: integer",
    ("1", "2.5", "1e3"): "type A: number",
    ("1", "2,5", "-0,25"): "type A: number(decimal ',')",
    ("01234", "12345"): "",
    ("0", "0.5", "10"): "type A: number",
    ("1,000", "25"): "#type A: number(decimal ',')",
    ("yes", "No"): "type A: boolean",
    ("2024-01-31", "2024-1-2"): "type A: date",
    ("31/01/2024", "1/2/2024"): "type A: date(%d/%m/%Y)",
    ("01/31/2024", "02/01/2024"): "type A: date(%m/%d/%Y)",
    ("03/02/2024", "1/2/2024"): "#type A: date(%d/%m/%Y)\n#type A: date(%m/%d/%Y)",
    ("31.01.2024",): "type A: date(%d.%m.%Y)",
    ("2024-01-31 10:00", "2024-01-31T10:00:01Z"): "type A: timestamp",
    ("31/01/2024 9:05", "01/02/2024 10:00"): "type A: timestamp(%d/%m/%Y %H:%M)",
    ("1", "2", "x"): "#type A: integer",
    (*("1",) * 19, "x"): "type A: integer",
    ("1", "x", "z"): "",
    ("a", "b"): "",
    ("", ""): "",
}


@pytest.mark.parametrize(("cells", "lines"), CELLS.items(), ids=lambda x: str(x)[:30])
def test_what_is_proposed(run: Run, tmp_path: Path, cells: tuple[str, ...], lines: str) -> None:
    """A line is active where nearly all cells fit and there is one way to read them."""
    path = tmp_path / "t.csv"
    path.write_text("A,B\n" + "".join(f'"{cell}",z\n' for cell in cells))
    out = run("init", path, "--output", "-").out
    found = [line.partition("  #")[0] for line in out.splitlines() if "of its cells fit" in line]
    assert found == [line for line in lines.split("\n") if line]
    parse_constraints(out + "\nkey(B)")  # what is active can be read


def test_shares_are_never_rounded_up(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("A,B\n" + "1,1\n" * 9999 + "x,1\n")
    out = run("init", path, "--output", "-").out
    assert "type A: integer  # 99.9% of its cells fit" in out
    assert "type B: integer  # 100% of its cells fit" in out
    path.write_text("A,B\n" + "1,1\n" * 150_000 + "x,x\n")
    out = run("init", path, "--output", "-").out
    assert "the first 100,000 rows" in out
    assert "99" not in out


def test_a_declared_type_needs_no_line(run: Run, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as db:
        db.execute("create table t (day date, n, s text)")
        db.execute("insert into t values ('2024-01-31', 5, '2024-01-31')")
        db.commit()
    out = run("init", tmp_path / "t.sqlite", "--output", "-").out
    assert "type day" not in out
    assert "day  date" in out
    assert "type n: integer" in out


def test_json_for_programs(run: Run, people: Path) -> None:
    to = people.with_name("new.txt")
    result = run("init", people, "--output", to, "--json")
    assert result.err.startswith("NOT PRIVATE: ")
    found = json.loads(result.out)
    assert found["types"]["Age"] == {
        "type": "integer",
        "cells": 6,
        "readings": [{"type": "integer", "fit": 6}],
    }
    assert found["types"]["City"]["readings"] == []


def test_writes_rules_txt_and_says_what_next(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(people.parent)
    result = run("init", people.name)
    assert result.code == 0
    assert "candling check rules.txt people.csv" in result.out
    written = Path("rules.txt").read_text(encoding="utf-8")
    assert written == run("init", people.name, "-o", "-").out
    types = [line for line in written.splitlines() if line.startswith("type ")]
    Path("rules.txt").write_text("\n".join([*types, uncommented(written)]), encoding="utf-8")
    assert run("check", "rules.txt", people.name).code == 0


def test_refuses_to_overwrite(run: Run, people: Path, rules: Path) -> None:
    mine = rules.read_text()
    result = run("init", people, "--output", rules)
    assert result.code == 2
    assert result.err.startswith("error U104: ")
    assert rules.read_text() == mine
    assert run("init", people, "--output", rules, "--force").code == 0
    assert rules.read_text() != mine


def test_a_place_that_cannot_be_written(run: Run, people: Path) -> None:
    result = run("init", people, "--output", people.parent / "no" / "rules.txt")
    assert result.code == 2
    assert result.err.startswith("error U104: ")
