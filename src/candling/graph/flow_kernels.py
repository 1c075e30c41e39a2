"""Compiled loops of the flows: Dinic's algorithm, and filling the room of nodes.

Class u has the arcs neighbours[offsets[u]:offsets[u + 1]], from its left copy to the right copies
of its neighbours; flow[k] runs along arc k, whose capacity is the number of pairs of rows that it
stands for, and back[k] along the arc the other way, from the neighbour's left copy to u's right
one: so both copies see what leaves and what arrives in their own list, in order. The rooms are what
the source can still give to a left copy and the sink take from a right one. A search gives left
copies of level d the right copies of level d, and those, back along arcs that carry flow, the left
copies of level d + 1. Arrays are made by the caller: what numba need not know it need not compile.
"""

from __future__ import annotations

from candling.graph.compilation import Amounts, Grid, Int32s, Int64s, Number, compile_on_use
from candling.graph.kernels import find_first_not_below


@compile_on_use
def _capacity(weights: Int64s, part: Int64s, u: Number, v: Number) -> Number:
    """The conflicts between the rows of two classes, counted from u; inside one, between parts."""
    return weights[u] * (weights[v] - (part[u] if u == v else 0))


@compile_on_use
def _place(offsets: Int64s, neighbours: Int32s, u: Number, v: Number) -> Number:
    """Where u stands in the list of v."""
    return find_first_not_below(neighbours, u, offsets[v], offsets[v + 1])


@compile_on_use
def keep(
    offsets: Int64s, neighbours: Int32s, left_room: Int64s, right_room: Int64s, flow: Amounts
) -> Number:
    """Of an earlier flow keep what the rooms allow; return how much."""
    value = 0
    for u in range(len(offsets) - 1):
        for k in range(offsets[u], offsets[u + 1]):
            if flow[k] > 0:
                v = neighbours[k]
                kept = min(left_room[u], right_room[v], flow[k])
                flow[k] = kept
                left_room[u] -= kept
                right_room[v] -= kept
                value += kept
    return value


@compile_on_use
def greedy(
    offsets: Int64s,
    neighbours: Int32s,
    weights: Int64s,
    part: Int64s,
    left_room: Int64s,
    right_room: Int64s,
    flow: Amounts,
    order: Int64s,
) -> Number:
    """Fill arcs as they come, class by class in the given order; return how much."""
    value = 0
    for i in range(len(order)):
        u = order[i]
        for k in range(offsets[u], offsets[u + 1]):
            if left_room[u] == 0:
                break
            v = neighbours[k]
            if right_room[v] > 0:
                push = min(left_room[u], right_room[v], _capacity(weights, part, u, v) - flow[k])
                flow[k] += push
                left_room[u] -= push
                right_room[v] -= push
                value += push
    return value


@compile_on_use
def turn(offsets: Int64s, neighbours: Int32s, flow: Amounts, at: Int64s, back: Amounts) -> None:
    """Write for each arc what flows the other way; `at` holds where each list begins.

    Lists are sorted, so that classes arrive in the order of each.
    """
    for u in range(len(at)):
        for k in range(offsets[u], offsets[u + 1]):
            v = neighbours[k]
            back[at[v]] = flow[k]
            at[v] += 1


@compile_on_use
def turn_few(offsets: Int64s, neighbours: Int32s, flow: Amounts, back: Amounts) -> None:
    """The same where few arcs carry flow and `back` is zero."""
    for u in range(len(offsets) - 1):
        for k in range(offsets[u], offsets[u + 1]):
            if flow[k] > 0:
                back[_place(offsets, neighbours, u, neighbours[k])] = flow[k]


