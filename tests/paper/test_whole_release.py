"""The values of releases of all measures in the experiments: those of cards."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from candling_paper.experiments.whole_release import whole_releases
from tests.releases.tables import study

TABLE = study("a -> b", a=[1] * 30 + [2] * 30, b=[1] * 27 + [2] * 3 + [1] * 29 + [2])


def test_with_much_budget_the_values_are_those_of_the_table() -> None:
    (card,) = whole_releases(TABLE._facts, Fraction(100), 1)
    true = TABLE.exact()
    for name, value in card.items():
        assert abs(value - getattr(true, "repair_exact" if name == "repair" else name)) <= 6
    assert set(card) == {"repair", "rows", "problematic", "minimal_inconsistent"}


def test_the_values_of_every_release_agree() -> None:
    cards = whole_releases(TABLE._facts, Fraction(1, 4), 60)
    assert len(cards) == 60
    for card in cards:
        assert 0 <= card["repair"] <= card["problematic"] <= card["rows"]
        assert card["problematic"] <= card["repair"] + card["minimal_inconsistent"]


def test_they_spread_as_those_of_cards_do() -> None:
    """Both are draws of the same law."""
    ours = [card["rows"] for card in whole_releases(TABLE._facts, Fraction(1), 300)]
    cards = [TABLE.release(1, measures=["all"]).rows.estimate for _ in range(80)]
    low, high = np.quantile(np.array(cards, float), [0.25, 0.75])
    assert low - 1 <= np.median(ours) <= high + 1
    assert 0.5 < np.std(ours) / np.std(np.array(cards, float)) < 2
