"""The rows that a removal takes out, against the oracle's smallest repair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candling.graph import ConflictGraph, repair
from candling.graph.repair import Removal, smallest_removal
from tests import oracle
from tests.effort import examples
from tests.graph.graphs import graph_of, row_edges
from tests.graph.test_graph_measures import class_graphs, truth


def kept_rows(graph: ConflictGraph, found: Removal) -> set[int]:
    starts = np.cumsum(graph.weights) - graph.weights
    kept = (graph.weights - found.rows).tolist()
    return {int(s) + i for s, k in zip(starts, kept, strict=True) for i in range(k)}


@settings(max_examples=examples(500))
@given(class_graphs())
def test_it_is_consistent_and_smallest(graph: ConflictGraph) -> None:
    found = smallest_removal(graph, time_limit=60)
    assert found.smallest
    kept = kept_rows(graph, found)
    assert not [edge for edge in row_edges(graph)[1] if kept.issuperset(edge)]
    smallest = oracle.repair_exact(truth(graph)) - graph.self_inconsistent
    assert found.rows.sum() == smallest


@settings(max_examples=examples(200))
@given(class_graphs())
def test_without_time_it_is_consistent_and_at_most_twice(graph: ConflictGraph) -> None:
    found = smallest_removal(graph, time_limit=0)
    kept = kept_rows(graph, found)
    assert not [edge for edge in row_edges(graph)[1] if kept.issuperset(edge)]
    smallest = oracle.repair_exact(truth(graph)) - graph.self_inconsistent
    assert smallest <= found.rows.sum() <= 2 * smallest
    if found.smallest:
        assert found.rows.sum() == smallest


@st.composite
def bipartite(draw: st.DrawFn) -> ConflictGraph:
    """Two sides of equal weight: often half of everything, and an integral cover exists."""
    size = draw(st.integers(1, 5))
    possible = [(u, size + v) for u in range(size) for v in range(size)]
    perfect = [(u, size + u) for u in range(size)]
    edges = {*perfect, *draw(st.lists(st.sampled_from(possible)))}
    return graph_of(edges, [1] * (2 * size))


@settings(max_examples=examples(200))
@given(bipartite())
def test_what_the_linear_program_settles_needs_no_search(graph: ConflictGraph) -> None:
    found = smallest_removal(graph, time_limit=0)
    assert found.smallest
    assert found.rows.sum() == oracle.repair_exact(truth(graph))


def test_an_order_of_strong_components_that_is_another_one_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The cover read off the numbering is checked; if it is none, the solver is asked."""
    whole = repair.integral_cover

    def turned(*args: object) -> repair.Integral:
        found = whole(*args)  # type: ignore[arg-type]
        return repair.Integral(found.settled, np.zeros_like(found.covered))

    monkeypatch.setattr(repair, "integral_cover", turned)
    path = graph_of([(0, 1), (1, 2), (2, 3)], [1, 1, 1, 1])
    found = smallest_removal(path, time_limit=60)
    assert (found.smallest, found.rows.sum()) == (True, 2)
