"""The polynomial repair: which rules allow it, and that it finds the smallest."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candling
from candling.constraints import distinct
from candling.engine import open_table, read_classes
from candling.measures.tractable import heaviest_consistent, tractable
from tests import oracle

TRACTABLE = [
    "A -> B",
    "A -> B, C",
    "A -> B\nB -> A",  # a marriage
    "A -> B\nB -> A\nB -> C",
    "A -> B\nA, B -> C",  # a chain
    "A, B -> C\nA, C -> B",  # common, then a marriage
    "not(t1.A != t2.A)\nB -> C",  # a consensus
]
HARD = [
    "A -> B\nB -> C",
    "A -> B\nC -> D",
    "A -> C\nB -> C",
    "A, B -> C\nC -> B",
    "A -> B where C = 1",
    "key(A)",
    "not(t1.A < t2.A and t1.B > t2.B)",
]


@pytest.mark.parametrize("text", TRACTABLE)
def test_tractable(text: str) -> None:
    assert tractable(tuple(candling.parse_constraints(text)))


@pytest.mark.parametrize("text", HARD)
def test_not_tractable(text: str) -> None:
    assert not tractable(tuple(candling.parse_constraints(text)))


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from(TRACTABLE),
    st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=9),
    st.booleans(),
)
def test_it_finds_the_smallest_repair(
    text: str, values: list[tuple[int, ...]], null_on_the_left: bool
) -> None:
    rules = candling.parse_constraints(text)
    rows: list[dict[str, int | None]] = [dict(zip("ABC", x, strict=True)) for x in values]
    if null_on_the_left and all("A" not in rule.partition("->")[2] for rule in text.split("\n")):
        rows[0]["A"] = None
    schema = pa.schema({name: pa.int64() for name in "ABC"})
    classes = read_classes(open_table(pa.Table.from_pylist(rows, schema)), distinct(rules))
    kept = heaviest_consistent(classes.rules, classes.codes, classes.weights)
    if "!=" in text and rows[0]["A"] is None:
        assert kept is None  # A is a right side there
    else:
        assert kept == len(rows) - oracle.repair_exact(oracle.conflicts(rows, rules))


def test_a_null_on_the_right_is_left_to_the_solver() -> None:
    rules = candling.parse_constraints("A -> B")
    table = pa.table({"A": [1, 1, 1, 1], "B": [1, 2, 3, None]})
    classes = read_classes(open_table(table), distinct(rules))
    assert heaviest_consistent(classes.rules, classes.codes, classes.weights) is None
    assert candling.exact(table, rules).repair_exact == 2


def test_a_null_on_the_right_of_a_row_in_conflict_is_left_to_the_solver() -> None:
    """Another rule has the row in a triangle, of which the linear program takes halves."""
    rules = candling.parse_constraints("A -> B\nA -> C")
    table = pa.table({"A": [1, 1, 1], "B": [1, 2, None], "C": [1, 2, 3]})
    assert tractable(tuple(rules))
    found = candling.exact(table, rules)
    assert (found.repair, found.repair_exact) == (Fraction(3, 2), 2)


def test_the_solver_gives_up_in_time() -> None:
    rng = np.random.default_rng(0)
    table = pa.table({name: rng.integers(0, 12, 400) for name in "ABCD"})
    rules = candling.parse_constraints("A -> B\nC -> D\nB -> C")
    found = candling.exact(table, rules, time_limit=0)
    assert found.repair_exact is None
    assert found.maximal_consistent_log2 is None
    assert found.to_dict()["repair_exact"] is None
