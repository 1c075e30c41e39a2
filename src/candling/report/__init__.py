"""Pages for people: a release, or two compared. Reads the JSON of a card and nothing else."""

from candling.report.card import card_page
from candling.report.cell import card_cell
from candling.report.files import check_target, write_page

__all__ = ["card_cell", "card_page", "check_target", "write_page"]
