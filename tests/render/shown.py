"""Every output of a card and of a comparison, in one call each."""

from __future__ import annotations

from candling.model.card import CardData
from candling.model.results import ComparisonData
from candling.render import terminal
from candling.render.html import render_cell, render_page
from candling.render.text import render_markdown
from candling.render.views import view_card, view_comparison


def card_page(card: CardData) -> str:
    return render_page(view_card(card))


def card_cell(card: CardData) -> str:
    return render_cell(view_card(card))


def card_markdown(card: CardData, title: str = "title") -> str:
    return render_markdown(view_card(card), title)


def comparison_page(comparison: ComparisonData) -> str:
    return render_page(view_comparison(comparison))


def show_card(card: CardData) -> None:
    terminal.show(view_card(card))


def show_comparison(comparison: ComparisonData) -> None:
    terminal.show(view_comparison(comparison))
