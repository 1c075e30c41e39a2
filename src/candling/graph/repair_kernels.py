"""Compiled loops of the repairs: integral covers, cliques, falls and matchings."""

from __future__ import annotations

from candling.graph.compilation import Bools, Bytes, Int32s, Int64s, Number, compile_on_use

NEVER = -1  # not visited, or in no stack
END = -2  # of a list


@compile_on_use
def use_both_ways(offsets: Int64s, targets: Int32s, at: Int64s, used: Bools) -> None:
    """Mark an arc as used where its opposite is; `at` holds where each list begins."""
    for u in range(len(at)):  # lists are sorted: nodes arrive in the order of each
        for k in range(offsets[u], offsets[u + 1]):
            opposite = at[targets[k]]
            at[targets[k]] += 1
            either = used[k] or used[opposite]
            used[k] = either
            used[opposite] = either


@compile_on_use
def strong_parts(
    offsets: Int64s,
    targets: Int32s,
    used: Bools,
    label: Int64s,
    after: Int64s,
    before: Int64s,
    below: Int64s,
) -> None:
    """Number the strong components of the implications between literals, from the sinks on.

    Literal u says that node u is in the cover, literal n + u that it is not. The latter implies
    literal v for every neighbour v, the former n + v for those behind an arc that is used. Tarjan's
    algorithm with a single number for each literal (Pearce, "A space-efficient algorithm for
    finding strongly connected components", 2016), on stacks that are lists: `after` and `before`
    hold the literals to be visited, `below` those of components that are still open.

    Every literal gets its number once, when it is seen at the top of the first stack, and leaves
    that stack for good when it is seen there again.
    """
    n = len(label) // 2
    for v in range(2 * n):
        label[v] = NEVER
        after[v] = NEVER
        before[v] = NEVER
    number = 0
    name = 2 * n - 1  # counts down, so that it is never mistaken for a number
    open_ = END
    for root in range(2 * n):
        if label[root] != NEVER:
            continue
        top = root
        after[root] = END
        before[root] = END
        while top != END:
            x = top
            u, shift = (x, n) if x < n else (x - n, 0)
            if label[x] == NEVER:
                label[x] = number
                number += 1
                for k in range(offsets[u], offsets[u + 1]):
                    y = targets[k] + shift
                    if (shift and not used[k]) or label[y] != NEVER:
                        continue
                    if after[y] != NEVER:  # waits already: it comes to the top
                        a, b = after[y], before[y]
                        if b != END:
                            after[b] = a
                        if a != END:
                            before[a] = b
                    after[y] = top
                    before[y] = END
                    before[top] = y
                    top = y
                continue
            top = after[x]
            if top != END:
                before[top] = END
            after[x] = NEVER
            before[x] = NEVER
            low = label[x]
            for k in range(offsets[u], offsets[u + 1]):
                if not shift or used[k]:
                    low = min(low, label[targets[k] + shift])
            if low < label[x]:
                label[x] = low
                below[x] = open_
                open_ = x
                continue
            number -= 1
            while open_ != END and label[x] <= label[open_]:
                y = open_
                open_ = below[y]
                label[y] = name
                number -= 1
            label[x] = name
            name -= 1
    for x in range(2 * n):
        label[x] = 2 * n - 1 - label[x]


@compile_on_use
def cover_by_cliques(
    offsets: Int64s,
    sources: Int32s,
    targets: Int32s,
    wanted: Int64s,
    covered: Bytes,
    joined: Int32s,
    ends: Int64s,
    members: Int32s,
) -> Number:
    """Put each wanted arc that is not covered into a clique, and mark what that one covers.

    Clique c has members[ends[c]:ends[c + 1]]; gives how many there are. It stops where one more
    might not fit. Of the nodes that could be added, the first in `targets` are. `joined` counts
    for each node the members of the clique that it is joined to, and is 0 before and after.
    """
    count = 0
    for arc in wanted:
        if covered[arc]:
            continue
        one = sources[arc]
        start = ends[count]
        if count + 2 > len(ends) or start + offsets[one + 1] - offsets[one] + 1 > len(members):
            break
        members[start], members[start + 1] = one, targets[arc]
        for k in range(start, start + 2):
            node = members[k]
            for j in range(offsets[node], offsets[node + 1]):
                joined[targets[j]] += 1
        stop = start + 2
        for k in range(offsets[one], offsets[one + 1]):
            node = targets[k]
            if joined[node] == stop - start:
                for j in range(offsets[node], offsets[node + 1]):
                    joined[targets[j]] += 1
                members[stop] = node
                stop += 1
        for k in range(start, stop):
            joined[members[k]] = -1
        for k in range(start, stop):
            node = members[k]
            for j in range(offsets[node], offsets[node + 1]):
                if joined[targets[j]] == -1:
                    covered[j] = 1
        for k in range(start, stop):
            node = members[k]
            joined[node] = 0
            for j in range(offsets[node], offsets[node + 1]):
                joined[targets[j]] = 0
        count += 1
        ends[count] = stop
    return count


