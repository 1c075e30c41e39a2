"""The loops that give rows witnesses, compiled: shortest augmenting paths over classes.

Every row needs one witness among the rows it conflicts with; a row can witness for `limit` others.
Rows lie in one class of each block (or in none: -1); a class has neighbouring classes, and all rows
of one conflict with all of the other. Lists of neighbours number the classes of block b from 0, all
else from first[b]. A class that is its own neighbour joins its rows to each other, and no row to
itself. mate[v] is the witness of v or -1, load[x] how many x witnesses for, and head, following and
before hold the rows that x witnesses for as a list.

A search goes from rows without a witness to all that could be one, level by level, until some has
room. A class is entered once; the one row that it could not reach then, because it started there
(`late`), is looked at again when somebody else comes.

A row meets itself only in its own class, where that is its own neighbour. So `give_first` and
`augment` look at v's own class apart from the other neighbours. Those are read in order, and one
that has nothing left has nothing for any row of v's class (`at` says how far that is). In the own
class `fresh` stays at v while v alone could be used, by others, and `second` is how far the rows
behind it were read.

Every loop ends: a list is read by a position that only grows, or a counter says STUCK.
"""

from __future__ import annotations

from candling.graph.compiled import compiled

STUCK = -2  # what a kernel returns that went on for longer than it can: a bug


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
def _with_room(v, d, limit, starts, rows, load, fresh, second):  # type: ignore[no-untyped-def]
    """A row of class d that has room and is not v, or -1.

    Loads only grow, so a row without room is passed for good: `fresh` and `second` only grow.
    """
    end = starts[d + 1]
    while fresh[d] < end and load[rows[fresh[d]]] >= limit:
        fresh[d] += 1
    q = fresh[d]
    if q < end and rows[q] == v:
        q = max(q + 1, second[d])
        while q < end and load[rows[q]] >= limit:
            q += 1
        second[d] = q
    return rows[q] if q < end else -1


@compiled
def give_first(  # type: ignore[no-untyped-def]
    limit, order, classes, first, offsets, neighbours, starts, rows, loops,
    mate, load, head, following, before, at, fresh, second,
):  # fmt: skip
    """Give witnesses that have room to rows without one; return how many.

    Every row is looked at once, and `at` only grows.
    """
    gained = 0
    for v in order:
        if mate[v] >= 0:
            continue
        witness = -1
        for b in range(classes.shape[0]):
            c = classes[b, v]
            if c < 0:
                continue
            while witness < 0 and at[c] < offsets[c + 1]:
                d = first[b] + neighbours[at[c]]
                if d != c and fresh[d] < starts[d + 1]:  # a call takes longer than looking
                    witness = _with_room(v, d, limit, starts, rows, load, fresh, second)
                if witness < 0:
                    at[c] += 1
            if witness < 0 and loops[c]:
                witness = _with_room(v, c, limit, starts, rows, load, fresh, second)
            if witness >= 0:
                break
        if witness >= 0:
            load[witness] += 1
            _take(v, witness, mate, head, following, before)
            gained += 1
    return gained


@compiled
def search(  # type: ignore[no-untyped-def]
    limit, order, classes, first, offsets, neighbours, starts, rows, loops,
    mate, load, head, following, level, reached, entered, hit, late, queue, layer,
):  # fmt: skip
    """Set the levels up to the first that has room; return it, -1 if there is none, or STUCK.

    Every depth gives a level to rows that had none, and a row is queued only by its one witness.
    """
    for v in range(len(level)):
        level[v] = -1
    for v in range(len(reached)):
        reached[v] = False
    for c in range(len(entered)):
        entered[c] = -1
        hit[c] = -1
        late[c] = -1
    size = 0
    for v in order:
        if mate[v] < 0:
            queue[size] = v
            size += 1
            reached[v] = True
    depth = 0
    while size > 0:
        reached_now = 0
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
                        layer[reached_now] = x
                        reached_now += 1
                        room |= load[x] < limit
                    continue
                entered[c] = depth
                for k in range(offsets[c], offsets[c + 1]):
                    d = first[b] + neighbours[k]
                    if hit[d] >= 0:
                        x = late[d]
                        if x >= 0 and x != v and level[x] < 0:
                            level[x] = depth + 1
                            layer[reached_now] = x
                            reached_now += 1
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
                        layer[reached_now] = x
                        reached_now += 1
                        room |= load[x] < limit
        depth += 1
        if room:
            return depth
        size = 0
        for i in range(reached_now):
            w = head[layer[i]]
            while w >= 0:
                if size == len(reached):
                    return STUCK  # more rows than there are: a list that runs in a circle
                queue[size] = w
                size += 1
                reached[w] = True
                w = following[w]
    return -1


