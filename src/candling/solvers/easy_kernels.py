"""Compiled loops for the heaviest rows without a fall, and for the heaviest matching."""

from __future__ import annotations

from candling.graph.compiled import compiled


@compiled
def heaviest_chain(offsets, rank, weights, strict, best):  # type: ignore[no-untyped-def]
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


@compiled
def heaviest_matching(  # type: ignore[no-untyped-def]
    offsets,
    lefts,
    rights,
    weights,
    chosen,
    owner,
    left_price,
    right_price,
    far,
    came,
    reached,
    heap,
    heap_node,
):
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


@compiled
def _push(heap, heap_node, size, key, node):  # type: ignore[no-untyped-def]
    """Put a node into a heap of this size: the smallest key is first."""
    at = size
    while at > 0 and heap[(at - 1) // 2] > key:
        heap[at], heap_node[at] = heap[(at - 1) // 2], heap_node[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at], heap_node[at] = key, node


@compiled
def _pop(heap, heap_node, size):  # type: ignore[no-untyped-def]
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
