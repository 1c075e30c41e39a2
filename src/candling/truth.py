"""What is true of a table, for its owner. NOT PRIVATE."""

from __future__ import annotations

from dataclasses import dataclass

from candling.gates import judge_exact, parse_gate
from candling.model.exact import ExactData
from candling.model.gate import GateResult


@dataclass(frozen=True, slots=True)
class Exact(ExactData):
    """The true measures of a table. NOT PRIVATE: do not show them to whoever may not see the rows.

    They are attributes: `exact.problematic`. `repair` is the number that a release adds noise to:
    the smallest repair where the rules make it easy, else a number between half of it and all of
    it. `repair_linear` is the linear program's value, a multiple of 1/2 between half of the
    smallest repair and the smallest repair. `repair_exact` is the smallest repair,
    `maximal_consistent_log2` the log2 of the number of maximal consistent subsets; each is None
    where it would take too long. `max_degree` is the most conflicts that one row has with others.
    `by_rule` has the repair numbers of each rule alone, if they were asked for. Where `person` has
    columns, all of it is about the rows that a release would keep.
    """

    def __str__(self) -> str:
        from candling.render.text import render_text
        from candling.render.views import view_exact

        return render_text(view_exact(self))

    def _repr_html_(self) -> str:
        from candling.render.html import render_cell
        from candling.render.views import view_exact

        return render_cell(view_exact(self))

    def check(self, gate: str) -> GateResult:
        """Judge a gate such as "repair/rows > 2%" or "zip-city > 0" by the true numbers.

        It costs no epsilon, and is NOT PRIVATE: for the owner's internal checks. `repair` is the
        smallest repair. A gate on one rule needs the numbers `by_rule`.
        """
        return judge_exact(parse_gate(gate, self.rules), self)