@compiled
def _usable(x, depth, final, limit, level, load, onward):  # type: ignore[no-untyped-def]
    """Whether a path can go on through x at this depth, or end there; once not, never again."""
    if level[x] != depth:
        return False
    return load[x] < limit if depth == final else onward[x] >= 0


@compiled
def _next_on_path(  # type: ignore[no-untyped-def]
    v, d, depth, final, limit, starts, rows, level, load, hit, late, onward, fresh, second
):  # fmt: skip
    """A row of class d that a path can take from v, not v itself, or -1."""
    x = late[d]
    if x >= 0 and x != v and _usable(x, depth, final, limit, level, load, onward):
        return x
    if hit[d] != depth:
        return -1
    end = starts[d + 1]
    while fresh[d] < end and not _usable(rows[fresh[d]], depth, final, limit, level, load, onward):
        fresh[d] += 1
    q = fresh[d]
    if q < end and rows[q] == v:
        q = max(q + 1, second[d])
        while q < end and not _usable(rows[q], depth, final, limit, level, load, onward):
            q += 1
        second[d] = q
    return rows[q] if q < end else -1


@compiled
def augment(  # type: ignore[no-untyped-def]
    limit, final, order, classes, first, offsets, neighbours, starts, rows, loops,
    mate, load, head, following, before, level, entered, hit, late, onward, at, fresh, second,
    needy, through,
):  # fmt: skip
    """Give witnesses along shortest paths until there is none left; return how many, or STUCK.

    A path is needy[0] - through[0] - needy[1] - through[1] - ...: each needy row takes the witness
    after it, which gives up the next needy row. onward[x] is the next row that x could give up.

    A step ends a root, takes a row out of an `onward` list, or goes back from such a row: at most
    one for every row without a witness, and two for every row with one.
    """
    gained = 0
    steps = 2 * len(order)
    for root in order:
        if mate[root] >= 0:
            continue
        top = 0
        needy[0] = root
        while True:
            steps -= 1
            if steps < 0:
                return STUCK
            v = needy[top]
            depth = top + 1
            next_one = -1
            for b in range(classes.shape[0]):
                c = classes[b, v]
                if c < 0:
                    continue
                if loops[c]:
                    next_one = _next_on_path(
                        v, c, depth, final, limit, starts, rows, level, load, hit, late, onward,
                        fresh, second,
                    )  # fmt: skip
                # A class that was entered before reaches nothing else at this depth.
                while next_one < 0 and entered[c] == top and at[c] < offsets[c + 1]:
                    d = first[b] + neighbours[at[c]]
                    # A call takes longer than looking.
                    if d != c and (late[d] >= 0 or (hit[d] == depth and fresh[d] < starts[d + 1])):
                        next_one = _next_on_path(
                            v, d, depth, final, limit, starts, rows, level, load, hit, late, onward,
                            fresh, second,
                        )  # fmt: skip
                    if next_one < 0:
                        at[c] += 1
                if next_one >= 0:
                    break
            if next_one >= 0 and depth == final:
                load[next_one] += 1
                gained += 1
                x = next_one
                k = top
                while True:  # back to the root: k falls to 0
                    _take(needy[k], x, mate, head, following, before)
                    if k == 0:
                        break
                    k -= 1
                    x = through[k]
                break
            if next_one >= 0:
                w = onward[next_one]
                onward[next_one] = following[w]
                through[top] = next_one
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
    return gained
