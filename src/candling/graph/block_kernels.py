"""Compiled loops over the classes of blocks."""

from __future__ import annotations

from candling.graph.compiled import compiled
from candling.graph.kernels import first_not_below


@compiled
def _adjacent(offsets, neighbours, start, c, d):  # type: ignore[no-untyped-def]
    """Whether classes c and d of the block whose offsets begin at `start` are neighbours."""
    end = offsets[start + c + 1]
    place = first_not_below(neighbours, d, offsets[start + c], end)
    return place < end and neighbours[place] == d


@compiled
def common_pairs(  # type: ignore[no-untyped-def]
    ends, members, own, offsets, neighbours, starts, several, emit, out_left, out_right
):  # fmt: skip
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


@compiled
def sum_chosen(class_of, chosen, amounts, total):  # type: ignore[no-untyped-def]
    """Add what each chosen node has to its class; nodes of class -1 have none."""
    for u in range(len(class_of)):
        if chosen[u] and class_of[u] >= 0:
            total[class_of[u]] += amounts[u]


@compiled
def add_near(class_of, chosen, part, near, loops, sign, total):  # type: ignore[no-untyped-def]
    """Add to each node what is near its class, less its own part where that is counted too."""
    for u in range(len(class_of)):
        c = class_of[u]
        if c >= 0:
            own = part[u] if chosen[u] and loops[c] else 0
            total[u] += sign * (near[c] - own)


@compiled
def count_pairs(offsets, neighbours, sizes, most):  # type: ignore[no-untyped-def]
    """How many pairs of nodes `write_pairs` writes, by the nodes of each class.

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


@compiled
def write_pairs(offsets, neighbours, ends, members, nodes, keys):  # type: ignore[no-untyped-def]
    """Write smaller * nodes + larger for each pair; a node of a class that is its own neighbour
    pairs with itself too.
    """
    at = 0
    for c in range(len(offsets) - 1):
        if ends[c] == ends[c + 1]:
            continue
        for k in range(offsets[c], offsets[c + 1]):
            d = neighbours[k]
            if d < c:
                continue
            for i in range(ends[c], ends[c + 1]):
                for j in range(i if d == c else ends[d], ends[d + 1]):
                    u, v = members[i], members[j]
                    keys[at] = min(u, v) * nodes + max(u, v)
                    at += 1
