"""The published ways to choose a threshold, with sensitivities that hold.

Score of threshold t: its value, less the noise's standard deviation. (The paper subtracts the value
at the largest threshold from all scores, which changes no choice.) Selection is OpenDP's noisy max,
which picks a worse threshold than the exponential mechanism with no larger probability.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from candling.privacy import Drawn, noisy_max
from candling_paper.laplace import add_laplace, laplace_noise
from candling_paper.levels import Bound, Levels, draw_level

CHOICE = Fraction(2, 5)  # of epsilon, as in the paper: 0.4 to choose, 0.6 for the noise
BOUND = Fraction(1, 4)  # of that, for the bound on the degrees
DEVIATIONS = Fraction(math.sqrt(2))  # of Laplace noise, in units of its scale


@dataclass(frozen=True, slots=True)
class Last:
    """The last threshold, and all of epsilon for the noise (Algorithm 2 without a choice).

    Neighbours: tables that differ in the rows of one person. Sensitivity: that of the level. Cost:
    epsilon. Proof: docs/privacy.md, Theorems 1 and 12.
    """

    def __call__(
        self,
        levels: Levels,
        epsilon: Fraction,
        bound: Callable[[], Bound] | None = None,  # noqa: ARG002 - there is no choice
    ) -> Drawn:
        return draw_level(levels, epsilon, len(levels.values) - 1)


@dataclass(frozen=True, slots=True)
class Exponential:
    """One choice among all thresholds (Algorithms 2 and 3).

    Neighbours: tables that differ in the rows of one person. Sensitivity: the scores move within
    a window as wide as the largest sensitivity, or twice that if they can fall. Cost: epsilon, 0.4
    of it for the choice. Proof: docs/privacy.md, Theorem 12.
    """

    def __call__(
        self,
        levels: Levels,
        epsilon: Fraction,
        bound: Callable[[], Bound] | None = None,  # noqa: ARG002 - all thresholds are candidates
    ) -> Drawn:
        rest = (1 - CHOICE) * epsilon
        return draw_level(levels, rest, choose(levels, CHOICE * epsilon, rest))


@dataclass(frozen=True, slots=True)
class Hierarchical:
    """Two choices, the second among what the first leaves (Algorithms 2 and 4).

    With `degree_bound`, a noisy bound on the largest degree comes first. The candidates are then
    those below it and the bound itself, rounded up to the next threshold; one of
    `between` is a candidate in no other way, unless it is the last of all.

    Not the same as the published form: that adds noise for every FD, ours needs one draw (Theorem
    11). And that keeps the number of rows as a candidate above the bound, with a score that no row
    changes because it is said to lose nothing. Here the bound is the last candidate: scores that
    are compared with a fixed one would need nearly twice the noise.

    Neighbours, sensitivity and proof: as for the exponential mechanism, by composition; the rounded
    bound is released, as far as the choices that follow are concerned. Cost: epsilon: 0.1 for the
    bound (if asked for), what is left of 0.4 in two halves, 0.6 for the noise.
    """

    degree_bound: bool = True
    between: tuple[int, ...] = ()

    def __call__(
        self, levels: Levels, epsilon: Fraction, bound: Callable[[], Bound] | None = None
    ) -> Drawn:
        part, rest = CHOICE * epsilon, (1 - CHOICE) * epsilon
        thresholds = levels.thresholds
        last = len(thresholds) - 1
        left = [i for i, t in enumerate(thresholds) if i == last or t not in self.between]
        if self.degree_bound and bound is not None:
            degrees = bound()
            noise = laplace_noise(degrees.sensitivity, BOUND * part)
            last = min(last, bisect_left(thresholds, add_laplace(degrees.value, noise)))
            left = [*(i for i in left if i < last), last]
            part -= BOUND * part
        for _ in range(2):
            left = left[: choose(only(levels, left), part / 2, rest) + 1]
        return draw_level(levels, rest, left[-1])


def choose(levels: Levels, epsilon: Fraction, rest: Fraction) -> int:
    """A level with nearly the best score, if `rest` is left for the noise; costs epsilon."""
    scores = [
        value - DEVIATIONS * s / rest
        for value, s in zip(levels.values, levels.sensitivities, strict=True)
    ]
    largest = Fraction(max(levels.sensitivities))
    if levels.monotone:
        return noisy_max(scores, window=largest, epsilon=epsilon, monotone=True)
    return noisy_max(scores, window=2 * largest, epsilon=epsilon)


def only(levels: Levels, kept: Sequence[int]) -> Levels:
    """Some of the levels alone, ascending."""
    values, sensitivities, thresholds = (
        tuple(every[i] for i in kept)
        for every in (levels.values, levels.sensitivities, levels.thresholds)
    )
    return replace(levels, values=values, sensitivities=sensitivities, thresholds=thresholds)
