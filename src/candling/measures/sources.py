"""What gets noise: for rows the measures themselves, for persons statistics of two tables.

For persons, `SOURCES` has what is drawn in the place of a measure, by its name: of the whole table
numbers to which one person adds a limited amount, which are lower bounds (docs/privacy.md, Theorem
18), and of a sample, with at most `rows_per_person` rows of each person, its rows and its repair,
for the grade.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from candling.measures.by_rule import ByRule
from candling.measures.measure import Measure, Setting
from candling.measures.minimal_inconsistent import MinimalInconsistent
from candling.measures.problematic import Problematic
from candling.measures.repair import REPAIR, Repair
from candling.measures.rows import Rows
from candling.measures.thresholded import powers_of_two
from candling.model.noisy import SAMPLE_REPAIR, SAMPLE_ROWS
from candling.privacy import Statistic
from candling.rules import Rules

CAPACITY = 2  # what one person can add to the repair of the whole table
MOST_OF_PERSON = 2**20  # no threshold above it is offered for rows
MOST_CONFLICTS = 2**24  # nor for conflicts
HALF = Fraction(1, 2)


class SampleRows(Rows):
    """The rows of the sample: a person adds up to `rows_per_person`."""

    name = SAMPLE_ROWS

    def values(
        self, facts: Any, setting: Setting, public: Sequence[Statistic]
    ) -> list[tuple[int, ...]]:
        """The number of rows in the sample."""
        return [(facts.kept(setting.rows_per_person).rows,)]


class SampleRepair(Repair):
    """The repair number of the sample."""

    name = SAMPLE_REPAIR

    def values(
        self, facts: Any, setting: Setting, public: Sequence[Statistic]
    ) -> list[tuple[int, ...]]:
        """The number, in its steps."""
        return [(REPAIR.number(facts.kept(setting.rows_per_person)).value,)]


class RepairByPersons(Repair):
    """The most conflicts in which a row takes part once and a person twice: at most the repair."""

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """One number, in halves."""
        return [Statistic((0,), (2 * CAPACITY,), HALF)]

    def values(
        self, facts: Any, setting: Setting, public: Sequence[Statistic]
    ) -> list[tuple[int, ...]]:
        """Twice the number."""
        return [(facts.repair(CAPACITY),)]

    def kinds(self, rules: Rules, setting: Setting) -> list[str]:
        """A lower bound, without one above."""
        return ["at_least"]


class ByRuleByPersons(ByRule):
    """The same under each rule alone."""

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """One number for each rule, in halves."""
        return [Statistic((0,), (2 * CAPACITY,), HALF) for _ in rules.entries]

    def values(
        self, facts: Any, setting: Setting, public: Sequence[Statistic]
    ) -> list[tuple[int, ...]]:
        """Twice the numbers."""
        return [(value,) for value in facts.by_rule(CAPACITY)]

    def kinds(self, rules: Rules, setting: Setting) -> list[str]:
        """Lower bounds, without one above."""
        return ["at_least" for _ in rules.entries]


class RowsByPersons(Rows):
    """The rows, of which a threshold of each person count."""

    thresholded = True

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """Thresholds from the rows in the sample on: fewer say nothing that it does not."""
        least = setting.sample or 1
        most = MOST_OF_PERSON if setting.limit is None else min(setting.limit, MOST_OF_PERSON)
        thresholds = [least]
        while thresholds[-1] < most:
            thresholds.append(2 * thresholds[-1])
        return [
            Statistic(
                (0,) * len(thresholds), tuple(thresholds), thresholds=tuple(thresholds),
                counts_rows=True,
            )
        ]  # fmt: skip

    def values(
        self, facts: Any, setting: Setting, public: Sequence[Statistic]
    ) -> list[tuple[int, ...]]:
        """The numbers at the thresholds."""
        return [facts.rows(public[0].thresholds)]

    def kinds(self, rules: Rules, setting: Setting) -> list[str]:
        """A lower bound."""
        return ["lower_bound"]


class WitnessedByPersons(Problematic):
    """The rows in conflict, to which a person adds a threshold at most."""

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """In halves."""
        thresholds = _powers_up_to(MOST_OF_PERSON, setting.limit)
        return [_halves(thresholds, within_rows=True)]

    def values(
        self, facts: Any, setting: Setting, public: Sequence[Statistic]
    ) -> list[tuple[int, ...]]:
        """Twice the numbers at the thresholds."""
        return [facts.witnessed(public[0].thresholds)]


class ConflictsByPersons(MinimalInconsistent):
    """The conflicts, to which a person adds a threshold at most."""

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """In halves."""
        pairs = None if setting.limit is None else setting.limit**2
        thresholds = _powers_up_to(MOST_CONFLICTS, pairs)
        return [_halves(thresholds, within_rows=False)]

    def values(
        self, facts: Any, setting: Setting, public: Sequence[Statistic]
    ) -> list[tuple[int, ...]]:
        """Twice the numbers at the thresholds."""
        return [facts.conflicts(public[0].thresholds)]


def _powers_up_to(most: int, limit: float | None) -> tuple[int, ...]:
    return powers_of_two(most if limit is None else min(most, limit))


def _halves(thresholds: tuple[int, ...], *, within_rows: bool) -> Statistic:
    return Statistic(
        (0,) * len(thresholds),
        tuple(2 * threshold for threshold in thresholds),
        HALF,
        thresholds,
        within_rows=within_rows,
    )


SOURCES: dict[str, Measure] = {
    source.name: source
    for source in (
        SampleRows(),
        SampleRepair(),
        RepairByPersons(),
        RowsByPersons(),
        WitnessedByPersons(),
        ConflictsByPersons(),
        ByRuleByPersons(),
    )
}
SAMPLE = (SAMPLE_ROWS, SAMPLE_REPAIR)
