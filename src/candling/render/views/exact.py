"""The view of exact numbers. NOT PRIVATE."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from candling.measures import MEASURES
from candling.measures.measure import ExactWords
from candling.model.exact import ExactData, ExactRule
from candling.model.gate import GateResult
from candling.render.numbers import NOT_PRIVATE
from candling.render.persons import exact_of
from candling.render.view import ANYWHERE, Block, Paragraph, Place, Section, Table, Verdicts, View
from candling.render.views.card import RULE_ALONE, RULES_ALONE

_MOST = 200  # rules that a notebook lists


def view_exact(numbers: ExactData, verdicts: Sequence[GateResult] = ()) -> View:
    """Every exact number with its value and what it means, the rules, and the gates."""
    kept = exact_of(numbers.person)
    sections = [
        Section("rows", "", [] if kept is None else [Paragraph(kept)]),
        Section("measures", "Measures", [_measures(numbers)]),
        Section("by-rule", RULES_ALONE, list(_by_rule(numbers)), titled=Place.TEXT),
        Section("gates", "Gates", [Verdicts(verdicts)] if verdicts else [], titled=ANYWHERE),
    ]
    return View(sections, "Exact numbers", alarm=NOT_PRIVATE)


def _measures(numbers: ExactData) -> Table:
    words = {name: words for m in MEASURES.values() for name, words in m.exact_words.items()}
    rows = [
        (name, _value(value), _meaning(words[name], value, numbers.rows))
        for name, value in numbers.to_dict().items()
        if name in words
    ]
    heads = ("number", "value", "what it is")
    return Table(heads, rows, numbers=(1,), fills=2, heads_in_text=False)


def _by_rule(numbers: ExactData) -> Iterator[Block]:
    if not numbers.by_rule:
        return
    rows = [(rule.rule, _repair(rule)) for rule in numbers.by_rule]
    for listed, place in ((rows, Place.TEXT), (rows[:_MOST], Place.CELL)):
        heads = (RULE_ALONE, "value")
        yield Table(heads, listed, numbers=(1,), fills=0, heads_in_text=False, at=place)


def _repair(rule: ExactRule) -> str:
    """The smallest repair; where only bounds are known, both."""
    low, high = rule.smallest
    if low == high:
        return _value(int(low))
    return f"{math.ceil(low):,} to {math.floor(high):,}"


def _value(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _meaning(words: ExactWords, value: float | None, rows: int) -> str:
    if value is None:
        return words.unknown
    if not value and words.zero is not None:
        return words.zero
    share = f": {value / rows:.1%}" if words.share and rows else ""
    return words.meaning + share
