"""Compiled loops over classes, cached on disk: only the very first run compiles them."""

from __future__ import annotations

from candling.graph.compiled import compiled
from candling.rules import Op

# What a comparison may come to (below: 1, equal: 2, above: 4), as a mask per operator.
ALLOWED = {Op.LT: 1, Op.EQ: 2, Op.LE: 3, Op.GT: 4, Op.NE: 5, Op.GE: 6}


@compiled
def holds(predicates, start, stop, codes, first, second):  # type: ignore[no-untyped-def]
    """Whether the pair (first, second), in this order, satisfies predicates[start:stop].

    A predicate is (left column, left row, allowed, right column or -1, right row, constant).
    """
    for k in range(start, stop):
        a = codes[predicates[k, 0], first if predicates[k, 1] == 1 else second]
        b = predicates[k, 5]
        if predicates[k, 3] >= 0:
            b = codes[predicates[k, 3], first if predicates[k, 4] == 1 else second]
        outcome = 1 if a < b else 2 if a == b else 4
        if a < 0 or b < 0 or not outcome & predicates[k, 2]:
            return False
    return True


@compiled
def lift(  # type: ignore[no-untyped-def]
    left, right, offsets, members, predicates, spans, symmetric, rule, vectors, codes,
    weights, emit, at, below, lists,
):  # fmt: skip
    """Find the class pairs behind a rule's edges that break no earlier rule.

    Edge k joins the rule's classes left[k] and right[k], which stand for the classes
    members[offsets[c]:offsets[c + 1]]. Rule r has predicates[spans[r]:spans[r + 1]]. One row stands
    for each class; vectors[r, u] is -1 where the rows of class u are not alike to rule r, which is
    no matter as none of them is in a conflict there, but forbids comparing the row with itself. A
    class of one row is no conflict with itself.

    A pair is counted at its smaller end in `at` and at the other in `below`; or, if `emit`, the
    larger end is written into the list of the smaller, of which `at` says how far it is. A class
    that pairs with itself is its own larger end.
    """
    for k in range(len(left)):
        c, d = left[k], right[k]
        for i in range(offsets[c], offsets[c + 1]):
            u = members[i]
            for j in range(i if c == d else offsets[d], offsets[d + 1]):
                v = members[j]
                seen = u == v and weights[u] == 1
                for r in range(rule):
                    if seen:
                        break
                    if u == v and vectors[r, u] < 0:
                        continue
                    a, b = spans[r], spans[r + 1]
                    seen = holds(predicates, a, b, codes, u, v) or (
                        not symmetric[r] and holds(predicates, a, b, codes, v, u)
                    )
                if seen:
                    continue
                low, high = min(u, v), max(u, v)
                if emit:
                    lists[at[low]] = high
                elif low != high:
                    below[high] += 1
                at[low] += 1


@compiled
def distinct_pairs(keys, several, emit, out_left, out_right):  # type: ignore[no-untyped-def]
    """The pairs in sorted keys, each once: counted or written.

    A key is smaller * nodes + larger; a node pairs with itself only if it has several rows.
    """
    nodes = len(several)
    count = 0
    last = -1
    for key in keys:
        if key == last:
            continue
        last = key
        low, high = key // nodes, key % nodes
        if low != high or several[low]:
            if emit:
                out_left[count] = low
                out_right[count] = high
            count += 1
    return count


@compiled
def count_ends(left, right, above, below):  # type: ignore[no-untyped-def]
    """Count each edge at its smaller end in `above` and, no loop, at the other in `below`."""
    for k in range(len(left)):
        low, high = min(left[k], right[k]), max(left[k], right[k])
        above[low] += 1
        if low != high:
            below[high] += 1


