"""Draws without noise: numbers for golden files that no constant of the mechanisms can change."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest

from candling.privacy import Drawn, Hint, PlainNoise, Statistic

THRESHOLD = 4  # the level at which every statistic with levels is drawn: 2**4


def drawn(statistic: Statistic, epsilon: Fraction) -> Drawn:
    """The true value, with the bounds of a number that is drawn alone."""
    level = min(THRESHOLD, len(statistic.values) - 1)
    scale = float(statistic.sensitivities[level] / epsilon)
    return Drawn(level, statistic.values[level], statistic.step, PlainNoise(scale, 1))


class Draw:
    """In place of a draw of statistics."""

    def __init__(
        self, statistics: Sequence[Statistic], epsilon: Fraction, known: int | Hint | None
    ) -> None:
        del known  # which only shapes the noise
        self._drawn = tuple(drawn(statistic, epsilon) for statistic in statistics)

    def draw(self) -> tuple[Drawn, ...]:
        return self._drawn


def best(scores: Sequence[Fraction], **_: object) -> int:
    """The place of the largest score, the first of equals."""
    return max(range(len(scores)), key=scores.__getitem__)


def leave_out_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Releases show true values from here on."""
    monkeypatch.setattr("candling.releases.run.PlainDraw", Draw)
    monkeypatch.setattr("candling.releases.run.LevelsDraw", Draw)
    monkeypatch.setattr("candling.releases.request.noisy_max", best)
