"""The exact law of releases of neighbouring tables, from the rows to the weights of the outputs.

All tables of up to three rows of two columns: what a release draws from is recorded, and its law is
compared by the formulas of the docs (tests/privacy/test_plain_draw.py, tests/privacy/draw_law.py).
Where there are two draws, the second is steered by what the first gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from candling.measures import Measure, Setting
from candling.measures.facts import Facts
from candling.privacy import Hint, Statistic
from candling.privacy.levels_draw import constants_for
from tests.measures.draws import DrawCall, recorded
from tests.measures.test_every_measure import Table, pairs, study_of, tables
from tests.privacy.draw_law import Recipe, formula_ratios
from tests.privacy.test_plain_draw import norm

EPSILON = 9
MOST = 3  # rows of a table
OUTPUTS = (0, 4, 30)  # of the first draw: no levels in the second, and both ranges of its constants
CARDS = {
    "repair": ["repair"],
    "repair and rows": ["repair", "rows"],
    "repair, rows, and each rule": ["repair", "rows", "by_rule"],
    "each rule": ["by_rule"],
    "both with thresholds": ["problematic", "minimal_inconsistent"],
    "rows in conflict, and rows": ["rows", "problematic"],
    "all": ["all"],
}


def drawn_from(rules: str, measures: Sequence[str], table: Table, output: int) -> list[DrawCall]:
    """The draws of a release, for people of one row each."""
    with recorded(output) as calls:
        study_of(rules, table).release(EPSILON, measures=measures, max_rows=MOST)
    assert all(isinstance(call, DrawCall) for call in calls)
    return calls  # type: ignore[return-value]


def ratio(one: DrawCall, two: DrawCall) -> float:
    """The largest log ratio of all outputs of a draw."""
    assert one.public == two.public
    epsilon, steering = one.draw.epsilon, one.hint
    levelled = any(s.has_levels for s in one.statistics)
    if levelled:
        assert isinstance(steering, Hint | None)
        constants = constants_for(steering, epsilon)
        assert constants is not None
        recipe = Recipe(constants, steering)
        return formula_ratios(one.statistics, two.statistics, float(epsilon), recipe).worst
    moves = [
        Fraction(b.values[0] - a.values[0], a.sensitivities[0])
        for a, b in zip(one.statistics, two.statistics, strict=True)
    ]
    return float(epsilon * norm(moves, one.rows))  # type: ignore[arg-type]


def worst(rules: str, measures: Sequence[str]) -> float:
    """The largest log ratio of all outputs of all neighbours, over epsilon."""
    most = 0.0
    for output in OUTPUTS:
        found = {table: drawn_from(rules, measures, table, output) for table in tables(MOST)}
        known: dict[object, float] = {}
        for small, large, _ in pairs(1, MOST):
            values = [
                tuple(tuple(s.values for s in call.statistics) for call in found[table])
                for table in (small, large)
            ]
            key = tuple(values)
            if key not in known:
                draws = zip(found[small], found[large], strict=True)
                known[key] = sum(ratio(one, two) for one, two in draws)
        most = max(most, *known.values())
    return most / EPSILON


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("rules", ["exact", "relaxed"])
def test_no_neighbours_are_told_apart_by_more_than_epsilon(rules: str, card: str) -> None:
    assert 0.5 < worst(rules, CARDS[card]) <= 1 + 1e-9


def test_repair_and_rows_reach_epsilon() -> None:
    assert worst("exact", CARDS["repair and rows"]) == 1


def test_the_second_draw_has_levels_or_not() -> None:
    """Each way of steering is among those that are looked at."""
    steered = [drawn_from("relaxed", CARDS["all"], ((0, 0), (0, 1)), output) for output in OUTPUTS]
    offered = [[len(s.values) > 1 for s in calls[1].statistics] for calls in steered]
    assert offered[0] == [False, False]
    assert offered[2] == [True, True]


@pytest.mark.parametrize("card", ["repair and rows", "rows in conflict, and rows", "all"])
def test_a_sensitivity_of_half_is_seen(card: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Measure.true_statistics

    def planted(measure: Measure, facts: Facts, setting: Setting) -> list[Statistic]:
        return [
            replace(s, sensitivities=tuple(max(1, t // 2) for t in s.sensitivities))
            for s in real(measure, facts, setting)
        ]

    monkeypatch.setattr(Measure, "true_statistics", planted)
    assert worst("relaxed", CARDS[card]) > 1.1
