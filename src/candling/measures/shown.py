"""A number as a card shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from candling.errors import UsageError
from candling.measures.bounds import Bounds
from candling.measures.grade import LEVEL


@dataclass(frozen=True, slots=True)
class Shown:
    """One released number. Nothing in it was not paid for."""

    name: str
    value: float | str | None
    epsilon: Fraction | None  # of its own: 0 if derived or stated; None if it shares the draw
    note: str  # what the number and its bounds mean, in a sentence or two
    bounds: Bounds = field(repr=False)
    reason: str | None = None  # why there is no value, or no upper bound
    extra: Mapping[str, Any] = field(default_factory=dict)  # threshold, kind, per_row, ...

    def interval(self, level: float = LEVEL) -> tuple[float | None, float | None]:
        """Bounds on the true value that hold with probability `level` or more.

        Of `repair` and of the rules, the true value is the smallest number of rows that must go,
        whatever kind of number was released. The released value is always inside.
        """
        if not 0 < level < 1:
            raise UsageError(f"A level lies between 0 and 1, not at {level}.", code="U206")
        low, high = self.bounds.interval(level)
        if isinstance(self.value, int | float):
            low = None if low is None else min(low, self.value)
            high = None if high is None else max(high, self.value)
        return low, high

    def to_dict(self) -> dict[str, Any]:
        """The measure under the names of the JSON output."""
        low, high = self.interval()
        found: dict[str, Any] = {"value": self.value, "low": low, "high": high}
        if self.epsilon is not None:
            found["epsilon"] = float(self.epsilon)
        found |= self.extra
        if self.reason is not None:
            found["reason"] = self.reason
        return found | {"note": self.note}
