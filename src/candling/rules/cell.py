"""Rules as a table of HTML, for a notebook."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from candling.escaping import for_html

if TYPE_CHECKING:
    from candling.rules.model import ConstraintSet

_HEADS = ("line", "label", "kind", "rule")
_MOST = 200  # rules that are listed
_LONGEST = 300  # characters of one


def rules_cell(rules: ConstraintSet) -> str:
    """Each rule with its line, its label and its kind."""
    heads = "".join(f'<th scope="col" style="text-align:left">{head}</th>' for head in _HEADS)
    lines = []
    for rule in rules.constraints[:_MOST]:
        form = rule.shape
        kind = f"conditional {form.kind}" if form.where else str(form.kind)
        text = str(replace(rule, label=None))
        shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
        cells = (str(rule.line or ""), rule.label or "", kind)
        row = "".join(f'<td style="text-align:left">{_safe(cell)}</td>' for cell in cells)
        code = f'<td style="text-align:left"><code>{_safe(shown)}</code></td>'
        lines.append(f"<tr>{row}{code}</tr>")
    more = len(rules) - len(lines)
    left_out = f"<p>and {more:,} more</p>" if more else ""
    place = "" if rules.source == "rules" else f" of {_safe(rules.source)}"  # a text has no file
    number = f"{len(rules):,} rule{'' if len(rules) == 1 else 's'}{place}"
    return (
        f"<p><strong>{number}</strong></p><table><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>{left_out}"
    )


def _safe(text: str) -> str:
    return f"<bdi>{escape(for_html(text))}</bdi>"
