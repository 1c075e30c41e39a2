"""The vertex cover of Algorithm 5: both rows of every pair that is not covered yet, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from candling.measures.facts import Facts
from candling.measures.repair import RepairNumber
from candling.rules import Rules
from candling_paper.ordered import OrderedPairs, ordered_pairs
from candling_paper.vertex_cover_kernels import match

SENSITIVITY = 2
NOTE = (
    "The size of a vertex cover made of both rows of a maximal set of disjoint pairs, with noise: "
    "at least the smallest repair and at most twice as much. The interval covers the smallest "
    "repair in 95 of 100 releases."
)


def vertex_cover(pairs: OrderedPairs) -> int:
    """The size of the greedy cover, and the rows that break a rule alone.

    Neighbours: tables that differ in one row. Sensitivity 2: the two runs differ along one
    alternating path (docs/privacy.md, Theorem 13).
    """
    free = pairs.weights.copy()
    return pairs.self_inconsistent + 2 * int(match(pairs.offsets, pairs.neighbours, free))


@dataclass(frozen=True, slots=True)
class VertexCover:
    """The cover's size as the repair number of a release."""

    def public(self, rules: Rules) -> RepairNumber:  # noqa: ARG002
        """Two rows, in ones."""
        return RepairNumber(0, Fraction(1), SENSITIVITY, "cover", NOTE)

    def value(self, facts: Facts) -> RepairNumber:
        """The cover of the table's pairs in their stable order."""
        size = vertex_cover(ordered_pairs(facts))
        return replace(self.public(facts.rules), value=size)


def steps(edges: Sequence[tuple[object, object]]) -> list[int]:
    """The cover's size after each edge in turn: the plain algorithm, for examples and tests."""
    covered: set[object] = set()
    sizes = []
    for u, v in edges:
        if u not in covered and v not in covered:
            covered |= {u, v}
        sizes.append(len(covered))
    return sizes
