"""What a report knows of a release: its JSON, checked, and nothing else.

Reading the JSON and not the card makes a report of a fresh release and of a stored one the same,
and keeps everything that was not paid for out of reach.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from candling.errors import UsageError
from candling.measures.grade import Grade
from candling.present.spending import Spending

_TOLD = {"value", "low", "high", "epsilon", "reason", "note", "rule"}
_NO_MEASURE = {"grade", "about", "receipt", "signature"}


@dataclass(frozen=True, slots=True)
class Reading:
    """One released number, or that it was refused and why."""

    name: str
    value: float | str | None
    low: float | None
    high: float | None
    epsilon: float | None  # of its own: 0 if it cost nothing; None if it shares the draw
    note: str
    reason: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def number(self) -> float | None:
        """The value if it is a number."""
        return None if isinstance(self.value, str) else self.value


@dataclass(frozen=True, slots=True)
class Card:
    """A release, as its JSON tells it."""

    epsilon: float
    rows_per_person: int
    grade: Grade
    measures: Mapping[str, Reading]
    by_rule: tuple[Reading, ...]
    about: Mapping[str, Any]  # empty if the card was made before it was kept
    receipt: Mapping[str, Any]  # empty if no ledger was used
    signature: Mapping[str, Any]  # empty if nobody signed it

    @property
    def spending(self) -> Spending:
        """What the epsilon was spent on."""
        parts = [(r.name, r.epsilon) for r in self.measures.values()]
        return Spending.of(self.epsilon, parts + [("by_rule", r.epsilon) for r in self.by_rule])

    @property
    def rules(self) -> tuple[str, ...] | None:
        """The texts of the rules, if the card holds them."""
        told = self.about.get("rules")
        return None if told is None else tuple(map(str, told))

    @property
    def dataset(self) -> str | None:
        """What the ledger calls the table."""
        return self.receipt.get("dataset") or None

    @property
    def time(self) -> str | None:
        """When the release was asked for, or charged."""
        return self.about.get("time") or self.receipt.get("time")


def read_card(told: object, source: str = "what was given") -> Card:
    """The card in a JSON object; raises UsageError if it is none."""
    try:
        return _card(told)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise UsageError(f"{source!r} is not the JSON of a release.", code="U106") from None


def load_card(path: str) -> Card:
    """The card in a file that `candling release --json` wrote."""
    try:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise UsageError(f"{path!r} is no file with the JSON of a release.", code="U106") from None
    return read_card(told, path)


def _card(told: Any) -> Card:
    if not isinstance(told, Mapping):
        raise TypeError
    parts = {n: p for n, p in told.items() if isinstance(p, Mapping) and n not in _NO_MEASURE}
    by_rule = told.get("by_rule", ())
    if isinstance(by_rule, Mapping):  # refused: a measure without a value
        by_rule = ()
    measures = {str(name): _reading(str(name), part) for name, part in parts.items()}
    if not measures and not by_rule:
        raise ValueError
    return Card(
        _number(told["epsilon"]) or 0.0,
        int(told["rows_per_person"]),
        _grade(told["grade"]),
        measures,
        tuple(_reading(str(part["rule"]), part) for part in by_rule),
        _about(told.get("about") or {}),
        dict(_mapping(told.get("receipt") or {})),
        signature=dict(_mapping(told.get("signature") or {})),
    )


def _grade(told: object) -> Grade:
    found = Grade.from_dict(_mapping(told))
    value, low, high, level = map(_number, (found.value, found.low, found.high, found.level))
    if level is None or (value is not None and (low is None or high is None)):
        raise ValueError
    return Grade(value, low, high, level, None if found.reason is None else str(found.reason))


def _reading(name: str, part: Mapping[str, Any]) -> Reading:
    value = part["value"]
    return Reading(
        name,
        value if isinstance(value, str) else _number(value),
        _number(part["low"]),
        _number(part["high"]),
        _number(part.get("epsilon")),
        str(part["note"]),
        None if part.get("reason") is None else str(part["reason"]),
        {key: item for key, item in part.items() if key not in _TOLD},
    )


def _about(told: object) -> dict[str, Any]:
    about = dict(_mapping(told))
    rules = about.get("rules")
    if rules is not None and (isinstance(rules, str) or not isinstance(rules, Sequence)):
        raise TypeError
    return about


def _mapping(told: object) -> Mapping[str, Any]:
    if not isinstance(told, Mapping):
        raise TypeError
    return told


def _number(value: object) -> float | None:
    """A number as it is: whole ones stay whole."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError
    return value
