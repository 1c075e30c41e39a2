"""The sound choices of a threshold: their law, their cost, and bugs that would be seen."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from candling_paper import selection
from candling_paper.edge_addition import edge_addition
from candling_paper.laplace import DiscreteLaplace
from candling_paper.levels import Bound, Levels
from candling_paper.selection import Exponential, Hierarchical, Last, only
from tests.graph.graphs import Edges, every_graph, without
from tests.paper import laws
from tests.paper.graphs import pairs_of
from tests.privacy.statistics import fits

THRESHOLDS = (1, 2, 3)
VALUES = range(-30, 40)


def levels_of(nodes: int, edges: Edges, measure: str, *, sensitivity: int = 1) -> Levels:
    """`sensitivity` is what `problematic` has on top of the threshold: 1, or 0 as published."""
    found = edge_addition(pairs_of(nodes, edges), THRESHOLDS)
    if measure == "minimal_inconsistent":
        return Levels(found.pairs, THRESHOLDS, THRESHOLDS)
    grown = tuple(t + sensitivity for t in THRESHOLDS)
    return Levels(found.rows, grown, THRESHOLDS, monotone=False)


def first(levels: Levels, count: int) -> Levels:
    return only(levels, range(count))


def window(levels: Levels) -> float:
    return levels.sensitivities[-1] * (1 if levels.monotone else 2)


@cache
def one_choice(nodes: int, edges: Edges, measure: str) -> dict[laws.Outcome, float]:
    levels = levels_of(nodes, edges, measure)
    return laws.exponential(levels, 1, VALUES, window=window(levels))


@cache
def two_choices(nodes: int, edges: Edges, measure: str) -> dict[laws.Outcome, float]:
    levels = levels_of(nodes, edges, measure)
    return laws.twice(levels, 1, VALUES, window=window, cut=first)


@pytest.mark.parametrize("measure", ["minimal_inconsistent", "problematic"])
@pytest.mark.parametrize("law", [one_choice, two_choices])
def test_no_outcome_of_neighbouring_graphs_is_more_than_e_times_as_likely(
    law: object, measure: str
) -> None:
    worst = 0.0
    for nodes in range(2, 5):
        for edges in every_graph(nodes):
            for node in range(nodes):
                larger = law(nodes, edges, measure)  # type: ignore[operator]
                smaller = law(nodes - 1, without(edges, node), measure)  # type: ignore[operator]
                worst = max(worst, laws.largest_log_ratio(larger, smaller))
    assert 0.5 < worst <= 1 + 1e-6


def test_the_published_sensitivity_of_problematic_would_be_seen() -> None:
    star = frozenset({(0, 1), (0, 2), (0, 3)})
    with_centre = levels_of(4, star, "problematic", sensitivity=0)
    leaves = levels_of(3, frozenset(), "problematic", sensitivity=0)
    one, two = (
        {(2, y): laws.laplace(levels.values[2], levels.sensitivities[2], y) for y in VALUES}
        for levels in (with_centre, leaves)
    )
    assert laws.largest_log_ratio(one, two) == pytest.approx(4 / 3)  # at an epsilon of 1


@pytest.mark.parametrize(
    "measure", ["minimal_inconsistent", pytest.param("problematic", marks=pytest.mark.long)]
)
def test_draws_follow_the_law_and_not_one_of_another_scale(measure: str) -> None:
    edges = frozenset({(0, 1), (0, 2), (0, 3), (1, 2)})
    levels = levels_of(5, edges, measure)
    draws = [Exponential()(levels, Fraction(1)) for _ in range(6_000)]
    outcomes = [(d.level, d.value) for d in draws]
    right = laws.exponential(levels, 1, VALUES, window=window(levels))
    assert fits(outcomes, right)
    wider = replace(levels, sensitivities=tuple(-(-13 * s // 10) for s in levels.sensitivities))
    assert not fits(outcomes, laws.exponential(wider, 1, VALUES, window=window(wider)))
    twice = [Hierarchical(degree_bound=False)(levels, Fraction(1)) for _ in range(5_000)]
    law = laws.twice(levels, 1, VALUES, window=window, cut=first)
    assert fits([(d.level, d.value) for d in twice], law)
    assert not fits([(d.level, d.value) for d in twice], right)


def test_the_noise_of_the_last_threshold_takes_all_of_epsilon() -> None:
    levels = Levels((5, 9), (2, 3), (1, 2))
    draw = Last()(levels, Fraction(1, 2))
    assert draw.level == 1
    assert isinstance(draw.noise, DiscreteLaplace)
    assert draw.noise.scale == pytest.approx(6, rel=1e-9)


@pytest.mark.parametrize("monotone", [True, False])
def test_the_window_is_that_of_the_largest_sensitivity_wherever_it_stands(
    monotone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows: list[Fraction] = []

    def noisy_max(
        scores: list[Fraction], *, window: Fraction, epsilon: Fraction, monotone: bool = False
    ) -> int:
        windows.append(window)
        return 0

    monkeypatch.setattr(selection, "noisy_max", noisy_max)
    levels = Levels((5, 9, 9), (2, 6, 3), (1, 2, 3), monotone=monotone)
    selection.choose(levels, Fraction(1), Fraction(1))
    assert windows == [6 if monotone else 12]


def test_a_small_degree_bound_takes_large_thresholds_away() -> None:
    powers = tuple(2**i for i in range(14))
    levels = Levels(tuple(range(20, 34)), powers, powers)
    chosen = [Hierarchical()(levels, Fraction(10), lambda: Bound(1, 1)).level for _ in range(200)]
    assert max(chosen) <= 6  # a bound of 1 and noise of scale 1
    free = [Hierarchical(degree_bound=False)(levels, Fraction(10)).level for _ in range(200)]
    assert max(free) > max(chosen) or sum(free) >= sum(chosen)


def bounded(value: int, between: tuple[int, ...] = ()) -> set[int]:
    """The thresholds that are drawn if the bound is known nearly exactly and losses are large."""
    thresholds = (1, 5, 7, 10, 14, 100)
    levels = Levels(tuple(10**6 * t for t in thresholds), thresholds, thresholds)
    choose = Hierarchical(between=between)
    draws = [choose(levels, Fraction(10**4), lambda: Bound(value, 1)) for _ in range(20)]
    return {thresholds[d.level] for d in draws}


def test_the_bound_is_a_candidate_rounded_up_to_the_next_threshold() -> None:
    assert bounded(7, between=(7, 14)) == {7}
    assert bounded(6, between=(7, 14)) == {7}
    assert bounded(11, between=(7, 14)) == {14}
    assert bounded(11) == {14}
    assert bounded(15, between=(7, 14)) == {100}
    assert bounded(1_000, between=(7, 100)) == {100}  # the last stays


def test_what_is_between_is_no_candidate_without_the_bound() -> None:
    levels = Levels((0, 9, 9), (1, 2, 3), (1, 2, 3))
    free = Hierarchical(degree_bound=False, between=(2,))
    draws = [free(levels, Fraction(50), lambda: Bound(2, 1)) for _ in range(60)]
    assert {draw.level for draw in draws} == {2}


def test_the_budget_is_split_as_stated() -> None:
    levels = Levels((5,), (6,), (6,))
    for choose in (Exponential(), Hierarchical()):
        noise = choose(levels, Fraction(1), lambda: Bound(3, 2)).noise
        assert isinstance(noise, DiscreteLaplace)
        assert noise.scale == pytest.approx(10, rel=1e-9)
        assert noise.mean_absolute_error == pytest.approx(10, rel=0.01)
