"""Max flow on the bipartite double cover of the conflict graph: F(a, b) and F(t, t).

Every row u has a left and a right copy, every conflict {u, v} the arcs u -> v' and v -> u' of
capacity 1; left copies get a from the source, right copies give b to the sink. On classes all of
these are multiplied by the weights. Dinic's algorithm, compiled, in exact integers.

Heavy and light first; what is left is a core in which every row has more conflicts than room, and a
maximum flow solves it, beginning with that of the last threshold. Where pairs are not written down,
that is avoided if it can be: a set S of rows whose room can be filled by others alone, beside an
optimal choice among those, is worth its room, as no choice can get more out of S. Candidates for S
are the rows of a smallest cover.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from candling.graph import ConflictGraph, Graph
from candling.graph.flow_kernels import (
    augment,
    copy_within,
    count_within,
    greedy,
    keep,
    saturate,
    search,
    turn,
    turn_few,
)
from candling.records import dataclass
from candling.system.limits import must_progress, new_array, pieces

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
    back = _reverse_flow(network, memory)
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


def _reverse_flow(network: Network, memory: str | None) -> Amounts:
    """For each arc, what flows along the arc the other way."""
    offsets, neighbours, flow = network.offsets, network.neighbours, network.flow
    back = new_array(len(neighbours), flow.dtype.type, memory)
    carrying = sum(np.count_nonzero(flow[piece]) for piece in pieces(len(flow)))
    if FEW * carrying < len(flow):
        turn_few(offsets, neighbours, flow, back)
    else:
        turn(offsets, neighbours, flow, offsets[:-1].copy(), back)
    return back


Mask = npt.NDArray[np.bool_]

EXPLICIT = 50_000  # pairs that are written down for a flow without trying anything else
TRIES = 12
MOST = 1.5  # times the pairs that a flow needs, and it does not go along others too


class CappedMatching:
    """F(t, t) of a graph, for one threshold after the other.

    Whoever asks for rising thresholds gets every flow from the one before. `covering` gives the
    whole nodes of a smallest cover, if it is asked.
    """

    def __init__(self, graph: Graph, covering: Callable[[], Mask]) -> None:
        self._graph = graph
        self._covering = covering
        self._written: _Written | None = None

    def value(self, threshold: int) -> int:
        """F(threshold, threshold).

        Every round but the last leaves fewer nodes: those that are filled have their value.
        """
        graph = self._graph
        nodes = np.ones(graph.classes, bool)
        room = np.full(graph.classes, threshold, np.int64)
        value = 0
        while True:
            peeled, core, room = _peel(graph, nodes, room)
            value += peeled
            if not core.any():
                return value
            filled = _find_saturable(graph, core, room, self._covering)
            if filled is None:
                self._written = _write_pairs(graph, core, self._written)
                return value + self._written.solve(graph, core, room)
            must_progress(bool((filled & core).any()))
            value += 2 * int((graph.weights * room)[filled].sum())
            nodes = core & ~filled


def _peel(graph: Graph, nodes: Mask, room: Integers) -> tuple[int, Mask, Integers]:
    """Heavy and light, over and over: the value so far, the nodes that are left, and their room.

    A row with no more conflicts than room gets all of them; its heavier neighbours pay from their
    room, and what remains is a smaller problem of the same kind.
    """
    weights = graph.weights
    core, room, value = nodes.copy(), room.copy(), 0
    inside = graph.degrees if nodes.all() else graph.neighbours_in(core)
    rounds = graph.classes  # every round takes a node or more out of the core
    while (light := core & (inside <= room)).any():
        must_progress(rounds > 0)
        rounds -= 1
        near = graph.neighbours_in(light)
        core &= ~light
        take = np.where(core, np.minimum(room, near), 0)
        value += int((weights * near)[light].sum()) + 2 * int((weights * take).sum())
        room -= take
        spent = core & (room == 0)
        core &= ~spent
        inside = inside - near
        if spent.any():
            inside -= graph.neighbours_in(spent)
    return value, core, room


def _find_saturable(
    graph: Graph, core: Mask, room: Integers, covering: Callable[[], Mask]
) -> Mask | None:
    """Nodes of a core whose room others can fill, worth twice that room beside the others' value.

    None if no such set is found, or if the core is small enough to be solved right away.
    """
    if graph.pairs_to_write(core, EXPLICIT) <= EXPLICIT:
        return None
    filled = core & covering()
    for attempt in range(TRIES):
        others = core & ~filled
        near = graph.neighbours_in(others)
        scarce = filled & (near <= room + room // 2)
        if scarce.any() and attempt < TRIES // 2:
            filled &= ~scarce
            continue
        if not filled.any():
            return None
        short = _short(graph, filled, others, near, room)
        if not short.any():
            return filled
        filled &= ~short
    return None


def _short(graph: Graph, filled: Mask, others: Mask, near: Integers, room: Integers) -> Mask:
    """Which of the nodes to fill stay short when each takes what it finds, the poorest first.

    `near` counts neighbours among the others, who keep room for all pairs among themselves.
    """
    spare = np.where(others, room - np.minimum(room, near), 0)
    order = np.flatnonzero(filled)
    order = order[np.argsort(near[order] / room[order], kind="stable")].astype(np.int32)
    need = graph.weights * room
    lists = graph.lists
    free = others[lists.members]
    ends = np.concatenate([[0], np.cumsum(free)])[lists.starts]
    saturate(
        order, need, graph.weights, graph.weights * spare, lists.classes, lists.first,
        lists.offsets, lists.neighbours, ends[:-1].copy(), ends[1:].copy(), lists.members[free],
        ends[:-1].copy(), np.full(graph.classes, -1, np.int32),
    )  # fmt: skip
    return filled & (need > 0)


@dataclass(frozen=True, slots=True)
class _Written:
    """The pairs among some nodes, written down, and the last flow along them."""

    nodes: Mask
    offsets: Integers
    neighbours: npt.NDArray[np.int32]
    flow: Amounts

    def solve(self, graph: Graph, core: Mask, room: Integers) -> int:
        """The value of a core among these nodes, by a maximum flow that begins with the last."""
        rooms = np.where(core, room * graph.weights, 0)[self.nodes]
        network = Network(
            self.offsets, self.neighbours, graph.weights[self.nodes], graph.part[self.nodes],
            rooms, rooms.copy(), self.flow,
        )  # fmt: skip
        return keep_flow(network) + maximise(network, graph.memory).added

    def select(self, nodes: Mask, memory: str | None) -> _Written:
        """The same for some of the nodes."""
        inside = nodes[self.nodes]
        number = np.where(inside, np.cumsum(inside) - 1, -1).astype(np.int32)
        ends = np.zeros(int(inside.sum()) + 1, np.int64)
        count_within(self.offsets, self.neighbours, number, ends)
        np.cumsum(ends, out=ends)
        neighbours = new_array(int(ends[-1]), np.int32, memory)
        flow = new_array(int(ends[-1]), self.flow.dtype.type, memory)
        copy_within(self.offsets, self.neighbours, self.flow, number, neighbours, flow)
        return _Written(nodes, ends, neighbours, flow)


def _write_pairs(graph: Graph, core: Mask, last: _Written | None) -> _Written:
    """The pairs of a core: what was written last if it has them, without what is too much of it."""
    if last is not None and not (core & ~last.nodes).any():
        arcs = np.diff(last.offsets)
        within = int(arcs[core[last.nodes]].sum())
        return last if MOST * within >= len(last.neighbours) else last.select(core, graph.memory)
    # The cores of larger thresholds are likely to have a few nodes that this one lacks.
    everything = np.ones_like(core)
    nodes = core
    enough = int(MOST * graph.pairs_to_write(core))
    if graph.pairs_to_write(everything, enough) <= enough:
        nodes = everything
    offsets, neighbours = graph.arcs_within(nodes)
    return _Written(
        nodes, offsets, neighbours, no_flow(neighbours, graph.weights[nodes], graph.memory)
    )
