"""The owner's views against the oracle, which looks at every pair of rows."""

from __future__ import annotations

import json
import re
import time
from itertools import combinations
from pathlib import Path

import duckdb
import ibis
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

import candling
from candling import owner
from candling.cli.demo import RULES, hospital, write_csv
from candling.render.html import render_page
from candling.rules import ConstraintSet, compile_rules
from tests import oracle
from tests.effort import examples
from tests.registered import registered
from tests.strategies import TableAndRules, tables_and_rules


def true_rows(rows: list[dict[str, oracle.Cell]], rules: ConstraintSet) -> list[dict[int, int]]:
    """For each rule, the rows (from 1) in conflict and with how many; alone counts as one."""
    alone = oracle.conflicts(rows, rules).self_inconsistent
    found = []
    for rule in compile_rules(rules):
        degrees = {i + 1: 1 for i, row in enumerate(rows) if oracle.violates_row(rule, row)}
        for i, j in combinations([i for i in range(len(rows)) if i not in alone], 2):
            if oracle.violates_pair(rule, rows[i], rows[j]):
                for k in (i, j):
                    degrees[k + 1] = degrees.get(k + 1, 0) + 1
        found.append(degrees)
    return found


@pytest.mark.parametrize("half", range(2))  # so that several processes share the work
@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=tables_and_rules())
def test_what_is_found_agrees_with_the_oracle(half: int, drawn: TableAndRules) -> None:
    _, rows, rules = drawn
    owned, truth = owner.read_for_owner(registered(drawn), rules), true_rows(rows, rules)
    _check_conflicts(owner.find_conflicts(owned, limit=100), rows, rules, truth)
    _check_repair(owner.find_repair(owned), rows, rules, truth)


