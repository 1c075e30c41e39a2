"""Max flow on the bipartite double cover of the conflict graph: F(a, b).

Every row u has a left and a right copy, every conflict {u, v} the arcs u -> v' and v -> u' of
capacity 1; left copies get a from the source, right copies give b to the sink. On classes all of
these are multiplied by the weights. Dinic's algorithm, compiled, in exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from candling.conflicts import ConflictGraph
from candling.measures.flow_kernels import dinic


@dataclass(frozen=True, slots=True)
class Flow:
    """A maximum flow and the copies that its residual network reaches from the source."""

    value: int
    arcs: npt.NDArray[np.int64]  # along graph.neighbours: flow from the class to its neighbour
    left_reached: npt.NDArray[np.bool_]
    right_reached: npt.NDArray[np.bool_]


def max_flow(graph: ConflictGraph, left: int, right: int) -> Flow:
    """F(left, right): at most `left` out of, and `right` into, the copies of each row."""
    arcs = np.zeros(len(graph.neighbours), np.int64)
    value, left_level, right_level = dinic(
        graph.offsets,
        graph.neighbours,
        graph.weights,
        graph.weights * left,
        graph.weights * right,
        arcs,
    )
    return Flow(int(value), arcs, left_level >= 0, right_level >= 0)
