"""What `print` and a notebook show of the owner's views. NOT PRIVATE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from candling.escaping import for_terminal
from candling.owner.table import plain
from candling.present.html.cells import Table, tables_cell
from candling.present.numbers import count, cut
from candling.present.plain import paragraph, table

if TYPE_CHECKING:
    from candling.owner.conflicts import ConflictsFound, RuleConflicts
    from candling.owner.repair import RepairFound

NOT_PRIVATE = "NOT PRIVATE: these are rows of the table, for its owner only."
_LISTED = 20  # rows that are shown
_LONGEST = 40  # characters of a value


def conflicts_text(found: ConflictsFound) -> str:
    """The rows in conflict under each rule."""
    blocks = [NOT_PRIVATE, _in_conflict(found)]
    for rule in found.rules:
        blocks.append(f"{for_terminal(str(rule.rule))}\n  {_words(rule)}")
        if rule.shown:
            heads, rows = _rows(rule)
            blocks.append(table(heads, rows, numbers=(0, 1, 2)))
    return "\n\n".join(blocks)


def conflicts_cell(found: ConflictsFound) -> str:
    """The same for a notebook."""
    tables = [
        Table(f"{rule.rule}: {_words(rule)}", *_rows(rule), numbers=(0, 1, 2), code=None)
        for rule in found.rules
    ]
    return tables_cell(f"{NOT_PRIVATE} {_in_conflict(found)}", tables)


def repair_text(found: RepairFound) -> str:
    """The rows to remove, and the rules that each breaks."""
    blocks = [NOT_PRIVATE, paragraph(_removed(found))]
    if found.removed:
        blocks.append(table(("row", "breaks"), _breaks(found), numbers=(0,)))
    return "\n\n".join(blocks)


def repair_cell(found: RepairFound) -> str:
    """The same for a notebook."""
    listed = Table("", ("row", "breaks"), _breaks(found), numbers=(0,), code=None)
    return tables_cell(f"{NOT_PRIVATE} {_removed(found)}", [listed] if found.removed else [])


def _in_conflict(found: ConflictsFound) -> str:
    return f"{found.in_conflict:,} of {count(found.rows, 'row')} take part in a conflict."


def _words(rule: RuleConflicts) -> str:
    if not rule.rows:
        return "holds"
    shown = f"; {len(rule.shown):,} are shown" if len(rule.shown) < rule.rows else ""
    return f"{count(rule.rows, 'row')} in {count(rule.conflicts, 'conflict')}{shown}"


def _rows(rule: RuleConflicts) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    heads = ("row", "conflicts", "with", *rule.rule.columns)
    rows = [
        (
            f"{row.row:,}",
            f"{row.conflicts:,}",
            "alone" if row.other is None else f"{row.other:,}",
            *(_cell(row.values[name]) for name in rule.rule.columns),
        )
        for row in rule.shown
    ]
    return heads, rows


def _cell(value: Any) -> str:
    return "NULL" if value is None else cut(str(plain(value)), _LONGEST)


def _removed(found: RepairFound) -> str:
    how = "No smaller set is enough." if found.smallest else "A smaller set may exist."
    return f"Without {len(found.removed):,} of {count(found.rows, 'row')} every rule holds. {how}"


def _breaks(found: RepairFound) -> list[tuple[str, str]]:
    rows = [
        (f"{row.row:,}", ", ".join(rule.label or str(rule) for rule in row.breaks))
        for row in found.removed[:_LISTED]
    ]
    more = len(found.removed) - len(rows)
    return [*rows, ("", f"and {more:,} more")] if more else rows
