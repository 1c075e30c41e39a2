"""Exact numbers and plans as views."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from candling.measures import MEASURES, Unit, title
from candling.measures.measure import ExactWords
from candling.model.gate import GRADE, GateResult
from candling.model.results import ExactData, ExactRule, PlanData, Planned
from candling.render.epsilon import planned_spending
from candling.render.view import (
    ANYWHERE,
    Block,
    Note,
    Paragraph,
    Place,
    Section,
    Table,
    Verdicts,
    View,
)
from candling.render.views.card import RULE_ALONE, RULES_ALONE, YES_NO
from candling.render.wording import (
    NOT_PRIVATE,
    count,
    describe_risk,
    exact_of,
    guarantee,
    list_words,
    warn_of_epsilon,
)

_MOST = 200  # rules that a notebook lists
_ROOM = 24  # for what a number is, beside it


def view_exact(numbers: ExactData, verdicts: Sequence[GateResult] = ()) -> View:
    """Every exact number with its value and what it means, the rules, and the gates."""
    kept = exact_of(numbers.person)
    sections = [
        Section("rows", "", [] if kept is None else [Paragraph(kept)]),
        Section("without", "", list(_warn_of_rows_without_person(numbers))),
        Section("measures", "Measures", [_measures(numbers)]),
        Section("by-rule", RULES_ALONE, list(_by_rule(numbers)), titled=Place.TEXT),
        Section("gates", "Gates", [Verdicts(verdicts)] if verdicts else [], titled=ANYWHERE),
    ]
    return View(sections, "Exact numbers", alarm=NOT_PRIVATE)


def _warn_of_rows_without_person(numbers: ExactData) -> Iterator[Block]:
    if numbers.without_person:
        words = count(numbers.without_person, "row")
        verb = "names" if numbers.without_person == 1 else "name"
        yield Paragraph(
            f"{words} {verb} no person (NULL). A release with --person leaves them out.",
            strong="Warning:",
        )


def _measures(numbers: ExactData) -> Table:
    words = {name: words for m in MEASURES.values() for name, words in m.exact_words.items()}
    rows = [
        (words[name].title, _show_value(name, value), _meaning(words[name], value, numbers.rows))
        for name, value in _select(numbers)
        if name in words
    ]
    heads = ("number", "value", "what it is")
    return Table(heads, rows, numbers=(1,), code=None, fills=2, room=_ROOM, heads_in_text=False)


def _select(numbers: ExactData) -> list[tuple[str, float | None]]:
    """The numbers to show, the smallest repair first: bounds of it only where they differ."""
    values = numbers.to_dict()
    shown: dict[str, float | None] = {}
    for name in ("repair_exact", "repair", "repair_linear"):
        if name in values and values[name] not in shown.values():
            shown[name] = values[name]
    others = {n: v for n, v in values.items() if not n.startswith("repair")}
    return list((shown | others).items())


def _show_value(name: str, value: float | None) -> str:
    if name in MEASURES and MEASURES[name].unit is Unit.YES_NO:
        return YES_NO[value]
    return _value(value)


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
    share = f" ({value / rows:.1%} of the rows)" if words.share and rows else ""
    return words.meaning + share


_THRESHOLDS = (
    "The threshold limits how many conflicts of one row are counted. The release chooses it: a "
    "small one adds little noise but misses conflicts, a large one misses few but adds more noise."
)
_THRESHOLDS_OF_PERSONS = (
    "The threshold limits how much each person adds to a number. The release chooses it: a small "
    "one adds little noise but misses some of what a person has, a large one misses little but "
    "adds more noise."
)
_SHOWN = 4  # thresholds of a measure
_SMALLEST = 0.01  # of an error that is shown


def view_plan(plan: PlanData) -> View:
    """What epsilon pays for, whose rows it protects, and how noisy each number will be."""
    on = planned_spending(plan).words
    head = f"Epsilon {float(plan.epsilon):g}{on}. {guarantee(plan.person)}"
    rows = [(title(planned.name), _error(planned)) for planned in plan.measures.values()]
    if plan.grade_error is not None:
        rows.insert(
            0, (title(GRADE), f"off by {100 * plan.grade_error:.2g}% of the rows on average")
        )
    errors = Table(("measure", "how noisy"), rows, code=None, fills=1, heads_in_text=False)
    blocks: list[Block] = [Paragraph(head), Paragraph(describe_risk(float(plan.epsilon))), errors]
    warning = warn_of_epsilon(float(plan.epsilon))
    if warning is not None:
        blocks.insert(0, Note(warning, "Warning"))
    if plan.without_thresholds:
        blocks.append(Paragraph(_price_of_thresholds(plan)))
    if any(planned.by_threshold for planned in plan.measures.values()):
        blocks.append(Paragraph(_THRESHOLDS_OF_PERSONS if plan.person.columns else _THRESHOLDS))
    return View([Section("plan", "Plan", blocks)], "Plan of a release")


def _price_of_thresholds(plan: PlanData) -> str:
    """What the numbers with a threshold cost the others."""
    cut = list_words([title(name) for name, m in plan.measures.items() if m.by_threshold])
    errors = [
        f"{title(name)} off by {_about(error)}" for name, error in plan.without_thresholds.items()
    ]
    return f"Without {cut}, the same epsilon gives less noise: {list_words(errors)} on average."


def _error(planned: Planned) -> str:
    """How far off a number will be."""
    if planned.reason is not None:
        return f"not released. {planned.reason}"
    if planned.error is not None and planned.by_threshold:
        ((at, error),) = planned.by_threshold.items()
        return f"off by {_about(error)} on average, at about threshold {at:,}"
    if planned.error is not None:
        each = ", each rule" if MEASURES[planned.name].unit is Unit.BY_RULE else ""
        return f"off by {_about(planned.error)} on average{each}"
    if not planned.by_threshold:
        return MEASURES[planned.name].without_error or ""
    thresholds = list(planned.by_threshold)
    first, *others = thresholds[:: max(1, round(len(thresholds) / _SHOWN))][:_SHOWN]
    noise = {t: _about(error) for t, error in planned.by_threshold.items()}
    rest = "".join(f", by {noise[t]} at {t:,}" for t in others)
    return f"off by {noise[first]} on average at threshold {first:,}{rest}"


def _about(error: float) -> str:
    """An error in plain digits: two of them, or whole numbers of up to three."""
    if error < _SMALLEST:
        return f"less than {_SMALLEST}"
    return f"{float(f'{error:.3g}'):,.0f}" if error >= 9.95 else f"{error:.2g}"
