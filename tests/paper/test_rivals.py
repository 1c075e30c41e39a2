"""The rivals are private: what their proofs say, on all small graphs and on drawn tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import linprog

import candling
import candling_paper
from candling_paper import distinct_elements, methods, node_truncation
from candling_paper.all_rows import read_all_rows
from candling_paper.levels import Bound, Levels
from candling_paper.node_truncation import Truncated
from candling_paper.opt2 import MISS, Search, fewest_removals, opt2
from candling_paper.sql_counts import count_by_rule, cut
from tests.graph.graphs import Edges, every_graph, graph_of, without
from tests.releases.tables import study

STAR = {"a": [1] * 21, "b": [1] * 20 + [2]}  # one row against 20


def neighbours(most: int) -> Iterator[tuple[int, Edges, Edges]]:
    """Every graph, and what is left without its last node."""
    for nodes in range(2, most + 1):
        for edges in every_graph(nodes):
            for node in range(nodes):
                yield nodes, edges, without(edges, node)


def brute_removals(nodes: int, edges: Edges, threshold: int) -> float:
    """The program as the authors' code has it: a variable for every row and every pair."""
    pairs = sorted(edges)
    size = nodes + len(pairs)
    lines, limits = [], []
    for i, (u, v) in enumerate(pairs):
        line = np.zeros(size)
        line[[u, v]], line[nodes + i] = 1, -1
        lines.append(line)
        limits.append(1.0)
    for node in range(nodes):
        line = np.zeros(size)
        line[[nodes + i for i, pair in enumerate(pairs) if node in pair]] = 1
        lines.append(line)
        limits.append(float(threshold))
    kept = linprog(
        [-1.0] * nodes + [0.0] * len(pairs), A_ub=np.array(lines), b_ub=limits, bounds=(0, 1)
    )
    return nodes + float(kept.fun)


def test_removals_are_those_of_the_printed_program_and_grow_by_0_to_1() -> None:
    known: dict[tuple[int, Edges, int], float] = {}

    def removals(nodes: int, edges: Edges, threshold: int) -> float:
        key = nodes, edges, threshold
        if key not in known:
            known[key] = fewest_removals(graph_of(edges, [1] * nodes), threshold)
        return known[key]

    for nodes, edges, fewer in neighbours(4):
        for threshold in (1, 2):
            here = removals(nodes, edges, threshold)
            assert here == pytest.approx(brute_removals(nodes, edges, threshold), abs=1e-6)
            assert -1e-6 <= here - removals(nodes - 1, fewer, threshold) <= 1 + 1e-6


def test_equal_rows_share_a_value() -> None:
    """Three equal rows against two, and a class of four that all conflict."""
    edges = frozenset((u, v) for u in range(3) for v in (3, 4)) | frozenset(
        combinations(range(5, 9), 2)
    )
    merged = graph_of({(0, 1), (2, 2)}, [3, 2, 4])
    for threshold in (1, 2):
        expected = brute_removals(9, edges, threshold)
        assert fewest_removals(merged, threshold) == pytest.approx(expected, abs=1e-6)


def test_the_lower_bound_of_a_search_is_one() -> None:
    rows = read_all_rows(pa.table(STAR), candling.parse_constraints("a -> b"))
    search = Search(rows)
    for threshold in (1, 4, 16, 32):
        assert search.removals(threshold, 1e-9) <= search.removals(threshold, math.inf) + 1e-9
        assert search.kept(threshold) == min(threshold, 20)


def test_opt2_spends_a_third_three_times() -> None:
    """The scales: on the margin, on each query of sensitivity 1, on a count that moves by r."""

    class Still:
        def __init__(self) -> None:
            self.scales: list[float] = []

        def laplace(self, *, scale: float) -> float:
            self.scales.append(scale)
            return 0.0

    still = Still()
    rows = read_all_rows(pa.table(STAR), candling.parse_constraints("a -> b"))
    threshold, value = opt2(Search(rows), 2.0, still)  # type: ignore[arg-type]
    assert 6 / 2 * math.log(1 / MISS) > 1  # so that without noise the first is taken
    assert (threshold, value) == (1, 1)
    assert still.scales == [3 / 2, 6 / 2, 3 / 2]


# ------------------------------------------------------------------------------------ distinct


def test_the_scores_of_neighbouring_tables_differ_by_less_than_1() -> None:
    rng = np.random.default_rng(5)
    sensitivities = (2, 3, 5, 9, 17)
    for _ in range(300):
        values = np.sort(rng.integers(0, 200, 5))
        grown = values + [rng.integers(0, s + 1) for s in sensitivities]
        one, two = (
            distinct_elements.score(Levels(tuple(map(int, v)), sensitivities, sensitivities), 0.5)
            for v in (values, grown)
        )
        assert max(abs(a - b) for a, b in zip(one, two, strict=True)) < 1


