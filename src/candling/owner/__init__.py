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
from candling.owner.types import TypesFound, find_types
from candling.owner.view import view_conflicts, view_repair, view_types

__all__ = [
    "ConflictsFound",
    "OwnedTable",
    "RepairFound",
    "RowFound",
    "RowRemoved",
    "RuleConflicts",
    "TypesFound",
    "check_place",
    "find_conflicts",
    "find_repair",
    "find_types",
    "read_for_owner",
    "view_conflicts",
    "view_repair",
    "view_types",
    "write_copy",
    "write_page",
]
