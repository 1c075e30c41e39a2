"""Draws without noise, for golden files, and draws that are the same for every table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from candling.privacy import Drawn, Statistic
from candling.privacy.tails import CardNoise, Rates

THRESHOLD = 4  # the level at which every statistic with levels is drawn: 2**4
RATES = Rates(0.67, 0.725, 0.395, 0.275, 0.44)  # on the card; no bound is made from them
REACH = 5  # sensitivities by epsilon: how far the bounds are away


@dataclass(frozen=True)
class Reach(CardNoise):
    """Bounds at a fixed distance, whatever the probability."""

    steps: int = 0

    def upper_tail(self, miss: float) -> int:
        return self.steps

    def lower_tail(self, miss: float) -> int:
        return self.steps


def drawn(statistic: Statistic, epsilon: Fraction) -> Drawn:
    """The true value, with bounds of about the right size."""
    level = min(THRESHOLD, len(statistic.values) - 1)
    sensitivity = statistic.sensitivities[level]
    reach = Reach(sensitivity, (), RATES, steps=int(REACH * sensitivity / epsilon))
    return Drawn(level, statistic.values[level], statistic.step, reach)


class OneDraw:
    """In place of the draw of all statistics."""

    def __init__(
        self, statistics: Sequence[Statistic], epsilon: Fraction, rows: int | None = None
    ) -> None:
        del rows  # which only shapes the noise
        self._drawn = tuple(drawn(statistic, epsilon) for statistic in statistics)

    def draw(self) -> tuple[Drawn, ...]:
        return self._drawn


class FixedDraw(OneDraw):
    """In place of the draw of all statistics: what it gives does not depend on their values."""

    def draw(self) -> tuple[Drawn, ...]:
        return tuple(
            replace(one, level=0, value=20 + place) for place, one in enumerate(self._drawn)
        )


def best(scores: Sequence[Fraction], **_: object) -> int:
    """The place of the largest score, the first of equals."""
    return max(range(len(scores)), key=scores.__getitem__)


def leave_out_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Releases show true values from here on."""
    monkeypatch.setattr("candling.releases.run.OneDraw", OneDraw)
    monkeypatch.setattr("candling.releases.request.noisy_max", best)


def fix_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tables give the same draws from here on, so all that is left to differ is a leak."""
    monkeypatch.setattr("candling.releases.run.OneDraw", FixedDraw)
    for room in ("releases.request", "measures.worst_rule"):
        monkeypatch.setattr(f"candling.{room}.noisy_max", lambda *_, **__: 0)
