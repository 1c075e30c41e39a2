"""The compiled loops that fill some nodes' room with that of others, and that thin out lists."""

from __future__ import annotations

from candling.graph.compiled import compiled


@compiled
def saturate(  # type: ignore[no-untyped-def]
    order, need, weights, free, classes, first, offsets, neighbours, starts, ends, members, at,
    stamp,
):  # fmt: skip
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


@compiled
def count_within(offsets, neighbours, number, counts):  # type: ignore[no-untyped-def]
    """counts[number + 1]: how many neighbours with a number each node with one has; -1: none."""
    for u in range(len(number)):
        if number[u] >= 0:
            for k in range(offsets[u], offsets[u + 1]):
                if number[neighbours[k]] >= 0:
                    counts[number[u] + 1] += 1


@compiled
def copy_within(offsets, neighbours, flow, number, near, amounts):  # type: ignore[no-untyped-def]
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
