"""The true measures of a table: not private, for its owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class Exact:
    """The true measures of a table. NOT PRIVATE: do not show them to whoever may not see the rows.

    They are attributes: `exact.problematic`. `repair` is the number that a release adds noise to:
    the smallest repair where the rules make it easy, else a number between half of it and all of
    it. `repair_linear` is the linear program's value, a multiple of 1/2 between half of the
    smallest repair and the smallest repair. `repair_exact` is the smallest repair,
    `maximal_consistent_log2` the log2 of the number of maximal consistent subsets; each is None
    where it would take too long. `max_degree` is the most conflicts that one row has with others.
    """

    values: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(f"there is no exact number {name!r}") from None

    def to_dict(self) -> dict[str, int | float | None]:
        """The same under the names of the JSON output."""
        return {name: _plain(value) for name, value in self.values.items()}


def _plain(value: Any) -> Any:
    if not isinstance(value, Fraction):
        return value
    return int(value) if value.denominator == 1 else float(value)
