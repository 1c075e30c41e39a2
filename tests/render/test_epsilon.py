from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candling.render.epsilon import Spending, after, examples, sentences
from candling.render.wording import factor
from tests.render.cards import card, full


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
    ],
)
def test_words(parts: list[tuple[str, float | None]], words: str) -> None:
    assert Spending.of(1, parts).words == words


def test_the_draw_gets_what_nobody_pays_for_alone() -> None:
    spending = Spending.of(1, [("rows", None), ("repair", None), ("worst_rule", Fraction(1, 5))])
    assert (spending.draw, spending.alone) == (("rows", "repair"), {"worst_rule": 0.2})
    assert spending.of_draw == pytest.approx(0.8)


def test_rules_add_up() -> None:
    spending = Spending.of(1, [("rows", 0.5), ("by_rule", 0.25), ("by_rule", 0.25)])
    assert spending.alone == {"rows": 0.5, "by_rule": 0.5}
    assert spending.of_draw == 0


@given(st.floats(0.001, 0.999), st.floats(0, 800))
def test_odds_move_by_no_more_than_the_factor(prior: float, epsilon: float) -> None:
    low, high = after(prior, epsilon)
    assert 0 <= low <= prior * (1 + 1e-9)
    assert prior * (1 - 1e-9) <= high <= 1


def test_examples_are_rounded_against_us() -> None:
    assert examples(card(full())) == [
        ("1%", "0.3%", "2.7%"),  # 2.67
        ("10%", "3.9%", "23.2%"),
        ("50%", "26.8%", "73.2%"),
    ]


@pytest.mark.parametrize("epsilon", [0.001, 1.0, 5.0, 100.0, 1e9])
def test_the_guarantee_can_be_said_for_any_epsilon(epsilon: float) -> None:
    told = " ".join(sentences(card(full() | {"epsilon": epsilon})))
    assert factor(epsilon) in told
    assert ("leaves little of the protection" in told) == (epsilon >= 5)
