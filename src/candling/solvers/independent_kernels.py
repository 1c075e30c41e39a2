"""The compiled loop that covers edges by cliques."""

from __future__ import annotations

from candling.graph.compiled import compiled


@compiled
def cover_by_cliques(  # type: ignore[no-untyped-def]
    offsets, sources, targets, wanted, covered, joined, ends, members
):
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
