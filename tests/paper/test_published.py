"""The authors' code, as it is described: orders, choices, bound and noise, against plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candling
from candling_paper import as_coded
from candling_paper.all_rows import read_all_rows
from candling_paper.as_coded import NotPrivateTable, Strategy
from candling_paper.datasets import datasets
from candling_paper.edge_addition import edge_addition
from candling_paper.loop import published_loop
from candling_paper.row_order import PairList, Pool, edge_addition_by_row, pairs_by_place
from candling_paper.thresholds import CANDIDATES
from candling_paper.vertex_cover import steps
from tests import oracle
from tests.effort import examples
from tests.paper.graphs import pairs_of
from tests.paper.recorder import Recorder
from tests.strategies import TableAndRules, conflict_graphs, tables_and_rules, to_arrow

PAIRS, ROWS = "minimal_inconsistent", "problematic"
THRESHOLDS = (1, 2, 3, 5)


def by_row(edges: set[tuple[int, int]], order: Sequence[int], threshold: int) -> dict[int, int]:
    """Degrees after the loop of the authors' code, as its text describes it."""
    degree = dict.fromkeys(order, 0)
    for v in order:
        for u in sorted(u for u, w in edges if w == v):  # neighbours with a smaller number
            if degree[u] < threshold and degree[v] < threshold:
                degree[u] += 1
                degree[v] += 1
    return degree


@given(conflict_graphs(max_rows=9), st.randoms(use_true_random=False))
def test_rows_are_visited_in_the_drawn_order_with_their_earlier_neighbours(
    graph: oracle.Conflicts, random: Any
) -> None:
    order = list(range(graph.rows))
    random.shuffle(order)
    pairs = pairs_of(graph.rows, graph.edges)
    found = edge_addition_by_row(pairs, np.array(order, np.int64), THRESHOLDS)
    for i, t in enumerate(THRESHOLDS):
        degrees = by_row(set(graph.edges), order, t).values()
        assert 2 * found.pairs[i] == sum(degrees)
        assert found.rows[i] == sum(d > 0 for d in degrees)


def test_the_order_of_rows_is_not_one_of_pairs() -> None:
    """A pair waits for its later row: no order of rows takes the pairs last to first."""
    path = {(0, 1), (1, 2), (2, 3)}
    kept = {
        edge_addition_by_row(pairs_of(4, path), np.array(order), (1,)).pairs
        for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 1, 3, 0])
    }
    assert kept == {(2,), (1,)}


@given(conflict_graphs(max_rows=9), st.randoms(use_true_random=False))
def test_the_cover_takes_pairs_in_the_drawn_order(graph: oracle.Conflicts, random: Any) -> None:
    order = list(range(len(graph.edges)))
    random.shuffle(order)
    every = PairList(pairs_of(graph.rows, graph.edges))
    listed = list(zip(every.left.tolist(), every.right.tolist(), strict=True))
    assert listed == sorted(graph.edges)
    sizes = steps([listed[i] for i in order])
    assert every.cover(np.array(order, np.int64)) == (sizes[-1] if sizes else 0)


@settings(max_examples=examples(30))
@given(tables_and_rules())
def test_rows_are_numbered_as_they_stand_in_the_table(drawn: TableAndRules) -> None:
    columns, rows, rules = drawn
    true = oracle.conflicts(rows, rules)
    there = sorted({row for edge in true.edges for row in edge})
    found = [(there[u], there[v]) for u, v in pairs_by_place(to_arrow(columns, rows), rules)]
    assert found == sorted(true.edges)


def test_a_random_order_of_rows_keeps_fewer_rows_than_one_of_pairs() -> None:
    """And more than the lexicographic one, on tables like Adult, where few rows are in most pairs.

    On 10,000 rows of Adult with 1% of noise at a threshold of 100: 2,394, about 4,250, and 9,996.
    """
    adult = datasets(None)["adult"]
    table, rules, t = adult.noisy(2_000, alpha=0.01, seed=0), adult.constraints(), 20
    stable = edge_addition(read_all_rows(table, rules).pairs, (t,)).rows[0]
    pairs, rng = pairs_by_place(table, rules), np.random.default_rng(0)
    by_rows = edge_addition_by_row(pairs, rng.permutation(pairs.rows), (t,)).rows[0]
    shuffled = rng.permutation(np.array(list(pairs))).tolist()
    by_pairs = published_loop(shuffled, pairs.rows, (t,)).rows[0]
    assert stable < 0.9 * by_rows < 0.9 * 0.9 * by_pairs


def test_a_pool_knows_the_thresholds_that_it_prepared() -> None:
    edges = {(0, leaf) for leaf in range(1, 6)}
    pool = Pool(pairs_of(6, edges), 3, np.random.default_rng(0))
    pool.prepare([1, 3])
    pool.prepare([3, 10])
    assert [pool.kept(t, 2) for t in (1, 3, 10)] == [(1, 2), (3, 4), (5, 6)]
    assert pool.covers == [2, 2, 2]


def star(leaves: int, *, rows: int) -> NotPrivateTable:
    """A row in conflict with all others, of which there are so many."""
    edges = {(0, leaf) for leaf in range(1, leaves + 1)}
    pool = Pool(pairs_of(leaves + 1, edges), 2, np.random.default_rng(0))
    return NotPrivateTable(rows, (leaves + 1,), pool)


def scored(candidates: Sequence[int], scores: Sequence[float], epsilon: float) -> dict[int, float]:
    """The exponential mechanism, with the largest candidate but the number of rows as its scale."""
    weights = [math.exp(epsilon * s) for s in scores]
    return {t: w / sum(weights) for t, w in zip(candidates, weights, strict=True)}


