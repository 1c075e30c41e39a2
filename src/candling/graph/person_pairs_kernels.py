"""Compiled loops over the conflicts between persons: writing them down, counting, filling.

Labels of all relations are numbered in one go. Rows of label c are members[begin[c]:end[c]]; for a
part of a group, members[low[c]:high[c]] are those of the group. Arrays are made by the caller.
"""

from __future__ import annotations

from candling.graph.compilation import (
    Bools,
    Float64s,
    Grid32,
    Int32s,
    Int64s,
    Number,
    compile_on_use,
)
from candling.graph.kernels import find_first_not_below

DIVIDED, CROWDED, PAIRED = range(3)


@compile_on_use
def conflict(
    kinds: Int64s,
    labels: Grid32,
    low: Int64s,
    offsets: Int64s,
    neighbours: Int32s,
    r: Number,
    u: Number,
    v: Number,
) -> Number:
    """Whether two different nodes conflict under relation r."""
    c, d = labels[r, u], labels[r, v]
    if c < 0 or d < 0:
        return False
    if kinds[r] == 0:
        return c != d and low[c] == low[d]
    if kinds[r] == 1:
        return c == d
    k = find_first_not_below(neighbours, d, offsets[c], offsets[c + 1])
    return k < offsets[c + 1] and neighbours[k] == d


@compile_on_use
def write_persons(
    starts: Int64s,
    owner: Int64s,
    rows: Int64s,
    kinds: Int64s,
    labels: Grid32,
    members: Int32s,
    begin: Int64s,
    end: Int64s,
    low: Int64s,
    high: Int64s,
    offsets: Int64s,
    neighbours: Int32s,
    start: Number,
    chosen: Bools,
    emit: Number,
    counts: Int64s,
    found: Int64s,
    at: Int64s,
    heads: Int32s,
    amounts: Int64s,
    home: Int64s,
) -> None:
    """Find how many conflicts each person has with each other, under relations from `start` on.

    Person p has the nodes starts[p] to starts[p + 1], owner says whose each is. A pair belongs to
    the first relation that it is of. Only the chosen persons count. counts[q] is 0 for all q before
    and after; found is a list of those with more. The persons that p conflicts with are counted in
    at[p]; or, if `emit`, written to heads and amounts from at[p] on, and home[p] becomes twice the
    conflicts between two rows of p.
    """
    for p in range(len(starts) - 1):
        if not chosen[p]:
            continue
        size = 0
        alone = 0
        for u in range(starts[p], starts[p + 1]):
            for r in range(start, len(kinds)):
                c = labels[r, u]
                if c < 0:
                    continue
                first, last = 0, 1
                if kinds[r] == 0:
                    last = 2
                elif kinds[r] == 2:
                    first, last = offsets[c], offsets[c + 1]
                for k in range(first, last):
                    if kinds[r] == 0:
                        i, stop = (low[c], begin[c]) if k == 0 else (end[c], high[c])
                    else:
                        d = neighbours[k] if kinds[r] == 2 else c
                        i, stop = begin[d], end[d]
                    while i < stop:
                        v = members[i]
                        i += 1
                        q = owner[v]
                        if not chosen[q]:
                            continue
                        seen = False
                        for s in range(r):
                            if u == v:
                                seen = kinds[s] == 1 and labels[s, u] >= 0
                            else:
                                seen = conflict(kinds, labels, low, offsets, neighbours, s, u, v)
                            if seen:
                                break
                        if seen:
                            continue
                        if p == q:
                            alone += rows[u] * (rows[v] - (1 if u == v else 0))
                            continue
                        if counts[q] == 0:
                            found[size] = q
                            size += 1
                        counts[q] += rows[u] * rows[v]
        if emit:
            home[p] = alone
        for i in range(size):
            q = found[i]
            if emit:
                heads[at[p]] = q
                amounts[at[p]] = counts[q]
            at[p] += 1
            counts[q] = 0


@compile_on_use
def weigh(
    first: Int64s, person: Int32s, rows: Int64s, sign: Int64s, amounts: Int64s, total: Int64s
) -> None:
    """Add, for each person, the amounts of others times the conflicts with them.

    Entries first[c] to first[c + 1] are of label c: the rows that a person has there.
    """
    for c in range(len(sign)):
        whole = 0
        for e in range(first[c], first[c + 1]):
            whole += rows[e] * amounts[person[e]]
        if whole == 0:
            continue
        for e in range(first[c], first[c + 1]):
            own = rows[e] * amounts[person[e]]
            total[person[e]] += sign[c] * rows[e] * (whole - own)


@compile_on_use
def arrange(
    order: Int64s,
    starts: Int64s,
    label: Int64s,
    rows: Int64s,
    at: Int64s,
    sorted_person: Int32s,
    sorted_rows: Int64s,
) -> None:
    """Write the entries of persons, in some order of the persons, into the lists of the labels.

    Person p has the entries starts[p] to starts[p + 1]; at[c] says how far the list of c is.
    """
    for i in range(len(order)):
        p = order[i]
        for e in range(starts[p], starts[p + 1]):
            k = at[label[e]]
            at[label[e]] += 1
            sorted_person[k] = p
            sorted_rows[k] = rows[e]


@compile_on_use
def load(
    first: Int64s,
    person: Int32s,
    rows: Int64s,
    sign: Int64s,
    scale: Float64s,
    gives: Float64s,
    counts: Int64s,
    below: Float64s,
    above: Int64s,
    free: Float64s,
    lost: Float64s,
    gross: Float64s,
    full: Int64s,
) -> None:
    """Add for each person p, over all others q, conflicts times what the pair carries.

    A pair carries 1 if scale[p] * scale[q] >= 1, and then counts[q] times its conflicts are added
    to full[p]; else gives[q] times its conflicts are added to free[p] + lost[p]. Entries of a label
    rise by scale; where no pair carries 1, any order will do. The sums of gives are those of
    floats, with what each addition loses added up beside: so they are off by little more than the
    rounding of one addition, relative to gross[p], the same sum without signs.
    """
    for c in range(len(sign)):
        begin = first[c]
        size = first[c + 1] - begin
        total = 0.0
        rest = 0.0
        below[0] = 0.0
        for i in range(size):
            term = rows[begin + i] * gives[person[begin + i]]
            after = total + term
            part = after - total
            rest += (total - (after - part)) + (term - part)
            total = after
            below[i + 1] = total + rest
        above[size] = 0
        for i in range(size - 1, -1, -1):
            above[i] = above[i + 1] + rows[begin + i] * counts[person[begin + i]]
        at = size
        for i in range(size):
            p = person[begin + i]
            own = rows[begin + i]
            while at > 0 and scale[p] * scale[person[begin + at - 1]] >= 1.0:
                at -= 1
            near = below[at]
            whole = above[at]
            gross[p] += own * abs(near)
            if i < at:
                near -= own * gives[p]
            else:
                whole -= own * counts[p]
            term = sign[c] * own * near
            after = free[p] + term
            part = after - free[p]
            lost[p] += (free[p] - (after - part)) + (term - part)
            free[p] = after
            full[p] += sign[c] * own * whole
