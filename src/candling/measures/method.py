"""How a release adds noise: all numbers in one draw, or measure by measure as the paper does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from candling.rules import Rules

if TYPE_CHECKING:
    from candling.measures.facts import Facts
    from candling.measures.repair import RepairNumber
    from candling.privacy import Draw, Mechanism, Statistic


class Truncation(Protocol):
    """A measure of unbounded sensitivity, cut down to one that a row moves by little.

    `measure` is the name of one with thresholds. Everything but `values` is public.
    """

    def thresholds(self, limit: float | None) -> tuple[int, ...]:
        """The thresholds that can matter if there are at most `limit` rows, ascending."""

    def step(self, measure: str) -> Fraction:
        """The unit of the values."""

    def growth(self, measure: str, threshold: int) -> int:
        """By how many steps a row that is added can move the value at a threshold."""

    def monotone(self, measure: str) -> bool:
        """Whether no value falls when a row is added."""

    def values(self, facts: Facts, measure: str, thresholds: Sequence[int]) -> tuple[int, ...]:
        """The cut measure at each threshold, in steps: never above the true one. Private."""


class Repair(Protocol):
    """Which number is called the repair."""

    def public(self, rules: Rules) -> RepairNumber:
        """What the rules alone say of it; the value is 0."""

    def value(self, facts: Facts) -> RepairNumber:
        """The number. Private."""


@dataclass(frozen=True, slots=True)
class Method:
    """How the numbers of a release are made; `candling.release(..., method=...)` takes one.

    Without `choose` all statistics are drawn at once. With it each measure gets its share of the
    budget and noise of its own, as in the paper. `cut` and `repair` replace what measures would
    otherwise take: their own thresholds and the repair number of the rules.
    """

    name: str
    choose: Mechanism | None = None  # a threshold, and noise
    cut: Truncation | None = None
    repair: Repair | None = None
    needs_rows: bool = False  # makes sense only where a bound on the rows is public or released

    def draw_alone(self, statistic: Statistic, epsilon: Fraction) -> Draw:
        """A draw of one statistic with levels, and nothing else."""
        from candling.privacy import OneDraw

        if self.choose is None:
            return OneDraw([statistic], epsilon).draw()[0]
        return self.choose(statistic, epsilon)


ONE_DRAW = Method("one draw")


@dataclass(frozen=True, slots=True)
class Setting:
    """What shapes the statistics of a release besides the rules. All of it is public."""

    method: Method = ONE_DRAW
    limit: float | None = None  # the most rows that there can be, where that is known
    rows_per_person: int = 1
