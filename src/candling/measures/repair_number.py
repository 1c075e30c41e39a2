"""The number that is released as the repair: the smallest repair, or the best bound of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from candling.rules import Rules

if TYPE_CHECKING:
    from candling.measures.facts import Part

# What each kind of number is to the smallest repair: that lies between these multiples of it.
SMALLEST = {
    "exact": (Fraction(1), Fraction(1)),
    "lower_bound": (Fraction(1), Fraction(2)),
    "cover": (Fraction(1, 2), Fraction(1)),
}


@dataclass(frozen=True, slots=True)
class RepairNumber:
    """A repair number in steps; a row that is added lets it grow by 0 to `growth` of them."""

    value: int = field(repr=False)  # private: not in a repr
    step: Fraction
    growth: int
    kind: str  # which of the numbers called repair it is
    note: str | None = None  # what it means, where the kind does not say that


def repair_terms(part: Part) -> tuple[int, ...]:
    """What the repair number is the largest of, in its steps. Each is a sum over components."""
    from candling.solvers.easy import fewest_removed

    alone = part.self_inconsistent
    removed = [alone + fewest_removed(easy, part.consistent) for easy in part.rules.easy_parts]
    if part.rules.exact_repair:
        return tuple(removed) or (alone,)
    return (int(2 * (alone + part.relaxed.value)), *(2 * rows for rows in removed))


def repair_number(terms: Sequence[int], rules: Rules) -> RepairNumber:
    """The largest of the terms, and what it means for these rules (docs/privacy.md, Theorem 4)."""
    if rules.exact_repair:
        return RepairNumber(max(terms), Fraction(1), 1, "exact")
    return RepairNumber(max(terms), Fraction(1, 2), 2, "lower_bound")