def _check_conflicts(
    found: owner.ConflictsFound,
    rows: list[dict[str, oracle.Cell]],
    rules: ConstraintSet,
    truth: list[dict[int, int]],
) -> None:
    assert [{r.row: r.conflicts for r in rule.shown} for rule in found.rules] == truth
    assert [rule.rows for rule in found.rules] == list(map(len, truth))
    assert found.in_conflict == oracle.problematic(oracle.conflicts(rows, rules))
    for rule in found.rules:
        total = sum(r.conflicts for r in rule.shown)
        assert rule.conflicts == (total if rule.rule.rows == 1 else total // 2)
        for r in rule.shown:
            if r.other is None:
                assert oracle.violates_row(rule.rule, rows[r.row - 1])
            else:
                assert r.other != r.row
                assert oracle.violates_pair(rule.rule, rows[r.row - 1], rows[r.other - 1])


def _check_repair(
    found: owner.RepairFound,
    rows: list[dict[str, oracle.Cell]],
    rules: ConstraintSet,
    truth: list[dict[int, int]],
) -> None:
    assert found.smallest
    gone = {r.row - 1 for r in found.removed}
    kept = [row for i, row in enumerate(rows) if i not in gone]
    assert not oracle.drastic(oracle.conflicts(kept, rules))
    assert len(gone) == oracle.repair_exact(oracle.conflicts(rows, rules))
    by_rule = list(zip(compile_rules(rules), truth, strict=True))
    for r in found.removed:
        assert list(r.breaks) == [rule for rule, degrees in by_rule if r.row in degrees]


# The copy


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(
        'Id;Zip;City;Note\n1;007;Ulm;"a;b"\n2;007;Ulm;1.50\n3;007;Köln;""\n4;020;Bonn;\n',
        encoding="utf-8",
    )
    return path


def test_from_text_to_text_cells_stay_as_they_are(people: Path) -> None:
    """Leading zeros, trailing zeros, and what is empty or missing."""
    to = people.with_name("cleaned.csv")
    owner.write_copy(str(people), [3], str(to))
    assert to.read_text(encoding="utf-8") == (
        "Id,Zip,City,Note\n1,007,Ulm,a;b\n2,007,Ulm,1.50\n4,020,Bonn,\n"
    )


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv"])
def test_a_copy_keeps_the_order_and_the_types(tmp_path: Path, ending: str) -> None:
    size = 300_000  # more than one row group, so that several threads read it
    source, to = tmp_path / "table.parquet", tmp_path / f"cleaned.{ending}"
    with duckdb.connect() as connection:
        connection.execute(
            "copy (select i, date '2024-01-01' + (i % 300)::int as d, (i / 4)::decimal(12, 2) as n"
            f" from range({size}) t(i)) to '{source}' (format parquet, row_group_size 20000)"
        )
        owner.write_copy(str(source), range(1, size, 1000), str(to))
        kept = (
            ibis.duckdb.connect().read_parquet(to).to_pyarrow()
            if ending == "parquet"
            else (ibis.duckdb.connect().read_csv(to).to_pyarrow())
        )
    assert kept.column("i").to_pylist() == [i for i in range(size) if i % 1000]
    if ending == "parquet":
        assert [str(kind) for kind in kept.schema.types] == [
            "int64",
            "date32[day]",
            "decimal128(12, 2)",
        ]


def test_a_copy_is_for_its_owner(people: Path) -> None:
    to = people.with_name("cleaned.csv")
    owner.write_copy(str(people), [1], str(to))
    assert to.stat().st_mode & 0o077 == 0
    assert sorted(p.name for p in people.parent.iterdir()) == ["cleaned.csv", "people.csv"]


def test_a_copy_that_fails_leaves_nothing(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(candling.UsageError, match="no space left"):
        owner.write_copy(str(people), [1], str(people.with_name("cleaned.csv")))
    assert [p.name for p in people.parent.iterdir()] == ["people.csv"]


@pytest.mark.parametrize("name", ["people.csv", "./people.csv", "link.csv"])
def test_the_table_itself_is_never_written(people: Path, name: str) -> None:
    people.with_name("link.csv").symlink_to(people)
    to = f"{people.parent}/{name}"
    with pytest.raises(candling.UsageError, match="the table itself"):
        owner.check_place(to, str(people), force=True)


@pytest.mark.parametrize("ending", ["parquet", "csv", "duckdb"])
def test_rows_are_numbered_in_the_order_of_the_table(tmp_path: Path, ending: str) -> None:
    size, one, two = 300_000, 123_457, 250_001
    path = tmp_path / f"table.{ending}"
    with duckdb.connect(str(path) if ending == "duckdb" else ":memory:") as connection:
        connection.execute(
            f"create table t as select case i + 1 when {two} then {one} - 1 else i end as k, i "
            f"from range({size}) s(i)"
        )
        if ending != "duckdb":
            connection.execute(f"copy t to '{path}'")
    owned = owner.read_for_owner(str(path), candling.parse_constraints("key(k)"))
    (rule,) = owner.find_conflicts(owned).rules
    assert [(r.row, r.other) for r in rule.shown] == [(one, two), (two, one)]
    (removed,) = owner.find_repair(owned).removed
    assert removed.row == two


def test_a_pattern_is_not_written_into(people: Path) -> None:
    with pytest.raises(candling.UsageError, match="the table itself"):
        owner.check_place(str(people), f"{people.parent}/*.csv", force=True)


# The page


def test_a_page_is_one_file_and_escapes(people: Path) -> None:
    evil = "<script>alert(1)</script>"
    table = pa.table({"a": [1, 1, 1], "b": [evil, "x", None]})
    rules = candling.parse_constraints("a -> b")
    owned = owner.read_for_owner(table, rules)
    page = render_page(owner.view_conflicts(owner.find_conflicts(owned), f"of {evil}"))
    assert "NOT PRIVATE" in page
    assert evil not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r"(?:https?:)?//|src=|href=|@import|url\(", page)
    removed = render_page(owner.view_repair(owner.find_repair(owned), evil))
    assert "NOT PRIVATE" in removed
    assert evil not in removed


# Speed


def test_a_hundred_thousand_rows_are_quick(tmp_path: Path) -> None:
    path = tmp_path / "hospital.csv"
    write_csv(hospital(100_000, 7).dirty, path)
    rules = candling.parse_constraints(RULES)
    start = time.monotonic()
    owned = owner.read_for_owner(str(path), rules)
    found = owner.find_conflicts(owned)
    assert time.monotonic() - start < 60  # seconds; pairs of rows would take hours
    assert found.in_conflict > 1000
    assert json.dumps(found.to_dict())
