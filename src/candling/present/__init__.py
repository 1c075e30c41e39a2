"""Pages for people: a release, or two compared. Reads the JSON of a card and nothing else."""

from candling.present.card import card_page
from candling.present.cell import card_cell
from candling.present.compared import change_in_words, comparison_page
from candling.present.comparison import Comparison, Difference, Verdict, compare_cards
from candling.present.embedded import embedded, made_by
from candling.present.files import check_target, write_page

__all__ = [
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
    "made_by",
    "write_page",
]
