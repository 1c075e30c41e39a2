"""The compiled loops that tell which half classes have an integral cover."""

from __future__ import annotations

from candling.graph.compiled import compiled

NEVER = -1  # not visited, or in no stack
END = -2  # of a list


@compiled
def use_both_ways(offsets, targets, at, used):  # type: ignore[no-untyped-def]
    """Mark an arc as used where its opposite is; `at` holds where each list begins."""
    for u in range(len(at)):  # lists are sorted: nodes arrive in the order of each
        for k in range(offsets[u], offsets[u + 1]):
            opposite = at[targets[k]]
            at[targets[k]] += 1
            either = used[k] or used[opposite]
            used[k] = either
            used[opposite] = either


@compiled
def strong_parts(offsets, targets, used, label, after, before, below):  # type: ignore[no-untyped-def]
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
