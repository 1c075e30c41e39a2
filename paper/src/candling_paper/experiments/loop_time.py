"""How long the published algorithms take as loops in plain Python. Not private."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from candling_paper import published
from candling_paper.loop import published_loop
from candling_paper.thresholds import CANDIDATES

CHOICE = 0.15  # of epsilon, for each of the two choices


def loop_seconds(
    measure: str, pairs: Sequence[tuple[int, int]], rows: int, *, bound: int, limit: float
) -> float | None:
    """CPU seconds of Algorithms 2 and 4, or 5 for repair; None if they take more than `limit`.

    Each choice makes a pass over all pairs for every candidate that is left, and one more pass
    makes the answer. The limit is looked at between passes.
    """
    start = time.process_time()
    if measure == "repair":
        _cover(pairs)
        return time.process_time() - start
    rng = np.random.default_rng(0)
    largest = max(1, min(bound, rows))
    candidates = sorted({t for t in CANDIDATES if t <= largest} | {largest, rows})
    for _ in range(2):
        top = _kept(measure, pairs, rows, largest)
        scores = []
        for t in candidates:
            # All rows as the threshold is said to lose nothing.
            kept = top if t in {largest, rows} else _kept(measure, pairs, rows, t)
            scores.append(published.quality(kept, top, t, published.NOISE))
            if time.process_time() - start > limit:
                return None
        chances = published.probabilities(scores, largest, CHOICE)
        largest = int(rng.choice(candidates, p=chances))
        candidates = [t for t in candidates if t <= largest]
    _kept(measure, pairs, rows, largest)
    return time.process_time() - start


def _kept(measure: str, pairs: Sequence[tuple[int, int]], rows: int, threshold: int) -> int:
    found = published_loop(pairs, rows, (threshold,))
    return (found.rows if measure == "problematic" else found.pairs)[0]


def _cover(pairs: Sequence[tuple[int, int]]) -> int:
    covered: set[int] = set()
    for u, v in pairs:
        if u not in covered and v not in covered:
            covered.add(u)
            covered.add(v)
    return len(covered)
