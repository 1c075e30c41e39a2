"""A person with a tenth of all rows moves what a release is made from by what k rows may."""

from __future__ import annotations

from tests.backends import Tables
from tests.neighbours.persons import KINDS, cut_by_row_number, violations


def test_a_person_moves_every_number_within_its_bounds(engine_table: Tables) -> None:
    assert list(violations(engine_table, 12, batch=6)) == []


def test_a_capacity_that_is_too_large_is_caught(engine_table: Tables) -> None:
    assert any(v.rows == 0 for v in violations(engine_table, len(KINDS), capacity=8))


def test_a_cut_by_the_number_of_a_row_is_caught(engine_table: Tables) -> None:
    found = list(violations(engine_table, len(KINDS), keep=cut_by_row_number))
    assert len({violation.kind for violation in found}) >= 3
