"""A public list is never the measured table, and a card shows its name, not its values."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import candling
from candling.cli import main
from candling.errors import UsageError
from candling.rules import ConstraintSet

RULE = "B in file('part/p1.csv', 'B')"


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table in two files, of which a rule reads one as its list."""
    folder = tmp_path / "part"
    folder.mkdir()
    (folder / "p1.csv").write_text("A,B\n1,x\n2,y\n")
    (folder / "p2.csv").write_text("A,B\n3,z\n")
    (tmp_path / "rules.txt").write_text(RULE + "\n")
    (tmp_path / "public.txt").write_text("B in file('list.csv', 'B')\n")
    (tmp_path / "list.csv").write_text("B\nx\ny\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _input(content: bytes) -> Any:
    return SimpleNamespace(buffer=io.BytesIO(content))


@pytest.mark.parametrize(
    "data",
    ["part/p1.csv", "part/*.csv", "pa*/p?.csv", "linked.csv", "linked/p1.csv", "hard.csv"],
)
def test_a_file_of_the_table_is_no_list(parts: Path, data: str) -> None:
    """Every file of a pattern is compared, with links followed."""
    (parts / "linked.csv").symlink_to(parts / "part" / "p1.csv")
    (parts / "linked").symlink_to(parts / "part", target_is_directory=True)
    os.link(parts / "part" / "p1.csv", parts / "hard.csv")
    for said in (False, True):  # which is about what cannot be compared
        with pytest.raises(UsageError, match="comes from the table itself") as error:
            candling.release(data, Path("rules.txt"), 1, lists_are_public=said)
        assert error.value.code == "R123"
    with pytest.raises(UsageError, match="comes from the table itself"):
        candling.analyze(data, Path("rules.txt"))
    with pytest.raises(UsageError, match="comes from the table itself"):
        candling.exact(data, Path("rules.txt"))
    candling.release(data, Path("public.txt"), 1)


def test_a_linked_list(parts: Path) -> None:
    """The list's own name may be the link."""
    (parts / "list.csv").unlink()
    (parts / "list.csv").symlink_to(parts / "part" / "p2.csv")
    with pytest.raises(UsageError, match="comes from the table itself"):
        candling.release("part/*.csv", Path("public.txt"), 1)


def test_standard_input_and_lists(parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is piped may come from the list's file, which cannot be known here."""
    content = (parts / "part" / "p1.csv").read_bytes()
    for call in (candling.analyze, lambda data, rules: candling.release(data, rules, 1)):
        monkeypatch.setattr(sys, "stdin", _input(content))
        with pytest.raises(UsageError, match="lists_are_public=True") as error:
            call("-", Path("public.txt"))
        assert error.value.code == "R123"
    monkeypatch.setattr(sys, "stdin", _input(content))
    candling.release("-", Path("public.txt"), 1, lists_are_public=True)
    candling.analyze("-", Path("public.txt"), lists_are_public=True)
    candling.exact("-", Path("public.txt"))  # not private: nothing to protect
    candling.release("-", "B in ('x', 'y')", 1)  # a list that the rules spell out is public


def test_a_card_names_the_list_only(parts: Path) -> None:
    """Nothing on a card, and nothing that a ledger hashes, depends on the list's values."""
    del parts
    rules = candling.load_constraints("public.txt")
    assert str(rules) == "B in file('list.csv', 'B')"
    card = json.dumps(candling.release("part/*.csv", rules, 1).to_dict())
    assert "sha256" not in card
    texts = [
        json.dumps(["x", "y"]),  # as an earlier version hashed it
        "B\nx\ny\n",
        "x\ny",
    ]
    for text in texts:
        assert hashlib.sha256(text.encode()).hexdigest()[:16] not in card


def test_lists_of_one_name_from_two_folders(parts: Path) -> None:
    """Rules with one text and other lists are two rules, each with its list."""
    for name, values in (("one", "x"), ("two", "y\nz")):
        (parts / name).mkdir()
        (parts / name / "list.txt").write_text(values)
        (parts / name / "rules.txt").write_text("B in file('list.txt')\n")
    one, two = (
        candling.load_constraints(parts / name / "rules.txt").constraints for name in ("one", "two")
    )
    for rules, repair in (((*one, *two), 3), (one, 2), (two, 1)):
        assert candling.exact("part/*.csv", ConstraintSet(rules)).repair == repair


def test_the_command_line(
    parts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same words there, with the option."""
    content = (parts / "part" / "p1.csv").read_bytes()
    for words, code in (((), 2), (("--lists-are-public",), 0)):
        monkeypatch.setattr(sys, "stdin", _input(content))
        with pytest.raises(SystemExit) as stop:
            main(["release", "-", "public.txt", "--epsilon", "1", *words])
        assert (stop.value.code or 0) == code
        out, err = capsys.readouterr()
        assert ("--lists-are-public" in err) is (code == 2)
        assert (out == "") is (code == 2)


@pytest.mark.spark
@pytest.mark.parametrize("data", ["part/*.csv", "/part/{p1,p9}.csv", "part/p[1]*.csv", "a table"])
def test_spark_says_what_it_reads(parts: Path, spark: Any, data: str) -> None:
    """Patterns mean more there, and a table may lie over files."""
    if data.startswith("/"):  # such a pattern is looked up where Java runs
        data = f"{parts}{data}"
    if data == "a table":
        data = f"lists_{parts.name}".replace("-", "_")
        spark.read.csv(f"file://{parts}/part/*.csv", header=True).createOrReplaceTempView(data)
    with pytest.raises(UsageError, match="comes from the table itself"):
        candling.release(data, Path("rules.txt"), 1, engine="spark")
    candling.release(data, Path("public.txt"), 1, engine="spark")
