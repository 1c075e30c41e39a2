"""What each measure means, for `candling explain repair`; the first line says it in short."""

from __future__ import annotations

from candling.measures import MEASURES as _ALL
from candling.measures import grade

MEASURES = {"grade": grade.EXPLANATION} | {m.name: m.explanation for m in _ALL.values()}
THRESHOLDS = [m.name for m in _ALL.values() if m.thresholded]


def at_threshold(measure: str, threshold: int) -> str:
    """What the threshold of a released measure means, in a sentence."""
    return _ALL[measure].at_threshold(threshold) or ""
