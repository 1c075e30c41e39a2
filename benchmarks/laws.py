"""Many releases of one table without computing the law of the draw for each of them again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from unittest.mock import patch

from candling.measures import Method
from candling.privacy import Drawn, OneDraw, Statistic

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


@dataclass(frozen=True)
class Alone:
    """A mechanism that draws each statistic alone."""

    law: type[OneDraw] | Laws = OneDraw

    def __call__(self, statistic: Statistic, epsilon: Fraction) -> Drawn:
        return self.law([statistic], epsilon).draw()[0]

    def expected_error(self, sensitivity: int, epsilon: Fraction) -> float:
        raise NotImplementedError("nothing is planned here")


def split(law: type[OneDraw] | Laws = OneDraw) -> Method:
    """The release before there was one draw: each measure has its share of epsilon to itself."""
    return Method("split", choose=Alone(law))
