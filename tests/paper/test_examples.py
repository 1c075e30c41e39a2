"""The paper's worked examples."""

from __future__ import annotations

import math
from itertools import pairwise

import pyarrow as pa
import pytest

import candling
from candling_paper.all_rows import AllRows, read_all_rows
from candling_paper.edge_addition import edge_addition
from candling_paper.published import (
    largest_groups,
    not_private,
    probabilities,
    quality,
    utility_bound,
)
from candling_paper.vertex_cover import steps

OTTAWA = pa.table({"Capital": ["Ottawa"] * 4, "Country": ["Canada", "Canada", "Canada", "Kanada"]})
RULES = "Capital -> Country"


def ottawa(rows: int = 4) -> candling.Study:
    return candling.analyze(OTTAWA.slice(0, rows), candling.parse_constraints(RULES))


def all_rows() -> AllRows:
    return read_all_rows(OTTAWA, RULES)


def test_the_ottawa_table_has_three_conflicts_and_its_neighbour_none() -> None:
    exact = ottawa().exact()
    assert (exact.minimal_inconsistent, exact.problematic, exact.repair_exact) == (3, 4, 1)
    assert exact.max_degree == 3
    clean = ottawa(3).exact()
    assert (clean.drastic, clean.minimal_inconsistent, clean.problematic) == (0, 0, 0)


def test_edge_addition_truncates_two_edges_one_edge_and_none() -> None:
    kept = edge_addition(all_rows().pairs, (1, 2, 3)).pairs
    assert [3 - k for k in kept] == [2, 1, 0]


def scores() -> list[float]:
    table = not_private(all_rows())
    kept = [table.kept("minimal_inconsistent", t) for t in (1, 2, 3)]
    return [quality(k, kept[-1], t, 1) for t, k in zip((1, 2, 3), kept, strict=True)]


def test_the_quality_scores() -> None:
    root = math.sqrt(2)
    assert scores() == pytest.approx([-2 - root, -1 - 2 * root, -3 * root])
    assert [round(q, 2) for q in scores()] == [
        -3.41,
        -3.83,
        -4.24,
    ]  # -3.82 as printed: cut, not rounded


def test_the_probabilities_of_one_choice() -> None:
    found = probabilities(scores(), sensitivity=3, epsilon=1)
    # Printed: 0.35, 0.33, 0.31; cut after two digits, not rounded.
    assert [math.floor(100 * p) for p in found] == [35, 33, 31]


def test_the_probabilities_of_the_second_choice_with_what_the_example_leaves() -> None:
    # The example goes on with the thresholds below the first choice ...
    below_three = probabilities(scores()[:2], sensitivity=3, epsilon=0.5)
    assert [round(p, 2) for p in below_three] == [0.51, 0.49]
    assert probabilities(scores()[:1], sensitivity=2, epsilon=0.5) == [1]
    # ... while Algorithm 4 keeps the first choice itself among them.
    kept = probabilities(scores(), sensitivity=3, epsilon=0.5)
    assert [round(p, 2) for p in kept] == [0.34, 0.33, 0.32]


def test_the_degree_bound_is_the_largest_group_less_one() -> None:
    assert largest_groups(all_rows().classes) == (3,)


# The graph of seven nodes, A to G; E and its two edges are the neighbour's.
EDGES = [("A", "B"), ("A", "C"), ("B", "C"), ("C", "D"), ("D", "E"), ("E", "F"), ("F", "G")]


def test_the_walk_of_the_vertex_cover() -> None:
    with_e = steps(EDGES)
    without = steps([(u, v) for u, v in EDGES if "E" not in (u, v)])
    assert with_e == [2, 2, 2, 4, 4, 6, 6]
    assert without == [2, 2, 2, 4, 6]
    # Iterations 1 to 7 of the example: c (without E) and c' (with E).
    order = iter(without)
    c, walk = 0, []
    for (u, v), larger in zip(EDGES, with_e, strict=True):
        c = c if "E" in (u, v) else next(order)
        walk.append((c, larger))
    assert walk == [(2, 2), (2, 2), (2, 2), (4, 4), (4, 4), (4, 6), (6, 6)]


def test_in_another_order_the_sizes_differ_as_the_paper_says() -> None:
    # e2, then e7: four rows without E. With E, e1, then e4, then e6: six.
    e1, e2, e3, e4, e5, e6, e7 = EDGES
    assert steps([e2, e7, e1, e3, e4])[-1] == 4
    assert steps([e1, e4, e6, e2, e3, e5, e7])[-1] == 6


def test_the_utility_bound_falls_as_beta_grows() -> None:
    bounds = [utility_bound(scores(), 3, 0, 1, beta / 100) for beta in range(1, 25)]
    assert all(a > b for a, b in pairwise(bounds))