@compiled
def label_parts(offsets, neighbours, label, queue):  # type: ignore[no-untyped-def]
    """Number the connected parts of a symmetric graph; `label` is -1 everywhere.

    Every node is put into the queue once, when it gets its label.
    """
    parts = 0
    for root in range(len(label)):
        if label[root] >= 0:
            continue
        label[root] = parts
        queue[0] = root
        size = 1
        done = 0
        while done < size:
            u = queue[done]
            done += 1
            for k in range(offsets[u], offsets[u + 1]):
                v = neighbours[k]
                if label[v] < 0:
                    label[v] = parts
                    queue[size] = v
                    size += 1
        parts += 1


@compiled
def fill(left, right, at, lists):  # type: ignore[no-untyped-def]
    """Write the larger end of each edge into the smaller one's list; `at` says how far it is."""
    for k in range(len(left)):
        low, high = min(left[k], right[k]), max(left[k], right[k])
        lists[at[low]] = high
        at[low] += 1


@compiled
def both_ways(starts, lists, at, turn, neighbours):  # type: ignore[no-untyped-def]
    """Turn lists of larger neighbours, in any order, into sorted lists of all neighbours.

    Node u has lists[starts[u]:starts[u + 1]], and room in `neighbours` from at[u] on, which holds
    its smaller neighbours first: turn[u] is where the others begin. Nodes that come in order leave
    lists in order.
    """
    n = len(turn)
    first = at.copy()
    for u in range(n):
        for k in range(starts[u], starts[u + 1]):
            v = lists[k]
            if v != u:
                neighbours[at[v]] = u
                at[v] += 1
    at[:] = turn
    for u in range(n):  # a loop comes first among the larger, and does not disturb the smaller
        for k in range(starts[u], starts[u + 1]):
            if lists[k] == u:
                neighbours[at[u]] = u
                at[u] += 1
    for v in range(n):
        for k in range(first[v], turn[v]):
            u = neighbours[k]
            neighbours[at[u]] = v
            at[u] += 1


@compiled
def weighted_degrees(offsets, neighbours, weights, total):  # type: ignore[no-untyped-def]
    """Write into `total` the sum of the neighbours' weights, per class.

    Where most weights are 0, only the lists of the others are read: neighbours are mutual.
    """
    size = 0
    for u in range(len(total)):
        if weights[u]:
            size += offsets[u + 1] - offsets[u]
    if 3 * size > offsets[len(total)]:
        for u in range(len(total)):
            near = 0
            for k in range(offsets[u], offsets[u + 1]):
                near += weights[neighbours[k]]
            total[u] = near
        return
    total[:] = 0
    for u in range(len(total)):
        weight = weights[u]
        if weight:
            for k in range(offsets[u], offsets[u + 1]):
                total[neighbours[k]] += weight


@compiled
def inversions(offsets, values, order, merged, tied, emit, out_left, out_right):  # type: ignore[no-untyped-def]
    """Pairs i < j inside a group with values[i] > values[j] (>= if `tied`): counted or written.

    Bottom-up merge sort of each group values[offsets[g]:offsets[g + 1]]: the cost follows the
    output. Returns the number of pairs; writes them only if `emit`. `order` is 0, 1, 2, ... and
    `merged` room to work in.
    """
    count = 0
    for g in range(len(offsets) - 1):
        start, stop = offsets[g], offsets[g + 1]
        width = 1
        while width < stop - start:
            low = start
            while low < stop:
                middle = min(low + width, stop)
                high = min(low + 2 * width, stop)
                i, j, k = low, middle, low
                while i < middle and j < high:
                    a, b = values[order[i]], values[order[j]]
                    if a > b or (tied and a == b):
                        if emit:
                            for q in range(i, middle):
                                out_left[count] = order[q]
                                out_right[count] = order[j]
                                count += 1
                        else:
                            count += middle - i
                        merged[k] = order[j]
                        j += 1
                    else:
                        merged[k] = order[i]
                        i += 1
                    k += 1
                while i < middle:
                    merged[k] = order[i]
                    i += 1
                    k += 1
                while j < high:
                    merged[k] = order[j]
                    j += 1
                    k += 1
                low += 2 * width
            for k in range(start, stop):
                order[k] = merged[k]
            width *= 2
    return count
