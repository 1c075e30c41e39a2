"""With the noise fixed, one more row in a file without types changes nothing that can be seen.

Every stream has the same bytes, every command the same exit code; and every statistic moves within
its sensitivity.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import openpyxl  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import candling
from candling.cli import main
from tests import without_noise
from tests.effort import examples
from tests.neighbours.guessing import types_are_guessed
from tests.neighbours.statistics import Failure, moves, outcomes

COLUMNS = ("a", "b", "c")
CELLS: tuple[Any, ...] = (
    *(None, "1", "1.0", "01", "2", "x", "é", "1,5", "1e999", "2024-01-31", "31/01/2024", "true"),
    *("01/02/2024", "2024-02-30", "-", " 1", "inf", "NaN", "1_000", "99999999999999999999"),
)
OTHERS: tuple[Any, ...] = (1, 1.0, 2.5, -3, 10**18)  # where cells have types
RULES = (
    "a -> b",
    "key(a, b)\nc -> a",
    "a between 0 and 120\na -> b",
    "a > 2024-01-05\nb = 'x'",
    "type a: date(%d/%m/%Y)\nnot(t1.a < t2.a and t1.b != t2.b)",
    "type a, b: number(decimal ',')\na <= b",
    "type a: integer\ntype c: text\nnot(t1.c < t2.c and t1.a > t2.a)",
    "type a: boolean\na, b -> c",
    "a in (1, 2)\nlength(b) < 3\nc is not null",
    "a <= b",  # refused: without types
    "a > 0\na = 'x'",  # refused: of two types
)
FORMATS = ("csv", "json", "xlsx", "sqlite")
_TIMES = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
Row = tuple[Any, ...]


def write(path: Path, rows: Sequence[Row]) -> None:
    """A file in the format of its ending; a row is never empty."""
    numbered = [(*row, number) for number, row in enumerate(rows, start=1)]
    names = (*COLUMNS, "number")
    match path.suffix:
        case ".csv":
            texts = [
                ",".join("" if cell is None else f'"{cell}"' for cell in row) for row in numbered
            ]
            path.write_text("\n".join([",".join(names), *texts]) + "\n", encoding="utf-8")
        case ".json":
            objects = [
                {name: cell for name, cell in zip(names, row, strict=True) if cell is not None}
                for row in numbered
            ]
            path.write_text("".join(f"{json.dumps(one)}\n" for one in objects), encoding="utf-8")
        case ".xlsx":
            book = openpyxl.Workbook(write_only=True)
            sheet = book.create_sheet()
            for row in (names, *numbered):
                sheet.append(row)
            book.save(path)
        case _:
            path.unlink(missing_ok=True)
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute(f"create table t ({', '.join(names)})")
                connection.executemany("insert into t values (?, ?, ?, ?)", numbered)


def commands(path: Path, rules: Path) -> list[list[str]]:
    """What is run on a table."""
    asked = [str(path), str(rules)]
    release = ["release", *asked, "--epsilon", "1", "--measures"]
    return [
        ["check", str(rules), str(path)],
        [*release, "repair,rows,by_rule"],
        [*release, "repair,rows,problematic", "--json"],
        [*release, "repair", "--fail-if", "repair < 100"],
    ]


def seen(path: Path, rules: Path, capfd: pytest.CaptureFixture[str]) -> list[Any]:
    """The exit code and both streams of every command."""
    found: list[Any] = []
    for words in commands(path, rules):
        with pytest.raises(SystemExit) as stop:
            main(words)
        streams = (_TIMES.sub("TIME", stream) for stream in capfd.readouterr())
        found.append((stop.value.code, *streams))
    return found


def _rows(kind: str) -> st.SearchStrategy[Row]:
    cells = st.sampled_from(CELLS if kind == "csv" else CELLS + OTHERS)
    return st.tuples(cells, cells, cells)


@pytest.fixture
def fixed_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same noise in every release."""
    without_noise.fix_draws(monkeypatch)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.usefixtures("fixed_noise")
@pytest.mark.parametrize("kind", FORMATS)
def test_one_more_row_changes_nothing_that_is_seen(
    kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, rules = tmp_path / f"table.{kind}", tmp_path / "rules.txt"

    @settings(
        max_examples=examples(24),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
    @given(
        text=st.sampled_from(RULES),
        table=st.lists(_rows(kind), max_size=5),
        more=_rows(kind),
        at=st.integers(0, 5),
    )
    def one(text: str, table: list[Row], more: Row, at: int) -> None:
        rules.write_text(text, encoding="utf-8")
        parsed = candling.parse_constraints(text)
        larger = [*table[:at], more, *table[at:]]
        both = []
        for rows in (table, larger):
            write(path, rows)
            found = outcomes(path, parsed, "direct")["explicit"]
            both.append((found, seen(path, rules, capfd)))
        (before, small), (after, large) = both
        assert small == large
        if isinstance(before, Failure) or isinstance(after, Failure):
            assert before == after
        else:
            assert list(moves(before, after)) == []

    one()


def test_it_sees_types_that_are_guessed(tmp_path: Path) -> None:
    path, rules = tmp_path / "table.csv", candling.parse_constraints("a -> b")
    rows: list[Row] = [("1", "x", None), ("1.0", "y", None)]
    found = []
    with types_are_guessed():
        for table in (rows, [*rows, ("x", "x", None)]):
            write(path, table)
            found.append(outcomes(path, rules, "direct")["explicit"])
    small, large = found
    assert not isinstance(small, Failure)
    assert not isinstance(large, Failure)
    assert list(moves(small, large))
