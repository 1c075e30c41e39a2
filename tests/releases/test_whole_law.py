"""The exact law of releases of neighbouring tables, from the rows to the weights of the outputs.

All tables of up to three rows of two columns: what a release draws from is recorded, and its law is
enumerated by the formula of the docs (tests/privacy/draw_law.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from candling.measures import Measure, Setting
from candling.measures.facts import Facts
from candling.privacy import Statistic
from tests.measures.draws import DrawCall
from tests.measures.test_every_measure import calls_of, pairs, tables
from tests.privacy.draw_law import Recipe, formula_ratios

EPSILON = 6
MOST = 3  # rows of a table
CARDS = {
    "repair and rows": ["repair", "rows"],
    "rows in conflict, and rows": ["rows", "problematic"],
    "conflicts, and rows": ["rows", "minimal_inconsistent"],
    "both with thresholds": ["problematic", "minimal_inconsistent"],
    "of each rule": ["by_rule"],
}


def drawn_from(rules: str, measures: Sequence[str], table: object) -> DrawCall:
    """The draw of a release, for people of one row each."""
    (call,) = calls_of(rules, table, measures, epsilon=Fraction(EPSILON), max_rows=MOST)  # type: ignore[arg-type]
    assert isinstance(call, DrawCall)
    return call


def worst(rules: str, measures: Sequence[str]) -> float:
    """The largest log ratio of all outputs of all neighbours, over epsilon."""
    found = {table: drawn_from(rules, measures, table).statistics for table in tables(MOST)}
    different = {
        tuple(tuple(s.values for s in found[table]) for table in (small, large)): (small, large)
        for small, large, _ in pairs(1, MOST)
    }
    ratios = [
        formula_ratios(found[small], found[large], EPSILON, Recipe())
        for small, large in different.values()
    ]
    return max(max(ratio.grown, ratio.shrunk) for ratio in ratios) / EPSILON


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("rules", ["exact", "relaxed"])
def test_no_neighbours_are_told_apart_by_more_than_epsilon(rules: str, card: str) -> None:
    assert 0.5 < worst(rules, CARDS[card]) <= 1 + 1e-9


@pytest.mark.parametrize("card", ["repair and rows", "rows in conflict, and rows"])
def test_a_sensitivity_of_half_is_seen(card: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Measure.true_statistics

    def planted(measure: Measure, facts: Facts, setting: Setting) -> list[Statistic]:
        return [
            replace(s, sensitivities=tuple(max(1, t // 2) for t in s.sensitivities))
            for s in real(measure, facts, setting)
        ]

    monkeypatch.setattr(Measure, "true_statistics", planted)
    assert worst("relaxed", CARDS[card]) > 1.1
