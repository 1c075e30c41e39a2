"""What `print` shows of a card, exact numbers, a plan, a comparison: text for 80 columns.

It has no colour and does not look at the terminal. The words are those of `text.py`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from candling.escaping import for_terminal
from candling.present.numbers import NOT_PRIVATE, count
from candling.present.persons import exact_of, statements
from candling.present.text import (
    EXACT_BY_RULE,
    NUMBER_HEADS,
    THRESHOLDS,
    budget,
    exact_rows,
    exact_rule_rows,
    has_thresholds,
    measure_rows,
    number_cells,
    plan_head,
    plan_rows,
    reasons,
    worst_rule,
)

if TYPE_CHECKING:
    from candling.card import Card
    from candling.present.compare import Comparison, Difference
    from candling.releases.plan import Plan
    from candling.truth import Exact

_WIDTH = 80


def card_text(card: Card) -> str:
    """The grade, the measures, the gates and the budget."""
    heads: tuple[str, ...] = ("measure", *NUMBER_HEADS)
    blocks = [_grade(card), table(heads, [row[:-1] for row in measure_rows(card)])]
    if card.by_rule:
        listed = [(*number_cells(m), m.name) for m in card.by_rule]
        heads = (*NUMBER_HEADS, "rows to delete for this rule alone")
        blocks.append(table(heads, listed, numbers=(0,)))
    if "worst_rule" in card.measures:
        rule, how = worst_rule(card.worst_rule)
        blocks.append(paragraph(f"Worst rule: {rule} ({how})"))
    if card.gates:
        blocks.append("\n".join(paragraph(str(verdict), indent=2) for verdict in card.gates))
    blocks += [paragraph(words) for words in (budget(card), *statements(card))]
    blocks += [paragraph(f"{names}: {reason}") for names, reason in reasons(card)]
    return "\n\n".join(blocks)


def exact_text(numbers: Exact) -> str:
    """Every exact number, and that none of them is private."""
    kept = exact_of(numbers.person)
    blocks = [NOT_PRIVATE] if kept is None else [NOT_PRIVATE, paragraph(kept)]
    blocks.append(table((), exact_rows(numbers), numbers=(1,)))
    if numbers.by_rule:
        heads = ("rows", EXACT_BY_RULE.lower())
        blocks.append(table(heads, exact_rule_rows(numbers), numbers=(0,)))
    return "\n\n".join(blocks)


def plan_text(plan: Plan) -> str:
    """What epsilon pays for, and how noisy each number will be."""
    blocks = [paragraph(plan_head(plan)), table((), plan_rows(plan), numbers=())]
    return "\n\n".join([*blocks, paragraph(THRESHOLDS)] if has_thresholds(plan) else blocks)


def comparison_text(comparison: Comparison) -> str:
    """The verdict, both grades, and every difference."""
    decided_by = ", ".join(comparison.decided_by) or "nothing"
    a, b = comparison.cards
    grades = [f"  A  {_grade(a)}", f"  B  {_grade(b)}"]
    heads = ("from A to B", "change", "verdict", "interval")
    blocks = [f"{comparison.verdict} (by {decided_by})", "\n".join(grades)]
    blocks.append(table(heads, [_difference(d) for d in comparison.measures]))
    if comparison.by_rule:
        heads = ("change", "verdict", "interval", "rows to delete for this rule alone")
        rules = [_difference(d) for d in comparison.by_rule]
        blocks.append(table(heads, [(*cells, rule) for rule, *cells in rules], numbers=(0,)))
    notes = [f"{', '.join(names)}: {reason}" for reason, names in comparison.reasons.items()]
    blocks += map(paragraph, [*notes, *(f"Note: {warning}" for warning in comparison.warnings)])
    return "\n\n".join(blocks)


def _difference(d: Difference) -> tuple[str, ...]:
    from candling.present.compare import change_in_words

    change, bounds = change_in_words(d)
    return d.name, change, str(d.verdict), f"{bounds} ({d.level:.0%})"


def _grade(card: Card) -> str:
    grade = card.grade
    return grade.words if grade.value is None else f"Grade {grade.shown}  ({grade.words})"


# Layout


def paragraph(text: str, *, indent: int = 0) -> str:
    """Text on lines of the usual width."""
    return "\n".join(_filled(text, _WIDTH - indent, " " * indent))


def table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[int] = (1,)
) -> str:
    """Aligned columns, those of numbers on the right; the last one is filled beside the others."""
    cells = [[for_terminal(cell) for cell in row] for row in ([heads] if heads else []) + [*rows]]
    if not cells:
        return f"  ({count(0, 'row')})"
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]) - 1)]
    lines: list[str] = []
    for *first, last in cells:
        placed = [
            f"{cell:>{width}}" if i in numbers else f"{cell:<{width}}"
            for i, (cell, width) in enumerate(zip(first, widths, strict=True))
        ]
        head = "  " + "".join(f"{cell}  " for cell in placed)
        filled = _filled(last, max(_WIDTH - len(head), 24), "")
        lines.append((head + next(filled, "")).rstrip())
        lines += [" " * len(head) + more for more in filled]
    return "\n".join(lines)


def _filled(text: str, width: int, indent: str) -> Iterator[str]:
    words = for_terminal(text.replace("\n", " "))
    broken = textwrap.wrap(words, width, break_long_words=False, break_on_hyphens=False)
    return (indent + line for line in broken)
