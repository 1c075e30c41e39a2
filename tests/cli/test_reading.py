"""The options that say how a file is read, on every command that reads one."""

from __future__ import annotations

import io
import json
import shlex
from pathlib import Path

import pytest

from candling.cli import options
from candling.reading import Reading
from tests.cli.conftest import Run

OPTIONS = ("--null", "--encoding", "--delimiter", "--header", "--no-header", "--type", "--decimal")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that nobody can read without being told how, and its rules."""
    monkeypatch.chdir(tmp_path)
    content = "007^Köln^-\n7^Koeln^31.12.2020\n7^N/A^-\nx^y^-\n"
    Path("visits.csv").write_bytes(content.encode("latin-1"))
    Path("rules.txt").write_text("column0 -> column1\nnot(t1.column2 > 2020-01-31)\n")
    return tmp_path


HOW = (
    *("--null", "-,N/A", "--encoding", "latin-1", "--delimiter", "^", "--no-header"),
    *("--type", "column0=integer", "--type", "column2=date(%d.%m.%Y)"),
)


@pytest.mark.parametrize(
    "command",
    ["release", "exact", "check", "init", "owner conflicts", "owner repair", "owner types"],
)
def test_every_command_that_reads_a_table_has_them(run: Run, command: str) -> None:
    text = run(*command.split(), "--help").out
    assert all(option in text for option in OPTIONS)
    assert "column0" in text


def test_exact(run: Run, here: Path) -> None:
    result = run("exact", "visits.csv", "rules.txt", "--json", *HOW)
    assert result.code == 0
    values = json.loads(result.out)
    assert (values["rows"], values["repair_exact"]) == (4, 2)  # x is not an integer


def test_a_release_says_nothing_about_cells(run: Run, here: Path) -> None:
    result = run("release", "visits.csv", "rules.txt", "--epsilon", "1", "--json", *HOW)
    assert result.code == 0
    assert "cell" not in result.err


def test_check_and_init(run: Run, here: Path) -> None:
    assert run("check", "rules.txt", "visits.csv", *HOW).code == 0
    result = run("init", "visits.csv", "--output", "new.txt", *HOW)
    assert result.code == 0
    shown = [line.strip() for line in result.out.splitlines() if line.startswith("  candling ")]
    assert len(shown) == 2
    for command in shown:
        words = shlex.split(command)
        assert all(word in words for word in HOW)
        assert "R103" in run(*words[1:]).err  # no rule is chosen yet


def test_the_owner(run: Run, here: Path) -> None:
    result = run("owner", "conflicts", "visits.csv", "rules.txt", "--json", *HOW)
    assert [rule["rows"] for rule in json.loads(result.out)["rules"]] == [0, 1, 1, 0]
    result = run("owner", "repair", "visits.csv", "rules.txt", "--out", "copy.csv", *HOW)
    assert result.code == 0
    assert Path("copy.csv").read_text(encoding="utf-8") == "007,Köln,-\n7,N/A,-\n"


def test_standard_input(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Piped(io.BytesIO):
        buffer = property(lambda self: self)

    monkeypatch.setattr("sys.stdin", Piped(Path("visits.csv").read_bytes()))
    result = run("owner", "repair", "-", "rules.txt", "--out", "copy.csv", *HOW)
    assert result.code == 0
    assert Path("copy.csv").read_text(encoding="utf-8").splitlines()[0] == "007,Köln,-"


def test_candling_toml(run: Run, here: Path) -> None:
    Path("candling.toml").write_text(
        'null = ["-", "N/A", "a,b"]\nencoding = "latin-1"\ndelimiter = "^"\n'
        'header = false\n[type]\ncolumn0 = "integer"\ncolumn2 = "date(%d.%m.%Y)"\n'
    )
    Path("candling.toml").chmod(0o644)
    result = run("exact", "visits.csv", "rules.txt", "--json")
    assert json.loads(result.out)["repair_exact"] == 2
    assert "header = False" in result.err
    assert run("exact", "visits.csv", "rules.txt", "--json", "--delimiter", ";").code == 2
    assert run("exact", "visits.csv", "rules.txt", "--json", "--no-config").code == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('header = "no"', "'header' must be true or false"),
        ("header = 1", "'header' must be true or false"),
        ('null = "NA"', "'null' must be a list of strings"),
        ("null = [1]", "'null' must be a list of strings"),
        ('type = "Zip=text"', "'type' must be columns with their types"),
        ("[type]\nZip = 1", "'type' must be columns with their types"),
        ('null = ["\\u0007"]', "'null' has characters that cannot be printed"),
        ("rows_per_person = true", "'rows_per_person' must be a whole number"),
    ],
)
def test_mistakes_in_candling_toml(run: Run, here: Path, text: str, words: str) -> None:
    Path("candling.toml").write_text(text)
    Path("candling.toml").chmod(0o644)
    result = run("exact", "visits.csv", "rules.txt")
    assert result.code == 2
    assert f"candling.toml:1: {words}" in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--type", "Zip"), "Write the type of a column as Zip=text, not 'Zip'."),
        (("--type", "=text"), "Write the type of a column as Zip=text"),
        (("--type", "Zip=strng"), "Unknown type 'strng'"),
        (("--encoding", "nothing"), "Unknown encoding 'nothing'"),
        (("--null", "a\nb"), "is not a list of texts"),
        (("--delimiter", "::"), "'::' cannot separate cells"),
    ],
)
def test_mistakes(run: Run, here: Path, arguments: tuple[str, ...], words: str) -> None:
    result = run("exact", "visits.csv", "rules.txt", *arguments)
    assert result.code == 2
    assert "U110" in result.err
    assert words in " ".join(result.err.split())


@pytest.mark.parametrize("texts", [(), ("NA",), ("NA", "N/A"), ("a,b", 'say "x"', " ")])
def test_texts_survive_the_command_line(texts: tuple[str, ...]) -> None:
    assert options.split_list(options.join_list(texts)) == texts


def test_the_options_of_a_reading_give_it_again() -> None:
    how = Reading(["NA", "a,b"], "cp1252", "\t", header=False, types={"A=B": "text"}, decimal=",")
    words = options.arguments(how)
    given = dict(zip(words[:-1:2], words[1::2], strict=True))
    again = options.make_reading(
        given["--null"],
        given["--encoding"],
        given["--delimiter"],
        False,
        [given["--type"]],
        given["--decimal"],
    )
    assert again == how
    assert words[-1] == "--no-header"
    assert options.arguments(None) == []
