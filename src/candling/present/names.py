"""What measures are called in a report: a short name for people, and their unit."""

from __future__ import annotations

NAMES = {
    "grade": "Grade",
    "rows": "Rows",
    "drastic": "Any rule broken?",
    "minimal_inconsistent": "Conflicts",
    "problematic": "Rows in conflict",
    "maximal_consistent": "Ways to clean",
    "repair": "Rows to delete",
    "by_rule": "Rows to delete, by rule",
    "worst_rule": "Worst rule",
}
MEANINGS = {
    "rows": "rows in the table",
    "drastic": "is the table inconsistent at all?",
    "minimal_inconsistent": "pairs of rows, or single rows, that break a rule",
    "problematic": "rows that take part in a conflict",
    "maximal_consistent": "log₂ of the number of maximal clean parts",
    "repair": "fewest rows to delete until every rule holds",
    "worst_rule": "the rule that needs about the most deletions",
}


def name_of(measure: str) -> str:
    """A name for people; that of the code for what is not known here."""
    return NAMES.get(measure, measure)
