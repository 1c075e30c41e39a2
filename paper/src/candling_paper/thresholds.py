"""Edge addition as the truncation of a release: thresholds, values and what a row can change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from candling_paper.all_rows import AllRows
from candling_paper.edge_addition import edge_addition

CANDIDATES = (1, 5, 10, 100, 500, *range(1_000, 10_001, 1_000))  # the paper's, for 10,000 rows
LARGER = tuple(digit * 10**power for power in range(4, 10) for digit in (2, 5, 10))
# Between the candidates, two for each doubling: what a bound on the degrees is rounded up to.
BETWEEN = tuple(
    sorted({math.ceil(2 ** (i / 2)) for i in range(2 * 30 + 1)} - {*CANDIDATES, *LARGER})
)


@dataclass(frozen=True, slots=True)
class EdgeAddition:
    """The projected pairs or rows at the candidates and at the most rows there can be.

    Where nothing tells how many rows there can be, there are the candidates of the paper alone.
    Candidates ascend.
    """

    candidates: tuple[int, ...] = (*CANDIDATES, *LARGER)
    with_limit: bool = True

    def thresholds(self, limit: float | None) -> tuple[int, ...]:
        """The candidates below the limit, and the limit."""
        if limit is None:
            return tuple(t for t in self.candidates if t <= CANDIDATES[-1]) or self.candidates
        most = max(1, math.ceil(limit))
        below = tuple(t for t in self.candidates if t < most)
        return (*below, most) if self.with_limit or not below else below

    def step(self, measure: str) -> Fraction:  # noqa: ARG002
        """A pair, or a row."""
        return Fraction(1)

    def growth(self, measure: str, threshold: int) -> int:
        """Pairs by t, rows by t + 1: the published t rows are one too few (Theorem 12)."""
        return threshold if measure == "minimal_inconsistent" else threshold + 1

    def monotone(self, measure: str) -> bool:
        """Pairs only grow; a row that is added can push others out of the projection."""
        return measure == "minimal_inconsistent"

    def values(self, rows: AllRows, measure: str, thresholds: Sequence[int]) -> tuple[int, ...]:
        """One pass for all thresholds."""
        projections = edge_addition(rows.pairs, thresholds)
        return projections.pairs if measure == "minimal_inconsistent" else projections.rows
