"""Measures and extensions on graphs in blocks, against the oracle and the written graph."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import candling
from candling.graph import BlockGraph, build_conflicts, build_graph, flow
from candling.graph.repair import fractional_repair
from candling.graph.witness import (
    doubled_minimal_inconsistent_levels,
    problematic_levels,
    witnesses,
)
from candling.rules import compile_rules
from candling.tables import open_table, read_classes
from tests import oracle
from tests.effort import examples
from tests.graph.graphs import measured
from tests.registered import facts_of
from tests.strategies import TableAndRules, tables_and_rules

LEVELS = 4


@pytest.mark.parametrize("explicit", [-1, flow.EXPLICIT])
@settings(
    max_examples=examples(80),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(table=tables_and_rules())
def test_extensions_agree_with_the_oracle(
    monkeypatch: pytest.MonkeyPatch, explicit: int, table: TableAndRules
) -> None:
    monkeypatch.setattr(flow, "EXPLICIT", explicit)
    _, rows, rules = table
    true = oracle.conflicts(rows, rules)
    graph = build_conflicts(facts_of(table).classes, explicit=-1)
    s = len(true.self_inconsistent)
    assert problematic_levels(graph, LEVELS) == [
        s + oracle.extension(true, 2**i, 1) for i in range(LEVELS)
    ]
    assert doubled_minimal_inconsistent_levels(graph, LEVELS) == [
        2 * s + oracle.extension(true, 2**i, 2**i) for i in range(LEVELS)
    ]


@settings(max_examples=examples(60))
@given(tables_and_rules())
def test_exact_measures_agree_with_the_oracle(table: TableAndRules) -> None:
    _, rows, rules = table
    true = oracle.conflicts(rows, rules)
    graph = build_conflicts(facts_of(table).classes, explicit=-1)
    found = measured(graph)
    assert found.drastic == oracle.drastic(true)
    assert found.minimal_inconsistent == oracle.minimal_inconsistent(true)
    assert found.problematic == oracle.problematic(true)
    assert found.repair == oracle.repair(true)
    assert found.repair_exact == oracle.repair_exact(true)
    assert found.max_degree == oracle.max_degree(true)
    if found.maximal_consistent_log2 is not None:
        assert math.isclose(
            found.maximal_consistent_log2,
            math.log2(oracle.maximal_consistent(true)),
            abs_tol=1e-9,
        )


RULES = {
    "dependencies": "a -> b\nb -> c\nc, d -> e",
    "a key and an order": "key(a, d)\nnot(t1.a = t2.a and t1.b > t2.b and t1.c < t2.c)\nd -> e",
    "keys in several blocks": "key(a, b)\nkey(c, d)\nkey(e)",
    "no equality": "not(t1.a < t2.a and t1.b < t2.b and t1.c < t2.c)\nd -> e\ne -> d",
}


@settings(max_examples=examples(25))
@given(
    rules=st.sampled_from(sorted(RULES)),
    rows=st.integers(20, 250),
    spread=st.tuples(*[st.integers(2, 40)] * 5),
    seed=st.integers(0, 2**32),
)
def test_larger_tables_give_what_the_written_graph_gives(
    rules: str, rows: int, spread: tuple[int, ...], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    # Skewed, so that some rows have many conflicts and most have few.
    data = pa.table(
        {
            name: np.floor(width * rng.random(rows) ** 2).astype(np.int64)
            for name, width in zip("abcde", spread, strict=True)
        }
    )
    classes = candling.analyze(data, candling.parse_constraints(RULES[rules]))._facts.classes
    graph, whole = build_conflicts(classes, explicit=-1), build_graph(classes)
    assert graph.pairs == whole.pairs
    assert problematic_levels(graph, 9) == problematic_levels(whole, 9)
    expected = doubled_minimal_inconsistent_levels(whole, 9)
    assert doubled_minimal_inconsistent_levels(graph, 9) == expected
    if isinstance(graph, BlockGraph):
        usual, flow.EXPLICIT = flow.EXPLICIT, -1
        try:
            assert doubled_minimal_inconsistent_levels(graph, 9) == expected
        finally:
            flow.EXPLICIT = usual


@pytest.mark.parametrize(
    "rules", ["not(t1.a = t2.b)", "not(t1.a = t2.b)\nc -> d", "not(t1.b = t2.d)\na -> b"]
)
@pytest.mark.parametrize("seed", range(12))
def test_sparse_graphs_give_what_the_written_graph_gives(rules: str, seed: int) -> None:
    """Rows have few conflicts, so that several paths compete for the last room of a witness."""
    rng = np.random.default_rng(seed)
    rows, width = int(rng.integers(15, 60)), int(rng.integers(10, 40))
    columns = {name: np.floor(width * rng.random(rows) ** 2).astype(int) for name in "abcd"}
    parsed = compile_rules(candling.parse_constraints(rules))
    classes = read_classes(open_table(pa.table(columns)), parsed)
    graph, whole = build_conflicts(classes, explicit=-1), build_graph(classes)
    assert isinstance(graph, BlockGraph)
    assert problematic_levels(graph, 4) == problematic_levels(whole, 4)
    assert fractional_repair(graph).value == fractional_repair(whole).value


@settings(max_examples=examples(60))
@given(tables_and_rules())
def test_the_cover_covers_and_costs_what_the_flow_brings(table: TableAndRules) -> None:
    graph = build_conflicts(facts_of(table).classes, explicit=-1)
    if not isinstance(graph, BlockGraph):
        return
    found = witnesses(graph, 1)
    assert int((graph.weights * found.cover).sum()) == found.counts[0]
    everything = graph.within(np.ones(graph.classes, bool))
    ends = found.cover[everything.sources] + found.cover[everything.neighbours]
    assert (ends >= 2).all()
    assert fractional_repair(graph).value == Fraction(found.counts[0], 2)
