"""The five measures, exactly: not private, for the table's owner."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Exact:
    """The true measures of a table. NOT PRIVATE: do not show them to whoever may not see the rows.

    `repair` is the number that a release adds noise to: the smallest repair where the rules make it
    easy, else a number between half of it and all of it. `repair_linear` is the linear program's
    value, a multiple of 1/2 between half of the smallest repair and the smallest repair.
    `repair_exact` is the smallest repair, `maximal_consistent_log2` the log2 of the number of
    maximal consistent subsets; each is None where it would take too long.
    """

    rows: int
    drastic: int
    minimal_inconsistent: int
    problematic: int
    repair: Fraction
    repair_linear: Fraction
    repair_exact: int | None
    maximal_consistent_log2: float | None
    max_degree: int

    def to_dict(self) -> dict[str, int | float | None]:
        """The same under the names of the JSON output."""
        return {
            "rows": self.rows,
            "drastic": self.drastic,
            "minimal_inconsistent": self.minimal_inconsistent,
            "problematic": self.problematic,
            "repair": _plain(self.repair),
            "repair_linear": _plain(self.repair_linear),
            "repair_exact": self.repair_exact,
            "maximal_consistent_log2": self.maximal_consistent_log2,
            "max_degree": self.max_degree,
        }


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
