"""Dense groups: what looks the same is merged, and no number of the graph changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candling
from candling.graph import build_conflicts, build_graph
from candling.graph.repair import exact_repair, fractional_repair
from candling.graph.witness import doubled_minimal_inconsistent_levels, problematic_levels
from candling.rules import compile_rules
from candling.tables import open_table, read_classes
from tests.effort import examples

RULES = [
    "a -> b",
    "a -> b, c",
    "a -> b, c, d",
    "a -> b where d = 1\na -> c",
    "not(t1.b != t2.b)\na -> c",
    "a -> b\nc -> d",
    "a -> b, c\nkey(d)",
    "a -> b, c\nnot(t1.a = t2.a and t1.d < t2.d and t1.c > t2.c)",
    "a -> b\nkey(a, b)",
    "a -> b, c\nnot(t1.d = 2)",
]
LEVELS = 6


@pytest.mark.parametrize("explicit", [-1, 500_000])
@settings(max_examples=examples(150))
@given(
    rules=st.sampled_from(RULES),
    rows=st.integers(1, 40),
    widths=st.tuples(st.integers(1, 3), *[st.integers(1, 8)] * 3),
    random=st.tuples(st.sampled_from([0.0, 0.1, 0.3]), st.integers(0, 2**32)),
)
def test_merging_changes_no_number(
    explicit: int, rules: str, rows: int, widths: tuple[int, ...], random: tuple[float, int]
) -> None:
    nulls, seed = random
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for name, width in zip("abcd", widths, strict=True):
        missing = rng.random(rows) < nulls
        columns[name] = pa.array(rng.integers(0, width, rows), mask=missing)
    parsed = compile_rules(candling.parse_constraints(rules))
    classes = read_classes(open_table(pa.table(columns)), parsed)
    merged, whole = build_conflicts(classes, explicit=explicit), build_graph(classes)
    assert merged.pairs == whole.pairs
    assert merged.weights.sum() == whole.weights.sum()
    assert merged.degrees.max(initial=0) == whole.degrees.max(initial=0)
    assert problematic_levels(merged, LEVELS) == problematic_levels(whole, LEVELS)
    assert doubled_minimal_inconsistent_levels(
        merged, LEVELS
    ) == doubled_minimal_inconsistent_levels(whole, LEVELS)
    one, two = fractional_repair(merged), fractional_repair(whole)
    assert one.value == two.value
    smallest = exact_repair(whole, two, time_limit=60)
    assert exact_repair(merged, one, time_limit=60) == smallest


@pytest.mark.parametrize(
    ("rules", "nodes"),
    [("a -> b", 1), ("a -> b, c", 1), ("not(t1.b != t2.b)", 1), ("a -> b\na -> d", 14)],
)
def test_a_dense_group_is_a_few_nodes(rules: str, nodes: int) -> None:
    """In `d` a tenth of the rows have NULL, each of the others one of 7 values."""
    rows = 3_000
    numbers = np.arange(rows)
    table = pa.table(
        {
            "a": np.zeros(rows, int),
            "b": numbers,
            "c": numbers % 5,
            "d": pa.array(numbers % 7, mask=numbers % 10 == 0),
        }
    )
    parsed = compile_rules(candling.parse_constraints(rules))
    graph = build_conflicts(read_classes(open_table(table), parsed))
    rows_apart = rows // 10 if "d" in rules else 0  # those without a right side stay as they are
    assert graph.classes <= nodes + rows_apart
    assert graph.pairs == rows * (rows - 1) // 2


def test_sizes_of_parts_are_few() -> None:
    """1 + 2 + ... + k rows in parts of 1, 2, ..., k: no two are merged, and the nodes are few."""
    sizes = np.arange(1, 60)
    table = pa.table({"a": np.zeros(sizes.sum(), int), "b": np.repeat(sizes, sizes)})
    parsed = compile_rules(candling.parse_constraints("a -> b"))
    graph = build_conflicts(read_classes(open_table(table), parsed))
    assert graph.classes == len(sizes)
