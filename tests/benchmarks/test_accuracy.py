"""The benchmark's own arithmetic: a rival that is wrong would flatter us."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

import candling
from benchmarks.accuracy import (
    Errors,
    add_edges,
    edge_addition_levels,
    expected_errors,
    pairs_of_rows,
    r2t,
)
from candling.graph import build_graph
from candling.measures import MINIMAL_INCONSISTENT, PROBLEMATIC
from candling.measures.facts import Facts

DRAWS = 200_000


def facts_of(rules: str, rows: npt.NDArray[np.int64]) -> Facts:
    table = pa.table({name: rows[:, i] for i, name in enumerate("ABC")})
    return candling.analyze(table, candling.parse_constraints(rules))._facts


def test_pairs_of_rows_lists_every_pair_once() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 4, size=(60, 3))
    graph = build_graph(facts_of("A -> B\nnot(t1.B = t2.B and t1.C = t2.C)", rows).classes)
    first, second = pairs_of_rows(graph.offsets, graph.neighbours, graph.weights, graph.pairs)
    listed = set(zip(first.tolist(), second.tolist(), strict=True))
    assert all(u < v for u, v in listed)
    assert len(listed) == len(first)
    broken = [
        (u, v)
        for u, v in combinations(rows.tolist(), 2)
        if (u[0] == v[0] and u[1] != v[1]) or u[1:] == v[1:]
    ]
    assert len(listed) == len(broken)
    degrees = np.bincount(np.concatenate([first, second]), minlength=int(graph.weights.sum()))
    assert degrees.tolist() == np.repeat(graph.degrees, graph.weights).tolist()


def test_edge_addition_takes_pairs_in_order() -> None:
    first = np.array([0, 0, 0, 3, 1], np.int32)
    second = np.array([1, 2, 3, 4, 2], np.int32)
    assert add_edges(first, second, 5, 1) == (2, 4)  # 0-1, 3-4
    assert add_edges(first, second, 5, 2) == (4, 5)  # all but 0-3
    assert add_edges(first, second, 5, 3) == (5, 5)


def test_edge_addition_is_never_above_the_extensions() -> None:
    rng = np.random.default_rng(1)
    facts = facts_of("A -> B\nB -> C", rng.integers(0, 3, size=(80, 3)))
    edges, touched = edge_addition_levels(build_graph(facts.classes), rng)
    assert (2 * edges <= MINIMAL_INCONSISTENT.levels(facts)).all()
    assert (touched <= PROBLEMATIC.levels(facts)).all()
    assert edges[-1] == facts.graph.pairs


@pytest.mark.parametrize(("value", "scale"), [(10.0, 1.0), (7.0, 3.0), (2.0, 8.0)])
def test_expected_error_is_that_of_a_sample(value: float, scale: float) -> None:
    rng = np.random.default_rng(2)
    sample = np.maximum(0, value + rng.laplace(scale=scale, size=DRAWS))
    found = expected_errors(np.array([value]), np.array([scale]), 10.0)[0]
    assert found == pytest.approx(np.abs(sample - 10.0).mean(), rel=0.02)


@pytest.mark.parametrize("base", [2, 8])
def test_r2t_rarely_exceeds_the_truth_and_comes_close_when_it_is_large(base: int) -> None:
    rng = np.random.default_rng(3)
    values = np.minimum(10.0**8 * 2.0 ** np.arange(41), 10.0**9)
    found = r2t(values, 1, 10_000, rng, base=base)
    assert (found > 10.0**9).mean() < 0.1
    assert np.median(found) > 0.99 * 10.0**9


def test_errors_of_a_known_sample() -> None:
    errors = Errors.of(np.array([8.0, 12.0, 10.0, 14.0]), 10.0)
    assert errors.mean == pytest.approx(0.2)
    assert errors.largest == pytest.approx(0.4)
