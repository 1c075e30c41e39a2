"""One sentence about each number of a card: what it says of the table, as surely as it can."""

from candling.card import Scorecard
from candling.measures import MEASURES, Shown


def meaning(shown: Shown, card: Scorecard) -> str:
    """The sentence; why there is no number is told apart."""
    if shown.value is None:
        return "not released, for the reason below"
    return MEASURES[shown.name].sentence(shown, card)