@compile_on_use
def heaviest_chain(
    offsets: Int64s, rank: Int32s, weights: Int64s, strict: Number, best: Int64s
) -> Number:
    """The weight of the heaviest sequence of each group in which no rank falls, added up.

    Group g has the entries from offsets[g] to offsets[g + 1], whose ranks are 0, 1, ... or, if
    `strict`, sequences must rise. `best` is room for a tree of prefix maxima: best[i] is the
    heaviest sequence that ends in one of the ranks that it stands for.
    """
    total = 0
    for g in range(len(offsets) - 1):
        start, stop = offsets[g], offsets[g + 1]
        size = stop - start
        for i in range(size + 1):
            best[i] = 0
        heaviest = 0
        for k in range(start, stop):
            chain = 0
            i = rank[k] + (0 if strict else 1)
            while i > 0:  # falls
                chain = max(chain, best[i])
                i -= i & -i
            chain += weights[k]
            heaviest = max(heaviest, chain)
            i = rank[k] + 1
            while i <= size:  # grows
                best[i] = max(best[i], chain)
                i += i & -i
        total += heaviest
    return total


@compile_on_use
def heaviest_matching(
    offsets: Int64s,
    lefts: Int64s,
    rights: Int64s,
    weights: Int64s,
    chosen: Int64s,
    owner: Int64s,
    left_price: Int64s,
    right_price: Int64s,
    far: Int64s,
    came: Int64s,
    reached: Int64s,
    heap: Int64s,
    heap_node: Int64s,
) -> None:
    """The heaviest matching between lefts and rights: chosen[left] is its edge, or -1.

    Left l has the edges from offsets[l] to offsets[l + 1]. Lefts come in one after the other, each
    by a shortest path along which edges change (the Hungarian method). All of it is in integers,
    and prices prove it: the two of an edge come to its weight at least, those of a chosen edge to
    just that, and what is not matched has price 0. So no matching weighs more than all prices.

    At the start `chosen` and `owner` (the left of each right) are -1, and so is `far`, the length
    of the path to a right, of which came[right] is the last edge; prices are 0. The rest is room.
    """
    for left in range(len(offsets) - 1):
        price = 0
        for e in range(offsets[left], offsets[left + 1]):
            price = max(price, weights[e] - right_price[rights[e]])
        left_price[left] = price
        # A path ends in a right that is free, or in a left that is given up for its price.
        least, given_up, free = price, left, -1
        here, length, count, size = left, 0, 0, 0
        while True:
            for e in range(offsets[here], offsets[here + 1]):
                right = rights[e]
                longer = length + left_price[here] + right_price[right] - weights[e]
                if longer < least and (far[right] < 0 or longer < far[right]):
                    if far[right] < 0:
                        reached[count] = right
                        count += 1
                    far[right] = longer
                    came[right] = e
                    if longer == length and owner[right] < 0:  # no path is shorter
                        least, free = longer, right
                        break
                    _push(heap, heap_node, size, longer, right)
                    size += 1
            if free >= 0:
                break
            right = -1
            while size > 0 and right < 0:
                length, right = heap[0], heap_node[0]
                size -= 1
                _pop(heap, heap_node, size)
                if length > far[right]:  # a shorter path was found since
                    right = -1
            if right < 0 or length >= least:
                break
            if owner[right] < 0:
                least, free = length, right
                break
            here = owner[right]
            if length + left_price[here] < least:
                least, given_up = length + left_price[here], here
        left_price[left] -= least
        for k in range(count):
            right = reached[k]
            if far[right] < least:
                right_price[right] += least - far[right]
                left_price[owner[right]] -= least - far[right]
            far[right] = -1
        right = free
        if free < 0 and given_up != left:
            right = rights[chosen[given_up]]
            chosen[given_up] = -1
        while right >= 0:
            e = came[right]
            one = lefts[e]
            before = chosen[one]
            chosen[one] = e
            owner[right] = one
            right = rights[before] if one != left else -1


@compile_on_use
def _push(heap: Int64s, heap_node: Int64s, size: Number, key: Number, node: Number) -> None:
    """Put a node into a heap of this size: the smallest key is first."""
    at = size
    while at > 0 and heap[(at - 1) // 2] > key:
        heap[at], heap_node[at] = heap[(at - 1) // 2], heap_node[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at], heap_node[at] = key, node


@compile_on_use
def _pop(heap: Int64s, heap_node: Int64s, size: Number) -> None:
    """Take the first out of a heap that has this size without it."""
    key, node = heap[size], heap_node[size]
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= key:
            break
        heap[at], heap_node[at] = heap[below], heap_node[below]
        at = below
    heap[at], heap_node[at] = key, node
