"""How a release keeps measures from jumping when a row is added, and how it chooses how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from candling.privacy import LEVELS, Draw, Mechanism, OneDraw, Statistic
from candling.releases.facts import Facts, RepairNumber, repair_number
from candling.rules import Constraint


class Truncation(Protocol):
    """A measure of unbounded sensitivity, cut down to one that a row moves by little.

    `measure` is "minimal_inconsistent" or "problematic". Everything but `values` is public.
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


@dataclass(frozen=True, slots=True)
class Flow:
    """Maximum flows at powers of two: F(t,t)/2 and F(t,1) (docs/privacy.md, Theorems 3 and 4)."""

    def thresholds(self, limit: float | None) -> tuple[int, ...]:
        """Without a limit all are tried: their prior makes that cheap, with a thin, long tail."""
        count = LEVELS if limit is None else min(LEVELS, max(int(limit) - 1, 1).bit_length() + 1)
        return tuple(2**i for i in range(count))

    def step(self, measure: str) -> Fraction:
        """Half a pair, or a row."""
        return Fraction(1, 2) if measure == "minimal_inconsistent" else Fraction(1)

    def growth(self, measure: str, threshold: int) -> int:
        """2t halves of a pair, or t + 1 rows."""
        return 2 * threshold if measure == "minimal_inconsistent" else threshold + 1

    def monotone(self, measure: str) -> bool:  # noqa: ARG002
        """A larger graph has no smaller flow."""
        return True

    def values(self, facts: Facts, measure: str, thresholds: Sequence[int]) -> tuple[int, ...]:
        """From the facts, which know all powers of two."""
        halves = measure == "minimal_inconsistent"
        known = facts.doubled_minimal_inconsistent if halves else facts.problematic
        return tuple(known[t.bit_length() - 1] for t in thresholds)


class Repair(Protocol):
    """Which number is called the repair."""

    def public(self, constraints: Sequence[Constraint]) -> RepairNumber:
        """What the rules alone say of it; the value is 0."""

    def value(self, facts: Facts) -> RepairNumber:
        """The number. Private."""


@dataclass(frozen=True, slots=True)
class SmallestOrBound:
    """The smallest repair where the rules make it easy, else the best bound that is."""

    def public(self, constraints: Sequence[Constraint]) -> RepairNumber:
        """In ones or in halves."""
        return repair_number((0,), constraints)

    def value(self, facts: Facts) -> RepairNumber:
        """From the facts."""
        return facts.repair


@dataclass(frozen=True, slots=True)
class Method:
    """How the numbers of a release are made; `candling.release(..., method=...)` takes one.

    Without `choose` all statistics are drawn at once. With it each measure gets its share of the
    budget and noise of its own, as in the paper.
    """

    name: str
    choose: Mechanism | None = None  # a threshold, and noise
    cut: Truncation = field(default_factory=Flow)
    repair: Repair = field(default_factory=SmallestOrBound)
    needs_rows: bool = False  # makes sense only where a bound on the rows is public or released

    def draw_alone(self, statistic: Statistic, epsilon: Fraction) -> Draw:
        """A draw of one statistic with levels, and nothing else."""
        if self.choose is None:
            return OneDraw([statistic], epsilon).draw()[0]
        return self.choose(statistic, epsilon)


ONE_DRAW = Method("one draw")
