"""Every measure of a weighted class graph against the oracle on its rows."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from candling.graph import ConflictGraph
from candling.graph.counting import maximal_consistent_logs
from candling.graph.flow import max_flow
from tests import oracle
from tests.effort import examples
from tests.graph.graphs import graph_of, measured, row_edges


@st.composite
def class_graphs(draw: st.DrawFn, most: int = 6, heaviest: int = 3) -> ConflictGraph:
    nodes = draw(st.integers(0, most))
    weights = draw(st.lists(st.integers(1, heaviest), min_size=nodes, max_size=nodes))
    possible = [(u, v) for u in range(nodes) for v in range(u, nodes) if u != v or weights[u] > 1]
    edges = draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    parts = [draw(st.sampled_from(_divisors(weight))) for weight in weights]
    return graph_of(edges, weights, parts=parts, alone=draw(st.integers(0, 2)))


def _divisors(weight: int) -> list[int]:
    """Sizes of which a class of so many rows has several parts; of one row there is one."""
    return [size for size in range(1, min(weight, 5)) if weight % size == 0] or [1]


def truth(graph: ConflictGraph) -> oracle.Conflicts:
    rows, edges = row_edges(graph)
    alone = frozenset(range(rows, rows + graph.self_inconsistent))
    return oracle.Conflicts(graph.rows, alone, edges)


@settings(max_examples=examples(500))
@given(class_graphs())
def test_exact_measures_agree_with_the_oracle(graph: ConflictGraph) -> None:
    ours, true = measured(graph), truth(graph)
    assert ours.drastic == oracle.drastic(true)
    assert ours.minimal_inconsistent == oracle.minimal_inconsistent(true)
    assert ours.problematic == oracle.problematic(true)
    assert ours.repair == oracle.repair(true)
    assert ours.repair_exact == oracle.repair_exact(true)
    assert ours.max_degree == oracle.max_degree(true)
    assert ours.maximal_consistent_log2 is not None
    count = oracle.maximal_consistent(true)
    assert math.isclose(ours.maximal_consistent_log2, math.log2(count), abs_tol=1e-9)


def test_a_long_path_is_not_counted() -> None:
    """A search that is as deep as the path is long would end in an error."""
    graph = graph_of([(node, node + 1) for node in range(3000)], [1] * 3001, alone=0)
    assert maximal_consistent_logs(graph) is None


@settings(max_examples=examples(500))
@given(class_graphs(), st.integers(0, 9), st.integers(0, 9))
def test_flow_agrees_with_the_oracle(graph: ConflictGraph, left: int, right: int) -> None:
    assert max_flow(graph, left, right).value == oracle.extension(truth(graph), left, right)
