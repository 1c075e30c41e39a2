"""The published algorithm as the benchmark writes it down: both forms do the same."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.release_time import (
    Graph,
    PlainLists,
    PublishedStructures,
    pairs_kept,
    rows_kept,
    thresholded,
)

EDGES = [(0, 1), (0, 2), (0, 3), (1, 2), (4, 5), (6, 7), (6, 8)]


@pytest.mark.parametrize("bound", [1, 2, 3])
def test_both_forms_project_alike(bound: int) -> None:
    plain, nested = (
        sorted(kind(10, EDGES).edge_addition(bound, np.random.default_rng(0)))
        for kind in (PlainLists, PublishedStructures)
    )
    assert plain == list(nested)
    assert max(plain) <= bound
    assert rows_kept(plain) <= 9
    assert pairs_kept(plain) <= len(EDGES)


@pytest.mark.parametrize("kind", [PlainLists, PublishedStructures])
def test_a_vertex_cover_is_at_most_twice_the_smallest(kind: type[Graph]) -> None:
    for seed in range(20):
        size = kind(10, EDGES).vertex_cover(np.random.default_rng(seed))
        assert size % 2 == 0
        assert 4 <= size <= 8


def test_a_part_that_is_out_of_time_says_so() -> None:
    graph = PlainLists(10, EDGES)
    rng = np.random.default_rng(0)
    part = thresholded("pairs", graph, 3, count=pairs_kept, limit=-1.0, rng=rng)
    assert not part.finished
    whole = thresholded("pairs", graph, 3, count=pairs_kept, limit=60.0, rng=rng)
    assert whole.finished
    assert whole.passes >= 2
