"""The true values behind releases of a table whose conflicts stay where they are, in parts.

No conflict leaves a part, so every number of the table is the sum of those of its parts, or the
largest of some sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from candling.engines import Classes, Parts
from candling.engines.reading import not_here
from candling.releases.facts import SEARCH, Facts, repair_number
from candling.rules import Constraint
from candling.solvers import Exact

T = TypeVar("T")


class SpreadFacts(Facts):
    """The sums over the parts, each asked for when first needed. Private."""

    def __init__(self, spread: Parts) -> None:
        self._spread = spread

    @property
    def rows(self) -> int:
        return self._spread.rows

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return self._spread.constraints

    def exact(self, search: float = SEARCH) -> Exact:
        # One question: what a part is asked, it answers from its rows anew.
        found = self._ask(lambda facts: (facts.exact(search), facts.all_logs, facts.repair_terms))
        parts = [part for part, *_ in found]
        number = repair_number(_totals(terms for *_, terms in found), self.constraints)
        repairs = [part.repair_exact for part in parts]
        logs = [own for _, own, _ in found]
        return Exact(
            rows=self.rows,
            drastic=max((part.drastic for part in parts), default=0),
            minimal_inconsistent=sum(part.minimal_inconsistent for part in parts),
            problematic=sum(part.problematic for part in parts),
            repair=number.value * number.step,
            repair_linear=sum((part.repair_linear for part in parts), start=Fraction()),
            repair_exact=None if None in repairs else sum(filter(None, repairs)),
            maximal_consistent_log2=None if None in logs else math.fsum(_joined(logs)),
            max_degree=max((part.max_degree for part in parts), default=0),
        )

    @cached_property
    def everything(self) -> Classes:
        raise not_here()

    @cached_property
    def repair_terms(self) -> tuple[int, ...]:
        return _totals(self._ask(lambda facts: facts.repair_terms))

    @cached_property
    def problematic(self) -> list[int]:
        return list(_totals(self._ask(lambda facts: facts.problematic)))

    @cached_property
    def doubled_minimal_inconsistent(self) -> list[int]:
        return list(_totals(self._ask(lambda facts: facts.doubled_minimal_inconsistent)))

    @cached_property
    def maximal_consistent_logs(self) -> list[float]:
        return _joined(self._ask(lambda facts: facts.maximal_consistent_logs))

    @cached_property
    def terms_by_rule(self) -> list[tuple[int, ...]]:
        parts = self._ask(lambda facts: facts.terms_by_rule)
        return [_totals(own) for own in zip(*parts, strict=True)]

    def _ask(self, question: Callable[[Facts], T]) -> list[T]:
        """What each part says."""
        return self._spread.ask(lambda classes: question(Facts(classes)))


def _totals(parts: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Their sums, entry by entry."""
    return tuple(sum(own) for own in zip(*parts, strict=True))


def _joined(parts: Iterable[list[float] | None]) -> list[float]:
    return [log for part in parts for log in part or ()]
