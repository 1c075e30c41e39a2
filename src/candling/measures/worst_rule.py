"""`worst_rule`: the rule that needs about the largest repair."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from candling.measures.by_rule import BY_RULE, NO_RULES
from candling.measures.measure import Asked, Measure, Setting, Unit
from candling.model.card import CardData
from candling.model.number import Number
from candling.privacy import noisy_max
from candling.rules import Rules
from candling.system.progress import Phase, enter

if TYPE_CHECKING:
    from candling.measures.facts import Facts


class WorstRule(Measure):
    """Chosen by noisy max over the repair numbers, or read off `by_rule`."""

    name = "worst_rule"
    title = "Worst rule"
    meaning = "the rule for which about the most rows must be deleted"
    explanation = """\
The rule for which about the most rows must be deleted.

With `by_rule`, it is the rule with the largest number there, and costs nothing. Without `by_rule`,
it is chosen with noise. If other numbers are released, it takes a fifth of the epsilon;
`--split draw=9,worst_rule=1` makes it a tenth. Of rules that are about equally bad, any can be
named.
"""
    note = (
        "The rule for which about the most rows must be deleted. Among rules that are about "
        "equally bad, noise decides."
    )
    of_sample = "in the whole table, another rule can be the worst"
    unit = Unit.RULE
    chooses = True
    without_error = "the name of a rule"
    can_gate = False

    def find_refusal(self, rules: Rules, asked: Asked) -> str | None:
        """Where there are no rules."""
        return None if rules else NO_RULES

    def find_source(self, asked: Asked) -> str | None:
        """Itself, unless the numbers of all rules are there."""
        return BY_RULE.find_source(asked) if asked.has(BY_RULE.name) else self.name

    def choose(self, facts: Facts, setting: Setting, epsilon: Fraction) -> int:
        """The place of a rule with about the largest repair number: a row moves each by 1."""
        enter(Phase.MEASURING)
        scores = [repair.value * repair.step for repair in BY_RULE.numbers(facts)]
        enter(Phase.NOISE)
        window = Fraction(setting.rows_per_person)
        return noisy_max(scores, window=window, epsilon=epsilon, monotone=True)

    def sentence(self, shown: Number, card: CardData) -> str:
        """How it was chosen."""
        if shown.epsilon:
            return f"chosen with noise, for epsilon {float(shown.epsilon):.3g}"
        return "from the numbers above"


WORST_RULE = WorstRule()
