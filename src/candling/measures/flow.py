"""Max flow on the bipartite double cover of the conflict graph: F(a, b).

Every row u has a left and a right copy, every conflict {u, v} the arcs u -> v' and v -> u' of
capacity 1; left copies get a from the source, right copies give b to the sink. On classes all of
these are multiplied by the weights. Dinic's algorithm, compiled, in exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from candling.conflicts import ConflictGraph


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
    value, left_level, right_level = _dinic(
        graph.offsets,
        graph.neighbours,
        graph.weights,
        graph.weights * left,
        graph.weights * right,
        arcs,
    )
    return Flow(int(value), arcs, left_level >= 0, right_level >= 0)


@njit(cache=True)
def _dinic(offsets, neighbours, weights, left_room, right_room, flow):  # type: ignore[no-untyped-def]
    """Fill `flow`; return its value and the levels of the last search (-1: not reached).

    The rooms are what source and sink can still give and take; they are used up. Arc k goes from
    the class whose list it stands in to neighbours[k]'; mirror[k] is its opposite number.
    """
    n = len(weights)
    mirror = np.empty(len(neighbours), np.int64)
    left_at = offsets[:-1].copy()
    for u in range(n):  # lists are sorted: the classes arrive in the order of each list
        for k in range(offsets[u], offsets[u + 1]):
            v = neighbours[k]
            mirror[k] = left_at[v]
            left_at[v] += 1
    value = 0
    for u in range(n):  # greedy start
        for k in range(offsets[u], offsets[u + 1]):
            if left_room[u] == 0:
                break
            v = neighbours[k]
            capacity = weights[u] * (weights[v] - (u == v))
            push = min(left_room[u], right_room[v], capacity - flow[k])
            flow[k] += push
            left_room[u] -= push
            right_room[v] -= push
            value += push
    right_at = np.empty(n, np.int64)
    left_level, right_level = np.empty(n, np.int32), np.empty(n, np.int32)
    queue, layer = np.empty(n, np.int32), np.empty(n, np.int32)
    path, forth, back = np.empty(n, np.int32), np.empty(n, np.int64), np.empty(n, np.int64)
    while True:
        # Levels: left copies of level d reach right copies of level d, those left copies of d + 1.
        left_level[:] = -1
        right_level[:] = -1
        size = 0
        for u in range(n):
            if left_room[u] > 0:
                left_level[u] = 0
                queue[size] = u
                size += 1
        depth = 0
        final = -1
        while size > 0 and final < 0:
            reached = 0
            for i in range(size):
                u = queue[i]
                for k in range(offsets[u], offsets[u + 1]):
                    v = neighbours[k]
                    if right_level[v] < 0 and flow[k] < weights[u] * (weights[v] - (u == v)):
                        right_level[v] = depth
                        layer[reached] = v
                        reached += 1
                        if right_room[v] > 0:
                            final = depth
            size = 0
            if final < 0:
                depth += 1
                for i in range(reached):
                    v = layer[i]
                    for k in range(offsets[v], offsets[v + 1]):
                        u = neighbours[k]
                        if left_level[u] < 0 and flow[mirror[k]] > 0:
                            left_level[u] = depth
                            queue[size] = u
                            size += 1
        if final < 0:
            return value, left_level, right_level
        left_at[:] = offsets[:-1]
        right_at[:] = offsets[:-1]
        for root in range(n):
            if left_level[root] != 0:
                continue
            path[0] = root
            d = 0
            while d >= 0 and left_room[root] > 0:
                u = path[d]
                # Forth to a right copy of the same level.
                while left_at[u] < offsets[u + 1]:
                    k = left_at[u]
                    v = neighbours[k]
                    capacity = weights[u] * (weights[v] - (u == v))
                    if right_level[v] == d and flow[k] < capacity:
                        break
                    left_at[u] += 1
                if left_at[u] == offsets[u + 1]:
                    d -= 1
                    if d >= 0:
                        right_at[neighbours[forth[d]]] += 1
                    continue
                k = left_at[u]
                v = neighbours[k]
                forth[d] = k
                if d == final:
                    if right_room[v] == 0:
                        left_at[u] += 1
                        continue
                    push = min(left_room[root], right_room[v])
                    for i in range(d + 1):
                        x, y = path[i], neighbours[forth[i]]
                        push = min(push, weights[x] * (weights[y] - (x == y)) - flow[forth[i]])
                        if i > 0:
                            push = min(push, flow[back[i]])
                    for i in range(d + 1):
                        flow[forth[i]] += push
                        if i > 0:
                            flow[back[i]] -= push
                    left_room[root] -= push
                    right_room[v] -= push
                    value += push
                    d = 0
                    continue
                # Back to a left copy of the next level, along an arc that carries flow.
                while right_at[v] < offsets[v + 1]:
                    q = right_at[v]
                    if left_level[neighbours[q]] == d + 1 and flow[mirror[q]] > 0:
                        break
                    right_at[v] += 1
                if right_at[v] == offsets[v + 1]:
                    left_at[u] += 1
                    continue
                d += 1
                path[d] = neighbours[right_at[v]]
                back[d] = mirror[right_at[v]]
