"""The owner's views as one HTML page that needs nothing from anywhere. NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from candling.files import refused_with, write_text
from candling.owner.conflicts import ConflictsFound, RuleConflicts
from candling.owner.repair import RepairFound
from candling.owner.table import plain
from candling.present.html.page import render
from candling.present.numbers import count


@dataclass(frozen=True, slots=True)
class _Section:
    """A table of rows, under the rule that they break."""

    rule: str | None = None
    words: str = ""
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()  # None is shown as NULL
    numbers: int = 0  # columns that are aligned on the right


def conflicts_page(report: ConflictsFound, title: str) -> str:
    """The rows in conflict under each rule."""
    summary = f"{report.in_conflict:,} of {report.rows:,} rows take part in a conflict."
    return render("owner", title=title, summary=summary, sections=[*map(_rule, report.rules)])


def repair_page(report: RepairFound, title: str) -> str:
    """The rows to remove, and the rules that each breaks."""
    how = (
        "No smaller set of rows would do."
        if report.smallest
        else "A smaller set may exist; this one is at most twice the smallest."
    )
    summary = f"Without {len(report.removed):,} of {report.rows:,} rows every rule holds. {how}"
    rows = [(f"{r.row:,}", "; ".join(str(rule) for rule in r.breaks)) for r in report.removed]
    table = _Section(heads=("row", "breaks"), rows=rows, numbers=1)
    return render("owner", title=title, summary=summary, sections=[table])


def write_page(text: str, to: str) -> None:
    """Write a page; see `check_place`."""
    with refused_with("U304", to):
        write_text(to, text, private=True)


def _rule(report: RuleConflicts) -> _Section:
    rule = str(report.rule)
    if not report.rows:
        return _Section(rule, "Holds.")
    shown = (
        "" if len(report.shown) == report.rows else f" The {len(report.shown):,} worst are shown."
    )
    words = f"{count(report.rows, 'row')} in {count(report.conflicts, 'conflict')}.{shown}"
    columns = report.rule.columns
    rows = [
        (
            f"{r.row:,}",
            f"{r.conflicts:,}",
            "alone" if r.other is None else f"{r.other:,}",
            *(plain(r.values[name]) for name in columns),
        )
        for r in report.shown
    ]
    return _Section(rule, words, ("row", "conflicts", "first with row", *columns), rows, numbers=3)
