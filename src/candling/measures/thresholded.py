"""Measures that one row can move by as much as the table is large, cut at a threshold.

The threshold is drawn together with the number (docs/privacy.md, Theorems 2, 3 and 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from candling.measures.measure import Measure, Numbers, PerRowBounds, Released, Setting, number
from candling.measures.rows import ROWS
from candling.model.number import Number
from candling.privacy import LEVELS, Draw, Statistic
from candling.rules import Rules

if TYPE_CHECKING:
    from candling.measures.facts import Facts

NO_UPPER_BOUND = (
    "No honest upper bound exists without one on the number of rows: a single row may add as many "
    "conflicts as there are rows, and the guarantee hides single rows. Release `rows` too, or "
    "state a public bound (--max-rows)."
)


class Thresholded(Measure):
    """A maximum flow at each power of two, which no added row lets fall."""

    step: ClassVar[Fraction]  # the unit of the values
    thresholded = True
    required_fields = ("threshold",)
    by_default = True
    per_row = True

    def growth(self, threshold: int) -> int:
        """By how many steps a row that is added can move the value at a threshold."""
        raise NotImplementedError

    def bounds(self, draw: Draw, numbers: Released) -> PerRowBounds:
        """Where the true value lies."""
        raise NotImplementedError

    def find_bounds(self, released: Released, at: int = 0) -> PerRowBounds:
        """Where the true value lies, by its draw."""
        return self.bounds(released.draws[self.name][at].draw, released)

    def kinds(self, rules: Rules, setting: Setting) -> list[str]:
        """A cut measure is no more than the true one."""
        return ["lower_bound"]

    def levels(self, facts: Facts) -> tuple[int, ...]:
        """The cut measure at all powers of two, in steps. Private."""
        levels: tuple[int, ...] = facts.terms(self)
        return levels

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """One statistic with a level for each threshold."""
        thresholds = powers_of_two(setting.limit)
        sensitivities = tuple(setting.rows_per_person * self.growth(t) for t in thresholds)
        return [Statistic((0,) * len(thresholds), sensitivities, self.step, thresholds)]

    def values(
        self, facts: Facts, setting: Setting, public: Sequence[Statistic]
    ) -> list[tuple[int, ...]]:
        """The cut measure at the thresholds."""
        levels = self.levels(facts)
        return [tuple(levels[t.bit_length() - 1] for t in public[0].thresholds)]

    def show(self, numbers: Numbers) -> Number:
        """The number at the threshold that was drawn, and what is sure of the true one."""
        (noisy,) = numbers.draws[self.name]
        draw = noisy.draw
        return Number(
            self.name,
            number(max(Fraction(0), draw.value * draw.step)),
            numbers.epsilon(self.name),
            self.note,
            self.find_bounds(numbers),
            NO_UPPER_BOUND if ROWS.bounds(numbers) is None else None,
            threshold=noisy.threshold,
        )


def powers_of_two(limit: float | None) -> tuple[int, ...]:
    """The thresholds that can matter if there are at most `limit` rows.

    Without a limit all are tried: their prior makes that cheap, with a thin, long tail.
    """
    count = LEVELS if limit is None else min(LEVELS, max(int(limit) - 1, 1).bit_length() + 1)
    return tuple(2**i for i in range(count))
