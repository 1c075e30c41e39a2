from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candling.render.epsilon import Spending, after, examples, sentences
from candling.render.wording import CHOOSING, factor, warnings
from tests.render.cards import card, full, small


@pytest.mark.parametrize(
    ("draws", "alone", "choosing", "words"),
    [
        ((), {}, 0, ""),
        (((("repair", "rows"), 1),), {}, 0, ""),
        ((), {"worst_rule": 1}, 0, ""),
        (
            ((("repair", "rows"), 0.75),),
            {"worst_rule": 0.25},
            0,
            ": 0.75 for Rows to delete and Rows, 0.25 for Worst rule",
        ),
        (
            ((("rows",), 0.3), (("problematic",), 0.6)),
            {},
            0.1,
            f": 0.3 for Rows, 0.6 for Rows in conflict, 0.1 to {CHOOSING}",
        ),
    ],
)
def test_words(
    draws: tuple[tuple[tuple[str, ...], float], ...],
    alone: dict[str, float],
    choosing: float,
    words: str,
) -> None:
    assert Spending(1, draws, alone, choosing).words == words


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


@pytest.mark.parametrize("epsilon", ["0.001", "1", "5", "100"])
def test_the_risk_can_be_said_for_any_epsilon(epsilon: str) -> None:
    of = card(small(epsilon=Fraction(epsilon)))
    told = " ".join(sentences(of))
    assert f"at most {factor(float(epsilon))} times as likely" in told
    assert bool(warnings(of)) == (float(epsilon) >= 5)
