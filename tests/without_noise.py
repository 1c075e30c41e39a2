"""Draws without noise, for golden files, and draws that are the same for every table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
        self, statistics: Sequence[Statistic], epsilon: Fraction, known: int | Hint | None = None
    ) -> None:
        del known  # which only shapes the noise
        self._drawn = tuple(drawn(statistic, epsilon) for statistic in statistics)

    def draw(self) -> tuple[Drawn, ...]:
        return self._drawn


class FixedDraw(Draw):
    """In place of a draw of statistics: what it gives does not depend on their values."""

    def draw(self) -> tuple[Drawn, ...]:
        return tuple(
            replace(one, level=0, value=20 + place) for place, one in enumerate(self._drawn)
        )


def best(scores: Sequence[Fraction], **_: object) -> int:
    """The place of the largest score, the first of equals."""
    return max(range(len(scores)), key=scores.__getitem__)


def leave_out_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Releases show true values from here on."""
    for name in ("PlainDraw", "SampleDraw", "LevelsDraw"):
        monkeypatch.setattr(f"candling.releases.run.{name}", Draw)
    monkeypatch.setattr("candling.releases.request.noisy_max", best)


def fix_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tables give the same draws from here on, so all that is left to differ is a leak."""
    for name in ("PlainDraw", "SampleDraw", "LevelsDraw"):
        monkeypatch.setattr(f"candling.releases.run.{name}", FixedDraw)
    for room in ("releases.request", "measures.worst_rule"):
        monkeypatch.setattr(f"candling.{room}.noisy_max", lambda *_, **__: 0)
