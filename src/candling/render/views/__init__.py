"""What is shown of each kind of result: its words, its tables, its pictures and their order."""

from candling.render.views.card import view_card
from candling.render.views.comparison import view_comparison
from candling.render.views.results import view_exact, view_plan

__all__ = ["view_card", "view_comparison", "view_exact", "view_plan"]
