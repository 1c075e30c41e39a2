"""What shaped a release besides the table. All of it is public."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class About:
    """How a release was made, so that a reader of its card can tell, years later."""

    candling: str  # the version
    time: str  # UTC; when it was asked for: the time when it was done would tell how long it took
    method: str
    measures: tuple[str, ...]  # as asked for
    public_rows: int | None  # as stated
    max_rows: int | None  # as stated
    rules: tuple[str, ...]  # those that can be broken, each once

    def to_dict(self) -> dict[str, Any]:
        """The record under the names of the JSON output."""
        return {
            "candling": self.candling,
            "time": self.time,
            "method": self.method,
            "measures": list(self.measures),
            "public_rows": self.public_rows,
            "max_rows": self.max_rows,
            "rules": list(self.rules),
        }

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> About:
        """A record from what `to_dict` gave."""
        return cls(
            told["candling"],
            told["time"],
            told["method"],
            tuple(told["measures"]),
            told["public_rows"],
            told["max_rows"],
            tuple(told["rules"]),
        )
