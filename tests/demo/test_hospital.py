from __future__ import annotations

import csv
from pathlib import Path

import pytest

import candling
from candling.cli.demo import HEADER, RULES, hospital, write_csv
from candling.rules import parse_constraints


@pytest.mark.parametrize(("rows", "seed"), [(2000, 7), (2000, 8), (50, 0), (500, 1), (5000, 2)])
def test_the_rules_hold_exactly_before_errors_are_planted(
    tmp_path: Path, rows: int, seed: int
) -> None:
    made = hospital(rows, seed)
    write_csv(made.clean, tmp_path / "clean.csv")
    write_csv(made.dirty, tmp_path / "dirty.csv")
    rules = parse_constraints(RULES)
    assert candling.exact(tmp_path / "clean.csv", rules).drastic == 0
    dirty = candling.exact(tmp_path / "dirty.csv", rules)
    assert dirty.drastic == 1
    assert dirty.rows == rows
    assert dirty.repair <= sum(p.rows for p in made.planted)


def test_as_many_rows_are_wrong_as_it_says() -> None:
    made = hospital(2000, 7)
    wrong = sum(before != after for before, after in zip(made.clean, made.dirty, strict=True))
    assert wrong == sum(p.rows for p in made.planted) == 35


def test_the_seed_decides() -> None:
    assert hospital(200, 1) == hospital(200, 1)
    assert hospital(200, 1) != hospital(200, 2)


def test_rules_of_every_kind() -> None:
    shapes = [rule.shape for rule in parse_constraints(RULES)]
    assert {str(s.kind) for s in shapes} == {"key", "fd", "order", "row"}
    assert any(s.where for s in shapes)


def test_the_file_has_a_header_and_empty_fields_for_what_is_unknown(tmp_path: Path) -> None:
    made = hospital(500, 7)
    write_csv(made.clean, tmp_path / "clean.csv")
    with (tmp_path / "clean.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == HEADER
    assert [row["Phone"] or None for row in rows] == [visit.phone for visit in made.clean]
    assert None in [visit.phone for visit in made.clean]
