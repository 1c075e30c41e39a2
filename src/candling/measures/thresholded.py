"""Measures that one row can move by as much as the table is large, cut at a threshold.

The threshold is drawn together with the number (docs/privacy.md, Theorems 2, 3 and 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from candling.measures.measure import Asked, Measure, Setting
from candling.measures.repair import REPAIR
from candling.privacy import LEVELS, Statistic
from candling.rules import Rules

if TYPE_CHECKING:
    from candling.measures.facts import Facts


SAME_AS_REPAIR = (
    "These rules are about single rows, so each conflict is one row that breaks a rule, and this "
    "number is the same as Rows to delete."
)


class Thresholded(Measure):
    """A maximum flow at each power of two, which no added row lets fall."""

    step: ClassVar[Fraction]  # the unit of the values
    thresholded = True
    per_row = True
    within_rows: ClassVar[bool] = False  # never more than the number of rows

    def growth(self, threshold: int) -> int:
        """By how many steps a row that is added can move the value at a threshold."""
        raise NotImplementedError

    def find_source(self, asked: Asked) -> str | None:
        """Itself; without rules on pairs each conflict is a row to delete."""
        return self.name if asked.facts.pairs else REPAIR.find_source(asked)

    def kinds(self, rules: Rules, setting: Setting) -> list[str]:
        """A cut measure is no more than the true one."""
        return ["lower_bound"]

    def find_note(self, kind: str | None) -> str:
        """Without rules on pairs it is the same number as the repair."""
        return self.note if kind == "lower_bound" else SAME_AS_REPAIR

    def levels(self, facts: Facts) -> tuple[int, ...]:
        """The cut measure at all powers of two, in steps. Private."""
        levels: tuple[int, ...] = facts.terms(self)
        return levels

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """One statistic with a level for each threshold."""
        thresholds = powers_of_two(setting.limit)
        sensitivities = tuple(setting.rows_per_person * self.growth(t) for t in thresholds)
        return [
            Statistic(
                (0,) * len(thresholds),
                sensitivities,
                self.step,
                thresholds,
                within_rows=self.within_rows,
            )
        ]

    def values(
        self, facts: Facts, setting: Setting, public: Sequence[Statistic]
    ) -> list[tuple[int, ...]]:
        """The cut measure at the thresholds."""
        levels = self.levels(facts)
        return [tuple(levels[t.bit_length() - 1] for t in public[0].thresholds)]


def powers_of_two(limit: float | None) -> tuple[int, ...]:
    """The thresholds that can matter if there are at most `limit` rows.

    Without a limit all are tried: their prior makes that cheap, with a thin, long tail.
    """
    count = LEVELS if limit is None else min(LEVELS, max(int(limit) - 1, 1).bit_length() + 1)
    return tuple(2**i for i in range(count))
