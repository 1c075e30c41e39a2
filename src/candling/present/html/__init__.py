"""Pages for people: a release, or two compared; and a release small, for a notebook."""

from candling.present.html.card import card_cell, card_page
from candling.present.html.comparison import comparison_page
from candling.present.html.page import embedded, made_by

__all__ = ["card_cell", "card_page", "comparison_page", "embedded", "made_by"]
