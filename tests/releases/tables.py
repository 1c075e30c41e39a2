"""Small studies, and a method that remembers what a release hands to the mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import pyarrow as pa

import candling
from candling.privacy import Draw, Joint, Statistic


def study(rules: str, **columns: Sequence[int | None]) -> candling.Study:
    """A table of integers under rules."""
    data = pa.table({name: pa.array(cells, pa.int64()) for name, cells in columns.items()})
    return candling.analyze(data, candling.parse_constraints(rules))


@dataclass
class Recorder:
    """The joint draw, with a memory of what it was asked."""

    asked: list[tuple[Statistic, Fraction]] = field(default_factory=list)

    def __call__(self, levels: Statistic, epsilon: Fraction) -> Draw:
        self.asked.append((levels, epsilon))
        return Joint()(levels, epsilon)

    def expected_error(self, sensitivity: int, epsilon: Fraction) -> float:
        return Joint().expected_error(sensitivity, epsilon)


@dataclass(frozen=True)
class Fixed:
    """A draw that is what it is told to be."""

    level: int
    value: int

    def __call__(self, levels: Statistic, epsilon: Fraction) -> Draw:
        return self

    def lower(self, miss: float) -> int:
        return self.value - 1

    def expected_error(self, sensitivity: int, epsilon: Fraction) -> float:
        return 0.0


@cache
def recorded(of: candling.Study, measure: str, epsilon: int = 1) -> tuple[Statistic, Fraction]:
    """The levels and the budget that a release of one measure hands to its mechanism."""
    recorder = Recorder()
    of.release(epsilon, measures=[measure], method=recorder)
    (asked,) = recorder.asked
    return asked