def test_candidates_are_those_of_the_paper_but_for_the_number_of_rows() -> None:
    assert star(3, rows=10_000).candidates() == CANDIDATES[:-1]
    assert star(3, rows=3).candidates() == (1, 2, 5, 10, 100, 500)


def test_problematic_is_chosen_once_and_minimal_inconsistent_twice() -> None:
    for strategy, rows_choices, pairs_choices in (
        (Strategy.BOUND_AND_TWO, 1, 2),
        (Strategy.TWO, 1, 2),
        (Strategy.ONE, 1, 1),
        (Strategy.ROWS, 0, 0),
    ):
        for measure, choices in ((ROWS, rows_choices), (PAIRS, pairs_choices)):
            watched: Any = Recorder()
            as_coded.releases_not_private(star(8, rows=40), measure, 1.0, 1, watched, strategy)
            assert len(watched.choices) == choices, (strategy, measure)


@pytest.mark.parametrize("passes", [1, 2])
def test_the_law_of_the_choice_for_problematic(passes: int) -> None:
    watched: Any = Recorder()
    as_coded.choose_once_for_rows(star(8, rows=40), (1, 5), (0.4, 1.0), passes, watched)
    scores = [-(6 - 2) - math.sqrt(2), -math.sqrt(2) * 5]  # 6 rows with five leaves, 2 with one
    candidates = [1, 5]
    if passes == 1:
        candidates, scores = [1, 5, 40], [*scores, -math.sqrt(40) * 40]
    (found,) = watched.choices
    assert found == pytest.approx(scored(candidates, scores, 0.4 / passes / (2 * 5)))


def test_the_law_of_the_choices_for_minimal_inconsistent() -> None:
    watched: Any = Recorder(takes=40)
    as_coded.choose(star(8, rows=40), PAIRS, (1, 5), (0.4, 1.0), 2, watched)
    first, second = watched.choices
    scores = [-(5 - 1) - math.sqrt(2), -math.sqrt(2) * 5, -math.sqrt(2) * 40]
    assert first == pytest.approx(scored([1, 5, 40], scores, 0.2 / (2 * 5)))
    kept = [-(8 - k) - math.sqrt(2) * t for t, k in ((1, 1), (5, 5), (40, 8))]
    assert second == pytest.approx(scored([1, 5, 40], kept, 0.2 / (2 * 40)))


def test_the_noise_gets_all_of_epsilon_whatever_the_choice_cost() -> None:
    for strategy in (Strategy.ONE, Strategy.TWO, Strategy.ROWS):
        watched: Any = Recorder(takes=5)
        (answer,) = as_coded.releases_not_private(
            star(8, rows=40), PAIRS, 2.0, 1, watched, strategy
        )
        assert answer.threshold == (40 if strategy is Strategy.ROWS else 5)
        assert watched.scales == [answer.threshold / 2.0]


def test_the_bound_is_drawn_once_for_all_releases_of_a_table() -> None:
    watched: Any = Recorder()
    answers = as_coded.releases_not_private(star(8, rows=40), ROWS, 1.0, 5, watched)
    assert watched.scales[0] == pytest.approx(1 / 0.1)
    assert len(watched.scales) == 1 + len(answers)
    assert {t for p in watched.choices for t in p} == {1, 4, 5, 8, 9}  # tenths of 40, and the bound


@pytest.mark.parametrize(("noise", "bound"), [(-0.4, 8), (0.6, 9), (-50.0, 1), (50.0, 40)])
def test_the_bound_is_cut_to_a_whole_number_of_rows(noise: float, bound: int) -> None:
    class Noisy(Recorder):
        def laplace(self, *, scale: float, size: int | None = None) -> Any:
            return np.full(size or 1, noise)

    rng: Any = Noisy()
    assert as_coded.noisy_bound_not_private(star(8, rows=40), 1.0, rng) == bound
    without = replace(star(8, rows=40), groups=())
    assert as_coded.noisy_bound_not_private(without, 1.0, rng) == 40


def test_the_bound_is_that_of_the_first_table_and_counts_the_row_itself() -> None:
    rules = candling.parse_constraints("a -> b\nkey(c)")
    first = pa.table({"a": [1, 1, 1, 2], "b": [1, 1, 1, 1], "c": [1, 2, 3, 4]})
    dirty = pa.table({"a": [1, 1, 1, 1], "b": [1, 1, 1, 2], "c": [1, 1, 3, 4]})
    table = NotPrivateTable.of(dirty, rules, first)
    assert table.groups == (3, 1)
    assert NotPrivateTable.of(dirty, rules, dirty).groups == (4, 2)
    table.pool.prepare([10])
    assert table.pool.kept(10, 0) == (4, 4)


def test_only_minimal_inconsistent_is_set_to_0_if_it_is_negative() -> None:
    rng = np.random.default_rng(3)
    table = star(3, rows=1_000)
    values = {
        measure: [
            a.value
            for a in as_coded.releases_not_private(table, measure, 1.0, 50, rng, Strategy.ROWS)
        ]
        for measure in (PAIRS, ROWS)
    }
    assert min(values[PAIRS]) == 0
    assert min(values[ROWS]) < 0


def test_the_cover_has_noise_of_scale_2_over_epsilon() -> None:
    watched: Any = Recorder()
    assert as_coded.vertex_cover_not_private(star(8, rows=40), 0.5, watched) == 2
    assert watched.scales == [4]
