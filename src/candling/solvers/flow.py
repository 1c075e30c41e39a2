"""Max flow on the bipartite double cover of the conflict graph: F(a, b).

Every row u has a left and a right copy, every conflict {u, v} the arcs u -> v' and v -> u' of
capacity 1; left copies get a from the source, right copies give b to the sink. On classes all of
these are multiplied by the weights. Dinic's algorithm, compiled, in exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from candling.deadline import must_progress
from candling.graph import ConflictGraph
from candling.memory import new_array
from candling.solvers.flow_kernels import augment, find_mirror, greedy, search

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Flow:
    """A maximum flow and the copies that its residual network reaches from the source."""

    value: int
    arcs: Integers  # along graph.neighbours: flow from the class to its neighbour
    left_reached: npt.NDArray[np.bool_]
    right_reached: npt.NDArray[np.bool_]


class Network(NamedTuple):
    """A graph, what source and sink can still give and take, and the flow; the latter change."""

    offsets: Integers
    neighbours: npt.NDArray[np.int32]
    weights: Integers
    part: Integers
    left_room: Integers
    right_room: Integers
    flow: Integers


@dataclass(frozen=True, slots=True)
class Gain:
    """What `maximise` added; a copy that its last search did not reach has level -1."""

    added: int
    left_level: npt.NDArray[np.int32]
    right_level: npt.NDArray[np.int32]


def max_flow(graph: ConflictGraph, left: int, right: int) -> Flow:
    """F(left, right): at most `left` out of, and `right` into, the copies of each row."""
    arcs = new_array(len(graph.neighbours), np.int64, graph.memory)
    rooms = graph.weights * left, graph.weights * right
    network = Network(graph.offsets, graph.neighbours, graph.weights, graph.part, *rooms, arcs)
    gain = maximise(network, graph.memory)
    return Flow(gain.added, arcs, gain.left_level >= 0, gain.right_level >= 0)


def maximise(network: Network, memory: str | None) -> Gain:
    """Make the flow, which may have begun elsewhere, maximal.

    A phase fills shortest paths until there is none, so those of the next are longer, and no path
    is longer than the copies are many.
    """
    offsets, neighbours, weights = network[:3]
    n = len(weights)
    if n == 0:
        return Gain(0, *(np.empty(0, np.int32) for _ in range(2)))
    mirror = new_array(len(neighbours), np.int64, memory)
    find_mirror(offsets, neighbours, offsets[:-1].copy(), mirror)
    left_level, right_level, queue, layer = (np.empty(n, np.int32) for _ in range(4))
    added = greedy(*network)
    length = -1
    while (final := search(*network, mirror, left_level, right_level, queue, layer)) >= 0:
        must_progress(final > length)
        length = final
        path = np.empty(final + 1, np.int32)
        forth, back = np.empty(final + 1, np.int64), np.empty(final + 1, np.int64)
        starts = offsets[:-1].copy(), offsets[:-1].copy()
        gain = augment(*network, mirror, left_level, right_level, final, *starts, path, forth, back)
        must_progress(gain > 0)
        added += gain
    return Gain(int(added), left_level, right_level)
