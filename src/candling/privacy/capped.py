"""Fewer thresholds to choose from, by a noisy bound on the largest degree."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from fractions import Fraction

from candling.privacy.laplace import add_laplace, laplace_noise
from candling.privacy.levels import Draw, Levels, Mechanism

SHARE = Fraction(1, 20)  # of epsilon
MISS = 0.01  # probability that the noise hides a threshold that matters


@dataclass(frozen=True, slots=True)
class Capped:
    """A mechanism that only looks at thresholds up to a noisy bound on the largest degree.

    It helps mechanisms whose error grows with the number of candidates; the ones here weigh large
    thresholds down by a prior that costs nothing, and do without it.

    Neighbours: tables that differ in the rows of one person. Sensitivity: as stated by the bound
    and the levels. Cost: epsilon, a twentieth of it for the bound. Proof: docs/privacy.md,
    Theorem 11.
    """

    inner: Mechanism

    def __call__(self, levels: Levels, epsilon: Fraction) -> Draw:
        if levels.bound is None:
            return self.inner(levels, epsilon)
        bound = levels.bound()
        part = SHARE * epsilon
        noise = laplace_noise(bound.sensitivity, part)
        cap = add_laplace(bound.value, noise) + noise.one_sided(MISS)
        count = min(len(levels.values), bisect_left(levels.thresholds, cap) + 1)
        fewer = replace(
            levels, values=levels.values[:count], sensitivities=levels.sensitivities[:count]
        )
        return self.inner(fewer, epsilon - part)

    def expected_error(self, sensitivity: int, epsilon: Fraction) -> float:
        """That of the mechanism inside."""
        return self.inner.expected_error(sensitivity, epsilon * (1 - SHARE))
