"""Noise, private selection and exact budgets. Does not know tables."""

from candling.privacy.budget import exact_epsilon, exact_fraction, split_budget
from candling.privacy.laplace import DiscreteLaplace, add_laplace, laplace_draw, laplace_noise
from candling.privacy.one_draw import OneDraw, expected_errors
from candling.privacy.selection import noisy_max
from candling.privacy.statistic import LEVELS, Bound, Draw, Drawn, Mechanism, Noise, Statistic

__all__ = [
    "LEVELS",
    "Bound",
    "DiscreteLaplace",
    "Draw",
    "Drawn",
    "Mechanism",
    "Noise",
    "OneDraw",
    "Statistic",
    "add_laplace",
    "exact_epsilon",
    "exact_fraction",
    "expected_errors",
    "laplace_draw",
    "laplace_noise",
    "noisy_max",
    "split_budget",
]
