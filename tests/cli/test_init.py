from __future__ import annotations

from pathlib import Path

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


def test_the_file_depends_on_the_schema_only(run: Run, people: Path) -> None:
    before = run("init", people, "--output", "-").out
    people.write_text("Id,Zip,City,Age\n7,70,Genf,70\n")
    assert run("init", people, "--output", "-").out == before
    assert "Ulm" not in before


def test_writes_rules_txt_and_says_what_next(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(people.parent)
    result = run("init", people.name)
    assert result.code == 0
    assert "candling check rules.txt people.csv" in result.out
    written = Path("rules.txt").read_text(encoding="utf-8")
    assert written == run("init", people.name, "-o", "-").out
    Path("rules.txt").write_text(uncommented(written), encoding="utf-8")
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
