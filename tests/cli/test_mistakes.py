"""What a user does wrong, and what candling answers: docs/mistakes.md is made of these runs.

CANDLING_UPDATE_GOLDEN=1 writes the page again.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from candling.explain import load_codes
from tests.cli.conftest import Run

PAGE = Path(__file__).parents[2] / "docs" / "mistakes.md"
NOBODY = 65534
LEDGER = "--ledger budget.ledger --dataset visits"
RELEASE = "candling release people.csv rules.txt --epsilon 1"

# A mistake in a few words, the command that makes it, and the exit code.
MISTAKES = [
    ("A missing file", "candling release peple.csv rules.txt --epsilon 1", 2),
    ("A directory", "candling release folder rules.txt --epsilon 1", 2),
    ("An empty file", "candling release empty.csv rules.txt --epsilon 1", 2),
    ("A file without a header", "candling release headless.csv rules.txt --epsilon 1", 2),
    ("An unknown file format", "candling release people.sas rules.txt --epsilon 1", 2),
    ("Text in another encoding", "candling release latin.csv rules.txt --epsilon 1", 2),
    ("A total row at the end", "candling exact total.csv rules.txt", 2),
    ("Two columns with one name", "candling release twice.csv rules.txt --epsilon 1", 2),
    (
        "An option that does not apply",
        "candling release people.parquet rules.txt --epsilon 1 --delimiter ';'",
        2,
    ),
    ("An unknown type", "candling exact people.csv rules.txt --type Age=int", 2),
    ("A binary file with the name .csv", "candling release binary.csv rules.txt --epsilon 1", 2),
    ("A Parquet file that was cut short", "candling release cut.parquet rules.txt --epsilon 1", 2),
    ("A file without read permission", "candling release secret.csv rules.txt --epsilon 1", 2),
    ("An unknown engine", "candling exact people.csv rules.txt --engine sprak", 2),
    (
        "An engine and an address that differ",
        "candling exact postgresql://ann:secret@db.example.org/clinic rules.txt --engine spark",
        2,
    ),
    (
        "An unreachable server",
        "candling check rules.txt public.visits --engine postgresql://ann:secret@127.0.0.1:1/clinic",
        2,
    ),
    (
        "A command that needs a file",
        "candling owner conflicts postgresql://ann:secret@127.0.0.1:1/clinic rules.txt",
        2,
    ),
    ("Rules given twice", "candling release rules.txt rules.txt --epsilon 1", 2),
    ("A missing column", "candling release people.csv column.txt --epsilon 1", 2),
    ("The wrong quotes", "candling release people.csv quotes.txt --epsilon 1", 2),
    ("The table as a public list", "candling release people.csv list.txt --epsilon 1", 2),
    ("An incomplete rule", "candling check half.txt", 2),
    ("A missing rules file", "candling check rulez.txt", 2),
    ("A rule in place of a file", "candling exact people.csv 'Zip -> City'", 2),
    ("Rules in a file and by --rule", "candling exact people.csv rules.txt --rule 'key(Id)'", 2),
    ("No rules at all", "candling release people.csv --epsilon 1", 2),
    ("An incomplete rule on the command line", "candling plan --rule 'key Id'", 2),
    ("A release without an epsilon", "candling release people.csv rules.txt", 2),
    ("Epsilon 0", "candling release people.csv rules.txt --epsilon 0", 2),
    ("An epsilon in words", "candling release people.csv rules.txt --epsilon abc", 2),
    ("A negative epsilon", "candling release people.csv rules.txt --epsilon -1", 2),
    ("An unknown measure", f"{RELEASE} --measures repar", 2),
    ("A split that does not fit", f"{RELEASE} --measures repair,rows --split repair=1", 2),
    ("An unknown format", f"{RELEASE} --format xml", 2),
    ("A memory limit in words", f"{RELEASE} --memory lots", 2),
    ("A gate on an unknown measure", f"{RELEASE} --fail-if 'reapir > 2'", 2),
    ("A gate without its percent sign", f"{RELEASE} --fail-if 'repair/rows > 2'", 2),
    (
        "A gate on a number that is not released",
        f"{RELEASE} --measures repair --fail-if 'repair/rows > 2%'",
        2,
    ),
    ("A gate on an unknown rule", f"{RELEASE} --fail-if 'zpi > 0'", 2),
    ("A gate on a rule without by_rule", f"{RELEASE} --fail-if 'zip > 0'", 2),
    ("A page that is not HTML", f"{RELEASE} --report card.pdf", 2),
    ("A card over another file", f"{RELEASE} -o there.json", 2),
    ("A card that is not JSON", f"{RELEASE} -o card.csv", 2),
    ("A title without a page", f"{RELEASE} --title Visits", 2),
    ("A report without a gate", f"{RELEASE} --format junit", 2),
    ("A request id without a version", f"{RELEASE} {LEDGER} --request-id auto", 2),
    ("A missing ledger", f"{RELEASE} --ledger no.ledger --dataset visits", 2),
    ("A ledger without a dataset", f"{RELEASE} --ledger budget.ledger", 2),
    ("An unknown dataset", f"{RELEASE} --ledger budget.ledger --dataset visit", 2),
    ("A ledger that is locked", f"{RELEASE} {LEDGER}", 2),
    (
        "A budget that is too small",
        f"candling release people.csv rules.txt --epsilon 5 {LEDGER}",
        3,
    ),
    (
        "A budget with nothing left",
        "candling release people.csv rules.txt --epsilon 1 --ledger budget.ledger --dataset spent",
        3,
    ),
    (
        "A changed card",
        "candling ledger verify budget.ledger --receipt forged.json",
        2,
    ),
    ("A table instead of a card", "candling verify people.csv", 2),
    ("An incomplete key", "candling verify forged.json --key ed25519:Bq4pTL7cuRD4YAnP", 2),
    ("A misspelt setting", f"candling release people.csv --epsilon 1 {LEDGER}", 2),
    ("An epsilon in candling.toml", "candling plan rules.txt --error repair=5", 2),
    ("Settings that other users can change", "candling plan rules.txt --epsilon 1", 2),
    (
        "A cleaned copy that would replace the table",
        "candling owner repair people.csv rules.txt --out people.csv",
        2,
    ),
    (
        "A cleaned copy that would replace a file",
        "candling owner repair people.csv rules.txt --out there.csv",
        2,
    ),
    (
        "A cleaned copy in a directory without write permission",
        "candling owner repair people.csv rules.txt --out folder/cleaned.csv",
        2,
    ),
    ("Examples for a table that is not there", "candling init peple.csv", 2),
    ("A folder without contracts", "candling import contracts", 2),
    ("A guided run without answers", "candling start", 2),
    ("A page that holds no card", "candling explain page.html", 2),
    ("An unknown error code", "candling explain D999", 2),
    ("An unknown word", "candling explain epsilom", 2),
    (
        "A gate that cannot tell",
        f"{RELEASE} --measures rows,repair --fail-if 'repair/rows > 2%' --format csv",
        4,
    ),
]
HEAD = """\
# What can go wrong

