"""Compiled loops of the flows between persons: Dinic's algorithm, searching from both ends.

Node u has the arcs offsets[u] to offsets[u + 1]: arc a leads to to[a], rest[a] is what can still
flow along it, and reverse[a] is the same arc from the other end, whose rest grows by what flows.
supply[u] is what can still enter the network at u, demand[u] what can still leave it there. No node
has both. Arrays are made by the caller.
"""

from __future__ import annotations

from candling.graph.compilation import Int32s, Int64s, Number, compile_on_use


@compile_on_use
def place_arcs(
    tails: Int64s,
    heads: Int64s,
    capacities: Int64s,
    at: Int64s,
    to: Int32s,
    reverse: Int64s,
    rest: Int64s,
) -> None:
    """Write arcs into the lists of both ends; `at` says how far each list is."""
    for k in range(len(tails)):
        one, two = at[tails[k]], at[heads[k]]
        at[tails[k]] += 1
        at[heads[k]] += 1
        to[one] = heads[k]
        to[two] = tails[k]
        reverse[one] = two
        reverse[two] = one
        rest[one] = capacities[k]
        rest[two] = 0


@compile_on_use
def search(
    offsets: Int64s,
    to: Int32s,
    reverse: Int64s,
    rest: Int64s,
    supply: Int64s,
    demand: Int64s,
    level: Int32s,
    ahead: Int32s,
    behind: Int32s,
) -> Number:
    """Set the levels of the shortest paths from supply to demand; return their nodes, or 0.

    The first node of a path has level 1, its last node the level that is returned; a node that was
    not reached has level 0. Both ends are followed in turn, layer by layer, always the one with
    fewer arcs ahead, until they meet: where little is left to do, little is looked at. Nodes that
    were reached from the end have negative levels meanwhile.
    """
    front = back = front_arcs = back_arcs = 0
    for u in range(len(supply)):
        level[u] = 0
        if supply[u] > 0:
            level[u] = 1
            ahead[front] = u
            front += 1
            front_arcs += offsets[u + 1] - offsets[u]
        elif demand[u] > 0:
            level[u] = -1
            behind[back] = u
            back += 1
            back_arcs += offsets[u + 1] - offsets[u]
    front_start = back_start = 0
    front_depth = back_depth = 1
    met = False
    while front_start < front and back_start < back:
        if front_arcs <= back_arcs:
            stop = front
            front_arcs = 0
            for i in range(front_start, stop):
                u = ahead[i]
                for a in range(offsets[u], offsets[u + 1]):
                    v = to[a]
                    if level[v] <= 0 and rest[a] > 0:
                        if level[v] < 0:
                            met = True
                            break
                        level[v] = front_depth + 1
                        ahead[front] = v
                        front += 1
                        front_arcs += offsets[v + 1] - offsets[v]
                if met:
                    break
            if met:
                for i in range(stop, front):
                    level[ahead[i]] = 0
                break
            front_start = stop
            front_depth += 1
        else:
            stop = back
            back_arcs = 0
            for i in range(back_start, stop):
                u = behind[i]
                for a in range(offsets[u], offsets[u + 1]):
                    v = to[a]
                    if level[v] >= 0 and rest[reverse[a]] > 0:
                        if level[v] > 0:
                            met = True
                            break
                        level[v] = -back_depth - 1
                        behind[back] = v
                        back += 1
                        back_arcs += offsets[v + 1] - offsets[v]
                if met:
                    break
            if met:
                for i in range(stop, back):
                    level[behind[i]] = 0
                back = stop
                break
            back_start = stop
            back_depth += 1
    if not met:
        return 0
    length = front_depth + back_depth
    for i in range(back):
        level[behind[i]] += length + 1
    return length


@compile_on_use
def augment(
    offsets: Int64s,
    to: Int32s,
    reverse: Int64s,
    rest: Int64s,
    supply: Int64s,
    demand: Int64s,
    level: Int32s,
    length: Number,
    at: Int64s,
    nodes: Int32s,
    arcs: Int64s,
) -> Number:
    """Push along shortest paths until none is left; return how much.

    An arc that led nowhere is not tried again: `at` says where to go on in the list of each node.
    nodes[d] is the node of level d + 1 on the path, arcs[d] the arc from it to the next. Every step
    pushes, or moves `at` on, or takes the level of a node, so the loop ends.
    """
    value = 0
    for start in range(len(supply)):
        d = 0
        nodes[0] = start
        while supply[start] > 0:
            u = nodes[d]
            if d + 1 == length and demand[u] > 0:
                push = min(supply[start], demand[u])
                for i in range(d):
                    push = min(push, rest[arcs[i]])
                supply[start] -= push
                demand[u] -= push
                value += push
                full = d
                for i in range(d - 1, -1, -1):
                    rest[arcs[i]] -= push
                    rest[reverse[arcs[i]]] += push
                    if rest[arcs[i]] == 0:
                        full = i
                d = full  # the path is whole up to here
                continue
            further = False
            if d + 1 < length:
                while at[u] < offsets[u + 1]:
                    a = at[u]
                    if rest[a] > 0 and level[to[a]] == d + 2:
                        further = True
                        break
                    at[u] += 1
            if further:
                arcs[d] = at[u]
                d += 1
                nodes[d] = to[at[u]]
                continue
            level[u] = 0
            if d == 0:
                break
            d -= 1
            at[nodes[d]] += 1
    return value
