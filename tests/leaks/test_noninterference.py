"""What leaves a ledger depends on released values and public parameters, and on nothing else.

The draws are fixed, so every table with the same columns gives the same released values. Then every
byte that leaves must be the same, whichever tables were released: cards, receipts and signatures in
all formats, pages, what each command of the ledger prints, errors and exit codes, and the entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import candling
from candling.cli import main
from candling.ledger import store
from candling.ledger.postgres import TABLES as STORED
from candling.ledger.signing import Secret
from tests.postgres import Server
from tests.without_noise import fix_draws, leave_out_noise

SCHEMA = pa.schema([("Id", pa.int64()), ("Zip", pa.string()), ("City", pa.string())])
Row = tuple[int | None, str | None, str | None]
PLAIN: list[Row] = [(1, "10", "Ulm"), (2, "10", "Ulm"), (3, "10", "Köln"), (3, "20", "Bonn")]
ONE_MORE: list[Row] = [*PLAIN, (4, "20", "Jena")]
ONE_CELL = [*PLAIN[:-1], (3, "20", "Jena")]
JUNK: list[Row] = [(i % 9, "10", f"City{i}") for i in range(300)]
EMPTY: list[Row] = []
NOTHING: list[Row] = [(None, None, None)] * 40
GIANT: list[Row] = [(7, "10", f"City{i % 2}") for i in range(100)]

# The tables of the releases: the first is released as `visits` and again later, the second in
# between, and the third as a dataset on another budget. It may be the table of `visits`.
TABLES: dict[str, Sequence[list[Row]]] = {
    "one row more": (ONE_MORE, ONE_MORE, ONE_MORE),
    "a row between two releases": (PLAIN, ONE_MORE, PLAIN),
    "another cell": (ONE_CELL, PLAIN, ONE_MORE),
    "junk": (JUNK, EMPTY, NOTHING),
    "empty": (EMPTY, EMPTY, EMPTY),
    "half of the rows of one person": (GIANT, PLAIN, GIANT),
}
RULES = "zip: Zip -> City\nkey(Id, City)\nCity is not null\n"
MEASURES = (
    "rows,drastic,minimal_inconsistent,problematic,repair,maximal_consistent,by_rule,worst_rule"
)
FORMATS = ("table", "json", "csv", "markdown", "junit", "sarif")


@dataclass
class Clock:
    """A `datetime` at which all happens at the same time."""

    strptime = staticmethod(datetime.strptime)

    def now(self, _: object) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest) -> str:
    if request.param == "sqlite":
        return "budget.ledger"
    server: Server = request.getfixturevalue("postgres")
    return server.fresh()


@pytest.fixture(autouse=True)
def _all_but_the_tables_is_fixed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fix_draws(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("candling.ledger.entry.datetime", Clock())
    monkeypatch.setattr("candling.releases.request.datetime", Clock())
    monkeypatch.setattr("candling.ledger.ledger.new_secret", lambda: Secret("00" * 31 + "01"))
    same = SimpleNamespace(uuid4=lambda: UUID(int=1))
    monkeypatch.setattr("candling.ledger.ledger.uuid", same)
    for name in ("CANDLING_DEBUG", "CANDLING_LEDGER", "FORCE_COLOR", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    Path("rules.txt").write_text(RULES, encoding="utf-8")


def write(name: str, rows: list[Row]) -> None:
    columns = SCHEMA.names
    content = [dict(zip(columns, row, strict=True)) for row in rows]
    pq.write_table(pa.Table.from_pylist(content, schema=SCHEMA), name)


def remove(place: str) -> None:
    """Empty the place of a ledger."""
    if not place.startswith("postgresql"):
        Path(place).unlink()
        return
    with psycopg.connect(place) as connection:
        connection.execute(f"drop table {', '.join(STORED)}".encode())


def everything_that_leaves(
    place: str, tables: Sequence[list[Row]], capfd: pytest.CaptureFixture[str]
) -> list[tuple[str, Any]]:
    """Charge releases of the tables to a new ledger: each command with all that it gives out."""
    left: list[tuple[str, Any]] = []
    first, second, third = tables

    def call(*args: str) -> None:
        with pytest.raises(SystemExit) as stop:
            main(list(args))
        left.append((" ".join(args), (stop.value.code, *capfd.readouterr())))

    def release(epsilon: str, dataset: str, request: str, *options: str) -> None:
        asked = ["release", f"{dataset}.parquet", "rules.txt", "--epsilon", epsilon]
        asked += ["--ledger", place, "--dataset", dataset, "--request-id", request]
        call(*asked, *options)

    everything = ["--measures", MEASURES, "--fail-if", "rows < 1,000"]
    write("copy.parquet", third)
    call("ledger", "init", place)
    call("ledger", "add", place, "--dataset", "visits", "--people", "patients", "--budget", "9")
    call("ledger", "add", place, "--dataset", "copy", "--budget", "1")
    for form, rows in zip(FORMATS, (first, second, first, first, second, first), strict=True):
        write("visits.parquet", rows)
        release("0.5", "visits", form, *everything, "--format", form)
        release("0.5", "visits", form, *everything, "--format", form)  # the stored card
    release("0.5", "visits", "page", *everything, "--report", "card.html")
    release("0.5", "visits", "persons", "--person", "Id", "--measures", "repair,rows", "--json")
    release("0.5", "visits", "one", "--person", "Id", "--rows-per-person", "1", "--json")
    release("0.5", "copy", "copy", "--json")
    Path("card.json").write_text(left[-1][1][1], encoding="utf-8")
    release("0.25", "copy", "copy")  # another request
    release("1", "copy", "more")  # more than is left
    release("0.1", "missing", "missing")
    for command in ("show", "verify", "export", "key"):
        call("ledger", command, place)
        call("ledger", command, place, "--json")
    call("ledger", "verify", place, "--receipt", "card.json")
    for file in ("card.json", "card.html"):
        call("verify", file, "--json")
        call("verify", file, "--ledger", place)
    opened = candling.open_ledger(place)
    left.append(("entries", list(store.scan(opened.place))))
    left.append(("page", Path("card.html").read_bytes()))
    Path("card.html").unlink()
    remove(place)
    return left


def test_a_true_value_is_found(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    leave_out_noise(monkeypatch)
    before = everything_that_leaves("budget.ledger", (PLAIN, PLAIN, PLAIN), capfd)
    assert everything_that_leaves("budget.ledger", (ONE_MORE, PLAIN, PLAIN), capfd) != before


def test_no_table_changes_a_byte_that_leaves_a_ledger(
    place: str, capfd: pytest.CaptureFixture[str]
) -> None:
    expected = everything_that_leaves(place, (PLAIN, PLAIN, PLAIN), capfd)
    codes = {command: result[0] for command, result in expected if isinstance(result, tuple)}
    assert set(codes.values()) == {0, 1, 2, 3}
    assert not any(code for command, code in codes.items() if "verify" in command)
    for name, tables in TABLES.items():
        for (command, before), (_, after) in zip(
            expected, everything_that_leaves(place, tables, capfd), strict=True
        ):
            assert after == before, f"{name}: {command}"
