"""Heaviest independent sets against brute force, and what is said of them when time is short."""

from __future__ import annotations

import sys
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candling.graph import independent
from candling.graph.conflict_graph import Arcs
from candling.graph.independent import IndependentSet, independent_set
from candling.graph.repair_kernels import cover_by_cliques
from tests.effort import examples

Edges = list[tuple[int, int]]


def arcs_of(nodes: int, edges: Edges) -> Arcs:
    both = sorted({*edges, *((v, u) for u, v in edges)})
    ends = np.array(both, np.int32).reshape(-1, 2)
    return Arcs(nodes, ends[:, 0].copy(), ends[:, 1].copy())


def random_graph(nodes: int, density: float, seed: int) -> Edges:
    rng = np.random.default_rng(seed)
    return [pair for pair in combinations(range(nodes), 2) if rng.random() < density]


def heaviest(nodes: int, edges: Edges, weights: list[int]) -> int:
    """By trying: with the first node and without its neighbours, or without it."""
    around: list[set[int]] = [set() for _ in range(nodes)]
    for u, v in edges:
        around[u].add(v)
        around[v].add(u)

    def best(left: frozenset[int]) -> int:
        joined = [node for node in left if around[node] & left]
        if not joined:
            return sum(weights[node] for node in left)
        node = max(joined, key=lambda node: len(around[node] & left))
        return max(weights[node] + best(left - around[node] - {node}), best(left - {node}))

    return best(frozenset(range(nodes)))


def value(found: IndependentSet, edges: Edges, weights: list[int]) -> int:
    assert not [edge for edge in edges if found.chosen[list(edge)].all()]
    return int(np.array(weights)[found.chosen].sum())


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Edges, list[int]]:
    nodes = draw(st.integers(2, 12))
    possible = list(combinations(range(nodes), 2))
    edges = draw(st.lists(st.sampled_from(possible), min_size=1, unique=True))
    largest = draw(st.sampled_from([1, 3, 10**7]))
    weights = draw(st.lists(st.integers(1, largest), min_size=nodes, max_size=nodes))
    return nodes, edges, weights


@settings(max_examples=examples(300))
@given(graphs())
def test_it_is_the_heaviest(graph: tuple[int, Edges, list[int]]) -> None:
    nodes, edges, weights = graph
    found = independent_set(arcs_of(nodes, edges), weights, 60)
    assert found.heaviest
    assert value(found, edges, weights) == heaviest(nodes, edges, weights)


@pytest.mark.parametrize("written", [0, independent.WRITTEN])
@pytest.mark.parametrize("largest", [1, 10, 10**7])
@pytest.mark.parametrize(("nodes", "density"), [(40, 0.1), (40, 0.3), (30, 0.6)])
def test_a_search_is_needed_and_right(
    monkeypatch: pytest.MonkeyPatch, nodes: int, density: float, largest: int, written: int
) -> None:
    monkeypatch.setattr(independent, "WRITTEN", written)
    monkeypatch.setattr(independent._Program, "find_bound", lambda _: None)
    weights = np.random.default_rng(5).integers(1, largest + 1, nodes).tolist()
    edges = random_graph(nodes, density, seed=nodes)
    found = independent_set(arcs_of(nodes, edges), weights, 60)
    assert found.heaviest
    assert value(found, edges, weights) == heaviest(nodes, edges, weights)


@settings(max_examples=examples(200))
@given(graphs(), st.integers(0, 2**32 - 1))
def test_no_prices_give_a_bound_that_is_too_small(
    graph: tuple[int, Edges, list[int]], seed: int
) -> None:
    """Whatever the solver says: wrong prices cost the proof, never the truth."""
    nodes, edges, weights = graph
    arcs = arcs_of(nodes, edges)
    program = independent._Program(arcs, np.array(weights), deadline=np.inf)
    program.cut(np.flatnonzero(arcs.sources < arcs.targets))
    rows = sum(len(sizes) for sizes, _ in program.cliques)
    prices = np.random.default_rng(seed).normal(0, max(weights), rows)

    class Lying:
        row_dual = prices.tolist()

        def getSolution(self) -> Lying:  # noqa: N802 - as HiGHS names it
            return self

    program.solver = Lying()
    bound = program.find_bound()
    assert bound is None or bound >= heaviest(nodes, edges, weights)


def test_a_search_that_stops_short_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound that is left must round to the weight of the set."""
    edges, weights = random_graph(40, 0.3, seed=1), [1] * 40
    monkeypatch.setattr(independent._Program, "find_bound", lambda _: None)
    whole = independent._Program.search

    def lazy(self: Any, best: npt.NDArray[np.bool_]) -> IndependentSet | None:
        self.solver.setOptionValue("mip_rel_gap", 0.9)
        return whole(self, best)

    monkeypatch.setattr(independent._Program, "search", lazy)
    found = independent_set(arcs_of(40, edges), weights, 60)
    assert found.heaviest == (value(found, edges, weights) == heaviest(40, edges, weights))
    assert not found.heaviest


@pytest.mark.parametrize("reason", ["no time", "too large", "another HiGHS"])
def test_without_a_solver_there_is_a_set_and_no_proof(
    monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    if reason == "too large":
        monkeypatch.setattr(independent, "LARGEST", 3)
    if reason == "another HiGHS":
        monkeypatch.setitem(sys.modules, "highspy", None)
    edges, weights = [(0, 1), (1, 2), (2, 0), (2, 3)], [2, 1, 1, 1]
    found = independent_set(arcs_of(4, edges), weights, 0 if reason == "no time" else 60)
    assert not found.heaviest
    assert value(found, edges, weights) == 3


def test_a_time_limit_is_kept() -> None:
    edges = random_graph(200, 0.3, seed=2)
    found = independent_set(arcs_of(200, edges), [1] * 200, 0.5)
    assert not found.heaviest
    assert value(found, edges, [1] * 200) >= 8


@settings(max_examples=examples(200))
@given(graphs())
def test_cliques_are_cliques_and_cover_what_is_wanted(
    graph: tuple[int, Edges, list[int]],
) -> None:
    nodes, edges, _ = graph
    arcs = arcs_of(nodes, edges)
    wanted = np.flatnonzero(arcs.sources < arcs.targets)
    covered, joined = np.zeros(len(arcs.sources), np.uint8), np.zeros(nodes, np.int32)
    ends = np.zeros(len(wanted) + 1, np.int64)
    members = np.empty(len(arcs.sources) * nodes, np.int32)
    count = cover_by_cliques(
        arcs.offsets, arcs.sources, arcs.targets, wanted, covered, joined, ends, members
    )
    seen: set[tuple[int, int]] = set()
    known = set(zip(arcs.sources.tolist(), arcs.targets.tolist(), strict=True))
    for clique in (members[ends[i] : ends[i + 1]].tolist() for i in range(count)):
        assert len(set(clique)) == len(clique)
        pairs = {(u, v) for u in clique for v in clique if u != v}
        assert pairs <= known
        assert not pairs <= seen, "a row that another one holds"
        seen |= pairs
    assert seen == known
    assert covered.all()
    assert not joined.any()


def test_the_solver_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    edges = random_graph(40, 0.3, seed=1)
    assert independent_set(arcs_of(40, edges), [1] * 40, 60).heaviest
    assert capfd.readouterr() == ("", "")
