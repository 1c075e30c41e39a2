"""Tables, rules, labels, datasets and files with hostile names, through every command."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import markdown as python_markdown  # type: ignore[import-untyped]
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from candling.rules.printer import label_text, name_text
from tests.cli.conftest import Result, Run
from tests.hostile import EVERYTHING, NAMES
from tests.render.html.parsed import ACTIVE, Page

COLUMN = EVERYTHING.replace("\0", "")  # Parquet and SQL end a name there
FILE = "a`<img>|$(id);'\"\x1b]0;x\x07\u202e\n\u2028"  # without what is a pattern for files
DATASET = "`<script>alert(1)</script>` a|b [x](javascript:alert(1)) =1+1 [bold]"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a hostile name with a table and rules of hostile names, seen from inside."""
    folder = tmp_path / FILE
    folder.mkdir()
    folder.chmod(0o755)
    monkeypatch.chdir(folder)
    values = [COLUMN, "<script>", "=1", "\x1b[31m", None, COLUMN]
    pq.write_table(pa.table({COLUMN: values, "other": [1, 2, 3, 4, 5, 6]}), f"{FILE}.parquet")
    name, label = name_text(COLUMN), label_text(COLUMN)
    rules = f"{label}: {name} -> other\n{label}: key({name})\nnot(t1.{name} = '=cmd()')\n"
    Path(f"{FILE}.txt").write_text(rules + f"{name} -> {name}\n", encoding="utf-8")
    return folder


def checked(result: Result, *codes: int) -> Result:
    assert result.code in (codes or (0,)), result.err
    for stream in (result.out, result.err):
        assert stream.replace("\n", "").isprintable()
    return result


def passive(html: str) -> None:
    page = Page(html)
    assert not {tag for tag, _ in page.elements} & ACTIVE
    assert not [k for _, attributes in page.elements for k in attributes if k.startswith("on")]
    assert "\u202e" not in html
    assert "\x1b" not in html


@pytest.mark.parametrize("columns", ["60", "120"])
def test_every_command(
    run: Run, place: Path, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    data, rules = f"{FILE}.parquet", f"{FILE}.txt"
    release = ["release", data, rules, "--epsilon", "1", "--measures"]
    release += ["rows,repair,by_rule,worst_rule,maximal_consistent"]
    checked(run("check", rules))
    checked(run("check", rules, data))
    report = json.loads(checked(run("check", rules, "--json")).out)
    assert report["rules"][0]["label"] == COLUMN
    assert report["rules"][0]["equal"] == [COLUMN]
    checked(run("plan", rules, "--epsilon", "1", "--measures", "by_rule,rows"))
    checked(run("exact", data, rules))
    checked(run("init", data, "-o", f"{FILE}.new"))
    checked(run("init", data, "-o", "-"))
    checked(run("owner", "conflicts", data, rules, "--html", f"{FILE}.html"))
    passive(Path(f"{FILE}.html").read_text(encoding="utf-8"))
    checked(run("owner", "repair", data, rules, "--html", "r.html", "--out", f"{FILE}.csv"))
    passive(Path("r.html").read_text(encoding="utf-8"))
    checked(run("owner", "conflicts", data, rules, "--json"))

    checked(run(*release, "--report", f"{FILE}.card.html"))
    passive(Path(f"{FILE}.card.html").read_text(encoding="utf-8"))
    source = checked(run(*release, "--format", "markdown")).out
    passive(python_markdown.markdown(source, extensions=["tables"]))
    table = list(csv.reader(io.StringIO(checked(run(*release, "--format", "csv")).out)))
    assert len({len(row) for row in table}) == 1
    assert not [cell for row in table for cell in row if cell.startswith(("=", "@", "+"))]
    card = checked(run(*release, "--json")).out
    assert COLUMN in str(json.loads(card)["about"]["rules"]) or "U&" in card
    Path(f"{FILE}.json").write_text(card, encoding="utf-8")
    checked(run("explain", f"{FILE}.json"))
    checked(run("compare", f"{FILE}.json", f"{FILE}.json", "--report", "c.html"))
    passive(Path("c.html").read_text(encoding="utf-8"))
    checked(run("verify", f"{FILE}.json"), 1)


def test_ledgers(run: Run, place: Path) -> None:
    data, rules, ledger = f"{FILE}.parquet", f"{FILE}.txt", f"{FILE}.ledger"
    checked(run("ledger", "init", ledger))
    checked(run("ledger", "add", ledger, "--dataset", DATASET, "--budget", "9", "--by", DATASET))
    asked = ["release", data, rules, "--epsilon", "1", "--ledger", ledger, "--dataset", DATASET]
    asked += ["--request-id", DATASET, "--by", DATASET]
    source = checked(run(*asked, "--format", "markdown")).out
    passive(python_markdown.markdown(source, extensions=["tables"]))
    for form in ("table", "csv", "json"):
        checked(run(*asked, "--format", form))
    Path("card.json").write_text(run(*asked, "--json").out, encoding="utf-8")
    checked(run("verify", "card.json", "--ledger", ledger, "--report", "v.html"))
    passive(Path("v.html").read_text(encoding="utf-8"))
    checked(run("verify", "v.html"))
    checked(run("explain", "card.json"))
    reason = ["--budget", "10", "--reason", DATASET]
    checked(run("ledger", "raise", ledger, "--dataset", DATASET, *reason))
    for command in (["show"], ["show", "--json"], ["export"], ["key"], ["verify"]):
        checked(run("ledger", command[0], ledger, *command[1:]))
    for name in NAMES:
        if not name.isprintable():
            checked(run("ledger", "add", ledger, "--dataset", name, "--budget", "1"), 2)


@pytest.mark.parametrize("name", [COLUMN + "x", *NAMES[4:14:2]])
def test_mistakes(run: Run, place: Path, name: str) -> None:
    """Whatever is wrong, the message about it is one that a terminal can show."""
    data, rules = f"{FILE}.parquet", f"{FILE}.txt"
    Path("wrong.txt").write_text(f"{name}\nnot({name})\n", encoding="utf-8")
    Path("column.txt").write_text(f"other -> {name_text(name)}\n", encoding="utf-8")
    Path("candling.toml").write_text("", encoding="utf-8")
    Path("other.toml").write_text(f"{json.dumps(name)} = 1\n", encoding="utf-8")
    Path("card.json").write_text(json.dumps({"schema": 1, name: 1}), encoding="utf-8")
    Path("list.yaml").write_text(f"- {json.dumps(name)}\n- {name}\n", encoding="utf-8")
    for command in (
        ("check", "wrong.txt"),
        ("check", "wrong.txt", "--json"),
        ("check", "list.yaml"),
        ("check", "column.txt", data),
        ("check", name),
        ("explain", name),
        ("explain", "card.json"),
        ("verify", "card.json", "--key", name),
        ("compare", name, name),
        ("plan", rules, "--config", "other.toml", "--epsilon", "1"),
        ("plan", rules, "--epsilon", name),
        ("plan", rules, "--error", name),
        ("release", name, rules, "--epsilon", "1"),
        ("release", data, rules, "--epsilon", "1", "--fail-if", name),
        ("release", data, rules, "--epsilon", "1", "--measures", name),
        ("release", data, rules, "--epsilon", "1", "--report", f"none/{name}"),
        ("release", data, rules, "--epsilon", "1", "--engine", name),
        ("release", data, rules, "--epsilon", "1", "--table", name),
        ("release", data, rules, "--epsilon", "1", "--ledger", name, "--dataset", name),
        ("ledger", "show", name),
        ("ledger", "verify", name, "--receipt", name),
    ):
        checked(run(*command), 2)
