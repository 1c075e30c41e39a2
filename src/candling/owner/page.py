"""The owner's views as one HTML page that needs nothing from anywhere. NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from candling.owner.conflicts import ConflictsFound, RuleConflicts
from candling.owner.copy import write_safely
from candling.owner.repair import RepairFound
from candling.owner.table import plain

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
  color: #1c1c1c; background: #fff; }}
.banner {{ background: #fff3cd; border: 1px solid #8a6d00; padding: .75rem 1rem;
  font-weight: 600; }}
h2 {{ font-size: 1.1rem; margin: 2rem 0 .25rem; }}
code {{ font-family: ui-monospace, monospace; overflow-wrap: anywhere; }}
table {{ border-collapse: collapse; margin-top: .5rem; font-variant-numeric: tabular-nums;
  display: block; overflow-x: auto; }}
th, td {{ text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ddd;
  vertical-align: top; }}
.number {{ text-align: right; }}
.null {{ color: #666; font-style: italic; }}
@media (prefers-color-scheme: dark) {{
  body {{ color: #e8e8e8; background: #181818; }}
  .banner {{ color: #1c1c1c; }}
  th, td {{ border-color: #444; }}
  .null {{ color: #aaa; }}
}}
</style>
</head>
<body>
<p class="banner" role="note">NOT PRIVATE: these are rows of the table, for its owner only.</p>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def conflicts_page(found: ConflictsFound, title: str) -> str:
    """The rows in conflict under each rule."""
    body = [f"<p>{found.in_conflict:,} of {found.rows:,} rows take part in a conflict.</p>"]
    for rule in found.rules:
        body += _rule(rule)
    return _page(title, body)


def repair_page(found: RepairFound, title: str) -> str:
    """The rows to remove, and the rules that each breaks."""
    how = (
        "No smaller set of rows would do."
        if found.smallest
        else "A smaller set may exist; this one is at most twice the smallest."
    )
    summary = f"Without {len(found.removed):,} of {found.rows:,} rows every rule holds."
    rows = ((f"{r.row:,}", "; ".join(str(rule) for rule in r.breaks)) for r in found.removed)
    return _page(title, [f"<p>{summary} {how}</p>", *_table(("row", "breaks"), rows, numbers=1)])


def write_page(text: str, to: str) -> None:
    """Write a page; see `check_place`."""
    write_safely(Path(to), lambda place: Path(place).write_text(text, encoding="utf-8"))


def _rule(found: RuleConflicts) -> Iterator[str]:
    yield f"<h2><code>{escape(str(found.rule))}</code></h2>"
    if not found.rows:
        yield "<p>Holds.</p>"
        return
    shown = "" if len(found.shown) == found.rows else f" The {len(found.shown):,} worst are shown."
    rows_in = f"{found.rows:,} {'row' if found.rows == 1 else 'rows'}"
    conflicts = f"{found.conflicts:,} {'conflict' if found.conflicts == 1 else 'conflicts'}"
    yield f"<p>{rows_in} in {conflicts}.{shown}</p>"
    columns = found.rule.columns
    rows = (
        (
            f"{r.row:,}",
            f"{r.conflicts:,}",
            "alone" if r.other is None else f"{r.other:,}",
            *(plain(r.values[name]) for name in columns),
        )
        for r in found.shown
    )
    yield from _table(("row", "conflicts", "first with row", *columns), rows, numbers=3)


def _table(heads: Iterable[str], rows: Iterable[Iterable[Any]], *, numbers: int) -> Iterator[str]:
    yield "<table>"
    titles = (f'<th scope="col">{escape(head)}</th>' for head in heads)
    yield f"<tr>{''.join(titles)}</tr>"
    for row in rows:
        yield f"<tr>{''.join(_cell(cell, i < numbers) for i, cell in enumerate(row))}</tr>"
    yield "</table>"


def _cell(value: Any, number: bool) -> str:
    if value is None:
        return '<td class="null">NULL</td>'
    return f"<td{' class=number' if number else ''}>{escape(str(value))}</td>"


def _page(title: str, body: Iterable[str]) -> str:
    return _PAGE.format(title=escape(title), body="\n".join(body))
