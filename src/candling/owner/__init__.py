"""For the owner of a table only: its rows in conflict, and a cleaned copy. NOT PRIVATE."""

from candling.owner.conflicts import (
    ConflictsFound,
    RepairFound,
    RowFound,
    RowRemoved,
    RuleConflicts,
    find_conflicts,
    find_repair,
)
from candling.owner.table import OwnedTable, check_place, read_for_owner, write_copy, write_page
from candling.owner.view import view_conflicts, view_repair

__all__ = [
    "ConflictsFound",
    "OwnedTable",
    "RepairFound",
    "RowFound",
    "RowRemoved",
    "RuleConflicts",
    "check_place",
    "find_conflicts",
    "find_repair",
    "read_for_owner",
    "view_conflicts",
    "view_repair",
    "write_copy",
    "write_page",
]
