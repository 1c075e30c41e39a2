"""Race to the top (R2T) as its paper prints it and as its public code runs it: NOT PRIVATE here.

The exact number of rows limits the race, and the noise is of floating-point numbers. `race` has the
form that is private.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from candling.graph.flow import CappedMatching
from candling.measures.facts import Facts

MISS = 0.1  # beta, in the paper and in the code
PRINTED_BASE = 2.0
CODED_BASE = 5.5  # hkustDB/Race-to-the-Top: "2e for its better practical performance"


def printed_thresholds(rows: int) -> list[float]:
    """2, 4, ... up to the first that is not below the number of rows."""
    return [PRINTED_BASE**i for i in range(1, max(1, math.ceil(math.log2(max(rows, 2)))) + 1)]


def coded_thresholds(rows: int) -> list[float]:
    """5.5, 30.25, ... up to the last that is not above the number of rows, or one more than that.

    The code adds one where there would be none or a single one. So large degrees may lie beyond all
    thresholds: of 10,000 rows the last is 5,033.
    """
    runners = int(math.log(max(rows, 1), CODED_BASE))
    if runners <= 1:
        runners += 1
    return [CODED_BASE**i for i in range(1, runners + 1)]


def kept_not_private(facts: Facts, thresholds: Sequence[float]) -> list[float]:
    """The pairs that the linear program keeps if no row may count in more than t of them.

    The program's value is concave in t. Between two whole numbers it is taken to be straight, which
    is never more than it is.
    """
    part = facts.whole
    graph = part.graph
    flows = CappedMatching(graph, lambda: np.asarray(part.witnesses.cover == 2))
    largest = int(graph.degrees.max(initial=0))

    def at(threshold: int) -> float:
        return float(graph.pairs) if threshold >= largest else flows.value(threshold) / 2

    kept = []
    for threshold in sorted(thresholds):
        whole = math.floor(threshold)
        low = at(whole)
        high = low if whole == threshold else at(whole + 1)
        kept.append(part.self_inconsistent + low + (threshold - whole) * (high - low))
    return kept


def r2t_as_printed_not_private(
    kept: Sequence[float], thresholds: Sequence[float], epsilon: float, rng: np.random.Generator
) -> float:
    """The largest of all runners, or 0."""
    return max(0.0, *_runners(kept, thresholds, epsilon, rng))


def r2t_as_coded_not_private(
    kept: Sequence[float], thresholds: Sequence[float], epsilon: float, rng: np.random.Generator
) -> float:
    """The largest of the runners above 0; if there is none, the first, which is negative then."""
    runners = _runners(kept, thresholds, epsilon, rng)
    return max(runners) if max(runners) > 0 else runners[0]


def r2t_as_run_not_private(
    kept: Sequence[float], thresholds: Sequence[float], epsilon: float, rng: np.random.Generator
) -> float:
    """As coded; the authors of the paper on measures set a negative answer to 0."""
    return max(0.0, r2t_as_coded_not_private(kept, thresholds, epsilon, rng))


def _runners(
    kept: Sequence[float], thresholds: Sequence[float], epsilon: float, rng: np.random.Generator
) -> list[float]:
    """Each with noise, less what the noise may add."""
    scales = [len(thresholds) * t / epsilon for t in thresholds]
    penalty = math.log(len(thresholds) / MISS)
    return [
        value + scale * (float(rng.laplace()) - penalty)
        for value, scale in zip(kept, scales, strict=True)
    ]
