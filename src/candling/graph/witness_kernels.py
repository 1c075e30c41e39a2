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
`augment` look at a row's own class apart from the other neighbours. Those are read in order, and
one that has nothing left has nothing for any row of the class (`at` says how far that is). In the
own class `fresh` stays at the row while that alone could be used, by others, and `second` is how
far the rows behind it were read. The row that is late in a class reads on its own (`late_at`,
`late_row`).

Every loop ends: a list is read by a position that only grows, or a counter says STUCK.
"""

from __future__ import annotations

from candling.graph.compilation import Bools, Grid, Int32s, Int64s, Number, compile_on_use

STUCK = -2  # what a kernel returns that went on for longer than it can: a bug


@compile_on_use
def _take(
    v: Number, x: Number, mate: Int32s, head: Int32s, following: Int32s, before: Int32s
) -> None:
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


@compile_on_use
def _with_room(
    v: Number,
    d: Number,
    limit: Number,
    starts: Int64s,
    rows: Int32s,
    load: Int32s,
    fresh: Int64s,
    second: Int64s,
) -> Number:
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


@compile_on_use
def give_first(
    limit: Number,
    order: Int32s,
    classes: Grid,
    first: Int64s,
    offsets: Int64s,
    neighbours: Int32s,
    starts: Int64s,
    rows: Int32s,
    loops: Bools,
    mate: Int32s,
    load: Int32s,
    head: Int32s,
    following: Int32s,
    before: Int32s,
    at: Int64s,
    fresh: Int64s,
    second: Int64s,
) -> Number:
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


@compile_on_use
def search(
    limit: Number,
    order: Int32s,
    classes: Grid,
    first: Int64s,
    offsets: Int64s,
    neighbours: Int32s,
    starts: Int64s,
    rows: Int32s,
    loops: Bools,
    mate: Int32s,
    load: Int32s,
    head: Int32s,
    following: Int32s,
    level: Int32s,
    reached: Bools,
    entered: Int32s,
    hit: Int32s,
    late: Int32s,
    queue: Int32s,
    layer: Int32s,
) -> Number:
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


@compile_on_use
def _usable(v: Number, depth: Number, mate: Int32s, level: Int32s, used: Bools) -> Number:
    """Whether v needs another witness at this depth of a search; once not, never again."""
    if used[v]:
        return False
    return mate[v] < 0 if depth == 0 else mate[v] >= 0 and level[mate[v]] == depth


@compile_on_use
def _needy(
    x: Number,
    depth: Number,
    classes: Grid,
    first: Int64s,
    offsets: Int64s,
    neighbours: Int32s,
    starts: Int64s,
    rows: Int32s,
    loops: Bools,
    mate: Int32s,
    level: Int32s,
    entered: Int32s,
    hit: Int32s,
    late: Int32s,
    used: Bools,
    at: Int64s,
    fresh: Int64s,
    second: Int64s,
    late_at: Int64s,
    late_row: Int64s,
) -> Number:
    """A row of this depth that x, which is one level up, could witness for; -1: none is left.

    Only classes that were entered at this depth have such rows, as the others reached their
    neighbours before, but for the one that came too early to be reached itself.
    """
    for b in range(classes.shape[0]):
        d = classes[b, x]
        if d < 0:
            continue
        if hit[d] == depth + 1:
            if loops[d] and entered[d] == depth:
                end = starts[d + 1]
                while fresh[d] < end and not _usable(rows[fresh[d]], depth, mate, level, used):
                    fresh[d] += 1
                q = fresh[d]
                if q < end and rows[q] == x:
                    q = max(q + 1, second[d])
                    while q < end and not _usable(rows[q], depth, mate, level, used):
                        q += 1
                    second[d] = q
                if q < end:
                    return rows[q]
            while at[d] < offsets[d + 1]:
                c = first[b] + neighbours[at[d]]
                if c != d and entered[c] == depth:
                    end = starts[c + 1]
                    while fresh[c] < end and not _usable(rows[fresh[c]], depth, mate, level, used):
                        fresh[c] += 1
                    if fresh[c] < end:
                        return rows[fresh[c]]
                at[d] += 1
        elif late[d] == x and 0 <= hit[d] <= depth:
            while late_at[d] < offsets[d + 1]:
                c = first[b] + neighbours[late_at[d]]
                late_row[d] = max(late_row[d], starts[c])
                while late_row[d] < starts[c + 1]:
                    v = rows[late_row[d]]
                    if _usable(v, depth, mate, level, used):  # x itself was needy before
                        return v
                    late_row[d] += 1
                late_at[d] += 1
                late_row[d] = 0
    return -1


@compile_on_use
def augment(
    limit: Number,
    final: Number,
    classes: Grid,
    first: Int64s,
    offsets: Int64s,
    neighbours: Int32s,
    starts: Int64s,
    rows: Int32s,
    loops: Bools,
    mate: Int32s,
    load: Int32s,
    head: Int32s,
    following: Int32s,
    before: Int32s,
    level: Int32s,
    entered: Int32s,
    hit: Int32s,
    late: Int32s,
    used: Bools,
    at: Int64s,
    fresh: Int64s,
    second: Int64s,
    late_at: Int64s,
    late_row: Int64s,
    needy: Int32s,
    through: Int32s,
) -> Number:
    """Give witnesses along shortest paths until there is none left; return how many, or STUCK.

    A path is followed from its end, of which there are fewer: through[final] has room, and
    through[k] takes needy[k], whose witness is through[k - 1]; needy[1] has none. A row is needy
    once in a phase: `used`.

    A step makes a row needy, leaves one that leads nowhere, or is the last one of an end: at most
    one of each for every row.
    """
    gained = 0
    steps = 3 * len(load)
    for end in range(len(load)):
        if level[end] != final:
            continue
        while load[end] < limit:
            top = final
            through[top] = end
            while 0 < top <= final:
                steps -= 1
                if steps < 0:
                    return STUCK
                v = _needy(
                    through[top], top - 1, classes, first, offsets, neighbours, starts, rows, loops,
                    mate, level, entered, hit, late, used, at, fresh, second, late_at, late_row,
                )  # fmt: skip
                if v < 0:
                    top += 1
                    continue
                used[v] = True
                needy[top] = v
                top -= 1
                if top > 0:
                    through[top] = mate[v]
            if top > 0:
                break
            for k in range(1, final + 1):
                _take(needy[k], through[k], mate, head, following, before)
            load[end] += 1
            gained += 1
    return gained
