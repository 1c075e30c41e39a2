"""What a notebook shows of a card, and the card as a frame."""

from __future__ import annotations

import re
import sys

import pytest

import candling
from candling.present import card_cell
from tests.present.cards import CARDS
from tests.present.cards import card as card_in
from tests.present.test_card import Page
from tests.releases.tables import study


@pytest.mark.parametrize("name", CARDS)
def test_a_cell_is_small_and_keeps_to_itself(name: str) -> None:
    cell = card_cell(card_in(CARDS[name]()))
    read = Page(cell)
    assert len(cell) < 60_000
    assert cell.startswith('<div class="candling cd-cell">')
    names = {tag for tag, _ in read.elements}
    assert not names & {"script", "html", "body", "head", "link", "a", "img", "h1", "h2"}
    assert not [attributes for _, attributes in read.elements if "id" in attributes]
    assert "<script" not in cell


def test_a_card_is_shown_by_a_notebook() -> None:
    card = study("a -> b", a=[1, 1, 2], b=[1, 2, 3]).release(2)
    assert card._repr_html_() == card_cell(card)
    assert "Epsilon 2, on all numbers in one draw;" in Page(card._repr_html_()).text


def test_a_frame_has_a_line_for_each_number() -> None:
    asked = ["rows", "drastic", "maximal_consistent", "problematic", "worst_rule", "by_rule"]
    rules = "a -> b\nnot(t1.a < t2.a and t1.b > t2.b)"
    card = study(rules, a=[1, 1, 2], b=[1, 2, 3]).release(2, measures=asked)
    frame = card.to_frame()
    assert list(frame.index) == ["grade", *asked, "by_rule"]
    assert frame.index.name == "measure"
    assert list(frame.columns[:5]) == ["rule", "value", "low", "high", "epsilon"]
    assert frame["value"].dtype == "float64"
    assert frame.loc["rows", "value"] == card.rows.value
    assert frame.loc["worst_rule", "rule"] == card.worst_rule.value
    assert list(frame.loc["by_rule", "rule"]) == [m.name for m in card.by_rule]
    assert frame["value"].isna().sum() == 3  # no grade without repair, what was refused, the rule
    assert "`repair` was not released" in frame.loc["grade", "reason"]
    shared = ["rows", "drastic", "problematic"]
    assert frame.loc[shared, "epsilon"].isna().all()
    assert (frame.loc[["grade", "maximal_consistent"], "epsilon"] == 0).all()
    again = candling.Card.from_dict(card.to_dict()).to_frame()
    assert again.equals(frame)


def test_without_pandas_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    card = study("a -> b", a=[1], b=[1]).release(1, measures=["rows"])
    with pytest.raises(candling.UsageError, match="pip install pandas") as error:
        card.to_frame()
    assert error.value.code == "U402"
    assert re.search("rows", card._repr_html_())
