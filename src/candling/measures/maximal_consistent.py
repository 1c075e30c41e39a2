"""`maximal_consistent`: how many ways there are to clean the table, as log2."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from candling.measures.measure import Asked, ExactWords, Measure, Setting, Unit
from candling.privacy import Statistic
from candling.rules import Rules

if TYPE_CHECKING:
    from candling.measures.facts import Facts, Part

LOG_GRID = 2**16  # log2 is rounded to this fraction of one
LOG_ROUNDING = 2  # units of it that rounding and floating point can add between neighbours


class MaximalConsistent(Measure):
    """The log2 of the number of maximal consistent subsets: a row doubles them at most."""

    name = "maximal_consistent"
    title = "Ways to clean"
    meaning = "ways to clean the table without deleting too much, as a power of two"
    explanation = """\
How many ways there are to clean the table: log2 of the number of maximal consistent subsets.

A subset is maximal if putting back any row would break a rule. Each unit doubles the number of
ways. It is only released on request, and makes the other numbers slightly noisier. It can only be
counted if all rules are dependencies and keys whose left sides form a chain. For other rules it is
refused and costs nothing.
"""
    note = (
        "The log2 of the number of maximal consistent subsets, with noise: how many ways there are "
        "to clean the table without deleting more than necessary. Each unit doubles them. The true "
        "number is within the interval."
    )
    of_sample = "the whole table can have more ways"
    note_without_nulls = (
        f"{note} Rows with NULL in columns that rules compare are left out of the count, which "
        "makes it a lower bound."
    )
    exact_words: ClassVar = {
        "maximal_consistent_log2": ExactWords(
            "Ways to clean (log2)",
            "ways to clean the table, as a power of two",
            unknown="too many combinations to count for these rules",
        )
    }
    unit = Unit.LOG2
    unit_in_json = "log2"

    def find_source(self, asked: Asked) -> str | None:
        """Itself, unless there is one way to clean the table: to leave out wrong rows."""
        return self.name if asked.facts.pairs else None

    def find_refusal(self, rules: Rules, asked: Asked) -> str | None:
        """Unless the rules form a chain."""
        if not rules.chain.broken_by:
            return None
        return (
            "Counting maximal consistent subsets is feasible only for dependencies and keys whose "
            "left sides form a chain; in the way: " + "; ".join(rules.chain.broken_by)
        )

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        """One number on a fine grid; rounding may let it fall by a little."""
        sensitivity = (LOG_GRID + LOG_ROUNDING) * setting.rows_per_person
        return [Statistic((0,), (sensitivity,), Fraction(1, LOG_GRID), falls=LOG_ROUNDING)]

    def terms(self, part: Part) -> list[float]:
        """By component, on the rows without NULL in the columns that would break the recursion."""
        from candling.graph.counting import chain_logs

        complete = part.consistent.without_null(part.rules.chain.not_null)
        return chain_logs(part.consistent.select(complete))

    def join_parts(self, parts: Sequence[list[float]]) -> list[float]:
        """All components: they are added up at once, exactly."""
        return [log for logs in parts for log in logs]

    def log2(self, facts: Facts) -> float:
        """The number that gets noise. Private."""
        return math.fsum(facts.terms(self))

    def values(
        self,
        facts: Facts,
        setting: Setting,
        public: Sequence[Statistic],
    ) -> list[tuple[int, ...]]:
        """The number, on the grid."""
        return [(round(self.log2(facts) * LOG_GRID),)]

    def exact_terms(self, part: Part, search: float) -> Any:
        """By component, on all rows; None where counting would take too long."""
        from candling.graph.counting import maximal_consistent_logs

        chain = part.rules.chain
        if not chain.broken_by and part.consistent.without_null(chain.not_null).all():
            return self.terms(part)
        return maximal_consistent_logs(part.graph)

    def exact(self, facts: Facts, parts: Sequence[Any]) -> dict[str, Any]:
        """The log2; None where counting would take too long."""
        unknown = any(logs is None for logs in parts)
        return {"maximal_consistent_log2": None if unknown else math.fsum(self.join_parts(parts))}

    def find_exact_bounds(self, values: Mapping[str, Any]) -> tuple[Fraction, Fraction | None]:
        """The log2, which the exact numbers have under its full name."""
        return super().find_exact_bounds({self.name: values.get("maximal_consistent_log2")})

    def kinds(self, rules: Rules, setting: Setting) -> list[str]:
        """A lower bound where rows with NULL are left out."""
        return ["lower_bound" if rules.chain.not_null else "exact"]

    def find_note(self, kind: str | None) -> str:
        """That rows are left out, where they are."""
        return self.note_without_nulls if kind == "lower_bound" else self.note


MAXIMAL_CONSISTENT = MaximalConsistent()
