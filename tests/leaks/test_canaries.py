"""Nothing of a private table may come out of a private command but what was paid for.

A table is filled with values that cannot occur by accident, and with counts that are known and
large. Every private command runs on it, and fails on it in many ways; whatever is printed, logged,
warned of, raised or left behind is searched. Noise is shifted far away, so that no released number
can be a true one.
"""

from __future__ import annotations

import gc
import io
import json
import logging
import os
import re
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

import candling
from candling.cli import main
from candling.privacy import Drawn, LevelsDraw, PlainDraw
from tests.without_noise import leave_out_noise

ROWS, SPOILED, LARGEST_GROUP, IMPOSSIBLE = 7919, 433, 1597, 211
FAR = 10**9  # steps by which noise moves everything
WORDS = ("canary", "1789-")
DIGITS = ("98765", "98766", "31337")  # which a hash may hold, too
RULES = """\
type Born, Died: date
type Grade, Pay: number
zip: Zip -> City
ssn: key(Ssn)
dates: not(t1.Born > t1.Died)
pay: not(t1.Zip = t2.Zip and t1.Grade > t2.Grade and t1.Pay < t2.Pay)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table in several kinds of files, whole and spoiled."""
    here = tmp_path_factory.mktemp("canaries")
    with duckdb.connect(str(here / "table.duckdb")) as connection:
        connection.execute(
            f"""create table canary_people as select
                'CanaryName' || i as Name,
                987654321 + (i % {ROWS - 101}) as Ssn,
                'CanaryZip' || case when i < {LARGEST_GROUP} then 0 else 1 + i % 7 end as Zip,
                case when i < {SPOILED} then 'CanaryTown' else 'CanaryCity' end as City,
                date '1789-07-14' + (i % 50)::int as Born,
                date '1789-07-14' + (case when i >= {ROWS - IMPOSSIBLE} then -1 else 90 end)::int
                    as Died,
                i % 3 as Grade,
                (31337.77 + i % 3)::decimal(9, 2) as Pay
            from range({ROWS}) t(i)"""
        )
        for ending in ("csv", "parquet", "json"):
            connection.execute(f"copy canary_people to '{here}/table.{ending}'")
    text = (here / "table.csv").read_text(encoding="utf-8")
    header, rest = text.split("\n", 1)
    lines = rest.splitlines()
    (here / "headless.csv").write_text(rest, encoding="utf-8")
    names = "\n".join(line.split(",")[0] + "," + line.split(",")[3] for line in lines)
    (here / "headless-words.csv").write_text(names, encoding="utf-8")
    ragged = [header, *lines[:3000], 'CanaryName,"987654321,CanaryZip', *lines[3000:]]
    (here / "ragged.csv").write_text("\n".join(ragged), encoding="utf-8")
    mixed = text.replace("987654322,", "CanarySsn,", 1)
    (here / "mixed.csv").write_text(mixed, encoding="utf-8")
    (here / "latin.csv").write_bytes(text.replace("CanaryTown", "CanaryKöln").encode("latin-1"))
    whole = (here / "table.parquet").read_bytes()
    (here / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (here / "broken.parquet").write_bytes(whole[:5000] + b"\0" * 5000 + whole[10000:])
    (here / "cut.json").write_text((here / "table.json").read_text()[:-50], encoding="utf-8")
    (here / "rules.txt").write_text(RULES, encoding="utf-8")
    (here / "column.txt").write_text("Zip -> Citty\n", encoding="utf-8")
    (here / "types.txt").write_text("not(t1.Name < 3)\nName != 'a'\n", encoding="utf-8")
    return here


@pytest.fixture(scope="module")
def counts(place: Path) -> set[float]:
    """Every true count that is large enough not to be met by accident."""
    exact = candling.exact(str(place / "table.parquet"), str(place / "rules.txt")).to_dict()
    by_rule = [
        candling.exact(str(place / "table.parquet"), candling.parse_constraints(rule)).to_dict()
        for rule in RULES.splitlines()
        if not rule.startswith("type ")
    ]
    values = {float(v) for d in (exact, *by_rule) for v in d.values() if v is not None}
    values |= {ROWS, SPOILED, LARGEST_GROUP, LARGEST_GROUP - SPOILED, IMPOSSIBLE, ROWS - IMPOSSIBLE}
    large = {v for v in values if v > 100}
    assert len(large) > 10
    assert not any(v in large for v in (2.0**k for k in range(40)))  # thresholds
    return large


@pytest.fixture(autouse=True)
def _far_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    for law in (PlainDraw, LevelsDraw):
        monkeypatch.setattr(law, "draw", lambda of, draw=law.draw: tuple(map(_moved, draw(of))))
    for name in ("CANDLING_DEBUG", "CANDLING_LEDGER", "FORCE_COLOR", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)


def _moved(drawn: Drawn) -> Drawn:
    return replace(drawn, value=drawn.value + FAR)


Check = Callable[[str], None]


@pytest.fixture
def check(counts: set[float]) -> Check:
    """Fails if a text holds a value or a true count of the table."""

    def look(text: str) -> None:
        plain = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", text)
        plain = plain.replace("canary_people", "")  # the name of a table is no value of it
        for word in WORDS:
            assert word not in plain.lower()
        plain = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "", plain)  # when
        plain = re.sub(r"[0-9a-f]{32,}", "", plain)  # hashes, also where a file packs them together
        plain = re.sub(r"\b[0-9a-f]{8}(?:-?[0-9a-f]{4,})+\b", "", plain)  # ids
        plain = re.sub(r"(?:ed25519:)?[A-Za-z0-9+/]{43,86}={1,2}", "", plain)  # keys, signatures
        for digits in DIGITS:
            assert digits not in plain
        plain = re.sub(r"\b[DLRU]\d{3}\b", "", plain)  # codes
        for number in re.findall(r"\d+(?:[,_]\d{3})*(?:\.\d+)?", plain):
            assert float(re.sub("[,_]", "", number)) not in counts, number

    return look


