"""What the suite of every measure knows of each: stated here a second time, sharing no code.

A new measure needs an entry in `ORACLES`; `test_every_measure.py` fails until it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from candling.privacy.budget import GRID
from tests import oracle
from tests.measures.draws import Call, DrawCall, Growth
from tests.oracle import Row

# Rules that make the smallest repair easy, and rules that do not.
EXACT, RELAXED = "exact", "relaxed"
RULES = {
    EXACT: "a -> b\nkey(a, b)",
    RELAXED: "a -> b\nnot(t1.a < t2.a and t1.b > t2.b)\nnot(t1.b > t1.a)",
}
Numbers = list[Fraction | float | int]


@dataclass(frozen=True)
class Oracle:
    """By how much one row moves the statistics of a measure, and what they are."""

    growths: Callable[[str, Call], Sequence[Growth]]  # docs/privacy.md, Theorem 10; in their steps
    truth: Callable[[str, Sequence[Row], Sequence[Any]], Numbers]  # by brute force
    refused: frozenset[str] = frozenset()  # under which of the rules
    unmoved: frozenset[str] = frozenset()  # under which of the rules nothing can move it


def _thresholds(call: Call) -> tuple[int, ...]:
    """Those that the draw of one measure chose from."""
    assert isinstance(call, DrawCall)
    (statistic,) = call.statistics
    return statistic.thresholds[: len(statistic.values)]


def _repair(kind: str, rows: Sequence[Row], rules: Sequence[Any]) -> Numbers:
    if kind == EXACT:
        return [oracle.repair_exact(oracle.conflicts(rows, rules))]
    # `a -> b` alone is easy, and so is the rule on an order
    return [oracle.repair_number(rows, rules, [(0,), (1,)])]


def _by_rule(_: str, rows: Sequence[Row], rules: Sequence[Any]) -> Numbers:
    return [oracle.repair_exact(oracle.conflicts(rows, [rule])) for rule in rules]


def _conflicts(_: str, rows: Sequence[Row], rules: Sequence[Any]) -> Numbers:
    return [oracle.minimal_inconsistent(oracle.conflicts(rows, rules))]


def _problematic(_: str, rows: Sequence[Row], rules: Sequence[Any]) -> Numbers:
    return [oracle.problematic(oracle.conflicts(rows, rules))]


def _ways(_: str, rows: Sequence[Row], rules: Sequence[Any]) -> Numbers:
    import math

    return [math.log2(oracle.maximal_consistent(oracle.conflicts(rows, rules)))]


def _repair_growth(kind: str, _: Call) -> Sequence[Growth]:
    return [1] if kind == EXACT else [2]  # rows, or halves of a row


ORACLES: dict[str, Oracle] = {
    "rows": Oracle(lambda _kind, _call: [1], lambda _kind, rows, _rules: [len(rows)]),
    "repair": Oracle(_repair_growth, _repair),
    "drastic": Oracle(_repair_growth, _repair),
    "minimal_inconsistent": Oracle(
        lambda _kind, call: [[2 * t for t in _thresholds(call)]], _conflicts
    ),
    "problematic": Oracle(lambda _kind, call: [[t + 1 for t in _thresholds(call)]], _problematic),
    "maximal_consistent": Oracle(
        lambda _kind, _call: [2**16 + 2], _ways, refused=frozenset({RELAXED})
    ),
    "by_rule": Oracle(lambda kind, _call: [1] * len(RULES[kind].splitlines()), _by_rule),
    "worst_rule": Oracle(lambda _kind, _call: [GRID], _by_rule),
}
