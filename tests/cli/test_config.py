from __future__ import annotations

import json
from pathlib import Path

import pytest

from candling.cli import config
from tests.cli.conftest import Run


@pytest.fixture
def project(tmp_path: Path, people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a configuration at its top, and a directory below where we are."""
    (tmp_path / ".git").mkdir()
    below = tmp_path / "jobs" / "nightly"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    return tmp_path


def write(project: Path, text: str) -> None:
    (project / "candling.toml").write_text(text, encoding="utf-8")


def test_paths_are_seen_from_the_file(run: Run, project: Path, people: Path) -> None:
    write(project, 'rules = "rules.txt"\nformat = "json"\n')
    result = run("release", people, "--epsilon", "1", "--measures", "rows")
    assert result.code == 0
    assert list(json.loads(result.out)) == [
        "schema",
        "epsilon",
        "rows_per_person",
        "grade",
        "rows",
        "about",
    ]
    assert run("check").code == 0


def test_the_command_line_wins(run: Run, project: Path, people: Path, rules: Path) -> None:
    write(project, 'rules = "other.txt"\nformat = "csv"\nrows_per_person = 3\n')
    asked = ["release", people, rules, "--epsilon", "1", "--measures", "rows", "--format", "json"]
    assert json.loads(run(*asked).out)["rows_per_person"] == 3
    assert json.loads(run(*asked, "--rows-per-person", "2").out)["rows_per_person"] == 2
    assert json.loads(run(*asked[:-2], "--json").out)


def test_it_can_be_left_aside(run: Run, project: Path, people: Path, rules: Path) -> None:
    write(project, "nonsense")
    asked = ["release", str(people), str(rules), "--epsilon", "1", "--measures", "rows"]
    assert run(*asked).code == 2
    assert run(*asked, "--no-config").code == 0
    assert run("--no-config", *asked).code == 0
    assert run("release", "--help").code == 0  # help helps whatever the file says
    assert run("explain", "U301").code == 0
    assert run("demo", "--rows", "50").code == 0


def test_a_ledger_and_its_dataset(run: Run, project: Path, people: Path) -> None:
    write(project, 'rules = "rules.txt"\nledger = "budget.ledger"\ndataset = "people"\n')
    assert run("ledger", "init").code == 0
    assert (project / "budget.ledger").exists()
    missing = run("ledger", "add", "--budget", "3")  # a budget is given to a dataset by its name
    assert missing.code == 2
    assert "--dataset" in missing.err
    assert run("ledger", "add", "--dataset", "people", "--budget", "3").code == 0
    card = json.loads(run("release", people, "--epsilon", "1", "--json").out)
    assert card["receipt"]["remaining"] == 2
    assert json.loads(run("ledger", "show", "--json").out)["datasets"]["people"]["spent"] == 1


def test_a_database_is_no_path(project: Path) -> None:
    write(project, 'ledger = "postgresql://owner@db.example.org/budgets"\n')
    assert config.settings() == {"ledger": "postgresql://owner@db.example.org/budgets"}


def test_it_is_looked_for_up_to_the_repository(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert config.find(Path.cwd()) is None
    write(project, "")
    assert config.find(Path.cwd()) == project / "candling.toml"
    (project / "jobs" / ".git").mkdir()
    assert config.find(Path.cwd()) is None
    (project / "jobs" / ".git").rmdir()
    monkeypatch.setenv("HOME", str(project / "jobs"))
    assert config.find(Path.cwd()) is None
    write(project / "jobs" / "nightly", "")
    assert config.find(Path.cwd()) == project / "jobs" / "nightly" / "candling.toml"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a b", 1, "it is not TOML"),
        ('# ours\n\nledgr = "x"\n', 3, "there is no setting 'ledgr'; did you mean 'ledger'?"),
        ("colour = 1\n", 1, "there is no setting 'colour'; known are ledger, "),
        ("[release]\nmethod = 'one-draw'\n", 1, "there is no setting 'release'"),
        ("ledger = 3\n", 1, "'ledger' must be a string in quotes"),
        ("rows_per_person = true\n", 1, "'rows_per_person' must be a whole number"),
        ("max_rows = 1.5\n", 1, "'max_rows' must be a whole number"),
        ("method = 'onedraw'\n", 1, "there is no method 'onedraw'; did you mean 'one-draw'?"),
        ("format = 'xml'\n", 1, "there is no format 'xml'"),
        ("\nepsilon = 1\n", 2, "'epsilon' is not allowed here: state it with every"),
        (b"\xff\xfe", None, "it is not text in UTF-8"),
    ],
)
def test_mistakes(run: Run, project: Path, text: str | bytes, line: int | None, words: str) -> None:
    path = project / "candling.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    result = run("plan", "rules.txt", "--epsilon", "1")
    assert (result.code, result.out) == (2, "")
    place = f"{path}:{line}" if line else str(path)
    assert result.err.startswith(f"error U301: {place}: {words}")
