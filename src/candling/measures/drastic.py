"""`drastic`: whether any rule is broken at all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from candling.measures.measure import (
    Asked,
    ExactWords,
    Measure,
    NumberBounds,
    Numbers,
    Released,
    Setting,
    Unit,
)
from candling.measures.repair import REPAIR
from candling.model.card import CardData
from candling.model.number import Ends, Number
from candling.privacy import Statistic
from candling.rules import Rules

if TYPE_CHECKING:
    from candling.measures.facts import Facts, Part

FALSE_ALARM = 0.05


@dataclass(frozen=True, slots=True)
class DrasticBounds:
    """Inconsistent for sure only if the noisy repair is more than noise explains."""

    repair: NumberBounds

    def interval(self, level: float) -> Ends:
        """1 to 1, or 0 to 1: no release can show that a table is consistent."""
        return int(self.repair.drawn.lower(1 - level) > 0), 1


class Drastic(Measure):
    """Read off the noisy repair number; where that is not released, it gets its noise."""

    name = "drastic"
    title = "Any rule broken?"
    meaning = "is the table inconsistent at all?"
    explanation = """\
1 if any rule is broken, otherwise 0.

It follows from the noisy repair number, so it is free with `repair`. A consistent table is reported
as inconsistent in at most 5 of 100 releases. A 0 does not rule out a few errors: the card shows how
many it would have detected.
"""
    note = (
        "1 if the table is inconsistent, read off the noisy repair number. A consistent table is "
        "called inconsistent with probability 5% at most; one whose repair needs {detects} rows "
        "or more is recognised with probability 95% at least. A 0 does not rule out fewer errors."
    )
    of_kept_rows = "a 1 holds for the whole table, a 0 says nothing of rows that were cut"
    unit = Unit.YES_NO
    required_fields = ("detects_repair_of",)
    by_default = True
    without_error = "yes or no, read off the number of rows to delete"
    exact_words: ClassVar = {
        "drastic": ExactWords("at least one rule is broken", "every rule holds")
    }

    def free(self, asked: Asked) -> bool:
        """Beside `repair`."""
        return REPAIR.name in asked.measures

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """Those of the repair number."""
        return REPAIR.statistics(rules, setting)

    def values(
        self, facts: Facts, setting: Setting, public: Sequence[Statistic]
    ) -> list[tuple[int, ...]]:
        """Those of the repair number."""
        return REPAIR.values(facts, setting, public)

    def exact_terms(self, part: Part, search: float) -> Any:
        """Whether some row is in a conflict."""
        return int(part.self_inconsistent + part.graph.classes > 0)

    def exact(self, facts: Facts, parts: Sequence[Any]) -> dict[str, Any]:
        """1 if some part has a conflict."""
        return {"drastic": max(parts, default=0)}

    def kinds(self, rules: Rules, setting: Setting) -> list[str]:
        """Those of the repair number."""
        return REPAIR.kinds(rules, setting)

    def find_bounds(self, released: Released, at: int = 0) -> DrasticBounds:
        """Read off the noisy repair number."""
        repair = released.number(REPAIR.name) or released.number(self.name)
        if repair is None:
            raise AssertionError("drastic was asked for and not paid")
        return DrasticBounds(repair)

    def show(self, numbers: Numbers) -> Number:
        """1 if the noisy repair is larger than noise alone explains: post-processing."""
        bounds = self.find_bounds(numbers)
        drawn = bounds.repair.drawn
        alarm = drawn.noise.upper_tail(FALSE_ALARM) + 1
        # In its own steps the statistic is no less than the smallest repair, also where that may be
        # twice the bound. From here on the noise pulls it below the alarm with the same small
        # probability.
        reached = (alarm + drawn.noise.lower_tail(FALSE_ALARM)) * drawn.step
        step = REPAIR.public(numbers.rules).step
        detects = math.ceil(reached / step)
        return Number(
            self.name,
            int(drawn.value >= alarm),
            numbers.epsilon(self.name),
            self.note.format(detects=detects),
            bounds,
            false_alarm=FALSE_ALARM,
            detects_repair_of=detects,
        )

    def sentence(self, shown: Number, card: CardData) -> str:
        """Yes, or how many errors would have shown."""
        if shown.value:
            return "some rule is broken: more than noise explains"
        least = shown.detects_repair_of or 0
        kept = "of the kept rows" if card.person.columns else "rows"
        return f"no sign of a broken rule; a repair of {least:,} {kept} would have shown"

    def word_interval(self, shown: Number) -> str | None:
        """That a rule is broken for sure."""
        return "beyond noise" if shown.low == shown.high else None


DRASTIC = Drastic()
