"""Algorithm 5: a cover of at most twice the size, which an added row moves by 0 or 2."""

from __future__ import annotations

from functools import cache

from hypothesis import given

from candling_paper.edge_addition import edge_addition
from candling_paper.vertex_cover import steps, vertex_cover
from tests import oracle
from tests.graph.graphs import Edges, every_graph, without
from tests.paper.graphs import pairs_of
from tests.strategies import conflict_graphs


@cache
def size(nodes: int, edges: Edges) -> int:
    return vertex_cover(pairs_of(nodes, edges))


def test_every_graph_of_up_to_five_nodes() -> None:
    moved = set()
    for nodes in range(1, 6):
        for edges in every_graph(nodes):
            for node in range(nodes):
                moved.add(size(nodes, edges) - size(nodes - 1, without(edges, node)))
    assert moved == {0, 2}


@given(conflict_graphs(max_rows=8))
def test_it_is_the_plain_algorithm_and_a_cover(graph: oracle.Conflicts) -> None:
    found = vertex_cover(pairs_of(graph.rows, graph.edges))
    assert found == ([0, *steps(sorted(graph.edges))])[-1]
    smallest = oracle.repair_exact(graph) - len(graph.self_inconsistent)
    assert smallest <= found <= 2 * smallest


def test_equal_rows_are_counted_not_listed() -> None:
    for weights in ([3, 2], [2, 5], [4, 4], [5, 1]):
        pairs = pairs_of(2, [(0, 0), (0, 1)], weights=weights)
        assert vertex_cover(pairs) == steps(list(pairs))[-1]
        assert vertex_cover(pairs) == 2 * edge_addition(pairs, (1,)).pairs[0]
