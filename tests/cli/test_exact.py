from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

import candling
from candling.measures import MEASURES
from tests.cli.conftest import Run

KEYS = [
    "repair",
    "repair_linear",
    "repair_exact",
    "rows",
    "problematic",
    "minimal_inconsistent",
    "max_degree",
    "drastic",
    "maximal_consistent_log2",
]


def test_the_first_line_says_that_it_is_not_private(run: Run, people: Path, rules: Path) -> None:
    result = run("exact", people, rules)
    assert result.code == 0
    assert result.out.splitlines()[0].startswith("NOT PRIVATE")
    assert result.err == ""
    words = {name: words for m in MEASURES.values() for name, words in m.exact_words.items()}
    named = [line for line in result.out.splitlines() if line.startswith("  ")]
    for name in KEYS:
        if name in ("repair", "repair_linear"):
            continue  # bounds are shown only where they differ from the smallest repair
        assert any(line.startswith(f"  {words[name].title} ") for line in named), name


def test_json_has_exactly_the_promised_keys(run: Run, people: Path, rules: Path) -> None:
    result = run("exact", people, rules, "--json")
    assert result.code == 0
    values = json.loads(result.out)
    assert list(values) == KEYS
    assert result.err.startswith("NOT PRIVATE")
    # Two pairs over the zip code and one bad age; the duplicate id is a pair with the bad row.
    assert values == {
        "rows": 6,
        "drastic": 1,
        "minimal_inconsistent": 3,
        "problematic": 4,
        "repair": 2,
        "repair_linear": 2,
        "repair_exact": 2,
        "maximal_consistent_log2": 1.0,
        "max_degree": 2,
    }


def test_a_table_inside_a_duckdb_file(run: Run, people: Path, rules: Path) -> None:
    database = people.with_suffix(".duckdb")
    with duckdb.connect(str(database)) as connection:
        connection.execute(f"create table a as from '{people}'")
        connection.execute("create table b (x integer)")
    without = run("exact", database, rules, "--json")
    assert without.code == 2
    assert "D104" in without.err
    result = run("exact", database, rules, "--table", "a", "--json")
    assert json.loads(result.out)["rows"] == 6


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--memory", "lots"], "U101"),
        (["--time-limit", "-1"], "U102"),
        (["--time-limit", "nan"], "U102"),
        (["--table", "t"], "U103"),
    ],
)
def test_options_that_make_no_sense(
    run: Run, people: Path, rules: Path, options: list[str], code: str
) -> None:
    result = run("exact", people, rules, *options)
    assert result.code == 2
    assert result.err.startswith(f"error {code}: ")


def test_problems_of_the_rules_come_all_at_once(run: Run, people: Path, rules: Path) -> None:
    rules.write_text("Zip -> Town\nkey(Ids)\n")
    result = run("exact", people, rules)
    assert result.code == 2
    assert f"{rules}:1:8: R201" in result.err
    assert f"{rules}:2:5: R201" in result.err
    assert f"2 problems in {rules}." in result.err


def test_what_was_not_found_is_said(
    run: Run, people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"rows": 9, "drastic": 1, "minimal_inconsistent": 10, "problematic": 9, "max_degree": 3}
    repair = {"repair": Fraction(9, 2), "repair_linear": Fraction(4), "repair_exact": None}
    unknown = candling.Exact(known | repair | {"maximal_consistent_log2": None})
    monkeypatch.setattr(candling, "exact", lambda *_, **__: unknown, raising=False)
    shown = " ".join(run("exact", people, rules).out.split())
    assert "Rows to delete (lower bound) 4.5 " in shown
    assert "Rows to delete - not found within the time limit" in shown
    assert "Ways to clean (log2) - " in shown
    as_json = json.loads(run("exact", people, rules, "--json").out)
    assert as_json["repair"] == 4.5
    assert as_json["repair_linear"] == 4
    assert as_json["repair_exact"] is None


def test_an_empty_table_has_no_shares(run: Run, people: Path, rules: Path) -> None:
    people.write_text("Id,Zip,City,Age\n")
    rules.write_text("Zip -> City\n")
    result = run("exact", people, rules)
    assert result.code == 0
    assert "every rule holds" in result.out
    assert "%" not in result.out
