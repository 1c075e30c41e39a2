"""What the paper or its published code claims and does not hold: a counterexample for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest

import candling
from candling.solvers.repair import fractional_repair
from candling_paper import published
from candling_paper.edge_addition import edge_addition
from candling_paper.vertex_cover import vertex_cover
from tests import oracle
from tests.paper.graphs import pairs_of
from tests.solvers.graphs import Edges, every_graph, graph_of, without


def rows_kept(nodes: int, edges: Edges, thresholds: Sequence[int]) -> tuple[int, ...]:
    return edge_addition(pairs_of(nodes, edges), thresholds).rows


@pytest.mark.parametrize("t", [1, 2, 5, 50])
def test_problematic_has_sensitivity_t_plus_1_not_t(t: int) -> None:
    """Claimed: 'The sensitivity of f after projection is theta': a star loses its centre."""
    star = frozenset((0, leaf) for leaf in range(1, t + 1))
    (with_centre,) = rows_kept(t + 1, star, (t,))
    (leaves,) = rows_kept(t, frozenset(), (t,))
    assert with_centre - leaves == t + 1


def test_problematic_can_fall_when_a_row_is_added() -> None:
    """Claimed: 'an extra node can only add': row 2 takes pairs that others lived on."""
    edges = frozenset({(0, 1), (0, 2), (0, 4), (1, 2), (1, 3)})
    assert rows_kept(5, edges, (2,)) == (3,)
    assert rows_kept(4, without(edges, 2), (2,)) == (4,)


@pytest.mark.parametrize(
    ("candidates", "edges", "gone", "found"),
    [
        ((1, 2), {(0, 1), (0, 2), (0, 4), (1, 2), (2, 3)}, 1, 3),
        (
            (2, 3),
            {(0, 1), (0, 2), (0, 3), (0, 5), (1, 2), (1, 3), (2, 3), (3, 4), (3, 5)},
            1,
            4,
        ),
    ],
)
def test_the_quality_score_moves_by_more_than_the_largest_threshold(
    candidates: tuple[int, int], edges: set[tuple[int, int]], gone: int, found: int
) -> None:
    """Claimed: 'the sensitivity of the quality function is theta_max'; for rows it is not."""
    nodes = 1 + max(v for _, v in edges)
    graph = frozenset(edges)
    scores = [
        kept[0] - kept[1]
        for kept in (
            rows_kept(nodes, graph, candidates),
            rows_kept(nodes - 1, without(graph, gone), candidates),
        )
    ]
    assert abs(scores[0] - scores[1]) == found > candidates[1]
    assert found <= 2 * candidates[1]


def test_the_number_of_rows_as_a_candidate_gives_it_away() -> None:
    """Chosen, |V| is printed as the threshold; and its noise alone tells it in the tail."""
    rules = candling.parse_constraints("a -> b")

    def thresholds(rows: int) -> set[int]:
        data = pa.table({"a": [1] * rows, "b": [*range(rows)]})
        table = published.not_private(candling.analyze(data, rules)._facts)
        rng = np.random.default_rng(0)
        answers = (
            published.exponential_not_private(table, "minimal_inconsistent", 50, rng)
            for _ in range(40)
        )
        return {answer.threshold for answer in answers}

    assert 7 in thresholds(7)
    assert 7 not in thresholds(6)

    def log_density(y: float, scale: float) -> float:
        return -abs(y) / scale - math.log(2 * scale)

    # Baseline 1 on a clean table of 10 rows and one of 11, at epsilon 1: far out, without bound.
    ratio = log_density(1_000, 11) - log_density(1_000, 10)
    assert ratio > 1


def test_the_printed_scale_of_the_vertex_covers_noise_is_upside_down() -> None:
    """Lap(epsilon/2) with a sensitivity of 2 costs 4/epsilon."""
    epsilon, sensitivity = 1, 2
    assert sensitivity / (epsilon / 2) == 4 > epsilon
    assert sensitivity / (2 / epsilon) == epsilon


def test_the_linear_program_of_repair_has_sensitivity_1_not_n() -> None:
    """Claimed: 'In the worst case, this linear program again has sensitivity equal to n'."""

    def doubled(nodes: int, edges: Edges) -> int:
        return int(2 * fractional_repair(graph_of(edges, [1] * nodes)).value)

    moved = {
        doubled(nodes, edges) - doubled(nodes - 1, without(edges, node))
        for nodes in range(1, 6)
        for edges in every_graph(nodes)
        for node in range(nodes)
    }
    assert moved == {0, 1, 2}  # in halves


def test_the_vertex_cover_is_about_twice_the_repair() -> None:
    """Errors of 0.08 are against twice the linear program, not against the measure."""
    pairs = frozenset((2 * i, 2 * i + 1) for i in range(50))
    assert vertex_cover(pairs_of(100, pairs)) == 100
    assert oracle.repair(oracle.Conflicts(100, frozenset(), pairs)) == 50


def test_the_published_runs_spent_more_than_epsilon() -> None:
    assert pytest.approx(1.4) == published.CHOICE + published.NOISE


def test_the_utility_theorem_fails_when_choosing_has_most_of_the_budget() -> None:
    """With one candidate the choice is free, and Laplace noise alone exceeds the bound."""
    threshold, miss = 3, 0.05
    score = published.quality(3, 3, threshold, 1)
    bound = published.utility_bound([score], threshold, 0, choice_epsilon=1_000, miss=miss)
    assert bound == pytest.approx(math.sqrt(2) * threshold, rel=0.01)
    exceeded = math.exp(-bound / threshold)  # P(|Lap(threshold)| > bound)
    assert exceeded > 0.24 > miss


def test_drastic_is_1_for_an_inconsistent_table_not_for_a_consistent_one() -> None:
    rules = candling.parse_constraints("a -> b")
    assert candling.exact(pa.table({"a": [1, 1], "b": [1, 1]}), rules).drastic == 0
    assert candling.exact(pa.table({"a": [1, 1], "b": [1, 2]}), rules).drastic == 1


def test_the_number_of_maximal_consistent_subsets_at_most_doubles() -> None:
    """Claimed: 'Exponential sensitivity': of the number, yes; of its logarithm it is 1."""
    for nodes in range(1, 6):
        for edges in every_graph(nodes):
            count = oracle.maximal_consistent(oracle.Conflicts(nodes, frozenset(), edges))
            for node in range(nodes):
                fewer = oracle.Conflicts(nodes - 1, frozenset(), without(edges, node))
                assert 1 <= count / oracle.maximal_consistent(fewer) <= 2


def test_a_fresh_random_order_costs_no_privacy_if_it_does_not_look_at_the_table() -> None:
    """It is a mixture, over orders of all pairs there could be, of mechanisms that are private."""
    edges, node, t = frozenset({(0, 1), (0, 2), (1, 2), (2, 3)}), 2, 2
    graph = oracle.Conflicts(4, frozenset(), edges)
    smaller = oracle.Conflicts(4, frozenset(), frozenset(e for e in edges if node not in e))

    def law(drawn: oracle.Conflicts) -> list[Fraction]:
        """How often each number of pairs is kept, over all orders."""
        orders = list(permutations(sorted(edges)))
        counts = [0] * 6
        for order in orders:
            there = [e for e in order if e in drawn.edges]
            counts[len(oracle.edge_addition(drawn, t, there))] += 1
        return [Fraction(c, len(orders)) for c in counts]

    def density(weights: list[Fraction], y: float) -> float:
        return sum(float(w) * math.exp(-abs(y - k) / t) for k, w in enumerate(weights))

    one, two = law(graph), law(smaller)
    ratios = [abs(math.log(density(one, y) / density(two, y))) for y in range(-20, 20)]
    assert max(ratios) <= 1 + 1e-9
