"""The graph in blocks: the same conflicts as the graph that writes them down, and as the oracle."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candling
from candling.graph import BlockGraph, Graph, build_conflicts, build_graph
from candling.graph.blocks import disjoint, partition
from candling.tables import Classes
from tests import oracle
from tests.effort import examples
from tests.registered import facts_of
from tests.strategies import TableAndRules, tables_and_rules


def in_blocks(classes: Classes) -> Graph:
    """In blocks, unless no rule has a conflict."""
    return build_conflicts(classes, explicit=-1)


@settings(max_examples=examples(150))
@given(tables_and_rules())
def test_degrees_and_pairs_are_those_of_the_oracle(table: TableAndRules) -> None:
    _, rows, rules = table
    true = oracle.conflicts(rows, rules)
    graph = in_blocks(facts_of(table).classes)
    assert graph.self_inconsistent == len(true.self_inconsistent)
    assert graph.pairs == len(true.edges)
    expected = Counter(len(true.neighbours(i)) for i in range(true.rows) if true.neighbours(i))
    found = Counter(np.repeat(graph.degrees, graph.weights).tolist())
    assert found == expected


@settings(max_examples=examples(60))
@given(tables_and_rules(), st.integers(0, 2**32))
def test_parts_of_it_are_those_of_the_written_graph(table: TableAndRules, seed: int) -> None:
    classes = facts_of(table).classes
    graph, whole = in_blocks(classes), build_graph(classes)
    if not isinstance(graph, BlockGraph):
        return
    rng = np.random.default_rng(seed)
    # Nodes may be finer or coarser than the other graph's classes: the lines of the table decide.
    assert ((graph.class_of >= 0) == (whole.class_of >= 0)).all()
    there = graph.class_of >= 0
    picked = rng.random(graph.classes) < 0.5
    by_line = np.zeros(len(there), bool)
    by_line[there] = picked[graph.class_of[there]]
    near = graph.neighbours_in(picked)
    within = graph.within(picked)
    assert within.pairs * 2 == int((graph.weights * near)[picked].sum())
    assert graph.pairs_to_write(picked) * 2 >= len(within.neighbours)
    everything = graph.within(np.ones(graph.classes, bool))
    assert everything.pairs == whole.pairs
    assert sorted(np.repeat(everything.degrees, everything.weights)) == sorted(
        np.repeat(whole.degrees, whole.weights)
    )


def test_rules_that_share_equality_columns_make_a_block() -> None:
    rules = candling.parse_constraints(
        "not(t1.AreaCode = t2.AreaCode and t1.Phone = t2.Phone)\n"
        "Zip -> City\nAreaCode -> State\nZip -> State\nState, HasChild -> ChildExemp\n"
        "not(t1.State = t2.State and t1.Salary > t2.Salary and t1.Rate < t2.Rate)\n"
        "not(t1.Gain < t2.Gain and t1.Loss < t2.Loss)"
    )
    assert partition(list(rules)) == [[0, 2], [1, 3], [4, 5], [6]]


@pytest.mark.parametrize(
    ("one", "two", "apart"),
    [
        ("A -> B", "B -> A", True),
        ("A -> B", "B -> C", True),
        ("A -> B", "A -> C", False),
        ("A -> B", "C -> B", False),
        ("A -> B", "not(t1.B = t2.B and t1.C > t2.C and t1.D < t2.D)", True),
        ("key(A)", "not(t1.B = t2.B and t1.A > t2.A and t1.D < t2.D)", True),
        ("key(A)", "not(t1.B = t2.B and t1.A >= t2.A and t1.D < t2.D)", False),
        ("key(A)", "not(t1.B = t2.B and t1.A > t2.C)", False),
    ],
)
def test_rules_that_no_pair_can_break_together(one: str, two: str, apart: bool) -> None:
    (first,) = candling.parse_constraints(one)
    (second,) = candling.parse_constraints(two)
    assert disjoint(first, second) is apart
    assert disjoint(second, first) is apart


def test_nothing_true_is_in_a_repr() -> None:
    rows: list[dict[str, oracle.Cell]] = [{"a": 1, "b": 1}, {"a": 1, "b": 2}]
    rules = candling.parse_constraints("a -> b")
    graph = in_blocks(facts_of(({"a": "int64", "b": "int64"}, rows, rules)).classes)
    assert isinstance(graph, BlockGraph)
    assert repr(graph) == "BlockGraph(rules=1)"
