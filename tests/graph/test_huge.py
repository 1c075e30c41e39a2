"""Tables of up to 2**31 rows in a few classes, against closed forms and Python's own integers."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candling
from candling.card import Exact
from candling.graph import BlockGraph, ConflictGraph, build_conflicts, flow
from candling.graph.blocks import Block, number_type
from candling.graph.repair import fractional_repair
from candling.graph.witness import (
    RowWitnesses,
    doubled_minimal_inconsistent_levels,
    problematic_levels,
)
from candling.measures import MINIMAL_INCONSISTENT, PROBLEMATIC, REPAIR
from candling.measures.facts import Facts
from candling.privacy import LEVELS
from candling.rules import compile_rules
from candling.tables import open_table, read_classes
from tests.effort import examples
from tests.graph.test_graph_measures import class_graphs

MOST = 2**31
THRESHOLDS = [2**level for level in range(LEVELS)]


def heavy(rules: str, columns: dict[str, list[int]], weights: list[int]) -> Facts:
    """A table whose line i, in the order of the last column, stands weights[i] times."""
    table = open_table(pa.table(columns))
    classes = read_classes(table, compile_rules(candling.parse_constraints(rules)))
    order = np.argsort(classes.codes[-1])
    classes = replace(
        classes,
        codes=np.ascontiguousarray(classes.codes[:, order]),
        weights=np.array(weights, np.int64),
        rows=sum(weights),
    )
    return Facts(classes, build_conflicts(classes))


@pytest.mark.parametrize("rows", [2, 2**30 + 1, MOST - 1, MOST])
def test_a_key_on_one_class(rows: int) -> None:
    facts = heavy("key(a)", {"a": [1]}, [rows])
    assert facts.graph.pairs == rows * (rows - 1) // 2
    assert PROBLEMATIC.levels(facts) == (rows,) * LEVELS
    assert MINIMAL_INCONSISTENT.levels(facts) == tuple(rows * min(t, rows - 1) for t in THRESHOLDS)
    assert REPAIR.number(facts).value == rows - 1
    exact = Exact(facts.exact())
    assert (exact.minimal_inconsistent, exact.repair_exact) == (rows * (rows - 1) // 2, rows - 1)
    assert exact.max_degree == rows - 1


@pytest.mark.parametrize(
    "weights", [[1, 1], [2**30, 2**30], [2**30 - 5, 2**30 + 5], [3, MOST - 3], [1, MOST - 1]]
)
def test_a_dependency_with_two_values(weights: list[int]) -> None:
    """Two heavy ones and, where one row conflicts with all others, a star."""
    few, many = weights
    facts = heavy("a -> b", {"a": [1, 1], "b": [1, 2]}, weights)
    assert facts.graph.pairs == few * many
    assert PROBLEMATIC.levels(facts) == tuple(
        min(t * few, many) + min(t * many, few) for t in THRESHOLDS
    )
    assert MINIMAL_INCONSISTENT.levels(facts) == tuple(2 * few * min(t, many) for t in THRESHOLDS)
    assert REPAIR.number(facts).value == few
    exact = Exact(facts.exact())
    assert (exact.minimal_inconsistent, exact.repair_exact) == (few * many, few)
    assert (exact.problematic, exact.max_degree) == (MOST if sum(weights) > 2 else 2, many)


def extension(graph: ConflictGraph, left: int, right: int) -> int:
    """F(left, right) by shortest augmenting paths, in Python's integers."""
    n = graph.classes
    weights = graph.weights.tolist()
    source, sink = 2 * n, 2 * n + 1
    room: dict[int, dict[int, int]] = {node: {} for node in range(2 * n + 2)}

    def add(tail: int, head: int, capacity: int) -> None:
        room[tail][head] = capacity
        room[head].setdefault(tail, 0)

    for u in range(n):
        add(source, u, weights[u] * left)
        add(n + u, sink, weights[u] * right)
    for u, v in zip(graph.sources.tolist(), graph.neighbours.tolist(), strict=True):
        add(u, n + v, weights[u] * (weights[v] - (int(graph.part[u]) if u == v else 0)))
    value = 0
    while True:
        before = {source: source}
        waiting = deque([source])
        while waiting and sink not in before:
            u = waiting.popleft()
            for v, free in room[u].items():
                if free and v not in before:
                    before[v] = u
                    waiting.append(v)
        if sink not in before:
            return value
        path = [sink]
        while path[-1] != source:
            path.append(before[path[-1]])
        arcs = list(zip(path[1:], path, strict=False))
        push = min(room[u][v] for u, v in arcs)
        for u, v in arcs:
            room[u][v] -= push
            room[v][u] += push
        value += push


LEVEL = st.sampled_from(range(32))


@settings(max_examples=examples(150))
@given(class_graphs(most=6, heaviest=MOST // 6), LEVEL)
def test_any_graph(graph: ConflictGraph, level: int) -> None:
    alone, t = graph.self_inconsistent, 2**level
    assert problematic_levels(graph, level + 1)[-1] == alone + extension(graph, t, 1)
    doubled = doubled_minimal_inconsistent_levels(graph, level + 1)[-1]
    assert doubled == 2 * alone + extension(graph, t, t)
    assert 2 * fractional_repair(graph).value == extension(graph, 1, 1)


@pytest.mark.parametrize("explicit", [-1, flow.EXPLICIT])
@settings(max_examples=examples(75))
@given(graph=class_graphs(most=6, heaviest=MOST // 6), level=LEVEL)
def test_any_graph_in_a_block(explicit: int, graph: ConflictGraph, level: int) -> None:
    """With the cover at hand, as witnesses are found row by row."""
    every = np.arange(graph.classes, dtype=np.int32)
    block = Block(every, graph.offsets, graph.neighbours)
    codes, rules = graph.codes, graph.rules
    blocks = BlockGraph(
        graph.rows,
        0,
        graph.weights,
        (block,),
        graph.neighbours,
        (),
        codes,
        rules,
        every,
        graph.part,
    )
    if not graph.classes:
        return
    known = RowWitnesses((), fractional_repair(graph).cover)
    usual, flow.EXPLICIT = flow.EXPLICIT, explicit
    try:
        found = doubled_minimal_inconsistent_levels(blocks, level + 1, known=known)
    finally:
        flow.EXPLICIT = usual
    assert blocks.pairs == graph.pairs
    assert found[-1] == extension(graph, 2**level, 2**level)


def test_classes_of_several_blocks_may_need_more_than_32_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert number_type(MOST) is np.int32
    assert number_type(MOST + 1) is np.int64

    def graph() -> Any:
        table = pa.table({"a": [1, 1, 2, 2, 2], "b": [1, 2, 3, 3, 1], "c": [1, 1, 2, 3, 2]})
        rules = compile_rules(candling.parse_constraints("a -> b\nb -> c\nkey(c)"))
        return build_conflicts(read_classes(open_table(table), rules), explicit=-1)

    usual = problematic_levels(graph(), 3), doubled_minimal_inconsistent_levels(graph(), 3)
    monkeypatch.setattr("candling.graph.blocks.number_type", lambda _: np.int64)
    wide = graph()
    assert wide.lists.classes.dtype == np.int64
    assert (problematic_levels(wide, 3), doubled_minimal_inconsistent_levels(wide, 3)) == usual
