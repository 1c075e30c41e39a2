"""What a published method draws from: a value for each threshold, and a bound on the degrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from candling.privacy import Draw, Drawn
from candling_paper.laplace import add_laplace, laplace_noise


@dataclass(frozen=True, slots=True)
class Bound:
    """No row has more than `value` conflicts, which moves by up to `sensitivity` per person."""

    value: int = field(repr=False)  # private: not in a repr
    sensitivity: int


@dataclass(frozen=True, slots=True)
class Levels:
    """A measure cut at several thresholds, in units of `step`.

    When a person's rows are added, values[i] grows by 0 to sensitivities[i]; if not `monotone`, it
    moves by that much either way. The measure is never below any of the values.
    """

    values: tuple[int, ...] = field(repr=False)  # private: not in a repr
    sensitivities: tuple[int, ...]
    thresholds: tuple[int, ...]  # public, ascending
    step: Fraction = Fraction(1)
    monotone: bool = True

    def __post_init__(self) -> None:
        if not len(self.values) == len(self.sensitivities) == len(self.thresholds):
            raise ValueError("every value needs its sensitivity and its threshold")


class Mechanism(Protocol):
    """Draws a level and a noisy value, for epsilon in all."""

    def __call__(
        self, levels: Levels, epsilon: Fraction, bound: Callable[[], Bound] | None = None
    ) -> Draw:
        """`bound` looks at all rows, so it is called only where it is used."""


def draw_level(levels: Levels, epsilon: Fraction, level: int) -> Drawn:
    """Draw the value of one level with noise that costs epsilon."""
    noise = laplace_noise(levels.sensitivities[level], epsilon)
    return Drawn(level, add_laplace(levels.values[level], noise), levels.step, noise)
