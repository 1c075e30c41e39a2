"""`repair`: how few rows would have to go until every rule holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from candling.measures.measure import Asked, ExactWords, Measure, Setting
from candling.model.results import bound_smallest_repair
from candling.privacy import Statistic
from candling.records import dataclass
from candling.rules import Rules
from candling.rules.compile import part_without_null
from candling.system.limits import get_time_left

if TYPE_CHECKING:
    from candling.measures.facts import Facts, Part


@dataclass(frozen=True, slots=True)
class RepairNumber:
    """A repair number in steps; a row that is added lets it grow by 0 to `growth` of them."""

    value: int = field(repr=False)  # private: not in a repr
    step: Fraction
    growth: int
    kind: str  # which of the numbers called repair it is


def repair_terms(part: Part) -> tuple[int, ...]:
    """What the repair number is the largest of, in its steps. Each is a sum over components."""
    alone = part.self_inconsistent
    removed = [alone + rows for rows in part.removed]
    if part.rules.exact_repair:
        return tuple(removed) or (alone,)
    return (int(2 * (alone + part.relaxed.value)), *(2 * rows for rows in removed))


def repair_number(terms: Sequence[int], rules: Rules) -> RepairNumber:
    """The largest of the terms, and what it means for these rules (docs/privacy.md, Theorem 4)."""
    if rules.exact_repair:
        return RepairNumber(max(terms), Fraction(1), 1, "exact")
    return RepairNumber(max(terms), Fraction(1, 2), 2, "lower_bound")


class Repair(Measure):
    """The smallest repair where the rules make it easy, else a bound of it: a row moves it by 1."""

    name = "repair"
    title = "Rows to delete"
    meaning = "fewest rows to delete until every rule holds"
    explanation = """\
The fewest rows to delete so that every rule holds: the smallest repair.

Use this measure to judge a table: each wrong row adds at most one to it. `low` and `high` bound the
smallest repair. If the rules allow it, noise is added to the smallest repair itself (its kind is
`exact`). Otherwise it is added to a lower bound that is at least half of it (its kind is
`lower_bound`). The grade of a table is 1 - repair/rows.
"""
    notes: ClassVar[dict[str, str]] = {
        "exact": (
            "The smallest number of rows to delete until every rule holds, with noise. The true "
            "number is within the interval."
        ),
        "lower_bound": (
            "The smallest number of rows to delete until every rule holds. For these rules, a "
            "release computes a lower bound that is at least half of it. The estimate is that "
            "bound with noise, so the true number can be twice as large. It is within the interval."
        ),
    }
    note_for_persons = (
        "The smallest number of rows to delete until every rule holds, in the whole table. Each "
        "person adds at most 2 to the count, which keeps the noise small. The true number is at "
        "least the lower end of the interval."
    )
    by_default = True
    exact_words: ClassVar = {
        "repair": ExactWords(
            "Rows to delete (lower bound)", "releases add noise to this number", share=True
        ),
        "repair_linear": ExactWords(
            "Rows to delete (linear program)", "at least half of the exact number"
        ),
        "repair_exact": ExactWords(
            "Rows to delete",
            "fewest rows to delete until every rule holds",
            unknown="not found within the time limit",
            share=True,
        ),
    }
    has_kind = True
    makes_grade = True
    per_row = True
    most_per_row = 1

    def find_source(self, asked: Asked) -> str | None:
        """Itself, unless no rule can be broken."""
        return None if asked.facts.none else self.name

    def public(self, rules: Rules) -> RepairNumber:
        """What the rules alone say of the number; its value is 0."""
        return repair_number((0,), rules)

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """One number, in ones or in halves."""
        return [statistic(self.public(rules), setting)]

    def terms(self, part: Part) -> tuple[int, ...]:
        """What the number is the largest of: each is a sum over parts."""
        return repair_terms(part)

    def number(self, facts: Facts) -> RepairNumber:
        """The smallest repair where the rules make it easy, else the best bound. Private."""
        return repair_number(facts.terms(self), facts.rules)

    def values(
        self,
        facts: Facts,
        setting: Setting,
        public: Sequence[Statistic],
    ) -> list[tuple[int, ...]]:
        """The number, in its steps."""
        return [(self.number(facts).value,)]

    def exact_terms(self, part: Part, search: float) -> Any:
        """The terms of the number, the linear program's value, and the smallest repair."""
        linear = part.self_inconsistent + part.relaxed.value
        return repair_terms(part), linear, smallest_repair(part, search)

    def exact(self, facts: Facts, parts: Sequence[Any]) -> dict[str, Any]:
        """The number that gets noise, the linear program's, and the smallest repair if known."""
        return self.exact_under(facts.rules, parts)

    def exact_under(self, rules: Rules, parts: Sequence[Any]) -> dict[str, Any]:
        """The same under some rules, from the terms of each part of the table."""
        own = repair_number(self.join_parts([terms for terms, _, _ in parts]), rules)
        smallest = [repair for _, _, repair in parts]
        return {
            "repair": own.value * own.step,
            "repair_linear": sum((linear for _, linear, _ in parts), start=Fraction()),
            "repair_exact": None if None in smallest else sum(smallest),
        }

    def find_exact_bounds(self, values: Mapping[str, Any]) -> tuple[Fraction, Fraction | None]:
        """The smallest repair, or bounds on it."""
        names = ("repair", "repair_linear", "repair_exact")
        return bound_smallest_repair(*(values[name] for name in names))

    def kinds(self, rules: Rules, setting: Setting) -> list[str]:
        """The kind of the one number."""
        return [self.public(rules).kind]

    def find_note(self, kind: str | None) -> str:
        """By kind; it is exact where no rule can be broken."""
        return self.notes[kind or "exact"]


REPAIR = Repair()


def statistic(public: RepairNumber, setting: Setting) -> Statistic:
    """What gets noise of a repair number."""
    return Statistic((0,), (setting.rows_per_person * public.growth,), public.step)


def smallest_repair(part: Part, search: float) -> int | None:
    """The smallest repair; None if it is not proved within `search` seconds. Not private."""
    from candling.graph.repair import exact_repair
    from candling.graph.tractable_repair import count_fewest_removals

    if part.rules.exact_repair:
        return max(repair_terms(part))
    easy = part_without_null(part.rules)
    if easy is not None:
        dirty = replace(part.classes.select(part.graph.class_of >= 0), complete=None)
        if dirty.without_null(sorted(easy.rights)).all():
            return part.self_inconsistent + count_fewest_removals(easy, dirty)
    left = min(get_time_left(), search)
    rows = exact_repair(part.graph, part.relaxed, time_limit=max(left, 0.0))
    return None if rows is None else part.self_inconsistent + rows
