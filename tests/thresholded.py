"""The statistic behind a measure with thresholds, with its true values."""

from __future__ import annotations

from candling.measures import MEASURES, Setting
from candling.measures.facts import Facts
from candling.privacy import Statistic


def thresholded(
    facts: Facts, measure: str, *, limit: float | None = None, rows_per_person: int = 1
) -> Statistic:
    """One statistic with a level for each threshold."""
    (levels,) = MEASURES[measure].true_statistics(facts, Setting(limit, rows_per_person))
    return levels
