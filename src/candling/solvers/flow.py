"""Max flow on the bipartite double cover of the conflict graph: F(a, b).

Every row u has a left and a right copy, every conflict {u, v} the arcs u -> v' and v -> u' of
capacity 1; left copies get a from the source, right copies give b to the sink. On classes all of
these are multiplied by the weights. Dinic's algorithm, compiled, in exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from candling.deadline import must_progress
from candling.graph import ConflictGraph
from candling.memory import new_array, pieces
from candling.solvers.flow_kernels import augment, greedy, keep, search, turn, turn_few

Integers = npt.NDArray[np.int64]
Amounts = npt.NDArray[np.signedinteger[Any]]

LONG = 5_000_000  # arcs of a network whose flow is kept in as few bytes as it fits
FEW = 20  # fewer arcs than one in so many carry flow: they are looked up one by one


@dataclass(frozen=True, slots=True)
class Flow:
    """A maximum flow and the copies that its residual network reaches from the source."""

    value: int
    arcs: Amounts  # along graph.neighbours: flow from the class to its neighbour
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
    flow: Amounts


@dataclass(frozen=True, slots=True)
class Gain:
    """What `maximise` added; a copy that its last search did not reach has level -1."""

    added: int
    left_level: npt.NDArray[np.int32]
    right_level: npt.NDArray[np.int32]


def max_flow(graph: ConflictGraph, left: int, right: int) -> Flow:
    """F(left, right): at most `left` out of, and `right` into, the copies of each row."""
    arcs = no_flow(graph.neighbours, graph.weights, graph.memory)
    rooms = graph.weights * left, graph.weights * right
    network = Network(graph.offsets, graph.neighbours, graph.weights, graph.part, *rooms, arcs)
    gain = maximise(network, graph.memory)
    return Flow(gain.added, arcs, gain.left_level >= 0, gain.right_level >= 0)


def no_flow(neighbours: npt.NDArray[np.int32], weights: Integers, memory: str | None) -> Amounts:
    """Zero for each arc, in integers that hold what can flow along it."""
    largest = int(weights.max(initial=0)) ** 2
    small = len(neighbours) > LONG and largest <= np.iinfo(np.int8).max
    return new_array(len(neighbours), np.int8 if small else np.int64, memory)


def keep_flow(network: Network) -> int:
    """Keep of an earlier flow what the rooms allow, and take it from them; return how much."""
    return int(
        keep(
            network.offsets,
            network.neighbours,
            network.left_room,
            network.right_room,
            network.flow,
        )
    )


def maximise(network: Network, memory: str | None) -> Gain:
    """Make the flow, which may have begun elsewhere, maximal.

    A phase fills shortest paths until there is none, so those of the next are longer, and no path
    is longer than the copies are many.
    """
    offsets, n = network.offsets, len(network.weights)
    if n == 0:
        return Gain(0, *(np.empty(0, np.int32) for _ in range(2)))
    added = greedy(*network, _poorest_first(network))
    back = _turned(network, memory)
    left_level, right_level, queue, layer = (np.empty(n, np.int32) for _ in range(4))
    length = -1
    while (final := search(*network, back, left_level, right_level, queue, layer)) >= 0:
        must_progress(final > length)
        length = final
        path = np.empty(final + 1, np.int32)
        arrived, left_by = np.empty(final + 1, np.int64), np.empty(final + 1, np.int64)
        starts = offsets[:-1].copy(), offsets[:-1].copy()
        gain = augment(
            *network, back, left_level, right_level, final, *starts, path, arrived, left_by
        )
        must_progress(gain > 0)
        added += gain
    return Gain(int(added), left_level, right_level)


def _poorest_first(network: Network) -> npt.NDArray[np.int64]:
    """Classes with few arcs for their room choose first; where all have plenty, little is left."""
    arcs = np.diff(network.offsets) * network.weights
    return np.argsort(arcs / np.maximum(network.left_room, 1), kind="stable")


def _turned(network: Network, memory: str | None) -> Amounts:
    """For each arc, what flows along the arc the other way."""
    offsets, neighbours, flow = network.offsets, network.neighbours, network.flow
    back = new_array(len(neighbours), flow.dtype.type, memory)
    carrying = sum(np.count_nonzero(flow[piece]) for piece in pieces(len(flow)))
    if FEW * carrying < len(flow):
        turn_few(offsets, neighbours, flow, back)
    else:
        turn(offsets, neighbours, flow, offsets[:-1].copy(), back)
    return back
