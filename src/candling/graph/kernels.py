"""Compiled loops over classes and blocks, cached on disk: only the first run compiles them."""

from __future__ import annotations

from candling.graph.compilation import (
    Amounts,
    Bools,
    Grid,
    Grid32,
    Int32s,
    Int64s,
    Number,
    compile_on_use,
)
from candling.rules import Op

# What a comparison may come to (below: 1, equal: 2, above: 4), as a mask per operator.
ALLOWED = {Op.LT: 1, Op.EQ: 2, Op.LE: 3, Op.GT: 4, Op.NE: 5, Op.GE: 6}


@compile_on_use
def holds(
    predicates: Grid32, start: Number, stop: Number, codes: Grid32, first: Number, second: Number
) -> Number:
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


@compile_on_use
def find_first_not_below(values: Int32s, value: Number, low: Number, high: Number) -> Number:
    """The first place from `low` on, among sorted values, that is not below one; `high` if none."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@compile_on_use
def lift(
    left: Int32s,
    right: Int32s,
    offsets: Int64s,
    members: Int32s,
    predicates: Grid32,
    spans: Int64s,
    symmetric: Bools,
    rule: Number,
    vectors: Grid32,
    codes: Grid32,
    weights: Int64s,
    emit: Number,
    at: Int64s,
    below: Int64s,
    lists: Int32s,
) -> None:
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


@compile_on_use
def distinct_pairs(
    keys: Int64s, several: Bools, emit: Number, out_left: Int32s, out_right: Int32s
) -> Number:
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


@compile_on_use
def count_ends(left: Int32s, right: Int32s, above: Int64s, below: Int64s) -> None:
    """Count each edge at its smaller end in `above` and, no loop, at the other in `below`."""
    for k in range(len(left)):
        low, high = min(left[k], right[k]), max(left[k], right[k])
        above[low] += 1
        if low != high:
            below[high] += 1


@compile_on_use
def label_parts(offsets: Int64s, neighbours: Int32s, label: Int32s, queue: Int32s) -> None:
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


@compile_on_use
def fill(left: Int32s, right: Int32s, at: Int64s, lists: Int32s) -> None:
    """Write the larger end of each edge into the smaller one's list; `at` says how far it is."""
    for k in range(len(left)):
        low, high = min(left[k], right[k]), max(left[k], right[k])
        lists[at[low]] = high
        at[low] += 1


@compile_on_use
def both_ways(
    starts: Int64s, lists: Int32s, first: Int64s, at: Int64s, turn: Int64s, neighbours: Int32s
) -> None:
    """Turn lists of larger neighbours, in any order, into sorted lists of all neighbours.

    Node u has lists[starts[u]:starts[u + 1]], and room in `neighbours` from first[u] on, which
    holds its smaller neighbours first: turn[u] is where the others begin. `at` begins as `first`.
    Nodes that come in order leave lists in order.
    """
    n = len(turn)
    for u in range(n):
        for k in range(starts[u], starts[u + 1]):
            v = lists[k]
            if v != u:
                neighbours[at[v]] = u
                at[v] += 1
    for v in range(n):
        at[v] = turn[v]
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


@compile_on_use
def weighted_degrees(offsets: Int64s, neighbours: Int32s, weights: Int64s, total: Int64s) -> None:
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
    for u in range(len(total)):
        total[u] = 0
    for u in range(len(total)):
        weight = weights[u]
        if weight:
            for k in range(offsets[u], offsets[u + 1]):
                total[neighbours[k]] += weight


@compile_on_use
def inversions(
    offsets: Int64s,
    values: Int32s,
    order: Int32s,
    merged: Int32s,
    tied: Number,
    emit: Number,
    out_left: Int32s,
    out_right: Int32s,
) -> Number:
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


@compile_on_use
def order_twins(
    offsets: Int64s,
    rank: Int32s,
    later: Int32s,
    earlier: Int32s,
    top: Int32s,
    below: Int32s,
    first: Int32s,
) -> None:
    """Write for every element the first one of its group that has the same inversions.

    rank[i] is the place of i among the sorted values of its group, which are all different. i < j
    have the same inversions if what stands between them are just the values between theirs. That
    is so if no smaller value than i's comes before j (`later` says where the first comes), no
    greater one than j's after i (`earlier`), and i and j are as far apart as their ranks: i minus
    rank[i] is the same. Of elements with that number, those that can still have a twin lie on a
    stack, the last on `top`; one that finds a smaller value behind it never will.
    """
    for g in range(len(offsets) - 1):
        start, stop = offsets[g], offsets[g + 1]
        size = stop - start
        for i in range(start, stop):  # the last greater one before: no other can be it again
            j = i - 1
            while j >= start and rank[j] < rank[i]:
                j = earlier[j]
            earlier[i] = j if j >= start else -1
        for i in range(stop - 1, start - 1, -1):
            j = i + 1
            while j < stop and rank[j] > rank[i]:
                j = later[j]
            later[i] = j
        for shift in range(2 * size):
            top[shift] = -1
        for i in range(start, stop):
            shift = i - start - rank[i] + size
            j = top[shift]
            while j >= 0 and later[j] <= i:
                j = below[j]
            if j >= 0 and earlier[i] < j:
                first[i] = first[j]
                below[i] = below[j]
            else:
                first[i] = i
                below[i] = j
            top[shift] = i


