"""Who witnesses for whom, row by row: everybody another row in conflict, nobody too many."""

from __future__ import annotations

import numpy as np

from candling.graph.blocks import Block, BlockGraph
from candling.graph.conflict_graph import adjacency
from candling.graph.witness import FlowWitnesses, _Assignment

LEVELS = 5


def random_blocks(seed: int) -> BlockGraph | None:
    """A few classes of several rows in one block, many of them their own neighbours."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(2, 9))
    weights = rng.integers(1, int(rng.integers(2, 7)), nodes).astype(np.int64)
    near, own = rng.uniform(0.1, 0.6), rng.uniform(0, 0.8)
    edges = [
        (u, v)
        for u in range(nodes)
        for v in range(u, nodes)
        if rng.random() < (near if u < v else own) and (u < v or weights[u] > 1)
    ]
    if not edges:
        return None
    left, right = (np.array(ends, np.int32) for ends in zip(*edges, strict=True))
    offsets, neighbours = adjacency(nodes, left, right)
    every, part = np.arange(nodes, dtype=np.int32), np.ones(nodes, np.int64)
    codes = np.zeros((0, nodes), np.int32)
    blocks = (Block(every, offsets, neighbours),)
    rows = int(weights.sum())
    graph = BlockGraph(rows, 0, weights, blocks, neighbours, (), codes, (), every, part)
    return graph if graph.degrees.all() else None


def test_every_witness_is_another_row_in_conflict() -> None:
    for seed in range(1_500):
        graph = random_blocks(seed)
        if graph is None:
            continue
        whole = FlowWitnesses(graph.within(np.ones(graph.classes, bool)), LEVELS)
        assignment = _Assignment(graph)
        block = graph.blocks[0]
        for level in range(LEVELS):
            assignment.improve(2**level)
            mate, nodes = assignment.mate, assignment.nodes
            rows = np.flatnonzero(mate >= 0)
            assert len(rows) == whole.counts[level]
            assert (mate[rows] != rows).all()
            for u, v in zip(nodes[rows], nodes[mate[rows]], strict=True):
                assert v in block.neighbours[block.offsets[u] : block.offsets[u + 1]]
            served = np.bincount(mate[rows], minlength=len(mate))
            assert (served == assignment.load).all()
            assert served.max(initial=0) <= 2**level
