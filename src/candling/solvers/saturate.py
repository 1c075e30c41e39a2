"""F(t, t): twice the largest fractional choice of pairs in which no row is in more than t.

Heavy and light first; what is left is a core in which every row has more conflicts than room, and a
maximum flow solves it, beginning with that of the last threshold. Where pairs are not written down,
that is avoided if it can be: a set S of rows whose room can be filled by others alone, beside an
optimal choice among those, is worth its room, as no choice can get more out of S. Candidates for S
are the rows of a smallest cover.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from candling.deadline import must_progress
from candling.graph import Graph
from candling.memory import new_array
from candling.solvers.flow import Amounts, Network, keep_flow, maximise, no_flow
from candling.solvers.saturate_kernels import copy_within, count_within, saturate

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

EXPLICIT = 50_000  # pairs that are written down for a flow without trying anything else
TRIES = 12
MOST = 1.5  # times the pairs that a flow needs, and it does not go along others too


class BothLimited:
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
            peeled, core, room = _peeled(graph, nodes, room)
            value += peeled
            if not core.any():
                return value
            filled = _filled(graph, core, room, self._covering)
            if filled is None:
                self._written = _written(graph, core, self._written)
                return value + self._written.solve(graph, core, room)
            must_progress(bool((filled & core).any()))
            value += 2 * int((graph.weights * room)[filled].sum())
            nodes = core & ~filled


def _peeled(graph: Graph, nodes: Mask, room: Integers) -> tuple[int, Mask, Integers]:
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


def _filled(graph: Graph, core: Mask, room: Integers, covering: Callable[[], Mask]) -> Mask | None:
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

    def only(self, nodes: Mask, memory: str | None) -> _Written:
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


def _written(graph: Graph, core: Mask, last: _Written | None) -> _Written:
    """The pairs of a core: what was written last if it has them, without what is too much of it."""
    if last is not None and not (core & ~last.nodes).any():
        arcs = np.diff(last.offsets)
        within = int(arcs[core[last.nodes]].sum())
        return last if MOST * within >= len(last.neighbours) else last.only(core, graph.memory)
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
