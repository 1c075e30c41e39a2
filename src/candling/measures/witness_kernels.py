"""The loops that give rows witnesses, compiled: shortest augmenting paths over classes.

Every row needs one witness among the rows it conflicts with; a row can witness for `limit` others.
Rows lie in one class of each block (or in none: -1); a class has neighbouring classes, and all rows
of one conflict with all of the other. A class that is its own neighbour joins its rows to each
other, no row to itself. mate[v] is the witness of v or -1, load[x] how many x witnesses for, and
head, following and before hold the rows that x witnesses for as a list.

A search goes from rows without a witness to all that could be one, level by level, until some has
room. A class is entered once; the one row that it could not reach then, because it started there
(`late`), is looked at again when somebody else comes.
"""

from __future__ import annotations

from candling.conflicts.compiled import compiled


@compiled
def _take(v, x, mate, head, following, before):  # type: ignore[no-untyped-def]
    """Make x the witness of v instead of the one it has."""
    old = mate[v]
    if old >= 0:
        a, z = before[v], following[v]
        if a >= 0:
            following[a] = z
        else:
            head[old] = z
        if z >= 0:
            before[z] = a
    mate[v] = x
    first = head[x]
    following[v] = first
    before[v] = -1
    if first >= 0:
        before[first] = v
    head[x] = v


@compiled
def give_first(  # type: ignore[no-untyped-def]
    limit, order, classes, offsets, neighbours, starts, rows,
    mate, load, head, following, before, at, fresh,
):  # fmt: skip
    """Give witnesses that have room to rows without one; return how many.

    Loads only grow here, so every list is read once: `at` and `fresh` say how far, for a class's
    neighbours and for its rows.
    """
    given = 0
    for v in order:
        if mate[v] >= 0:
            continue
        found = -1
        for b in range(classes.shape[0]):
            c = classes[b, v]
            if c < 0:
                continue
            while at[c] < offsets[c + 1]:
                d = neighbours[at[c]]
                while fresh[d] < starts[d + 1] and load[rows[fresh[d]]] >= limit:
                    fresh[d] += 1
                q = fresh[d]
                if q < starts[d + 1] and rows[q] == v:  # not itself: the next that has room
                    q += 1
                    while q < starts[d + 1] and load[rows[q]] >= limit:
                        q += 1
                if q < starts[d + 1]:
                    found = rows[q]
                    break
                if fresh[d] < starts[d + 1]:
                    break  # only v itself has room here: leave that to the others
                at[c] += 1
            if found >= 0:
                break
        if found >= 0:
            load[found] += 1
            _take(v, found, mate, head, following, before)
            given += 1
    return given


@compiled
def search(  # type: ignore[no-untyped-def]
    limit, order, classes, offsets, neighbours, starts, rows, loops,
    mate, load, head, following, level, reached, entered, hit, late, queue, layer,
):  # fmt: skip
    """Set the levels up to the first that has room; return it, or -1."""
    level[:] = -1
    reached[:] = False
    entered[:] = -1
    hit[:] = -1
    late[:] = -1
    size = 0
    for v in order:
        if mate[v] < 0:
            queue[size] = v
            size += 1
            reached[v] = True
    depth = 0
    while size > 0:
        found = 0
        room = False
        for i in range(size):
            v = queue[i]
            for b in range(classes.shape[0]):
                c = classes[b, v]
                if c < 0:
                    continue
                if entered[c] >= 0:
                    x = late[c]
                    if loops[c] and x >= 0 and x != v and level[x] < 0:
                        level[x] = depth + 1
                        layer[found] = x
                        found += 1
                        room |= load[x] < limit
                    continue
                entered[c] = depth
                for k in range(offsets[c], offsets[c + 1]):
                    d = neighbours[k]
                    if hit[d] >= 0:
                        x = late[d]
                        if x >= 0 and x != v and level[x] < 0:
                            level[x] = depth + 1
                            layer[found] = x
                            found += 1
                            room |= load[x] < limit
                        continue
                    hit[d] = depth + 1
                    for q in range(starts[d], starts[d + 1]):
                        x = rows[q]
                        if level[x] >= 0:
                            continue
                        if x == v:
                            late[d] = v
                            continue
                        level[x] = depth + 1
                        layer[found] = x
                        found += 1
                        room |= load[x] < limit
        depth += 1
        if room:
            return depth
        size = 0
        for i in range(found):
            w = head[layer[i]]
            while w >= 0:
                queue[size] = w
                size += 1
                reached[w] = True
                w = following[w]
    return -1


@compiled
def _usable(x, depth, final, limit, level, load, onward):  # type: ignore[no-untyped-def]
    """Whether a path can go on through x at this depth, or end there."""
    if level[x] != depth:
        return False
    return load[x] < limit if depth == final else onward[x] >= 0


@compiled
def augment(  # type: ignore[no-untyped-def]
    limit, final, order, classes, offsets, neighbours, starts, rows, loops,
    mate, load, head, following, before, level, entered, hit, late, onward, at, fresh,
    needy, through,
):  # fmt: skip
    """Give witnesses along shortest paths until there is none left; return how many.

    A path is needy[0] - through[0] - needy[1] - through[1] - ...: each needy row takes the witness
    after it, which gives up the next needy row. onward[x] is the next row that x could give up.
    """
    given = 0
    for root in order:
        if mate[root] >= 0:
            continue
        top = 0
        needy[0] = root
        while True:
            v = needy[top]
            depth = top + 1
            found = -1
            for b in range(classes.shape[0]):
                c = classes[b, v]
                if c < 0:
                    continue
                x = late[c]
                if (
                    loops[c]
                    and x >= 0
                    and x != v
                    and _usable(x, depth, final, limit, level, load, onward)
                ):
                    found = x
                    break
                if entered[c] != top:
                    continue
                while at[c] < offsets[c + 1]:
                    d = neighbours[at[c]]
                    x = late[d]
                    if x >= 0 and x != v and _usable(x, depth, final, limit, level, load, onward):
                        found = x
                        break
                    own = False
                    if hit[d] == depth:
                        while fresh[d] < starts[d + 1]:
                            x = rows[fresh[d]]
                            if _usable(x, depth, final, limit, level, load, onward):
                                break
                            fresh[d] += 1
                        q = fresh[d]
                        if q < starts[d + 1] and rows[q] == v:
                            own = True
                            q += 1
                            while q < starts[d + 1]:
                                x = rows[q]
                                if _usable(x, depth, final, limit, level, load, onward):
                                    break
                                q += 1
                        if q < starts[d + 1]:
                            found = rows[q]
                            break
                    if own or (late[d] == v and level[v] == depth):
                        break  # only v itself is left here: others may still come for it
                    at[c] += 1
                if found >= 0:
                    break
            if found >= 0 and depth == final:
                load[found] += 1
                given += 1
                x = found
                k = top
                while True:
                    _take(needy[k], x, mate, head, following, before)
                    if k == 0:
                        break
                    k -= 1
                    x = through[k]
                break
            if found >= 0:
                w = onward[found]
                onward[found] = following[w]
                through[top] = found
                top += 1
                needy[top] = w
                continue
            if top == 0:
                break
            x = through[top - 1]
            w = onward[x]
            if w >= 0:
                onward[x] = following[w]
                needy[top] = w
            else:
                top -= 1
    return given
