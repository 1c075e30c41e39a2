"""Networks of flows between persons: nodes and arcs in bulk, hubs instead of pairs.

An arc without a stated capacity never binds, as what its ends send or receive is bounded elsewhere.
So such arcs may take any way, as long as there is one from each node to each that it may reach.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from candling.graph.person_flow_kernels import augment, place_arcs, search
from candling.system.limits import must_progress, new_array

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

FEW = 6  # parts of a group up to which every two are joined
EVERYTHING = 2**62  # more than all rows
ROUNDS = 8


class Wiring:
    """A network while it is built."""

    def __init__(self) -> None:
        self.nodes = 0
        self._arcs: list[tuple[Integers, Integers, Integers]] = []
        self._fed: list[tuple[Integers, Integers, Integers]] = []

    def add(self, count: int) -> Integers:
        """The numbers of new nodes."""
        self.nodes += count
        return np.arange(self.nodes - count, self.nodes)

    def join(self, tails: Integers, heads: Integers, capacities: Integers | None = None) -> None:
        """An arc from each of the tails to the head beside it."""
        if capacities is None:
            capacities = np.full(len(tails), EVERYTHING)
        self._arcs.append((tails, heads, capacities))

    def feed(self, left: Integers, right: Integers, amounts: Integers) -> None:
        """Let as much enter the network at each of the left nodes, and leave it at the right."""
        self._fed.append((left, right, amounts))

    def join_different(self, group: npt.NDArray[np.int32], left: Integers, right: Integers) -> None:
        """Ways from left[i] to right[j] for all i and j that differ and have one group.

        The members of a large group are numbered by two digits, to the base of about the square
        root of its size, and two that differ do so in a digit. A way goes from left[i] into its
        digit, out of another digit, and on to right[j]. That takes about 6 arcs for each i.
        """
        size = np.bincount(group)
        order = np.argsort(group, kind="stable")
        start = np.cumsum(size) - size
        rank = np.empty(len(group), np.int64)
        rank[order] = np.arange(len(group)) - np.repeat(start, size)
        few = np.flatnonzero(size[group] <= FEW)
        for shift in range(1, FEW):
            few = few[size[group[few]] > shift]
            at = group[few]
            other = order[start[at] + (rank[few] + shift) % size[at]]
            self.join(left[few], right[other])
        many = np.flatnonzero(size > FEW)
        if not len(many):
            return
        base = np.zeros(len(size), np.int64)
        base[many] = np.ceil(np.sqrt(size[many])).astype(np.int64)
        first = np.cumsum(base) - base  # digits of a group begin here
        inside = np.flatnonzero(size[group] > FEW)
        at = group[inside]
        one = np.repeat(np.arange(base.sum()), np.repeat(base, base))  # each digit with all others
        two = np.arange(len(one)) - np.repeat(np.cumsum(base**2) - base**2, base**2)
        two = two % np.repeat(base, base**2) + np.repeat(first, base**2)
        differ = one != two
        for digit in (rank[inside] % base[at], rank[inside] // base[at]):
            into, out = self.add(int(base.sum())), self.add(int(base.sum()))
            self.join(left[inside], into[first[at] + digit])
            self.join(into[one[differ]], out[two[differ]])
            self.join(out[first[at] + digit], right[inside])

    def build(self, memory: str | None) -> Network:
        """The network, in which nothing flows yet. Nodes that were fed may be fed more."""
        none = np.empty(0, np.int64)
        tails, heads, capacities = (
            np.concatenate([none, *(arc[side] for arc in self._arcs)]) for side in range(3)
        )
        ends = np.zeros(self.nodes, bool)
        for left, right, _ in self._fed:
            ends[left] = ends[right] = True
        tails, heads, capacities = contract(tails, heads, capacities, ends)
        used = ends.copy()
        used[tails] = used[heads] = True
        number = np.where(used, np.cumsum(used) - 1, -1)
        tails, heads, count = number[tails], number[heads], int(used.sum())
        lists = np.bincount(tails, minlength=count) + np.bincount(heads, minlength=count)
        offsets = np.concatenate([[0], np.cumsum(lists)])
        size = int(offsets[-1])
        to, reverse = new_array(size, np.int32, memory), new_array(size, np.int64, memory)
        rest, at = new_array(size, np.int64, memory), offsets[:-1].copy()
        place_arcs(tails, heads, capacities, at, to, reverse, rest)
        network = Network(offsets, to, reverse, rest, number)
        for left, right, amounts in self._fed:
            network.feed(left, right, amounts)
        return network


def contract(
    tails: Integers, heads: Integers, capacities: Integers, ends: Mask
) -> tuple[Integers, Integers, Integers]:
    """Fewer arcs between the same ends, which carry as much.

    A node without a way in or out is left out. One with a single way in, which never binds, is the
    node before it; the same holds for a single way out. One with a single way in and a single way
    out is an arc.
    """
    nodes = len(ends)
    for _ in range(ROUNDS):
        before = len(tails)
        for one, other in ((0, 1), (1, 0)):
            # Nodes with a single arc that ends here (or begins), by the number of that arc.
            sides = tails, heads
            ways = [np.bincount(side, minlength=nodes) for side in sides]
            dead = ~ends & ((ways[0] == 0) | (ways[1] == 0))
            kept = ~(dead[tails] | dead[heads])
            lone = ~ends & (ways[other] == 1)
            open_arc = kept & lone[sides[other]] & (capacities == EVERYTHING)
            goes = np.zeros(nodes, bool)
            goes[sides[other][open_arc]] = True
            open_arc &= ~goes[sides[one]]  # its node stays
            new = np.arange(nodes)
            new[sides[other][open_arc]] = sides[one][open_arc]
            kept &= ~open_arc
            tails, heads, capacities = new[tails[kept]], new[heads[kept]], capacities[kept]
        ways_out, ways_in = (np.bincount(side, minlength=nodes) for side in (tails, heads))
        series = ~ends & (ways_out == 1) & (ways_in == 1)
        into = series[heads] & ~series[tails]
        last = np.full(nodes, -1)  # of each such node, the arc into it
        last[heads[into]] = np.flatnonzero(into)
        out = np.flatnonzero(series[tails] & (last[tails] >= 0))
        first = last[tails[out]]
        tails[out] = tails[first]
        capacities[out] = np.minimum(capacities[out], capacities[first])
        kept = np.ones(len(tails), bool)
        kept[first] = False
        kept &= tails != heads
        tails, heads, capacities = tails[kept], heads[kept], capacities[kept]
        if len(tails) > 0.95 * before:
            break
    return tails, heads, capacities


class Network:
    """A network with its flow; `supply` and `demand` are what its nodes can still give and take."""

    def __init__(
        self,
        offsets: Integers,
        to: npt.NDArray[np.int32],
        reverse: Integers,
        rest: Integers,
        number: Integers,
    ) -> None:
        self._arcs = offsets, to, reverse, rest
        self._number = number  # of each node of the wiring
        self.supply, self.demand = (np.zeros(len(offsets) - 1, np.int64) for _ in range(2))

    def feed(self, left: Integers, right: Integers, amounts: Integers) -> None:
        """Let more enter at each of the left nodes, and leave at the right."""
        np.add.at(self.supply, self._number[left], amounts)
        np.add.at(self.demand, self._number[right], amounts)

    def maximise(self) -> int:
        """Make the flow maximal; return what was added.

        A phase fills shortest paths until there is none, so those of the next are longer.
        """
        offsets, nodes = self._arcs[0], len(self.supply)
        level, ahead, behind = (np.empty(nodes, np.int32) for _ in range(3))
        added = last = 0
        state = *self._arcs, self.supply, self.demand, level
        while (length := int(search(*state, ahead, behind))) > 0:
            must_progress(length > last)
            last = length
            at = offsets[:-1].copy()
            path, along = np.empty(length, np.int32), np.empty(length, np.int64)
            gain = int(augment(*state, length, at, path, along))
            must_progress(gain > 0)
            added += gain
        return added
