"""Tests of hypotheses whose false alarms are bounded by theorems, not by approximations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy import stats

FALSE_ALARM = 1e-10  # of one statistical test on fresh randomness, at most

Floats = npt.NDArray[np.float64]
Outcome = TypeVar("Outcome", bound=Hashable)


def p_value(counts: Sequence[int], probabilities: Sequence[float]) -> float:
    """A bound on the probability of counts at least this unlikely under the probabilities.

    Agrawal, "Finite-Sample Concentration of the Multinomial in Relative Entropy" (2020): with k
    cells and n draws, P(n KL >= x) <= exp(-x) (e x / (k - 1))**(k - 1) for x > k - 1.
    """
    observed, expected = np.asarray(counts, float), np.asarray(probabilities, float)
    assert math.isclose(expected.sum(), 1, abs_tol=1e-9), "the cells hold everything"
    n, free = observed.sum(), len(observed) - 1
    seen = observed > 0
    if np.any(expected[seen] <= 0):
        return 0.0
    x = float(np.sum(observed[seen] * np.log(observed[seen] / (n * expected[seen]))))
    if x <= free:
        return 1.0
    return math.exp(min(0.0, -x + free * math.log(math.e * x / free)))


def fits(draws: Iterable[Outcome], law: Mapping[Outcome, float], *, cells: int = 12) -> bool:
    """Whether draws may come from a law; a true law is refused with FALSE_ALARM at most.

    Neighbouring outcomes, in the order of the law, share a cell until it holds 1/cells of all. What
    the law leaves to 1 is a cell of its own: outcomes that it does not name.
    """
    counted = Counter(draws)
    total = sum(counted.values())
    counts, probabilities = [0], [0.0]
    for outcome, probability in law.items():
        if probabilities[-1] >= 1 / cells:
            counts.append(0)
            probabilities.append(0.0)
        counts[-1] += counted[outcome]
        probabilities[-1] += probability
    unnamed, left = total - sum(counts), 1 - sum(probabilities)
    if unnamed or left > 1e-12:
        counts.append(unnamed)
        probabilities.append(max(0.0, left))
    return p_value(counts, probabilities) >= FALSE_ALARM


def at_most(count: int, draws: int, probability: float) -> bool:
    """Whether an event seen `count` times may have at most this probability."""
    return bool(stats.binom.sf(count - 1, draws, probability) >= FALSE_ALARM)


def at_least(count: int, draws: int, probability: float) -> bool:
    """Whether an event seen `count` times may have at least this probability."""
    return bool(stats.binom.cdf(count, draws, probability) >= FALSE_ALARM)


def clopper_pearson(
    counts: npt.NDArray[np.int64], draws: int, miss: float
) -> tuple[Floats, Floats]:
    """Bounds on the probabilities behind the counts, each wrong with probability `miss` at most."""
    low = np.where(counts == 0, 0.0, stats.beta.ppf(miss, counts, draws - counts + 1))
    high = np.where(counts == draws, 1.0, stats.beta.isf(miss, counts + 1, draws - counts))
    return low, high
