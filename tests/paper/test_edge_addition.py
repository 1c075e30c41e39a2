"""Edge addition: as the plain algorithm, in an order that an added row does not disturb."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candling
from candling_paper.edge_addition import edge_addition
from candling_paper.loop import published_loop
from candling_paper.ordered import OrderedPairs, ordered_pairs
from tests import oracle
from tests.effort import examples
from tests.graph.graphs import Edges, every_graph, without
from tests.paper.graphs import pairs_of
from tests.registered import facts_of
from tests.strategies import TableAndRules, conflict_graphs, tables_and_rules

THRESHOLDS = (1, 2, 3, 5)


@given(conflict_graphs(max_rows=9))
def test_it_keeps_what_the_plain_algorithm_keeps(graph: oracle.Conflicts) -> None:
    pairs = replace(
        pairs_of(graph.rows, graph.edges), self_inconsistent=len(graph.self_inconsistent)
    )
    assert list(pairs) == sorted(graph.edges)
    found = edge_addition(pairs, THRESHOLDS)
    for i, t in enumerate(THRESHOLDS):
        kept = oracle.edge_addition(graph, t, sorted(graph.edges))
        assert found.pairs[i] == len(graph.self_inconsistent) + len(kept)
        touched = {row for edge in kept for row in edge}
        assert found.rows[i] == len(graph.self_inconsistent) + len(touched)


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8),
)
def test_equal_rows_are_rows(weights: list[int], drawn: set[tuple[int, int]]) -> None:
    n = len(weights)
    edges = {(min(e), max(e)) for e in drawn if max(e) < n and (e[0] != e[1] or weights[e[0]] > 1)}
    pairs = pairs_of(n, edges, weights=weights)
    listed = list(pairs)
    assert listed == sorted(set(listed))
    graph = oracle.Conflicts(pairs.rows, frozenset(), frozenset(listed))
    found = edge_addition(pairs, THRESHOLDS)
    expected = [len(oracle.edge_addition(graph, t, listed)) for t in THRESHOLDS]
    assert list(found.pairs) == expected


@settings(max_examples=examples(40))
@given(tables_and_rules())
def test_the_pairs_of_a_table_are_its_conflicts(table: TableAndRules) -> None:
    _, rows, rules = table
    facts = facts_of(table)
    pairs = ordered_pairs(facts.classes)
    true = oracle.conflicts(rows, rules)
    assert len(list(pairs)) == len(true.edges)
    found = edge_addition(pairs, (1, len(rows) + 1))
    assert found.pairs[-1] == oracle.minimal_inconsistent(true)
    assert found.rows[-1] == oracle.problematic(true)


@settings(max_examples=examples(40))
@given(st.data())
def test_an_added_row_moves_values_within_their_range(
    data: st.DataObject,
) -> None:
    columns, rows, rules = data.draw(tables_and_rules().filter(lambda drawn: len(drawn[1]) > 0))
    gone = data.draw(st.integers(0, len(rows) - 1))
    larger = facts_of((columns, rows, rules))
    smaller = facts_of((columns, rows[:gone] + rows[gone + 1 :], rules))
    one = edge_addition(ordered_pairs(larger.classes), THRESHOLDS)
    two = edge_addition(ordered_pairs(smaller.classes), THRESHOLDS)
    for i, t in enumerate(THRESHOLDS):
        assert 0 <= one.pairs[i] - two.pairs[i] <= t
        assert -max(t - 1, 0) <= one.rows[i] - two.rows[i] <= t + 1


def test_a_table_that_differs_in_one_row_has_its_pairs_in_the_same_order() -> None:
    """The rows are known by an `id`; of two neighbouring tables one order contains the other."""
    rules = candling.parse_constraints("a -> b\nnot(t1.b < t2.b and t1.id > t2.id)")
    rng = np.random.default_rng(5)
    rows: list[dict[str, oracle.Cell]] = [
        {"id": i, "a": int(rng.integers(3)), "b": int(rng.integers(4))} for i in range(12)
    ]
    kinds = {"id": "int64", "a": "int64", "b": "int64"}

    def ids(kept: list[dict[str, oracle.Cell]]) -> list[tuple[int, int]]:
        facts = facts_of((kinds, kept, rules))
        pairs = ordered_pairs(facts.classes)
        there = np.flatnonzero(facts.graph.class_of >= 0)
        order = there[np.lexsort(facts.classes.codes[::-1, there])]
        column = next(r.names["id"] for r in facts.classes.rules if "id" in r.names)
        known = sorted(row["id"] for row in kept if isinstance(row["id"], int))
        names = [known[facts.classes.codes[column, c] // 2] for c in order]
        return [(names[u], names[v]) for u, v in pairs]

    whole = ids(rows)
    assert len(whole) > 20
    for gone in range(12):
        rest = ids([row for row in rows if row["id"] != gone])
        assert rest == [pair for pair in whole if gone not in pair]


@cache
def kept(nodes: int, edges: Edges) -> tuple[tuple[int, ...], tuple[int, ...]]:
    found = edge_addition(pairs_of(nodes, edges), (1, 2, 3))
    return found.pairs, found.rows


def test_every_graph_of_up_to_six_nodes_keeps_to_the_theorem_and_reaches_it() -> None:
    pairs, rows = [set[int]() for _ in range(3)], [set[int]() for _ in range(3)]
    for nodes in range(2, 7):
        for edges in every_graph(nodes):
            e, p = kept(nodes, edges)
            for node in range(nodes):
                fewer_e, fewer_p = kept(nodes - 1, without(edges, node))
                for i in range(3):
                    pairs[i].add(e[i] - fewer_e[i])
                    rows[i].add(p[i] - fewer_p[i])
    for i, t in enumerate((1, 2, 3)):
        assert min(pairs[i]) == 0
        assert max(pairs[i]) == t
        assert max(rows[i]) == t + 1
        assert min(rows[i]) >= -(t - 1)
    assert min(rows[1]) == -1, "a row that is added lets `problematic` fall"


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="1 or more"):
        edge_addition(pairs_of(2, [(0, 1)]), [0])


def test_nothing_true_is_in_a_repr() -> None:
    pairs = pairs_of(3, [(0, 1), (1, 2)])
    assert repr(pairs) == "OrderedPairs()"
    assert repr(edge_addition(pairs, (1,))) == "Projections(thresholds=(1,))"


def test_no_conflict_and_no_row() -> None:
    empty: OrderedPairs = pairs_of(0, [])
    assert edge_addition(empty, (1, 10)).pairs == (0, 0)


@given(conflict_graphs(max_rows=9))
def test_the_published_loop_keeps_the_same(graph: oracle.Conflicts) -> None:
    pairs = pairs_of(graph.rows, graph.edges)
    assert published_loop(list(pairs), graph.rows, THRESHOLDS) == edge_addition(pairs, THRESHOLDS)