@compile_on_use
def search(
    offsets: Int64s,
    neighbours: Int32s,
    weights: Int64s,
    part: Int64s,
    left_room: Int64s,
    right_room: Int64s,
    flow: Amounts,
    back: Amounts,
    left_level: Int32s,
    right_level: Int32s,
    queue: Int32s,
    layer: Int32s,
) -> Number:
    """Set the levels up to the first that has a right copy with room; return it, or -1.

    Every depth gives a level to left copies that had none, so there are no more depths than those.
    The next copies are found in the lists of the last ones, or, where it is those lists that are
    longer, the last ones in the lists of all that have no level yet: one is enough.
    """
    size = ahead = left_rest = 0  # arcs of the copies found last, and of those without a level
    right_rest = offsets[len(weights)]
    for u in range(len(weights)):
        left_level[u] = -1
        right_level[u] = -1
        arcs = offsets[u + 1] - offsets[u]
        if left_room[u] > 0:
            left_level[u] = 0
            queue[size] = u
            size += 1
            ahead += arcs
        else:
            left_rest += arcs
    depth = 0
    while size > 0:
        reached = 0
        found = 0
        final = False
        if ahead < right_rest:
            for i in range(size):
                u = queue[i]
                for k in range(offsets[u], offsets[u + 1]):
                    v = neighbours[k]
                    if right_level[v] < 0 and flow[k] < _capacity(weights, part, u, v):
                        right_level[v] = depth
                        layer[reached] = v
                        reached += 1
                        found += offsets[v + 1] - offsets[v]
                        final |= right_room[v] > 0
        else:
            for v in range(len(weights)):
                if right_level[v] >= 0:
                    continue
                for k in range(offsets[v], offsets[v + 1]):
                    u = neighbours[k]
                    if left_level[u] == depth and back[k] < _capacity(weights, part, u, v):
                        right_level[v] = depth
                        layer[reached] = v
                        reached += 1
                        found += offsets[v + 1] - offsets[v]
                        final |= right_room[v] > 0
                        break
        if final:
            return depth
        right_rest -= found
        size = 0
        ahead = 0
        depth += 1
        if found < left_rest:
            for i in range(reached):
                v = layer[i]
                for k in range(offsets[v], offsets[v + 1]):
                    u = neighbours[k]
                    if back[k] > 0 and left_level[u] < 0:
                        left_level[u] = depth
                        queue[size] = u
                        size += 1
                        ahead += offsets[u + 1] - offsets[u]
        else:
            for u in range(len(weights)):
                if left_level[u] >= 0:
                    continue
                for k in range(offsets[u], offsets[u + 1]):
                    if flow[k] > 0 and right_level[neighbours[k]] == depth - 1:
                        left_level[u] = depth
                        queue[size] = u
                        size += 1
                        ahead += offsets[u + 1] - offsets[u]
                        break
        left_rest -= ahead
    return -1


@compile_on_use
def augment(
    offsets: Int64s,
    neighbours: Int32s,
    weights: Int64s,
    part: Int64s,
    left_room: Int64s,
    right_room: Int64s,
    flow: Amounts,
    back: Amounts,
    left_level: Int32s,
    right_level: Int32s,
    final: Number,
    left_at: Int64s,
    right_at: Int64s,
    path: Int32s,
    arrived: Int64s,
    left_by: Int64s,
) -> Number:
    """Push along shortest paths until none is left; return how much, or -1: a push of nothing.

    Paths are followed from their end: every copy with a level has a way to it, but not all have one
    on to a copy with room. path[d] is the right copy of level d, arrived[d] the arc in its list
    from a left copy of level d, left_by[d] the arc in that one's list to path[d - 1], which carries
    flow. An arc that led nowhere is not tried again: left_at and right_at say where to go on.

    A step goes a level down, or moves left_at or right_at on, which never move back, or pushes. A
    push that is more than nothing leaves an arc, a flow or a room at its end, where it stays, as
    all paths of this length go the same way through the levels.
    """
    value = 0
    for last in range(len(weights)):
        if right_level[last] != final:
            continue
        path[final] = last
        d = final
        while d <= final and right_room[last] > 0:
            v = path[d]
            k = right_at[v]
            if k == offsets[v + 1]:  # no way here any more: give up the arc that needed one
                d += 1
                if d <= final:
                    left_at[neighbours[arrived[d]]] += 1
                continue
            u = neighbours[k]
            if left_level[u] != d or back[k] == _capacity(weights, part, u, v):
                right_at[v] += 1
                continue
            arrived[d] = k
            if d == 0:
                if left_room[u] == 0:
                    right_at[v] += 1
                    continue
                push = min(left_room[u], right_room[last])
                for i in range(final + 1):
                    x = neighbours[arrived[i]]
                    push = min(push, _capacity(weights, part, x, path[i]) - back[arrived[i]])
                    if i > 0:
                        push = min(push, flow[left_by[i]])
                if push <= 0:
                    return -1
                for i in range(final + 1):
                    x = neighbours[arrived[i]]
                    back[arrived[i]] += push
                    flow[_place(offsets, neighbours, path[i], x)] += push
                    if i > 0:
                        flow[left_by[i]] -= push
                        back[_place(offsets, neighbours, x, path[i - 1])] -= push
                left_room[u] -= push
                right_room[last] -= push
                value += push
                d = final
                continue
            q = left_at[u]
            while q < offsets[u + 1]:
                if flow[q] > 0 and right_level[neighbours[q]] == d - 1:
                    break
                q += 1
            left_at[u] = q
            if q == offsets[u + 1]:
                right_at[v] += 1
                continue
            left_by[d] = q
            d -= 1
            path[d] = neighbours[q]
    return value


