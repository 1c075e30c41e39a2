"""Conflict graphs made by hand, without a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

import numpy as np

from candling.card import Exact
from candling.graph import ConflictGraph, Graph, fractional_repair
from candling.graph.conflict_graph import adjacency
from candling.graph.counting import maximal_consistent_logs
from candling.graph.repair import exact_repair

Edges = frozenset[tuple[int, int]]


def graph_of(
    edges: Iterable[tuple[int, int]],
    weights: list[int],
    *,
    parts: list[int] | None = None,
    alone: int = 0,
) -> ConflictGraph:
    """A graph whose class i has weights[i] rows; an edge (i, i) is a loop.

    The rows of a loop fall into parts of parts[i] rows, one if nothing is said.
    """
    pairs = np.array(sorted(edges), np.int32).reshape(-1, 2)
    used = np.unique(pairs)
    number = np.full(len(weights), -1, np.int32)
    number[used] = np.arange(len(used))
    heavy = np.array(weights, np.int64)[used]
    left, right = number[pairs[:, 0]], number[pairs[:, 1]]
    offsets, neighbours = adjacency(len(used), left, right)
    return ConflictGraph(
        rows=sum(weights) + alone,
        self_inconsistent=alone,
        weights=heavy,
        offsets=offsets,
        neighbours=neighbours,
        codes=np.empty((0, len(used)), np.int32),
        rules=(),
        class_of=np.arange(len(used), dtype=np.int32),
        part=np.array(parts or [1] * len(weights), np.int64)[used],
    )


def row_edges(graph: ConflictGraph) -> tuple[int, frozenset[tuple[int, int]]]:
    """Number of rows in conflict and the pairs between them, class by class."""
    starts = np.concatenate([[0], np.cumsum(graph.weights)])
    rows = [range(a, b) for a, b in pairwise(starts)]
    found = {
        (min(a, b), max(a, b))
        for u, v in zip(graph.sources, graph.neighbours, strict=True)
        for a in rows[u]
        for b in rows[v]
        if u != v or (a - starts[u]) // graph.part[u] != (b - starts[u]) // graph.part[u]
    }
    return int(starts[-1]), frozenset(found)


def measured(graph: Graph) -> Exact:
    """Every measure of a graph alone; its repair is the linear program's."""
    alone = graph.self_inconsistent
    relaxed = fractional_repair(graph)
    smallest = exact_repair(graph, relaxed, time_limit=60)
    logs = maximal_consistent_logs(graph)
    return Exact(
        {
            "rows": graph.rows,
            "drastic": int(alone + graph.classes > 0),
            "minimal_inconsistent": alone + graph.pairs,
            "problematic": alone + int(graph.weights.sum()),
            "repair": alone + relaxed.value,
            "repair_linear": alone + relaxed.value,
            "repair_exact": None if smallest is None else alone + smallest,
            "maximal_consistent_log2": None if logs is None else math.fsum(logs),
            "max_degree": int(graph.degrees.max(initial=0)),
        }
    )


def every_graph(nodes: int) -> Iterator[Edges]:
    pairs = list(combinations(range(nodes), 2))
    for mask in range(2 ** len(pairs)):
        yield frozenset(p for i, p in enumerate(pairs) if mask >> i & 1)


def without(edges: Edges, node: int) -> Edges:
    """The graph without a node, the others renumbered in order."""
    return frozenset((u - (u > node), v - (v > node)) for u, v in edges if node not in (u, v))
