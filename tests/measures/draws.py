"""Every draw of noise that a release makes, recorded where the noise is made, and what it costs.

Noise comes from two kinds of draws, from OpenDP's noisy max and, in candling-paper, from its
Laplace. Whatever else OpenDP has to offer fails here until this module knows what it costs. What a
draw gives is pinned, so that two tables with the same outputs must give the same card.
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

from candling.privacy import Drawn, LevelsDraw, PlainDraw, SampleDraw, Statistic
from candling_paper import laplace

Growth = int | Sequence[int]  # what one row can move, in the units of the statistic; by level


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

    def spent(self, growths: Sequence[Growth], rows: int) -> float:
        """The epsilon that covers `rows` rows, each of which moves the integer by the growth."""
        (growth,) = growths
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

    def spent(self, growths: Sequence[Growth], rows: int) -> float:
        """All scores grow by 0 to the growth for each row."""
        (growth,) = growths
        assert isinstance(growth, int)
        return rows * growth / self.scale

    def cost(self, other: SelectionCall) -> float:
        """By the window that holds all changes (Theorem 6)."""
        changes = [b - a for a, b in zip(self.scores, other.scores, strict=True)]
        return (max(changes) - min(changes)) / self.scale


@dataclass(frozen=True)
class DrawCall:
    """Statistics that were drawn at once."""

    draw: PlainDraw | LevelsDraw | SampleDraw = field(repr=False)
    rows: int | None  # the place of the number of rows
    hint: object  # what an earlier draw told
    again: Callable[[], tuple[tuple[int, int], ...]] = field(compare=False)

    @property
    def statistics(self) -> Sequence[Statistic]:
        return self.draw.statistics

    @property
    def public(self) -> object:
        shown = [
            (s.sensitivities, s.step, s.thresholds[: len(s.values)], s.falls)
            for s in self.statistics
        ]
        return "draw", shown, self.draw.epsilon, self.rows, self.hint

    @property
    def falls(self) -> Fraction:
        """What is paid for statistics that fall, in sensitivities."""
        return max(2 * Fraction(s.falls, min(s.sensitivities)) for s in self.statistics)

    def spent(self, growths: Sequence[Growth], rows: int) -> float:
        """The epsilon that covers `rows` rows, each of which moves statistic k by growths[k]."""
        moved = Fraction(0)
        for k, (statistic, growth) in enumerate(zip(self.statistics, growths, strict=True)):
            levels = [growth] if isinstance(growth, int) else growth
            for grown, s in zip(levels, statistic.sensitivities, strict=True):
                fell = 2 * Fraction(statistic.falls, s) if k != self.rows else 0
                moved = max(moved, Fraction(rows * grown, s) + fell)
        return float(self.draw.epsilon * moved / (1 + self.falls))

    def cost(self, other: DrawCall) -> float:
        """By the largest moves up and down, in sensitivities (Theorems 7 and 8)."""
        moves = [
            [
                Fraction(b - a, sensitivity)
                for a, b, sensitivity in zip(one.values, two.values, one.sensitivities, strict=True)
            ]
            for one, two in zip(self.statistics, other.statistics, strict=True)
        ]
        each = [move for own in moves for move in own]
        if isinstance(self.draw, SampleDraw):
            rows, bad, *free = each
            size = Fraction(0)
            for sign in (1, -1):
                up = [max(Fraction(0), sign * move) for move in (rows - bad, bad, *free)]
                size += max([up[0] + up[1], *up[2:]])
            return float(self.draw.epsilon * size / (1 + self.falls / 2))
        if self.rows is None:
            size = max(Fraction(0), *each) + max(Fraction(0), *(-move for move in each))
        else:
            rows = each.pop(self.rows)
            size = max([abs(rows), *(abs(2 * move - rows) for move in each)])
        return float(self.draw.epsilon * size / (1 + self.falls))


Call = LaplaceCall | SelectionCall | DrawCall


def cost(one: Sequence[Call], two: Sequence[Call]) -> float:
    """The epsilon that two runs with the same outputs need in all: costs add up."""
    assert [call.public for call in one] == [call.public for call in two]
    return math.fsum(a.cost(b) for a, b in zip(one, two, strict=True))  # type: ignore[arg-type]


def _pin(kind: type[PlainDraw | SampleDraw], calls: list[Call], output: int) -> Any:
    """In place of `draw` of numbers without levels."""
    real = kind.draw

    def drawn(of: PlainDraw | SampleDraw) -> tuple[Drawn, ...]:
        def again() -> tuple[tuple[int, int], ...]:
            return tuple((found.level, found.value) for found in real(of))  # type: ignore[arg-type]

        rows = of._rows if isinstance(of, PlainDraw) else 0
        calls.append(DrawCall(of, rows, None, again))
        return of.read_draw([output] * len(of.statistics))

    return drawn


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

    levels_draw = LevelsDraw.draw

    def levels_drawn(of: LevelsDraw) -> tuple[Drawn, ...]:
        def again() -> tuple[tuple[int, int], ...]:
            return tuple((found.level, found.value) for found in levels_draw(of))

        calls.append(DrawCall(of, None, of._hint, again))
        levels = [len(s.values) - 1 if last else 0 for s in of.statistics]
        return of.read_draw(levels, [output] * len(levels))

    def unknown(*_: object, **__: object) -> None:
        raise AssertionError("noise of a kind whose cost tests/measures/draws.py does not know")

    sources = dict.fromkeys(
        (name for name in dir(measurements) if name.startswith(("make_", "then_"))), unknown
    )
    known = {"make_laplace": laplace_made, "make_noisy_max": noisy_max_made}
    laplace._measurement.cache_clear()
    try:
        with (
            mock.patch.dict(vars(measurements), sources | known),
            mock.patch.object(PlainDraw, "draw", _pin(PlainDraw, calls, output)),
            mock.patch.object(LevelsDraw, "draw", levels_drawn),
            mock.patch.object(SampleDraw, "draw", _pin(SampleDraw, calls, output)),
        ):
            yield calls
    finally:
        laplace._measurement.cache_clear()
