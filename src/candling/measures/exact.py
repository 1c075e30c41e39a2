"""The five measures, exactly: not private, for the table's owner."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from candling.conflicts import BlockGraph, ConflictGraph
from candling.measures.counting import maximal_consistent_log2
from candling.measures.repair import exact_repair, fractional_repair


@dataclass(frozen=True, slots=True)
class Exact:
    """The true measures of a table. NOT PRIVATE: do not show them to whoever may not see the rows.

    `repair` is the linear program's value, a multiple of 1/2 between half of the smallest repair
    and the smallest repair. `repair_exact` is the smallest repair, `maximal_consistent_log2` the
    log2 of the number of maximal consistent subsets; each is None where it would take too long.
    """

    rows: int
    drastic: int
    minimal_inconsistent: int
    problematic: int
    repair: Fraction
    repair_exact: int | None
    maximal_consistent_log2: float | None
    max_degree: int

    def to_dict(self) -> dict[str, int | float | None]:
        """The same under the names of the JSON output."""
        whole = self.repair.denominator == 1
        return {
            "rows": self.rows,
            "drastic": self.drastic,
            "minimal_inconsistent": self.minimal_inconsistent,
            "problematic": self.problematic,
            "repair": int(self.repair) if whole else float(self.repair),
            "repair_exact": self.repair_exact,
            "maximal_consistent_log2": self.maximal_consistent_log2,
            "max_degree": self.max_degree,
        }


def exact_measures(graph: ConflictGraph | BlockGraph, *, time_limit: float) -> Exact:
    """All measures of a conflict graph; `time_limit` bounds the search for the smallest repair."""
    alone = graph.self_inconsistent
    relaxed = fractional_repair(graph)
    smallest = exact_repair(graph, relaxed, time_limit=time_limit)
    return Exact(
        rows=graph.rows,
        drastic=int(alone + graph.classes > 0),
        minimal_inconsistent=alone + graph.pairs,
        problematic=alone + int(graph.weights.sum()),
        repair=alone + relaxed.value,
        repair_exact=None if smallest is None else alone + smallest,
        maximal_consistent_log2=maximal_consistent_log2(graph),
        max_degree=int(graph.degrees.max(initial=0)),
    )
