"""The views of rows in conflict and of rows to remove. NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from candling.owner.table import plain
from candling.render.view import ANYWHERE, Block, Paragraph, Place, Section, Table, Tone, View
from candling.render.wording import NOT_PRIVATE, ROWS_NOT_PRIVATE, count, cut, type_source

if TYPE_CHECKING:
    from candling.owner.conflicts import ConflictsFound, RepairFound, RowRemoved, RuleConflicts
    from candling.owner.types import TypesFound

_LISTED = 20  # rows to remove that are shown
_ROOM = 24  # for what states a type, beside the rest
_LONGEST = 1000  # characters of a value
_SHORT = Place.TEXT | Place.CELL


def view_conflicts(found: ConflictsFound, title: str = "Conflicts") -> View:
    """The rows in conflict under each rule."""
    words = f"{found.in_conflict:,} of {count(found.rows, 'row')} take part in a conflict."
    if any(rule.rows for rule in found.rules if rule.rule.rows == 1):
        words += (
            " A row that breaks a rule alone is not paired with others, which may be fine without "
            "it."
        )
    rules = [
        Section(f"rule-{i}", str(rule.rule), _rule(rule), titled=ANYWHERE, code=True)
        for i, rule in enumerate(found.rules, 1)
    ]
    summary = Section("summary", "", [Paragraph(words)])
    return View([summary, *rules], title, alarm=ROWS_NOT_PRIVATE)


def view_repair(
    found: RepairFound, title: str = "A repair", *, limit: int = _LISTED, more: str = ""
) -> View:
    """The rows to remove, and the rules that each breaks; a page has all, the rest `limit`.

    `more` tells where the others are shown.
    """
    blocks: list[Block] = [Paragraph(_summarize(found))]
    listed = found.removed[:limit]
    if listed:
        blocks.append(_make_removals_table(listed, _SHORT))
    left = len(found.removed) - len(listed)
    if left and listed:
        blocks.append(Paragraph(f"and {left:,} more{more}", close=True, at=_SHORT))
    if found.removed:
        blocks.append(_make_removals_table(found.removed, Place.PAGE))
    return View([Section("repair", "", blocks)], title, alarm=ROWS_NOT_PRIVATE)


def view_types(found: TypesFound, title: str = "Types") -> View:
    """The columns that rules read with their types, and the cells that do not fit."""
    wrong = sum(found.misfits.values())
    words = f"{count(found.rows, 'row')}; every cell fits the type of its column."
    if wrong:
        verb = "does" if wrong == 1 else "do"
        words = (
            f"{count(found.rows, 'row')}; {count(wrong, 'cell')} {verb} not fit the type of the "
            "column. `candling owner conflicts` lists these rows."
        )
    rows = [
        (
            column.name,
            column.type,
            f"{found.misfits[column.name]:,}" if column.name in found.misfits else "",
            type_source(column.origin, column.by),
        )
        for column in found.columns
    ]
    heads = ("column", "type", "do not fit", "type is")
    blocks: list[Block] = [Paragraph(words, coded=False)]
    if rows:
        blocks.append(Table(heads, rows, numbers=(2,), fills=3, room=_ROOM))
    return View([Section("types", "", blocks)], title, alarm=NOT_PRIVATE)


def _rule(found: RuleConflicts) -> list[Block]:
    if not found.rows:
        return [Paragraph("holds", Tone.GOOD, close=True)]
    alone = found.rule.rows == 1
    rows, pairs = count(found.rows, "row"), count(found.conflicts, "conflict")
    words = rows if alone else f"{rows} in {pairs}"
    if 0 < len(found.shown) < found.rows:
        number = "" if len(found.shown) == 1 else f" {len(found.shown):,}"
        words += f"; the first{number}:" if alone else f"; the{number} with the most conflicts:"
    blocks: list[Block] = [Paragraph(words, close=True)]
    if found.shown:
        blocks.append(_conflicts(found, alone=alone))
    return blocks


def _conflicts(found: RuleConflicts, *, alone: bool) -> Table:
    columns = found.rule.columns
    heads = ("row",) if alone else ("row", "conflicts", "with")
    rows = []
    for row in found.shown:
        pair = () if alone else (f"{row.conflicts:,}", f"{row.other:,}")
        rows.append((f"{row.row:,}", *pair, *(_cell(row.values[name]) for name in columns)))
    return Table(
        (*heads, *columns),
        rows,
        numbers=range(len(heads)),
        code=None,
        close=True,
        caption=f"Rows that break {cut(str(found.rule), 200)}",
    )


def _cell(value: Any) -> str | None:
    if value is None:
        return None
    return "''" if value == "" else cut(str(plain(value)), _LONGEST)


def _summarize(found: RepairFound) -> str:
    rows = count(found.rows, "row")
    if not found.removed:
        return f"Every rule holds: none of {rows} must be removed."
    share = f"{len(found.removed) / found.rows:.1%}"
    how = (
        "No smaller set of rows is enough."
        if found.smallest
        else "A smaller set may exist: time ran out before the search ended. This set is at most "
        "twice the smallest."
    )
    return f"Without {len(found.removed):,} of {rows} ({share}) every rule holds. {how}"


def _make_removals_table(removed: Sequence[RowRemoved], at: Place) -> Table:
    rows = [
        (f"{row.row:,}", ", ".join(rule.label or str(rule) for rule in row.breaks))
        for row in removed
    ]
    caption = "Rows to remove, and the rules that each breaks"
    heads = ("row", "breaks")
    return Table(heads, rows, numbers=(0,), code=None, caption=caption, at=at)
