"""Edge addition as it was published: a loop over all pairs for each threshold, in plain Python.

It is here to be timed, and to check the compiled pass against.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from candling_paper.edge_addition import Projections


def published_loop(
    pairs: Sequence[tuple[int, int]], rows: int, thresholds: Iterable[int]
) -> Projections:
    """The pairs and rows that are kept at each threshold; `pairs` come in the order to take them.

    Rows are numbered from 0. The lists are the least that the algorithm costs in Python: the
    published code has a graph of nested dicts.
    """
    projections = []
    for bound in thresholds:
        degrees = [0] * rows
        kept = 0
        for u, v in pairs:
            if degrees[u] < bound and degrees[v] < bound:
                degrees[u] += 1
                degrees[v] += 1
                kept += 1
        projections.append((bound, kept, sum(1 for degree in degrees if degree)))
    return Projections(
        tuple(bound for bound, _, _ in projections),
        tuple(kept for _, kept, _ in projections),
        tuple(touched for _, _, touched in projections),
    )
