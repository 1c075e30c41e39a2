"""Which argument is the table and which one the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from candling.cli.options import data_and_rules, in_order
from candling.errors import UsageError
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("data", "rules"),
    [
        ("visits.csv", "rules.txt"),
        ("visits.csv.gz", "rules.yaml"),
        ("visits.parquet", "rules"),
        ("*.parquet", "visits.rules"),
        ("public.visits", "rules.txt"),
        ("postgresql://host/clinic", "rules.txt"),
        ("s3://clinic/visits.txt", "rules.txt"),
        ("hospital", "rules.yml"),
    ],
)
def test_endings_tell(data: str, rules: str) -> None:
    assert in_order(data, rules) == in_order(rules, data) == (data, rules)
    assert data_and_rules(rules, data) == (data, rules)


def test_what_cannot_be_told_stays_as_it_is() -> None:
    assert in_order("a", "b") == ("a", "b")
    assert in_order("a.csv", "b.csv") == ("a.csv", "b.csv")
    assert in_order("a.txt", "b.txt") == ("a.txt", "b.txt")
    assert data_and_rules("rules.txt", None) == (None, "rules.txt")
    with pytest.raises(UsageError) as error:
        data_and_rules(None, None)
    assert error.value.code == "U215"


def test_of_two_texts_the_content_tells(run: Run, people: Path, rules: Path) -> None:
    table = people.with_suffix(".txt")
    people.rename(table)
    for pair in ((table, rules), (rules, table)):
        result = run("exact", *pair, "--format", "csv")
        assert result.code == 0, result.err
        assert "rows,,6" in result.out


def test_rules_from_candling_toml_give_way(
    run: Run, people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(people.parent)
    Path("other.rules").write_text("Zip -> City\n")
    Path("candling.toml").write_text('rules = "rules.txt"\nformat = "csv"\n')
    assert "3 rules" in run("check", "-q").out
    assert "3 rules" in run("check", "-q", "people.csv").out
    assert "1 rule," in run("check", "-q", "other.rules").out
    assert "1 rule," in run("check", "-q", "people.csv", "other.rules").out
    assert run("check", "--no-config").code == 2
