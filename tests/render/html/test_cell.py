"""What a notebook shows of a card."""

from __future__ import annotations

import pytest

from tests.releases.tables import study
from tests.render.cards import CARDS
from tests.render.cards import card as card_in
from tests.render.html.parsed import Page
from tests.render.shown import card_cell


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
    assert "Epsilon 2 was spent." in Page(card._repr_html_()).text
