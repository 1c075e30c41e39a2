"""The compiled sweep that finds the heaviest rows without a fall."""

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
