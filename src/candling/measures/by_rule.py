"""`by_rule`: the repair number of each rule alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from candling.measures.measure import Asked, Measure, Setting, Unit
from candling.measures.repair import (
    REPAIR,
    RepairNumber,
    repair_number,
    repair_terms,
    statistic,
)
from candling.privacy import Statistic
from candling.rules import Rules

if TYPE_CHECKING:
    from candling.measures.facts import Facts, Part

MOST_RULES = 200  # whose numbers can be drawn at once in a moment
NO_RULES = "No rule can ever be broken, so there is nothing to measure by rule."


class ByRule(Measure):
    """One number for each rule, each of which a row moves by 1."""

    name = "by_rule"
    title = "Rows to delete by rule"
    meaning = "fewest rows to delete until one rule holds, for each rule alone"
    explanation = """\
The repair number of each rule alone.

It shows which rules hold and which do not. Each rule adds a number to the draw, which makes all
numbers slightly noisier.
"""
    notes: ClassVar[dict[str, str]] = {
        "exact": (
            "The smallest number of rows to delete until this rule holds, with noise. The true "
            "number is within the interval."
        ),
        "lower_bound": (
            "The smallest number of rows to delete until this rule holds. The estimate is a lower "
            "bound with noise, so the true number can be twice as large; it is within the interval."
        ),
    }
    note_for_persons = (
        "The smallest number of rows to delete until this rule holds, in the whole table. Each "
        "person adds at most 2 to the count. The true number is at least the lower end of the "
        "interval."
    )
    unit = Unit.BY_RULE
    can_gate = False
    has_kind = True
    per_row = True
    most_per_row = 1

    def find_refusal(self, rules: Rules, asked: Asked) -> str | None:
        """Where there are no rules, or too many to draw their numbers at once."""
        if not rules:
            return NO_RULES
        if len(rules.entries) > MOST_RULES:
            return (
                f"There are {len(rules):,} rules, and the numbers of {MOST_RULES} can be drawn at "
                "once. Ask for `worst_rule`, or release some of the rules alone."
            )
        return None

    def find_source(self, asked: Asked) -> str | None:
        """Itself; a single rule has the repair number of all rules."""
        return self.name if asked.rules > 1 and not asked.facts.none else REPAIR.find_source(asked)

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """The repair number of each rule."""
        return [statistic(repair_number((0,), rule), setting) for rule in rules.alone]

    def terms(self, part: Part) -> list[tuple[int, ...]]:
        """What the repair number of each rule is the largest of."""
        return [repair_terms(rule) for rule in part.by_rule]

    def join_parts(self, parts: Sequence[list[tuple[int, ...]]]) -> list[tuple[int, ...]]:
        """The sums of the terms, rule by rule."""
        return [super(ByRule, self).join_parts(rule) for rule in zip(*parts, strict=True)]

    def numbers(self, facts: Facts) -> list[RepairNumber]:
        """The repair number of each rule. Private."""
        return [
            repair_number(terms, rule)
            for terms, rule in zip(facts.terms(self), facts.rules.alone, strict=True)
        ]

    def values(
        self,
        facts: Facts,
        setting: Setting,
        public: Sequence[Statistic],
    ) -> list[tuple[int, ...]]:
        """The repair number of each rule."""
        return [(rule.value,) for rule in self.numbers(facts)]

    def kinds(self, rules: Rules, setting: Setting) -> list[str]:
        """The kind of each rule's number."""
        return [repair_number((0,), rule).kind for rule in rules.alone]

    def find_note(self, kind: str | None) -> str:
        """The note of one rule."""
        return self.notes[kind or "exact"]


BY_RULE = ByRule()