@pytest.fixture
def temporary(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go; the table is in the current directory."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.chdir(place)
    return folder


@pytest.fixture
def seen(
    temporary: Path,
    check: Check,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> Callable[..., tuple[int, str]]:
    """Run a command; everything that can be seen of it is checked, and its output given back."""

    def call(*args: str | Path) -> tuple[int, str]:
        caplog.clear()
        with caplog.at_level(logging.DEBUG), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            with pytest.raises(SystemExit) as stop:
                main([str(arg) for arg in args])
        out, err = capfd.readouterr()
        # What the compiler logs of our code is full of numbers, and it never sees a table.
        logged = [r.getMessage() for r in caplog.records if not r.name.startswith("numba")]
        check("\n".join([out, err, *logged, *(str(w.message) for w in warned)]))
        gc.collect()
        for path in temporary.rglob("*"):
            if path.is_file():
                check(path.read_bytes().decode("latin-1"))
        code = stop.value.code
        assert isinstance(code, int | None)
        return code or 0, out

    return call


Seen = Callable[..., tuple[int, str]]


# The search itself


def test_the_search_finds_what_is_not_private(place: Path, check: Check) -> None:
    shown = json.dumps(candling.exact(str(place / "table.csv"), str(place / "rules.txt")).to_dict())
    with pytest.raises(AssertionError):
        check(shown)
    for text in (
        "CanaryName17",
        "ssn 987654321",
        "born 1789-07-20",
        "7,919 rows",
        "211.0",
        "1_597",
    ):
        with pytest.raises(AssertionError):
            check(text)
    check("8,000 rows, 0.05, 1024, 2026-11-15T12:00:00.007919Z, epsilon 1")


def test_the_search_finds_a_release_without_noise(
    place: Path, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_out_noise(monkeypatch)
    card = candling.release(
        str(place / "table.csv"), str(place / "rules.txt"), 1, measures=["rows"]
    )
    with pytest.raises(AssertionError):
        check(json.dumps(card.to_dict()))


# What goes well

EVERYTHING = (
    "rows,drastic,minimal_inconsistent,problematic,repair,maximal_consistent,by_rule,worst_rule"
)


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_a_release(seen: Seen, form: str) -> None:
    options = ["--epsilon", "1", "--measures", EVERYTHING, "--format", form]
    gates = ["--fail-if", "repair/rows > 2%", "--fail-if", "rows < 1,000"]
    code, out = seen("release", "table.csv", "rules.txt", *options, *gates)
    assert code in (0, 1, 4)
    assert ("Conflicts" if form in ("table", "markdown") else "minimal_inconsistent") in out


@pytest.mark.parametrize("form", ["junit", "sarif", "table", "json"])
def test_gates_and_reports(seen: Seen, form: str) -> None:
    options = ["--epsilon", "1", "--measures", EVERYTHING, "--format", form]
    gates = ["grade < 95%", "repair/rows > 2%", "rows < 1,000", "zip > 0", "dates/rows > 1%"]
    words = [word for gate in gates for word in ("--fail-if", gate)]
    code, out = seen("release", "table.csv", "rules.txt", *options, *words)
    assert code in (0, 1, 4)
    assert "dates/rows" in out
    assert seen("release", "table.csv", "rules.txt", *options, "--fail-if", "zpi > 0")[0] == 2


def test_what_python_shows_of_a_card(place: Path, check: Check) -> None:
    data, rules = str(place / "table.csv"), str(place / "rules.txt")
    card = candling.release(data, rules, 1, measures=EVERYTHING.split(","))
    check(str(card))
    check(card._repr_html_())
    for gate in ("grade < 95%", "zip > 0", '"key(Ssn)" > 0', "dates/rows > 1%"):
        verdict = card.check(gate)
        check(f"{verdict} {verdict!r} {verdict._repr_html_()} {verdict.to_dict()}")
    change = candling.compare(card, card)
    check(f"{change} {change._repr_html_()}")
    study = candling.analyze(data, rules)
    check(f"{study!r} {study} {study.rules!r} {study.rules._repr_html_()}")


def test_arguments_in_any_order(seen: Seen, place: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.txt"
    table.write_text((place / "table.csv").read_text(encoding="utf-8"), encoding="utf-8")
    for pair in (("rules.txt", "table.csv"), ("rules.txt", table), (table, "rules.txt")):
        assert seen("release", *pair, "--epsilon", "1")[0] == 0
        assert seen("check", *pair)[0] == 0
    assert seen("release", table, table, "--epsilon", "1")[0] == 2


@pytest.mark.parametrize("data", ["table.parquet", "table.json", "table.duckdb"])
def test_other_kinds_of_files(seen: Seen, data: str) -> None:
    assert seen("release", data, "rules.txt", "--epsilon", "1", "--measures", "repair,rows")[0] == 0


def test_on_a_terminal_with_a_spinner(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert seen("release", "table.csv", "rules.txt", "--epsilon", "1")[0] == 0


def test_with_a_ledger(
    seen: Seen, check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = tmp_path / "budget.ledger"
    seen("ledger", "init", ledger)
    seen("ledger", "add", ledger, "--dataset", "people", "--budget", "2.5")
    charge = ["--ledger", ledger, "--dataset", "people"]
    asked = ["release", "table.csv", "rules.txt", "--epsilon", "1", "--by", "somebody", *charge]
    card = tmp_path / "card.json"
    code, out = seen(*asked, "--request-id", "first", "--json")
    assert code == 0
    card.write_text(out)
    assert seen(*asked, "--request-id", "first")[0] == 0
    auto = ["--request-id", "auto", "--table-version", "7"]
    monkeypatch.setenv("GITHUB_SHA", "c" * 40)
    for _ in range(2):
        assert seen(*asked, *auto)[0] == 0
    assert seen(*asked)[0] == 3
    assert seen("release", "table.parquet", "column.txt", "--epsilon", "0.1", *charge)[0] == 2
    move = ["ledger", "move", ledger, "--dataset", "people", "--people", "guests", "--reason", "x"]
    assert seen(*move, "--budget", "1")[0] == 3
    assert seen(*move, "--budget", "3")[0] == 0
    for command in ("show", "verify", "export", "key"):
        assert seen("ledger", command, ledger)[0] == 0
        assert seen("ledger", command, ledger, "--json")[0] == 0
    assert seen("ledger", "verify", ledger, "--receipt", card)[0] == 0
    page = tmp_path / "card.html"
    for options in ([], ["--ledger", ledger], ["--json", "--report", page]):
        assert seen("verify", card, *options)[0] == 0
    assert seen("verify", page)[0] == 0
    page.write_text(page.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert seen("verify", page)[0] == 1
    card.write_text(out.replace("about", "abuot"))
    assert seen("verify", card, "--ledger", ledger)[0] == 1
    assert seen("ledger", "verify", ledger, "--receipt", card)[0] == 2
    card.write_text(out)
    assert seen("explain", card)[0] == 0
    check(ledger.read_bytes().decode("latin-1"))


def test_a_card_and_a_page_that_other_commands_read(seen: Seen, tmp_path: Path) -> None:
    card, page = tmp_path / "card.json", tmp_path / "card.html"
    rules = ["--rule", "zip: Zip -> City", "--rule", "key(Ssn)"]
    files = ["-o", card, "--report", page, "--title", "People"]
    assert seen("release", "table.csv", *rules, "--epsilon", "1", *files)[0] == 0
    assert seen("explain", page)[0] == 0
    assert seen("compare", card, page)[0] == 0
    assert seen("verify", page)[0] == 1
    assert seen("check", "table.csv", *rules)[0] == 0
    assert seen("release", "table.csv", "Zip -> City", "--epsilon", "1")[0] == 2


def test_a_guided_run(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    for table in ("table.csv", "table.parquet", "headless.csv", "ragged.csv", "latin.csv"):
        for rules in ("rules.txt", "Zip -> City", "Zip -> Citty", "column.txt"):
            lines = [table, rules, "", "none", "1", "1", "", "none", "", ""]
            monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
            assert seen("start")[0] in (0, 2)


def test_what_reads_the_rules_or_the_schema_only(seen: Seen, tmp_path: Path) -> None:
    assert seen("plan", "rules.txt", "--epsilon", "1", "--rows", "8000")[0] == 0
    assert seen("check", "rules.txt", "table.csv")[0] == 0
    assert seen("check", "rules.txt", "table.parquet", "--json")[0] == 0
    for form in ("junit", "sarif"):
        assert seen("check", "table.csv", "rules.txt", "--format", form)[0] == 0
    assert seen("init", "table.parquet", "--output", "-")[0] == 0
    tests = tmp_path / "schema.sql"
    tests.write_text("create table people (name text not null, ssn bigint check (ssn > 98765))")
    assert (
        seen("import", tests, "--data", "table.csv", "--output", tmp_path / "imported.txt")[0] == 0
    )
    assert seen("explain")[0] == 0


# What fails


@pytest.mark.parametrize(
    "data",
    [
        *("headless.csv", "headless-words.csv", "ragged.csv", "mixed.csv", "latin.csv"),
        *("cut.parquet", "broken.parquet", "cut.json"),
    ],
)
@pytest.mark.parametrize("command", ["release", "check"])
def test_files_that_are_spoiled(seen: Seen, place: Path, data: str, command: str) -> None:
    options = ["release", data, "rules.txt", "--epsilon", "1"]
    code, _ = seen(*(options if command == "release" else ["check", "rules.txt", data]))
    assert code in (0, 2)  # some can be read after all


@pytest.mark.parametrize("rules", ["column.txt", "types.txt", "table.csv", "table.parquet"])
def test_rules_that_do_not_fit(seen: Seen, rules: str) -> None:
    assert seen("release", "table.csv", rules, "--epsilon", "1")[0] == 2
    assert seen("check", rules, "table.csv")[0] == 2


@pytest.mark.parametrize(
    "options",
    [
        ["--epsilon", "0"],
        ["--epsilon", "1", "--measures", "repar"],
        ["--epsilon", "1", "--fail-if", "nothing > 2"],
        ["--epsilon", "1", "--memory", "1KB"],
        ["--epsilon", "1", "--table", "canary"],
        ["--epsilon", "1", "--ledger", "no.ledger", "--dataset", "people"],
    ],
)
def test_options_that_are_wrong(seen: Seen, options: list[str]) -> None:
    assert seen("release", "table.csv", "rules.txt", *options)[0] == 2


def test_a_table_that_is_not_there(seen: Seen) -> None:
    assert seen("release", "table.duckdb", "rules.txt", "--epsilon", "1", "--table", "x")[0] == 2


@pytest.mark.parametrize(
    "where", ["candling.measures.facts.build_conflicts", "candling.releases.session.read_core"]
)
@pytest.mark.parametrize("error", [KeyError, ValueError, KeyboardInterrupt])
def test_a_bug_that_quotes_a_row(
    seen: Seen, monkeypatch: pytest.MonkeyPatch, where: str, error: type[BaseException]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error(f"CanaryName17 of {ROWS}")

    monkeypatch.setattr(where, fail)
    code, _ = seen("release", "table.csv", "rules.txt", "--epsilon", "1")
    assert code == (130 if error is KeyboardInterrupt else 70)


# From Python


def _failures(place: Path) -> Iterator[tuple[object, ...]]:
    for data in ("headless.csv", "headless-words.csv", "cut.parquet", "broken.parquet", "cut.json"):
        yield str(place / data), str(place / "rules.txt"), 1
    yield str(place / "table.csv"), str(place / "column.txt"), 1
    yield str(place / "table.csv"), str(place / "types.txt"), 1
    yield str(place / "table.csv"), str(place / "rules.txt"), 0


def test_what_is_raised(place: Path, check: Check) -> None:
    """The message, the notes, and the traceback as Python shows it."""
    raised = 0
    for args in _failures(place):
        try:
            candling.release(*args)  # type: ignore[arg-type]
        except candling.CandlingError as error:
            raised += 1
            check(str(error))
            check("\n".join(getattr(error, "__notes__", ())))
            shown = "".join(traceback.format_exception(error)).replace(str(place), "")
            check(re.sub(r", line \d+, in", "", shown))
    assert raised >= 5


def test_what_a_session_shows_of_its_objects(place: Path, check: Check) -> None:
    study = candling.analyze(str(place / "table.csv"), str(place / "rules.txt"))
    check(repr(study))
    check(repr(study._facts))
    check(repr(study._facts.graph))
    check(repr(study._facts.classes))
    check(repr(study.release(1)))


# What is left behind


def test_nothing_is_left_behind(place: Path, tmp_path: Path) -> None:
    temporary, here = tmp_path / "temporary", tmp_path / "here"
    temporary.mkdir()
    here.mkdir()
    program = "from candling.cli import main; main()"
    table, rules = place / "table.csv", place / "rules.txt"
    for data in (table, place / "ragged.csv", place / "cut.parquet"):
        subprocess.run(
            [sys.executable, "-c", program, "release", data, rules, "--epsilon", "1"],
            cwd=here,
            env=os.environ | {"TMPDIR": str(temporary)},
            capture_output=True,
            check=False,
        )
    assert not list(here.iterdir())
    assert not list(temporary.iterdir())
