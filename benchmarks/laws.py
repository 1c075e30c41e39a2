"""Many releases of one table without computing the law of the draw for each of them again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from unittest.mock import patch

import candling
from candling.measures import BY_RULE, MEASURES, ROWS, Asked, Numbers, Setting
from candling.measures.measure import NumberBounds
from candling.measures.rows import RowsBounds
from candling.model.card import Noisy
from candling.model.number import Number
from candling.privacy import Drawn, OneDraw, Statistic, exact_epsilon, split_budget
from candling.releases.run import reconcile_measures
from candling_paper.levels import Levels, draw_level
from candling_paper.measure_by_measure import SHARES as PAPER_SHARES
from candling_paper.measure_by_measure import UNLIKELY

SHARES = {**PAPER_SHARES, BY_RULE.name: Fraction(2)}  # the rows come first

Key = tuple[tuple[tuple[tuple[int, ...], tuple[int, ...]], ...], Fraction, int | None]


@dataclass
class Laws:
    """Stands in for `OneDraw`: the same law for the same statistics, and it notes what it draws."""

    drawn: list[tuple[Drawn, ...]] = field(default_factory=list)
    _known: dict[Key, OneDraw] = field(default_factory=dict)

    def __call__(
        self, statistics: Sequence[Statistic], epsilon: Fraction, rows: int | None = None
    ) -> _Noting:
        key = tuple((s.values, s.sensitivities) for s in statistics), epsilon, rows
        if key not in self._known:
            self._known[key] = OneDraw(statistics, epsilon, rows)
        return _Noting(self._known[key], self.drawn)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Releases within this block draw from these laws."""
        with patch("candling.releases.run.OneDraw", self):
            yield


@dataclass(frozen=True)
class _Noting:
    law: OneDraw
    drawn: list[tuple[Drawn, ...]]

    def draw(self) -> tuple[Drawn, ...]:
        self.drawn.append(self.law.draw())
        return self.drawn[-1]


def split_release(
    study: candling.Study,
    epsilon: float,
    law: type[OneDraw] | Laws = OneDraw,
    *,
    by_rule: bool = False,
) -> dict[str, Number]:
    """The release before there was one draw: each measure has its share of epsilon to itself.

    The numbers are made to agree, as those of a card are.
    """
    facts = study._facts  # noqa: SLF001 - a benchmark
    shares = {name: share for name, share in SHARES.items() if by_rule or name != BY_RULE.name}
    parts = split_budget(exact_epsilon(epsilon), shares)
    setting = Setting()
    draws: dict[str, list[Noisy]] = {}
    for name, part in parts.items():
        statistics = MEASURES[name].true_statistics(facts, setting)
        kinds = MEASURES[name].kinds(facts.rules, setting)
        draws[name] = [
            Noisy(draw := _alone(statistic, part / len(statistics), law),
                  statistic.thresholds[draw.level], kind)
            for statistic, kind in zip(statistics, kinds, strict=True)
        ]  # fmt: skip
        if name == ROWS.name:  # released, so it may limit the thresholds of the others
            limit = RowsBounds(NumberBounds(draws[name][0].draw)).high(UNLIKELY)
            setting = Setting(limit)
    asked = Asked(tuple(parts))
    numbers = Numbers(asked, draws, facts.rules, setting, parts, ())
    shown = {name: MEASURES[name].show(numbers) for name in parts if name != BY_RULE.name}
    return reconcile_measures(shown, numbers)


def _alone(statistic: Statistic, epsilon: Fraction, law: type[OneDraw] | Laws) -> Drawn:
    if statistic.has_levels:
        return law([statistic], epsilon).draw()[0]
    (value,), (sensitivity,) = statistic.values, statistic.sensitivities
    return draw_level(Levels((value,), (sensitivity,), (1,), statistic.step), epsilon, 0)
