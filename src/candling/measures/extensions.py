"""Lipschitz extensions of the measures over a grid of thresholds, as exact integers.

`problematic` at threshold t is F(t,1): a row may witness the conflicts of at most t others.
`minimal_inconsistent` is F(t,t)/2: a row may take part in at most t pairs, fractionally. Both only
grow when a row is added, by at most t + 1 and t (docs/privacy.md, Theorems 2 and 3), are concave in
the threshold, and reach the true measure when t is large enough.
"""

from __future__ import annotations

import numpy as np

from candling.conflicts import BlockGraph, ConflictGraph
from candling.measures.flow import Network, maximise
from candling.measures.saturate import doubled_levels
from candling.measures.subgraph import Arcs
from candling.measures.witness import Witnesses, witnesses


def problematic_levels(
    graph: ConflictGraph | BlockGraph, levels: int, *, given: Witnesses | None = None
) -> list[int]:
    """The values s + F(2**i, 1) for i below `levels`, each from the flow of the last.

    `given` are the witnesses of a graph in blocks, if they are known.
    """
    if isinstance(graph, BlockGraph):
        counts = (given or witnesses(graph, levels)).counts
        return [graph.self_inconsistent + count for count in counts]
    everyone = int(graph.weights.sum())
    flow = np.zeros(len(graph.neighbours), np.int64)
    left, right = np.zeros_like(graph.weights), graph.weights.copy()
    network = Network(graph.offsets, graph.neighbours, graph.weights, left, right, flow)
    values: list[int] = []
    value = 0
    for level in range(levels):
        if value < everyone:  # else every row has a witness, and nothing changes any more
            left += graph.weights * (1 if level == 0 else 2 ** (level - 1))
            value += maximise(network).added
        values.append(graph.self_inconsistent + value)
    return values


def doubled_minimal_inconsistent_levels(
    graph: ConflictGraph | BlockGraph, levels: int, *, given: Witnesses | None = None
) -> list[int]:
    """The values 2s + F(2**i, 2**i) for i below `levels`: twice the measure, an integer."""
    if isinstance(graph, BlockGraph):
        cover = (given or witnesses(graph, 1)).cover
        found = doubled_levels(graph, cover, levels)
        return [2 * graph.self_inconsistent + value for value in found]
    largest = int(graph.degrees.max(initial=0))
    values: list[int] = []
    for level in range(levels):
        threshold = 2**level
        value = 2 * graph.pairs if threshold >= largest else _both_limited(graph, threshold)
        values.append(2 * graph.self_inconsistent + value)
    return values


def _both_limited(graph: ConflictGraph, threshold: int) -> int:
    """F(threshold, threshold) for a threshold below the largest degree.

    Heavy and light: a row with no more conflicts than room gets all of them; its heavier neighbours
    pay from their room, and what remains is a smaller problem of the same kind. A maximum flow
    solves the core where every row has more conflicts than room.
    """
    weights = graph.weights
    core = np.ones(graph.classes, bool)
    room = np.full(graph.classes, threshold, np.int64)
    inside = graph.degrees
    value = 0
    while (light := core & (inside <= room)).any():
        near = graph.neighbours_in(light)
        core &= ~light
        take = np.where(core, np.minimum(room, near), 0)
        value += int((weights * near)[light].sum()) + 2 * int((weights * take).sum())
        room -= take
        core &= room > 0
        inside = graph.neighbours_in(core)
    if not core.any():
        return value
    rest = Arcs(graph.classes, graph.sources, graph.neighbours).induced(core)
    left = (room * weights)[core]
    flow = np.zeros(len(rest.targets), np.int64)
    network = Network(rest.offsets, rest.targets, weights[core], left, left.copy(), flow)
    return value + maximise(network).added
