"""Noise, private selection and exact budgets. Knows nothing of tables."""

from candling.privacy.budget import exact_epsilon, exact_fraction, split_budget
from candling.privacy.capped import Capped
from candling.privacy.joint import Joint
from candling.privacy.laplace import DiscreteLaplace, add_laplace, laplace_noise
from candling.privacy.levels import LEVELS, Bound, Draw, Levels, Mechanism
from candling.privacy.selection import noisy_max
from candling.privacy.simple import Simple

__all__ = [
    "LEVELS",
    "Bound",
    "Capped",
    "DiscreteLaplace",
    "Draw",
    "Joint",
    "Levels",
    "Mechanism",
    "Simple",
    "add_laplace",
    "exact_epsilon",
    "exact_fraction",
    "laplace_noise",
    "noisy_max",
    "split_budget",
]
