"""Choose the threshold by noisy max, then add Laplace noise: the reference."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from candling.privacy.laplace import DiscreteLaplace, add_laplace, laplace_noise
from candling.privacy.levels import Levels
from candling.privacy.selection import noisy_max

SELECTION = Fraction(2, 5)  # of epsilon
PRIOR = Fraction(27, 20)  # e**-1.35 per level, as an offset to the scores at epsilon


@dataclass(frozen=True, slots=True)
class SimpleDraw:
    """A level, and its extension plus Laplace noise."""

    level: int
    value: int
    noise: DiscreteLaplace

    def lower(self, miss: float) -> int:
        """The released value less the noise's quantile."""
        return self.value - self.noise.one_sided(miss)


@dataclass(frozen=True, slots=True)
class Simple:
    """Noisy max over -max_{l>i} (f_l - f_i) / S_l with 0.4 epsilon, Laplace with the rest.

    Neighbours: tables that differ in the rows of one person. Sensitivity: the scores change within
    a window of width 1 + max S_i / S_l over i < l, the chosen value by its level's sensitivity.
    Cost: epsilon. Proof: docs/privacy.md, Theorem 7.
    """

    def __call__(self, levels: Levels, epsilon: Fraction) -> SimpleDraw:
        levels.require_monotone()
        f, s = levels.values, levels.sensitivities
        largest = accumulate(s, max)  # so far: sensitivities may come in any order
        steepest = max(map(Fraction, largest, s[1:]), default=Fraction(0))
        window = 1 + steepest
        part = SELECTION * epsilon
        # About e**-PRIOR a level: noisy max weighs scores by nearly exp(score / scale).
        offset = PRIOR * window / part
        scores = [
            -max((Fraction(f[j] - f[i], s[j]) for j in range(i + 1, len(f))), default=Fraction(0))
            - i * offset
            for i in range(len(f))
        ]
        level = noisy_max(scores, window=window, epsilon=part)
        noise = laplace_noise(s[level], epsilon - part)
        return SimpleDraw(level, add_laplace(f[level], noise), noise)

    def expected_error(self, sensitivity: int, epsilon: Fraction) -> float:
        """That of the Laplace step."""
        return laplace_noise(sensitivity, epsilon * (1 - SELECTION)).mean_absolute_error
