"""The paper's experiments: `candling reproduce` runs them."""

from candling_paper.experiments.runner import EXPERIMENTS, Outcome, chosen, run
from candling_paper.experiments.setup import FULL, QUICK, Mode, Setup

__all__ = [
    "EXPERIMENTS",
    "FULL",
    "QUICK",
    "Mode",
    "Outcome",
    "Setup",
    "chosen",
    "run",
]
