"""Noise, private selection and exact budgets. Does not know tables."""

from candling.privacy.budget import exact_epsilon, exact_fraction, noisy_max, split_budget
from candling.privacy.level_tails import LevelsNoise
from candling.privacy.levels_draw import Hint, LevelsDraw, expected_errors
from candling.privacy.plain_draw import PlainDraw, PlainNoise
from candling.privacy.sample_draw import SampleDraw, SampleNoise
from candling.privacy.statistic import LEVELS, Draw, Drawn, Noise, Statistic

LAWS = {
    "plain": PlainNoise,
    "levels": LevelsNoise,
    "sample": SampleNoise,
}  # by the names that cards give them

__all__ = [
    "LAWS",
    "LEVELS",
    "Draw",
    "Drawn",
    "Hint",
    "LevelsDraw",
    "LevelsNoise",
    "Noise",
    "PlainDraw",
    "PlainNoise",
    "SampleDraw",
    "SampleNoise",
    "Statistic",
    "exact_epsilon",
    "exact_fraction",
    "expected_errors",
    "noisy_max",
    "split_budget",
]