@compile_on_use
def sort_digits(keys: Int64s, bits: Number, order: Int32s, other: Int32s, counts: Int64s) -> Number:
    """Sort 0, 1, 2, ... by their keys, which are below 2**bits; equal ones stay as they are.

    Digit by digit, from the lowest, to and fro between `order` and `other`; returns whether the
    result is in `other`. `counts` has one entry more than a digit has values, a power of 2.
    """
    base = len(counts) - 1
    turned = False
    for i in range(len(keys)):
        order[i] = i
    shift = 0
    width = 0
    while (1 << width) < base:
        width += 1
    while shift < bits:
        for digit in range(base + 1):
            counts[digit] = 0
        for i in range(len(keys)):
            counts[((keys[i] >> shift) & (base - 1)) + 1] += 1
        for digit in range(base):
            counts[digit + 1] += counts[digit]
        for i in range(len(keys)):
            x = other[i] if turned else order[i]
            digit = (keys[x] >> shift) & (base - 1)
            if turned:
                order[counts[digit]] = x
            else:
                other[counts[digit]] = x
            counts[digit] += 1
        turned = not turned
        shift += width
    return turned


@compile_on_use
def label_runs(keys: Int64s, order: Int32s, label: Int32s, first: Int64s) -> Number:
    """Number the runs of equal keys in `order`, and keep the first of each; return how many."""
    count = 0
    for i in range(len(order)):
        x = order[i]
        if i == 0 or keys[x] != keys[order[i - 1]]:
            first[count] = x
            count += 1
        label[x] = count - 1
    return count


@compile_on_use
def _adjacent(offsets: Int64s, neighbours: Int32s, start: Number, c: Number, d: Number) -> Number:
    """Whether classes c and d of the block whose offsets begin at `start` are neighbours."""
    end = offsets[start + c + 1]
    place = find_first_not_below(neighbours, d, offsets[start + c], end)
    return place < end and neighbours[place] == d


@compile_on_use
def common_pairs(
    ends: Int64s,
    members: Int32s,
    own: Grid32,
    offsets: Int64s,
    neighbours: Int32s,
    starts: Int64s,
    several: Bools,
    emit: Number,
    out_left: Int32s,
    out_right: Int32s,
) -> Number:
    """Pairs within a group that are neighbours in every block; counted or written.

    own[u, b] is the class of u in block b. A u of several rows may be its own neighbour.
    """
    count = 0
    for g in range(len(ends) - 1):
        for i in range(ends[g], ends[g + 1]):
            u = members[i]
            for j in range(i, ends[g + 1]):
                v = members[j]
                if i == j and not several[u]:
                    continue
                every = True
                for b in range(len(starts)):
                    if not _adjacent(offsets, neighbours, starts[b], own[u, b], own[v, b]):
                        every = False
                        break
                if every:
                    if emit:
                        out_left[count] = u
                        out_right[count] = v
                    count += 1
    return count


@compile_on_use
def add_chosen(class_of: Int32s, chosen: Bools, amounts: Amounts, total: Int64s) -> None:
    """Add what each chosen node has to its class; nodes of class -1 have none."""
    for u in range(len(class_of)):
        if chosen[u] and class_of[u] >= 0:
            total[class_of[u]] += amounts[u]


@compile_on_use
def add_near(
    class_of: Int32s,
    chosen: Bools,
    part: Int64s,
    near: Int64s,
    loops: Bools,
    sign: Number,
    total: Int64s,
) -> None:
    """Add to each node what is near its class, less its own part where that is counted too."""
    for u in range(len(class_of)):
        c = class_of[u]
        if c >= 0:
            own = part[u] if chosen[u] and loops[c] else 0
            total[u] += sign * (near[c] - own)


@compile_on_use
def count_pairs(offsets: Int64s, neighbours: Int32s, sizes: Int64s, most: Number) -> Number:
    """How many pairs of nodes there are, by the nodes of each class.

    Beyond `most`, counting stops.
    """
    total = 0
    for c in range(len(offsets) - 1):
        if total > most:
            break
        own = sizes[c]
        if own == 0:
            continue
        for k in range(offsets[c], offsets[c + 1]):
            d = neighbours[k]
            if d > c:
                total += own * sizes[d]
            elif d == c:
                total += own * (own + 1) // 2
    return total


@compile_on_use
def add_neighbours(
    classes: Grid, first: Int64s, offsets: Int64s, neighbours: Int32s, starts: Int64s,
    members: Int32s, several: Bools, emit: Number, stamp: Int32s, at: Int64s, lists: Int32s,
) -> None:  # fmt: skip
    """Put every node into the lists of its neighbours among some members; counted or written.

    Nodes come in order, so that no list must be sorted. `at` says how many each list has, or where
    it goes on; `stamp` who was put there last, as a pair of several blocks counts once. A node of
    one row is not its own neighbour.
    """
    for u in range(classes.shape[1]):
        for b in range(classes.shape[0]):
            c = classes[b, u]
            if c < 0:
                continue
            for k in range(offsets[c], offsets[c + 1]):
                d = first[b] + neighbours[k]
                for q in range(starts[d], starts[d + 1]):
                    v = members[q]
                    if stamp[v] == u:
                        continue
                    stamp[v] = u
                    if v == u and not several[u]:
                        continue
                    if emit:
                        lists[at[v]] = u
                    at[v] += 1