def test_distinct_counts_rows_in_conflict() -> None:
    table = pa.table({"a": [i // 2 for i in range(400)], "b": list(range(400))})
    shares = {"problematic": Fraction(1)}
    numbers = candling_paper.release(table, "a -> b", 10, "distinct", shares=shares, max_rows=400)
    assert numbers["problematic"].value == pytest.approx(400, abs=60)


def test_methods_by_name() -> None:
    names = ("paper-hierarchical", "paper-hierarchical-unbounded", "paper-r2t", "distinct")
    assert [methods.by_name(name).name for name in names] == list(names)
    assert methods.by_name("paper-projection-5").name == "paper-projection-5"
    for wrong in ("paper-projection-0", "hierarchical"):
        with pytest.raises(ValueError, match="paper-exponential"):
            methods.by_name(wrong)


# ------------------------------------------------------------------------------- SQL and nodes


def test_a_cut_group_has_its_first_rows() -> None:
    codes = np.array([[0, 0, 1, 1], [2, 1, 0, 1]], np.int32)
    weights = np.array([3, 2, 5, 1], np.int64)
    assert cut(codes, weights, [0], 4).tolist() == [2, 2, 4, 0]
    assert cut(codes, weights, [], 4).tolist() == [2, 2, 0, 0]
    assert cut(codes, weights, [0], 100).tolist() == [3, 2, 5, 1]


@pytest.mark.parametrize("rules", ["a -> b", "key(a)", "not(t1.a < t2.a and t1.b > t2.b)"])
def test_an_added_row_moves_a_cut_count_by_the_threshold_at_most(rules: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(6):
        rows = rng.integers(0, 3, (9, 2)).tolist()
        found = []
        for part in (rows, rows[1:]):
            table = pa.table({"a": [r[0] for r in part], "b": [r[1] for r in part]})
            classes = read_all_rows(table, candling.parse_constraints(rules)).classes
            (levels,) = count_by_rule(classes, 9).levels
            found.append(levels)
        for t, one, two in zip(found[0].thresholds, found[0].values, found[1].values, strict=True):
            assert abs(one - two) <= t
        assert not found[0].monotone


def test_without_a_cut_the_counts_are_those_of_the_rules() -> None:
    data = study("a -> b\nkey(c)", a=[1, 1, 1, 2], b=[1, 1, 2, 1], c=[1, 2, 2, 2])
    classes = read_all_rows(
        pa.table({"a": [1, 1, 1, 2], "b": [1, 1, 2, 1], "c": [1, 2, 2, 2]}),
        candling.parse_constraints("a -> b\nkey(c)"),
    ).classes
    first, second = count_by_rule(classes, 4).levels
    assert (first.values[-1], second.values[-1]) == (2, 3)
    assert data._facts.graph.pairs == 4  # one pair breaks both


def test_truncated_nodes_are_as_stable_as_the_proof_says() -> None:
    decay = 0.3
    for nodes, edges, fewer in neighbours(4):
        one, two = (
            Truncated(graph_of(e, [1] * n), n, Bound(0, 1))
            for e, n in ((edges, nodes), (fewer, nodes - 1))
        )
        for degree in (1, 2, 3):
            here, there = one.smooth_bound(degree, decay), two.smooth_bound(degree, decay)
            if one.graph.classes and two.graph.classes:
                assert abs(math.log(here / there)) <= decay + 1e-9
            assert abs(one.pairs(degree) - two.pairs(degree)) <= degree * min(here, there)


def test_the_heavy_noise_slides_and_stretches_by_no_more_than_it_is_said_to() -> None:
    z = np.linspace(-60, 60, 400_001)
    slopes = np.abs(np.diff(node_truncation.log_density(z)) / np.diff(z))
    assert slopes.max() == pytest.approx(node_truncation.STEEPEST, rel=1e-4)
    for by in (0.01, 0.1, 0.5):
        wide = node_truncation.log_density(z * math.exp(by)) + by
        assert np.abs(wide - node_truncation.log_density(z)).max() <= node_truncation.STRETCHED * by


def test_the_heavy_noise_has_its_law() -> None:
    rng = np.random.default_rng(3)
    drawn = np.abs([node_truncation.heavy_noise(rng) for _ in range(20_000)])
    ends = [0, 0.3, 0.6, 1, 1.7, np.inf]
    fine = np.linspace(0, 400, 800_001)
    density = 1 / (1 + fine**4)
    for low, high in pairwise(ends):
        inside = (fine >= low) & (fine < high)
        expected = density[inside].sum() / density.sum()
        assert np.mean((drawn >= low) & (drawn < high)) == pytest.approx(expected, abs=0.016)
