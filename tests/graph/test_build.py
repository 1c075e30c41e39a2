"""The conflict graph against the pairs by definition, on tables too large for enumeration."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import candling
from candling.graph import ConflictGraph, build_graph
from candling.rules import compile_rules
from candling.tables import open_table, read_classes
from tests import oracle

RULES = {
    "fd": "A -> B",
    "several": "A -> B\nA -> C\nB, C -> D\nD -> A",
    "key": "key(A, B, C)",
    "conditional": "A -> B where C >= 3",
    "order": "not(t1.A = t2.A and t1.B < t2.B and t1.C > t2.C)",
    "same direction": "not(t1.B < t2.B and t1.C < t2.C)",
    "ties in one": "not(t1.A = t2.A and t1.B <= t2.B and t1.C > t2.C)",
    "ties in the other": "not(t1.A = t2.A and t1.B < t2.B and t1.C >= t2.C)",
    "ties in both": "not(t1.A = t2.A and t1.B <= t2.B and t1.C >= t2.C)",
    "cross": "not(t1.A = t2.B and t1.C < t2.D)",
    "one side": "not(t1.A = t2.A and t1.B = 2 and t2.C > 4)",
    "three orders": "not(t1.A > t2.A and t1.B > t2.B and t1.C > t2.C)",
    "product": "not(t1.A = 1 and t2.B = 2)",
    "rows": "not(t1.A = t1.B)\nA -> C",
    "everything": (
        "A -> B\nkey(A, C)\nnot(t1.B < t2.B and t1.C > t2.C)\nnot(t1.A = t2.B and t1.C != t2.D)"
    ),
}


def graph(table: pa.Table, rules: candling.ConstraintSet) -> ConflictGraph:
    return build_graph(read_classes(open_table(table), compile_rules(rules)))


@pytest.mark.parametrize("text", RULES.values(), ids=RULES.keys())
@pytest.mark.parametrize("seed", range(3))
def test_pairs_and_degrees(text: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(-1, 6, 120).tolist() for name in "ABCD"}
    columns = {name: [None if v < 0 else v for v in c] for name, c in columns.items()}
    table = pa.table(columns)
    rules = candling.parse_constraints(text)
    ours, true = graph(table, rules), oracle.conflicts(table.to_pylist(), rules)
    assert ours.self_inconsistent == len(true.self_inconsistent)
    assert ours.pairs == len(true.edges)
    degrees = np.bincount(np.array(sorted(true.edges), int).ravel())
    found = np.repeat(ours.degrees, ours.weights)
    assert sorted(degrees[degrees > 0].tolist()) == sorted(found.tolist())


def test_an_almost_unique_column_costs_nothing() -> None:
    rows = 2000
    zips = np.arange(rows) % 4
    city = zips.copy()
    city[:3] = 9
    phone = np.arange(rows)
    phone[1] = 0  # the only phone that stands twice
    table = pa.table({"Zip": zips, "City": city, "Phone": phone})
    built = graph(table, candling.parse_constraints("Zip -> City\nkey(Phone)"))
    # Per zip the clean and the wrong ones, of which two also share a phone.
    assert built.classes <= 8
    assert built.pairs == 3 * (rows // 4 - 1) + 1


def test_twins_that_are_not_alike_to_an_earlier_rule() -> None:
    """Two rows of one class may differ in a column that breaks nothing; one rule has their pair."""
    table = pa.table({"A": [0, 1, 2, 2], "B": [1, 1, 1, 1]})
    assert graph(table, candling.parse_constraints("key(A)\nkey(B)")).pairs == 6


@pytest.mark.parametrize("seed", range(40))
def test_several_keys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = pa.table({name: rng.integers(0, 4, 6) for name in "ABC"})
    rules = candling.parse_constraints("key(A, B)\nkey(B, C)\nkey(C)\nA -> C")
    assert graph(table, rules).pairs == len(oracle.conflicts(table.to_pylist(), rules).edges)


def test_order_pairs_cost_what_they_are() -> None:
    rows = 200_000
    table = pa.table({"A": np.arange(rows), "B": np.arange(rows) ^ 1})
    built = graph(table, candling.parse_constraints("not(t1.A < t2.A and t1.B > t2.B)"))
    assert built.pairs == rows // 2


def test_components() -> None:
    table = pa.table({"A": [1, 1, 2, 2, 3], "B": [1, 2, 1, 2, 1]})
    built = graph(table, candling.parse_constraints("A -> B"))
    assert len(set(built.components.tolist())) == 2
    assert built.classes == 4


def test_nothing_true_in_a_repr() -> None:
    table = pa.table({"A": [17, 17], "B": [1, 2]})
    built = graph(table, candling.parse_constraints("A -> B"))
    assert repr(built) == "ConflictGraph(rules=1)"
    assert repr(candling.analyze(table, candling.parse_constraints("A -> B"))) == "Study(rules=1)"