What does candling answer when something is wrong, and what can you do? This page shows typical
mistakes and the real answers; the tests run each of them. The answer is one message on standard
error that contains nothing of the table. `candling explain CODE` tells you more about any code. The
exit code tells a program what happened:

| exit code | meaning |
|---|---|
| 1 | a gate failed, or a card is not genuine |
| 2 | a mistake in the command, the rules or the table |
| 3 | the ledger refuses the release |
| 4 | a gate cannot tell |
"""


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory that others may look into, with everything that can be done wrong."""
    with tempfile.TemporaryDirectory(prefix="candling-mistakes-") as name:
        here = Path(name)
        here.chmod(0o755)
        monkeypatch.chdir(here)
        people = "Id,Zip,City,Age\n1,10,Ulm,30\n2,10,Ulm,31\n3,10,Bonn,32\n"
        texts = {
            "people.csv": people,
            "people.sas": people,
            "secret.csv": people,
            "headless.csv": people.split("\n", 1)[1],
            "empty.csv": "",
            "total.csv": f"{people}Total: 3\n",
            "twice.csv": "Id,Zip,City,City\n1,10,Ulm,30\n",
            "there.csv": "mine",
            "there.json": "mine",
            "page.html": "<!DOCTYPE html><p>mine</p>",
            "rules.txt": "zip: Zip -> City\nkey(Id)\nnot(t1.Age < 0)\n",
            "column.txt": "Zip -> Citty\n",
            "quotes.txt": 'not(t1.City = "Ulm")\n',
            "list.txt": "City in file('people.csv', 'City')\n",
            "half.txt": "Zip ->\nkey(Id\n",
        }
        for file, text in texts.items():
            Path(file).write_text(text, encoding="utf-8")
        Path("latin.csv").write_bytes(people.replace("Ulm", "Köln").encode("latin-1"))
        Path("binary.csv").write_bytes(bytes(range(256)) * 20)
        duckdb.execute("copy (from 'people.csv') to 'people.parquet'")
        Path("cut.parquet").write_bytes(Path("people.parquet").read_bytes()[:200])
        Path("folder").mkdir(mode=0o555)
        Path("contracts").mkdir()
        Path("secret.csv").chmod(0)
        connect = sqlite3.connect  # half a minute is too long to wait for a lock here
        impatient = {"timeout": 0.1}
        monkeypatch.setattr("sys.stdin", io.StringIO())
        monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **k | impatient))
        yield here


