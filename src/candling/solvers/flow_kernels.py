"""The loops of Dinic's algorithm on the bipartite double cover of a weighted graph, compiled.

Class u has the arcs neighbours[offsets[u]:offsets[u + 1]], from its left copy to the right copies
of its neighbours; flow[k] runs along arc k, whose capacity is the number of pairs of rows that it
stands for. The rooms are what the source can still give to a left copy and the sink take from a
right one. A search gives left copies of level d the right copies of level d, and those, back along
arcs that carry flow, the left copies of level d + 1. Arrays are made by the caller: what numba
need not know it need not compile.
"""

from __future__ import annotations

from candling.graph.compiled import compiled


@compiled
def _capacity(weights, part, u, v):  # type: ignore[no-untyped-def]
    """The conflicts between the rows of two classes, counted from u; inside one, between parts."""
    return weights[u] * (weights[v] - (part[u] if u == v else 0))


@compiled
def find_mirror(offsets, neighbours, at, mirror):  # type: ignore[no-untyped-def]
    """Write for each arc u -> v' the arc v -> u'; `at` holds where each list begins."""
    for u in range(len(at)):  # lists are sorted: classes arrive in the order of each
        for k in range(offsets[u], offsets[u + 1]):
            v = neighbours[k]
            mirror[k] = at[v]
            at[v] += 1


@compiled
def greedy(offsets, neighbours, weights, part, left_room, right_room, flow):  # type: ignore[no-untyped-def]
    """Fill arcs as they come; return how much."""
    value = 0
    for u in range(len(weights)):
        for k in range(offsets[u], offsets[u + 1]):
            if left_room[u] == 0:
                break
            v = neighbours[k]
            push = min(left_room[u], right_room[v], _capacity(weights, part, u, v) - flow[k])
            flow[k] += push
            left_room[u] -= push
            right_room[v] -= push
            value += push
    return value


@compiled
def search(  # type: ignore[no-untyped-def]
    offsets, neighbours, weights, part, left_room, right_room, flow, mirror,
    left_level, right_level, queue, layer,
):  # fmt: skip
    """Set the levels up to the first that has a right copy with room; return it, or -1.

    Every depth gives a level to left copies that had none, so there are no more depths than those.
    """
    size = 0
    for u in range(len(weights)):
        left_level[u] = -1
        right_level[u] = -1
        if left_room[u] > 0:
            left_level[u] = 0
            queue[size] = u
            size += 1
    depth = 0
    while size > 0:
        reached = 0
        final = False
        for i in range(size):
            u = queue[i]
            for k in range(offsets[u], offsets[u + 1]):
                v = neighbours[k]
                if right_level[v] < 0 and flow[k] < _capacity(weights, part, u, v):
                    right_level[v] = depth
                    layer[reached] = v
                    reached += 1
                    final |= right_room[v] > 0
        if final:
            return depth
        size = 0
        depth += 1
        for i in range(reached):
            v = layer[i]
            for k in range(offsets[v], offsets[v + 1]):
                u = neighbours[k]
                if left_level[u] < 0 and flow[mirror[k]] > 0:
                    left_level[u] = depth
                    queue[size] = u
                    size += 1
    return -1


@compiled
def augment(  # type: ignore[no-untyped-def]
    offsets, neighbours, weights, part, left_room, right_room, flow, mirror,
    left_level, right_level, final, left_at, right_at, path, forth, back,
):  # fmt: skip
    """Push along shortest paths until none is left; return how much, or -1: a push of nothing.

    The path goes path[0] -forth[0]-> right copy -back[1]-> path[1] -forth[1]-> ...; an arc that
    led nowhere is not tried again: left_at and right_at say where to go on in each list.

    A step goes deeper, to `final` at the most, or moves left_at or right_at on, which never move
    back, or pushes. A push that is more than nothing leaves an arc, a flow or a room at its end,
    where it stays, as all paths of this length go the same way through the levels.
    """
    value = 0
    for root in range(len(weights)):
        if left_level[root] != 0:
            continue
        path[0] = root
        d = 0
        while d >= 0 and left_room[root] > 0:
            u = path[d]
            k = left_at[u]
            if k == offsets[u + 1]:  # nothing from here: give up the arc that led here
                d -= 1
                if d >= 0:
                    right_at[neighbours[forth[d]]] += 1
                continue
            v = neighbours[k]
            if right_level[v] != d or flow[k] == _capacity(weights, part, u, v):
                left_at[u] += 1
                continue
            forth[d] = k
            if d == final:
                if right_room[v] == 0:
                    left_at[u] += 1
                    continue
                push = min(left_room[root], right_room[v])
                for i in range(d + 1):
                    free = _capacity(weights, part, path[i], neighbours[forth[i]]) - flow[forth[i]]
                    push = min(push, free)
                    if i > 0:
                        push = min(push, flow[back[i]])
                if push <= 0:
                    return -1
                for i in range(d + 1):
                    flow[forth[i]] += push
                    if i > 0:
                        flow[back[i]] -= push
                left_room[root] -= push
                right_room[v] -= push
                value += push
                d = 0
                continue
            q = right_at[v]
            while q < offsets[v + 1]:
                if left_level[neighbours[q]] == d + 1 and flow[mirror[q]] > 0:
                    break
                q += 1
            right_at[v] = q
            if q == offsets[v + 1]:
                left_at[u] += 1
                continue
            d += 1
            path[d] = neighbours[q]
            back[d] = mirror[q]
    return value
