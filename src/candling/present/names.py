"""What measures are called in a report: a short name for people, and their unit."""

from __future__ import annotations

from candling.measures import MEASURES, grade

NAMES = {"grade": grade.TITLE} | {m.name: m.title for m in MEASURES.values()}
MEANINGS = {m.name: m.meaning for m in MEASURES.values() if m.name != "by_rule"}


def name_of(measure: str) -> str:
    """A name for people; that of the code for what is not known here."""
    return NAMES.get(measure, measure)
