"""The paper's algorithms as methods of a release: sound, at the epsilon that is stated.

    candling_paper.release("t.parquet", rules, 1, candling_paper.hierarchical())

Those that project release Algorithm 5's vertex cover as `repair`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Protocol

from candling.privacy import Draw
from candling_paper.all_rows import AllRows
from candling_paper.degree_bound import bound_degrees
from candling_paper.distinct_elements import Distinct
from candling_paper.levels import Levels, Mechanism
from candling_paper.race import R2T, EveryPower
from candling_paper.selection import Exponential, Hierarchical, Last
from candling_paper.thresholds import BETWEEN, CANDIDATES, LARGER, EdgeAddition


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

    def values(self, rows: AllRows, measure: str, thresholds: Sequence[int]) -> tuple[int, ...]:
        """The cut measure at each threshold, in steps: never above the true one. Private."""


@dataclass(frozen=True, slots=True)
class Method:
    """How a measure is cut, how its threshold is chosen, and which number is called the repair."""

    name: str
    choose: Mechanism  # a threshold, and noise
    cut: Truncation
    cover: bool = True  # the repair is the size of the vertex cover, not the number of candling
    needs_rows: bool = False  # makes sense only where a bound on the rows is public or released

    def cut_levels(
        self, rows: AllRows, measure: str, *, limit: float | None = None, rows_per_person: int = 1
    ) -> Levels:
        """Cut a measure at the thresholds that matter for a table of at most `limit` rows."""
        thresholds = self.cut.thresholds(limit)
        return Levels(
            self.cut.values(rows, measure, thresholds),
            tuple(rows_per_person * self.cut.growth(measure, t) for t in thresholds),
            thresholds,
            self.cut.step(measure),
            self.cut.monotone(measure),
        )

    def draw(
        self, rows: AllRows, levels: Levels, epsilon: Fraction, *, rows_per_person: int = 1
    ) -> Draw:
        """Draw a threshold and a noisy value of one measure of a table; costs epsilon."""
        return self.choose(levels, epsilon, partial(bound_degrees, rows.classes, rows_per_person))


def projection(threshold: int) -> Method:
    """Edge addition at one threshold that is given, and noise (Algorithms 1, 2 and 5)."""
    cut = EdgeAddition((threshold,), with_limit=False)
    return Method(f"paper-projection-{threshold}", Last(), cut)


def exponential() -> Method:
    """The threshold by one private choice (Algorithms 1, 2, 3 and 5)."""
    return Method("paper-exponential", Exponential(), EdgeAddition())


def hierarchical(*, degree_bound: bool = True) -> Method:
    """The threshold by two private choices, after a bound on degrees (Algorithms 1, 2, 4 and 5)."""
    if not degree_bound:
        choose = Hierarchical(degree_bound=False)
        return Method("paper-hierarchical-unbounded", choose, EdgeAddition())
    finer = EdgeAddition(tuple(sorted((*CANDIDATES, *LARGER, *BETWEEN))))
    return Method("paper-hierarchical", Hierarchical(between=BETWEEN), finer)


def baseline() -> Method:
    """Baseline 1: the number of rows as the threshold; stated, bounded or with noise."""
    return Method("paper-baseline", Last(), EdgeAddition(()), needs_rows=True)


def r2t(base: int = 2) -> Method:
    """Race to the top over the linear programs' truncations, which the flows are.

    `base` is a power of two: thresholds are its powers. Its authors prove R2T for 2 and run it with
    5.5; every base is private (docs/privacy.md, Theorem 14 holds for any thresholds that are
    public), a larger one has fewer runners to pay for and loses more between them.
    """
    name = "paper-r2t" if base == 2 else f"paper-r2t-{base}"
    return Method(name, R2T(), EveryPower(base), cover=False, needs_rows=True)


def distinct() -> Method:
    """Knop and Steinke's count of distinct elements, for `problematic`: flows, chosen and
    noised.
    """
    return Method("distinct", Distinct(), EveryPower(2), cover=False, needs_rows=True)


def by_name(name: str) -> Method:
    """A method by its name: those of this module, and `paper-projection-5` for a threshold of 5.

    Raises:
        ValueError: There is no such method.
    """
    made = {method.name: method for method in (make() for make in _ALL)}
    stem, _, threshold = name.rpartition("-")
    if stem == "paper-projection" and threshold.isdigit() and int(threshold) > 0:
        return projection(int(threshold))
    if name not in made:
        names = ", ".join(made)
        raise ValueError(f"unknown method {name!r}: there are {names} and paper-projection-5")
    return made[name]


_ALL = (
    exponential,
    hierarchical,
    partial(hierarchical, degree_bound=False),
    baseline,
    r2t,
    distinct,
)
