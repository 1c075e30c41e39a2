"""Both forms of a graph answer alike, and fulfil one protocol."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import candling
from candling.graph import BlockGraph, ConflictGraph, Graph, build_conflicts, flow
from candling.graph.repair import exact_repair, fractional_repair
from candling.graph.witness import (
    doubled_minimal_inconsistent_levels,
    problematic_levels,
    witnesses,
)
from candling.rules import compile_rules
from candling.tables import Classes, open_table, read_classes

RULES = "zip -> city\nkey(id)\nzip, street -> owner"


@pytest.fixture(scope="module")
def classes() -> Classes:
    rng = np.random.default_rng(5)
    table = pa.table({n: rng.integers(0, 8, 120) for n in ("zip", "city", "id", "street", "owner")})
    return read_classes(
        open_table(table), compile_rules(candling.parse_constraints(RULES)).constraints
    )


@pytest.fixture(params=["explicit", "blocks"])
def graph(request: pytest.FixtureRequest, classes: Classes) -> Graph:
    built = build_conflicts(classes, explicit=10**6 if request.param == "explicit" else -1)
    assert type(built) is (ConflictGraph if request.param == "explicit" else BlockGraph)
    return built


def test_the_parts_of_a_graph_agree(graph: Graph) -> None:
    chosen = np.arange(graph.classes) % 3 > 0
    offsets, neighbours = graph.arcs_within(chosen)
    inside = graph.within(chosen)
    assert (inside.offsets.tolist(), inside.neighbours.tolist()) == (
        offsets.tolist(),
        neighbours.tolist(),
    )
    assert (inside.weights == graph.weights[chosen]).all()
    near = graph.neighbours_in(chosen)[chosen]
    assert (inside.degrees == near).all()
    assert graph.within(np.ones(graph.classes, bool)).pairs == graph.pairs
    assert graph.pairs_to_write(~np.ones(graph.classes, bool)) == 0


def test_the_blocks_of_a_graph_have_its_neighbours(graph: Graph) -> None:
    lists = graph.lists
    assert lists.classes.shape[1] == graph.classes
    members = np.diff(lists.starts)
    assert members.sum() == (lists.classes >= 0).sum()
    assert len(lists.offsets) == len(lists.starts) == len(lists.loops) + 1


def test_every_solver_takes_every_form(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers are those of the graph with its pairs, on every way through the solvers."""
    written = graph.within(np.ones(graph.classes, bool))
    expected = fractional_repair(written)
    relaxed = fractional_repair(graph)
    assert relaxed.value == expected.value
    assert exact_repair(graph, relaxed, time_limit=60) == exact_repair(
        written, expected, time_limit=60
    )
    counts = witnesses(graph, 5).counts
    assert counts == witnesses(written, 5).counts
    assert problematic_levels(graph, 5) == [graph.self_inconsistent + n for n in counts]
    levels = doubled_minimal_inconsistent_levels(graph, 5)
    monkeypatch.setattr(flow, "EXPLICIT", -1)  # fill before anything is written down
    assert doubled_minimal_inconsistent_levels(graph, 5) == levels
