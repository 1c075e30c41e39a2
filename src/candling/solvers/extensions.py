"""Lipschitz extensions of the measures over a grid of thresholds, as exact integers.

`problematic` at threshold t is F(t,1): a row may witness the conflicts of at most t others.
`minimal_inconsistent` is F(t,t)/2: a row may take part in at most t pairs, fractionally. Both only
grow when a row is added, by at most t + 1 and t (docs/privacy.md, Theorems 2 and 3), are concave in
the threshold, and reach the true measure when t is large enough.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from candling.graph import Graph
from candling.graph.protocol import Mask
from candling.solvers.saturate import BothLimited
from candling.solvers.witness import Witnesses, witnesses


def problematic_levels(graph: Graph, levels: int, *, known: Witnesses | None = None) -> list[int]:
    """The values s + F(2**i, 1) for i below `levels`; `known` are the witnesses, if there are."""
    own = witnesses(graph, levels) if known is None else known
    return [graph.self_inconsistent + count for count in own.counts]


def doubled_minimal_inconsistent_levels(
    graph: Graph, levels: int, *, known: Witnesses | None = None
) -> list[int]:
    """The values 2s + F(2**i, 2**i) for i below `levels`: twice the measure, an integer."""

    @cache
    def covering() -> Mask:
        """The whole nodes of a smallest cover."""
        own = witnesses(graph, 1) if known is None else known
        return np.asarray(own.cover == 2)

    largest = int(graph.degrees.max(initial=0))
    limited = BothLimited(graph, covering)
    values: list[int] = []
    for level in range(levels):
        t = 2**level
        value = 2 * graph.pairs if t >= largest else limited.value(t)
        values.append(2 * graph.self_inconsistent + value)
    return values