@contextmanager
def circumstances(title: str) -> Iterator[None]:
    """What is around a mistake: a lock, a configuration, a user who may not do everything."""
    if title == "A ledger that is locked":
        lock = sqlite3.connect("budget.ledger", isolation_level=None)
        lock.execute("begin exclusive")
        try:
            yield
        finally:
            lock.close()
    elif title == "A misspelt setting":
        yield from _configured('rules = "rules.txt"\nfromat = "json"\n')
    elif title == "An epsilon in candling.toml":
        yield from _configured("epsilon = 1\n")
    elif title == "Settings that other users can change":
        yield from _configured('ledger = "mine.ledger"\n', mode=0o666)
    elif title in (
        "A file without read permission",
        "A cleaned copy in a directory without write permission",
    ):
        root = os.geteuid() == 0  # who may do everything, until we say otherwise
        if root:
            os.setresuid(NOBODY, NOBODY, 0)
        try:
            yield
        finally:
            if root:
                os.setresuid(0, 0, 0)
    else:
        yield


def _configured(text: str, mode: int = 0o644) -> Iterator[None]:
    Path("candling.toml").write_text(text)
    Path("candling.toml").chmod(mode)
    yield
    Path("candling.toml").unlink()


@pytest.mark.usefixtures("without_noise")
def test_the_page_is_what_happens(run: Run, place: Path) -> None:
    run("ledger", "init", "budget.ledger")
    run("ledger", "add", "budget.ledger", "--dataset", "visits", "--budget", "3")
    run("ledger", "add", "budget.ledger", "--dataset", "spent", "--budget", "1")
    run(*shlex.split(f"{RELEASE} --ledger budget.ledger --dataset spent")[1:])
    card = json.loads(run(*shlex.split(f"{RELEASE} {LEDGER} --json")[1:]).out)
    Path("forged.json").write_text(json.dumps(card | {"repair": card["rows"]}))
    parts = [HEAD]
    for title, command, code in MISTAKES:
        with circumstances(title):
            result = run(*shlex.split(command)[1:])
        assert result.code == code, (title, result.err)
        assert "Traceback" not in result.err
        assert "bug" not in result.err
        if code != 4 and command != "candling start":
            assert result.out == "", title
        if code != 4:
            assert re.search(r"\b[DLRU]\d{3}\b", result.err)[0] in load_codes()  # type: ignore[index]
        parts.append(f"## {title}\n\n```console\n$ {command}\n{_stable(result.err)}```\n")
        parts.append(f"Exit code {code}.\n")
    page = "\n".join(parts)
    if os.environ.get("CANDLING_UPDATE_GOLDEN"):
        PAGE.write_text(page, encoding="utf-8")
    assert page == PAGE.read_text(encoding="utf-8"), "CANDLING_UPDATE_GOLDEN=1 writes it again"


def _stable(text: str) -> str:
    """Without the place of this run, and without what engines call their errors."""
    text = text.replace(f"{Path.cwd()}/", "").replace(f"{Path.cwd().resolve()}/", "")
    return re.sub(r" \(\w+(?:Exception|Error)\)", "", text)


def test_there_are_at_least_twenty() -> None:
    assert len({title for title, _, _ in MISTAKES}) == len(MISTAKES) >= 20
