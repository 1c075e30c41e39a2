"""Every draw of noise that a release makes, recorded where the noise is made, and what it costs.

Noise comes from OpenDP's Laplace and noisy max, and from the joint draw; whatever else OpenDP has
to offer fails here until this module knows what it costs. What a draw gives is pinned, so that two
tables with the same outputs must give the same card.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from unittest import mock

from opendp import measurements

from candling.privacy import Statistic, laplace
from candling.privacy.joint import JointDistribution, JointDraw, Shape

Growth = int | Sequence[int]  # what one row can move, in the units of the draw; by level


@dataclass(frozen=True)
class LaplaceCall:
    """An integer that got discrete Laplace noise."""

    value: int
    scale: float
    again: Callable[[], int] = field(compare=False)  # a fresh draw

    @property
    def public(self) -> object:
        """What must not depend on the table."""
        return "laplace", self.scale

    def spent(self, growth: Growth, rows: int) -> float:
        """The epsilon that covers `rows` rows, each of which moves the integer by `growth`."""
        assert isinstance(growth, int)
        return rows * growth / self.scale

    def cost(self, other: LaplaceCall) -> float:
        """The epsilon that tells the two tables apart (docs/privacy.md, Theorem 1)."""
        return abs(self.value - other.value) / self.scale


@dataclass(frozen=True)
class SelectionCall:
    """Integer scores of which noisy max took one."""

    scores: tuple[int, ...]
    scale: float
    again: Callable[[], int] = field(compare=False)

    @property
    def public(self) -> object:
        return "selection", len(self.scores), self.scale

    def spent(self, growth: Growth, rows: int) -> float:
        """All scores grow by 0 to `growth` for each row."""
        assert isinstance(growth, int)
        return rows * growth / self.scale

    def cost(self, other: SelectionCall) -> float:
        """By the window that holds all changes (Theorem 6)."""
        changes = [b - a for a, b in zip(self.scores, other.scores, strict=True)]
        return (max(changes) - min(changes)) / self.scale


@dataclass(frozen=True)
class JointCall:
    """Statistic of which the joint draw took one."""

    levels: Statistic
    epsilon: Fraction
    again: Callable[[], tuple[int, int]] = field(compare=False)

    @property
    def public(self) -> object:
        levels = self.levels
        shown = levels.thresholds[: len(levels.values)]
        return "joint", levels.sensitivities, levels.step, shown, self.epsilon

    def spent(self, growth: Growth, rows: int) -> float:
        assert not isinstance(growth, int)
        pairs = zip(growth, self.levels.sensitivities, strict=True)
        return float(self.epsilon * max(Fraction(rows * grown, s) for grown, s in pairs))

    def cost(self, other: JointCall) -> float:
        """By the largest move in sensitivities (Theorem 8), which asks that none falls."""
        one, two = self.levels.values, other.levels.values
        moves = [b - a for a, b in zip(one, two, strict=True)]
        if min(moves) < 0 < max(moves):
            return float("inf")
        moved = (Fraction(abs(m), s) for m, s in zip(moves, self.levels.sensitivities, strict=True))
        return float(self.epsilon * max(moved))


Call = LaplaceCall | SelectionCall | JointCall


def cost(one: Sequence[Call], two: Sequence[Call]) -> float:
    """The epsilon that two runs with the same outputs need in all: costs add up."""
    assert [call.public for call in one] == [call.public for call in two]
    return math.fsum(a.cost(b) for a, b in zip(one, two, strict=True))  # type: ignore[arg-type]


@contextmanager
def recorded(output: int = 0, *, last: bool = False) -> Iterator[list[Call]]:
    """The calls inside, in order.

    Numbers come out as `output`, a choice as the first level or score, or as the `last`.
    """
    calls: list[Call] = []
    make_laplace, make_noisy_max = measurements.make_laplace, measurements.make_noisy_max

    @dataclass
    class Pinned:
        real: Any
        scale: float
        choice: bool

        def map(self, distance: int) -> float:
            return float(self.real.map(distance))

        def __call__(self, value: Any) -> int:
            def again() -> int:
                return int(self.real(value))

            if not self.choice:
                calls.append(LaplaceCall(value, self.scale, again))
                return output
            calls.append(SelectionCall(tuple(value), self.scale, again))
            return len(value) - 1 if last else 0

    def laplace_made(domain: Any, metric: Any, scale: float) -> Pinned:
        return Pinned(make_laplace(domain, metric, scale=scale), scale, choice=False)

    def noisy_max_made(domain: Any, metric: Any, measure: Any, scale: float) -> Pinned:
        return Pinned(make_noisy_max(domain, metric, measure, scale=scale), scale, choice=True)

    draw = JointDistribution.draw

    def drawn(of: JointDistribution) -> JointDraw:
        def again() -> tuple[int, int]:
            found = draw(of)
            return found.level, found.value

        of.levels.require_monotone()
        calls.append(JointCall(of.levels, of.epsilon, again))
        level = len(of.levels.values) - 1 if last else 0
        return JointDraw(level, output, of.levels.sensitivities[level], Shape.of(of.epsilon))

    def unknown(*_: object, **__: object) -> None:
        raise AssertionError("noise of a kind whose cost tests/releases/draws.py does not know")

    sources = dict.fromkeys(
        (name for name in dir(measurements) if name.startswith(("make_", "then_"))), unknown
    )
    known = {"make_laplace": laplace_made, "make_noisy_max": noisy_max_made}
    laplace._measurement.cache_clear()
    try:
        with (
            mock.patch.dict(vars(measurements), sources | known),
            mock.patch.object(JointDistribution, "draw", drawn),
        ):
            yield calls
    finally:
        laplace._measurement.cache_clear()
