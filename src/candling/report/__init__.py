"""Pages for people: a release, or two compared. Reads the JSON of a card and nothing else."""

from candling.report.card import card_page
from candling.report.cell import card_cell
from candling.report.compared import change_in_words, comparison_page
from candling.report.comparison import Comparison, Difference, Verdict, compare_cards
from candling.report.embedded import embedded, made_by
from candling.report.files import check_target, write_page
from candling.report.reading import Card, load_card, read_card

__all__ = [
    "Card",
    "Comparison",
    "Difference",
    "Verdict",
    "card_cell",
    "card_page",
    "change_in_words",
    "check_target",
    "compare_cards",
    "comparison_page",
    "embedded",
    "load_card",
    "made_by",
    "read_card",
    "write_page",
]
