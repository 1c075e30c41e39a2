"""What is true of a table, for its owner. NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from candling.model.gate import GateResult
from candling.person import ROW, Person
from candling.present.gates import judge_exact, parse_gate
from candling.rules import RuleLine


@dataclass(frozen=True, slots=True)
class ExactRule:
    """The true repair numbers of one rule alone. NOT PRIVATE; see `Exact` for what they are."""

    rule: str
    repair: Fraction
    repair_linear: Fraction
    repair_exact: int | None

    def to_dict(self) -> dict[str, Any]:
        """The same under the names of the JSON output."""
        return {
            "rule": self.rule,
            "repair": _plain(self.repair),
            "repair_linear": _plain(self.repair_linear),
            "repair_exact": self.repair_exact,
        }


@dataclass(frozen=True, slots=True)
class Exact:
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

    values: Mapping[str, Any]
    rules: tuple[RuleLine, ...] = ()  # those that can be broken, each once
    by_rule: tuple[ExactRule, ...] = ()
    person: Person = ROW

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(f"there is no exact number {name!r}") from None

    def __str__(self) -> str:
        from candling.present.plain import exact_text

        return exact_text(self)

    def _repr_html_(self) -> str:
        from candling.present.html.cells import exact_cell

        return exact_cell(self)

    def check(self, gate: str) -> GateResult:
        """What a gate such as "repair/rows > 2%" or "zip-city > 0" says of the true numbers.

        It costs no epsilon, and is NOT PRIVATE: for checks in the house of the owner. `repair` is
        the smallest repair. A gate on one rule needs the numbers `by_rule`.
        """
        return judge_exact(parse_gate(gate, self.rules), self)

    def to_dict(self) -> dict[str, Any]:
        """The numbers as `candling exact --json` prints them."""
        content = {name: _plain(value) for name, value in self.values.items()}
        if self.by_rule:
            content["by_rule"] = [rule.to_dict() for rule in self.by_rule]
        if self.person.columns:
            content["person"] = self.person.to_dict()
        return content


def _plain(value: Any) -> Any:
    if not isinstance(value, Fraction):
        return value
    return int(value) if value.denominator == 1 else float(value)
