"""The extensions: against the oracle, and their promises on every graph of up to six nodes."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings

from candling.graph import ConflictGraph
from candling.graph.repair import fractional_repair
from candling.graph.witness import doubled_minimal_inconsistent_levels, problematic_levels
from tests import oracle
from tests.effort import examples
from tests.graph.graphs import every_graph, graph_of, without
from tests.graph.test_graph_measures import class_graphs, truth

LEVELS = 4
THRESHOLDS = [2**i for i in range(LEVELS)]


@settings(max_examples=examples(500))
@given(class_graphs(most=7, heaviest=4))
def test_levels_agree_with_the_oracle(graph: ConflictGraph) -> None:
    true = truth(graph)
    s = graph.self_inconsistent
    assert problematic_levels(graph, LEVELS) == [
        s + oracle.extension(true, t, 1) for t in THRESHOLDS
    ]
    assert doubled_minimal_inconsistent_levels(graph, LEVELS) == [
        2 * s + oracle.extension(true, t, t) for t in THRESHOLDS
    ]


@cache
def values(nodes: int, edges: frozenset[tuple[int, int]]) -> tuple[list[int], list[int], int]:
    graph = graph_of(edges, [1] * nodes)
    return (
        problematic_levels(graph, LEVELS),
        doubled_minimal_inconsistent_levels(graph, LEVELS),
        int(2 * fractional_repair(graph).value),
    )


@pytest.mark.parametrize("nodes", [2, 3, 4, 5, pytest.param(6, marks=pytest.mark.long)])
def test_every_graph_of_up_to_six_nodes(nodes: int) -> None:
    """Removing a row changes each extension within the stated range; concave; above projection."""
    for edges in every_graph(nodes):
        problematic, doubled, repair = values(nodes, edges)
        for node in range(nodes):
            p, m, r = values(nodes - 1, without(edges, node))
            assert all(
                0 <= a - b <= t + 1 for a, b, t in zip(problematic, p, THRESHOLDS, strict=True)
            )
            assert all(0 <= a - b <= 2 * t for a, b, t in zip(doubled, m, THRESHOLDS, strict=True))
            assert 0 <= repair - r <= 2
        for line in (problematic, doubled):
            slopes = [
                (line[i + 1] - line[i]) / (THRESHOLDS[i + 1] - THRESHOLDS[i])
                for i in range(LEVELS - 1)
            ]
            assert all(slope >= 0 for slope in slopes)
            assert slopes == sorted(slopes, reverse=True)
        graph = oracle.Conflicts(nodes, frozenset(), edges)
        for i, t in enumerate(THRESHOLDS):
            kept = oracle.edge_addition(graph, t, sorted(edges))
            assert doubled[i] >= 2 * len(kept)
            assert problematic[i] >= len({u for edge in kept for u in edge})


@pytest.mark.parametrize("alone", [0, 2])
@pytest.mark.parametrize("nodes", [2, 3, 4, 5, pytest.param(6, marks=pytest.mark.long)])
def test_what_a_level_says_of_the_repair(nodes: int, alone: int) -> None:
    """docs/privacy.md, Theorem 15(e), with rows that break a rule alone."""
    for edges in every_graph(nodes):
        problematic, doubled, repair = values(nodes, edges)
        least = alone + repair / 2
        for p, q, t in zip(problematic, doubled, THRESHOLDS, strict=True):
            assert alone + p <= (t + 1) * least
            assert alone + q / 2 <= t * least
