"""For the owner of a table only: its rows in conflict, and a cleaned copy. NOT PRIVATE."""

from candling.owner.conflicts import ConflictsFound, RowFound, RuleConflicts, find_conflicts
from candling.owner.copy import check_place, write_copy, write_page
from candling.owner.repair import RepairFound, RowRemoved, find_repair
from candling.owner.table import OwnedTable, read_owned
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
    "read_owned",
    "view_conflicts",
    "view_repair",
    "write_copy",
    "write_page",
]
