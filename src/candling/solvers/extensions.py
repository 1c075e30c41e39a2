"""Lipschitz extensions of the measures over a grid of thresholds, as exact integers.

`problematic` at threshold t is F(t,1): a row may witness the conflicts of at most t others.
`minimal_inconsistent` is F(t,t)/2: a row may take part in at most t pairs, fractionally. Both only
grow when a row is added, by at most t + 1 and t (docs/privacy.md, Theorems 2 and 3), are concave in
the threshold, and reach the true measure when t is large enough.
"""

from __future__ import annotations

import numpy as np

from candling.engines.memory import new_array
from candling.graph import BlockGraph, ConflictGraph
from candling.solvers.flow import Network, maximise
from candling.solvers.saturate import both_limited
from candling.solvers.witness import Witnesses, witnesses


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
    flow = new_array(len(graph.neighbours), np.int64, graph.memory)
    left, right = np.zeros_like(graph.weights), graph.weights.copy()
    network = Network(graph.offsets, graph.neighbours, graph.weights, graph.part, left, right, flow)
    values: list[int] = []
    value = 0
    for level in range(levels):
        if value < everyone:  # else every row has a witness, and nothing changes any more
            left += graph.weights * (1 if level == 0 else 2 ** (level - 1))
            value += maximise(network, graph.memory).added
        values.append(graph.self_inconsistent + value)
    return values


def doubled_minimal_inconsistent_levels(
    graph: ConflictGraph | BlockGraph, levels: int, *, given: Witnesses | None = None
) -> list[int]:
    """The values 2s + F(2**i, 2**i) for i below `levels`: twice the measure, an integer."""
    covering = None
    if isinstance(graph, BlockGraph):
        covering = (given or witnesses(graph, 1)).cover == 2
    largest = int(graph.degrees.max(initial=0))
    values: list[int] = []
    for level in range(levels):
        t = 2**level
        value = 2 * graph.pairs if t >= largest else both_limited(graph, t, covering)
        values.append(2 * graph.self_inconsistent + value)
    return values
