from __future__ import annotations

from fractions import Fraction

import pytest

from candling.present.spending import Spending


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], ""),
        ([("rows", 0)], ""),
        ([("repair", None)], ", all of it on repair"),
        ([("repair", None), ("drastic", 0)], ", all of it on repair"),
        ([("worst_rule", 1)], ", all of it on worst_rule"),
        ([("repair", None), ("rows", None)], ", on all numbers in one draw"),
        ([("by_rule", None), ("by_rule", None)], ", all of it on by_rule"),
        ([("repair", None), ("worst_rule", 0.25)], ", 0.75 of it on repair and 0.25 on worst_rule"),
        (
            [("repair", None), ("rows", None), ("worst_rule", 0.25)],
            ", 0.75 of it on all numbers in one draw and 0.25 on worst_rule",
        ),
        ([("repair", 0.5), ("drastic", 0), ("rows", 0.5)], ", measure by measure"),
    ],
)
def test_words(parts: list[tuple[str, float | None]], words: str) -> None:
    assert Spending.of(1, parts).words == words


def test_the_draw_gets_what_nobody_pays_for_alone() -> None:
    spending = Spending.of(1, [("rows", None), ("repair", None), ("worst_rule", Fraction(1, 5))])
    assert (spending.draw, spending.alone) == (("rows", "repair"), {"worst_rule": 0.2})
    assert spending.of_draw == pytest.approx(0.8)
    assert not spending.measure_by_measure


def test_rules_add_up() -> None:
    spending = Spending.of(1, [("rows", 0.5), ("by_rule", 0.25), ("by_rule", 0.25)])
    assert spending.alone == {"rows": 0.5, "by_rule": 0.5}
    assert spending.of_draw == 0
    assert spending.measure_by_measure
