"""What is measured: one object for each number that people read, in a file of its own.

A new measure is its file and its line in `MEASURES`; `tests/measures/test_every_measure.py` then
audits it, and fails until its oracle is there.
"""

from candling.measures.by_rule import BY_RULE
from candling.measures.drastic import DRASTIC
from candling.measures.maximal_consistent import MAXIMAL_CONSISTENT
from candling.measures.measure import Asked, Measure, Setting, Unit
from candling.measures.minimal_inconsistent import MINIMAL_INCONSISTENT
from candling.measures.problematic import PROBLEMATIC
from candling.measures.repair import REPAIR
from candling.measures.rows import ROWS
from candling.measures.sources import SAMPLE, SOURCES
from candling.measures.worst_rule import WORST_RULE
from candling.model import number

# In the order in which a card shows them. The grade is made of the first two.
MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        REPAIR,
        ROWS,
        PROBLEMATIC,
        MINIMAL_INCONSISTENT,
        DRASTIC,
        MAXIMAL_CONSISTENT,
        BY_RULE,
        WORST_RULE,
    )
}


def find_source(name: str, *, persons: bool) -> Measure:
    """What gets noise under the name of a measure, or as a number of the sample."""
    return SOURCES.get(name) or MEASURES[name] if persons else MEASURES[name]


def find_draws(asked: Asked) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What gets noise, without thresholds and with: all that the measures asked for need."""
    needed = {MEASURES[name].find_source(asked) for name in asked.measures if asked.has(name)}
    names = [name for name, m in MEASURES.items() if name in needed and not m.chooses]
    if asked.persons and {REPAIR.name, ROWS.name} <= needed:  # for the grade
        names = [*SAMPLE, *names]
    levels = {name for name in names if find_source(name, persons=asked.persons).thresholded}
    return (
        tuple(name for name in names if name not in levels),
        tuple(name for name in names if name in levels),
    )


def title(name: str) -> str:
    """What people call a number of a card; its own name where it is of a later version."""
    return number.TITLE if name == "grade" else MEASURES[name].title if name in MEASURES else name


def meaning(name: str) -> str | None:
    """The line below the title, if there is one."""
    return MEASURES[name].meaning if name in MEASURES else None


__all__ = [
    "BY_RULE",
    "DRASTIC",
    "MAXIMAL_CONSISTENT",
    "MEASURES",
    "MINIMAL_INCONSISTENT",
    "PROBLEMATIC",
    "REPAIR",
    "ROWS",
    "SAMPLE",
    "WORST_RULE",
    "Asked",
    "Measure",
    "Setting",
    "Unit",
    "find_draws",
    "find_source",
    "meaning",
    "title",
]
