"""Noise, private selection and exact budgets. Does not know tables."""

from candling.privacy.budget import exact_epsilon, exact_fraction, noisy_max, split_budget
from candling.privacy.one_draw import OneDraw, expected_errors
from candling.privacy.plain_draw import PlainDraw, PlainNoise
from candling.privacy.statistic import LEVELS, Draw, Drawn, Noise, Statistic

__all__ = [
    "LEVELS",
    "Draw",
    "Drawn",
    "Noise",
    "OneDraw",
    "PlainDraw",
    "PlainNoise",
    "Statistic",
    "exact_epsilon",
    "exact_fraction",
    "expected_errors",
    "noisy_max",
    "split_budget",
]