@compile_on_use
def saturate(
    order: Int32s,
    need: Int64s,
    weights: Int64s,
    free: Int64s,
    classes: Grid,
    first: Int64s,
    offsets: Int64s,
    neighbours: Int32s,
    starts: Int64s,
    ends: Int64s,
    members: Int32s,
    at: Int64s,
    stamp: Int32s,
) -> None:
    """Let the nodes in `order` take from their neighbours in turn; what they miss stays in `need`.

    Node u can give free[u] in all, and w_s * w_u to node s: one for each pair of rows. The nodes
    that can give are members[starts[d]:ends[d]] of each class d; those that are used up are
    dropped. Reading goes on where the last one stopped (`at`), so that the load spreads; `left`
    falls in every step, so that no member is read twice in one turn.
    """
    for turn in range(len(order)):
        s = order[turn]
        for b in range(classes.shape[0]):
            c = classes[b, s]
            if c < 0:
                continue
            k, stop = offsets[c], offsets[c + 1]
            lists = stop - k
            if lists:
                k += turn % lists
            for _ in range(lists):
                if need[s] == 0:
                    break
                d = first[b] + neighbours[k]
                k += 1
                if k == stop:
                    k = offsets[c]
                left = ends[d] - starts[d]
                while left > 0 and need[s] > 0:
                    left -= 1
                    if at[d] >= ends[d]:
                        at[d] = starts[d]
                    u = members[at[d]]
                    if free[u] == 0:
                        ends[d] -= 1
                        members[at[d]] = members[ends[d]]
                        continue
                    at[d] += 1
                    if stamp[u] == turn:
                        continue  # by way of another block: a pair counts once
                    stamp[u] = turn
                    amount = min(need[s], free[u], weights[s] * weights[u])
                    need[s] -= amount
                    free[u] -= amount


@compile_on_use
def count_within(offsets: Int64s, neighbours: Int32s, number: Int32s, counts: Int64s) -> None:
    """counts[number + 1]: how many neighbours with a number each node with one has; -1: none."""
    for u in range(len(number)):
        if number[u] >= 0:
            for k in range(offsets[u], offsets[u + 1]):
                if number[neighbours[k]] >= 0:
                    counts[number[u] + 1] += 1


@compile_on_use
def copy_within(
    offsets: Int64s,
    neighbours: Int32s,
    flow: Amounts,
    number: Int32s,
    near: Int32s,
    amounts: Amounts,
) -> None:
    """Copy the lists of nodes with a number, by number, and what flows along them."""
    at = 0
    for u in range(len(number)):
        if number[u] >= 0:
            for k in range(offsets[u], offsets[u + 1]):
                v = number[neighbours[k]]
                if v >= 0:
                    near[at] = v
                    amounts[at] = flow[k]
                    at += 1
