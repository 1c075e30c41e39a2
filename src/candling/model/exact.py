"""The true numbers of a table. NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from candling.person import ROW, Person
from candling.rules import RuleLine


@dataclass(frozen=True, slots=True)
class ExactRule:
    """The true repair numbers of one rule alone. NOT PRIVATE; see `Exact` for what they are."""

    rule: str
    repair: Fraction
    repair_linear: Fraction
    repair_exact: int | None

    @property
    def smallest(self) -> tuple[Fraction, Fraction]:
        """Bounds on the smallest repair."""
        return bound_smallest_repair(self.repair, self.repair_linear, self.repair_exact)

    def to_dict(self) -> dict[str, Any]:
        """The same under the names of the JSON output."""
        return {
            "rule": self.rule,
            "repair": _plain(self.repair),
            "repair_linear": _plain(self.repair_linear),
            "repair_exact": self.repair_exact,
        }


@dataclass(frozen=True, slots=True)
class ExactData:
    """The true measures of a table, by name and as attributes: `exact.problematic`. NOT PRIVATE."""

    values: Mapping[str, Any]
    rules: tuple[RuleLine, ...] = ()  # those that can be broken, each once
    by_rule: tuple[ExactRule, ...] = ()
    person: Person = ROW

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(f"there is no exact number {name!r}") from None

    def to_dict(self) -> dict[str, Any]:
        """The numbers as `candling exact --json` prints them."""
        content = {name: _plain(value) for name, value in self.values.items()}
        if self.by_rule:
            content["by_rule"] = [rule.to_dict() for rule in self.by_rule]
        if self.person.columns:
            content["person"] = self.person.to_dict()
        return content


def bound_smallest_repair(
    bound: Fraction, linear: Fraction, smallest: int | None
) -> tuple[Fraction, Fraction]:
    """Both ends are the smallest repair; if the search did not finish, what its bounds say."""
    if smallest is None:
        return Fraction(bound), 2 * Fraction(linear)
    return Fraction(smallest), Fraction(smallest)


def _plain(value: Any) -> Any:
    if not isinstance(value, Fraction):
        return value
    return int(value) if value.denominator == 1 else float(value)
