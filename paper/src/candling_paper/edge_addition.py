"""Edge addition (Algorithm 1): keep a pair if both rows have fewer than `threshold` kept so far.

All thresholds are done in one pass over the pairs, which are never written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from candling_paper.edge_addition_kernels import add_edges
from candling_paper.ordered import OrderedPairs


@dataclass(frozen=True, slots=True)
class Projections:
    """What is left of the pairs, and of the rows in one, at each threshold. Private.

    When a row is added, pairs[i] grows by 0 to thresholds[i], and rows[i] moves by up to
    thresholds[i] + 1 either way (docs/privacy.md, Theorem 12).
    """

    thresholds: tuple[int, ...]
    pairs: tuple[int, ...] = field(repr=False)
    rows: tuple[int, ...] = field(repr=False)


def edge_addition(pairs: OrderedPairs, thresholds: Sequence[int]) -> Projections:
    """The projections at all thresholds; rows that break a rule alone count in both."""
    bounds = np.array(thresholds, np.int64)
    if len(bounds) and bounds.min() < 1:
        raise ValueError("a threshold is 1 or more")
    # No degree reaches the number of rows, so larger thresholds need no larger numbers.
    capped = np.minimum(bounds, pairs.rows).astype(np.int32)
    degrees = np.zeros((pairs.rows, len(capped)), np.int32)
    kept = np.zeros(len(capped), np.int64)
    add_edges(pairs.offsets, pairs.neighbours, pairs.starts, capped, degrees, kept)
    alone = pairs.self_inconsistent
    return Projections(
        tuple(int(t) for t in thresholds),
        tuple(alone + int(k) for k in kept),
        tuple(alone + int(n) for n in np.count_nonzero(degrees, axis=0)),
    )
