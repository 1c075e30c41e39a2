"""Two releases side by side as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from candling.measures import Unit, title
from candling.model.grade import percent
from candling.present.compare import GRADE, Comparison, Difference, Side, Verdict, change_in_words
from candling.present.html.card import AXES, LISTED, axis_words, meaning_of, unit_of
from candling.present.html.page import render
from candling.present.html.pictures import Group, Line, Mark, Pill, make_scale, percent_scale
from candling.present.numbers import shown, span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from candling.person import Person

_VERDICTS = {
    Verdict.BETTER: "Better: the quality rose, beyond what noise explains.",
    Verdict.WORSE: "Worse: the quality fell, beyond what noise explains.",
    Verdict.CANNOT_TELL: "Cannot tell: noise alone would explain the difference.",
}
_PILLS = {
    Verdict.BETTER: Pill("no", "▼ better"),
    Verdict.WORSE: Pill("yes", "▲ worse"),
    Verdict.CANNOT_TELL: Pill("none", "? cannot tell"),
    Verdict.SAME: Pill("none", "= same"),
    Verdict.NEITHER: Pill("none", "no verdict"),
}


def comparison_page(comparison: Comparison) -> str:
    """The page for a comparison."""
    return render(
        "comparison",
        comparison=comparison,
        pill=_PILLS[comparison.verdict],
        verdict=_VERDICTS[comparison.verdict],
        decided_by=", ".join(title(name).lower() for name in comparison.decided_by) or "nothing",
        groups=_groups(comparison),
        rules=_rules(comparison.by_rule[:LISTED]),
        numbers=[_numbers(d) for d in comparison.measures],
    )


def _groups(comparison: Comparison) -> list[Group]:
    measures = comparison.measures
    numbers = [d for d in measures if d.a.value is not None or d.b.value is not None]
    counts = [d for d in numbers if d.name != GRADE]
    person = comparison.b.person
    groups = [_group([d], "% of the rows", person) for d in numbers if d.name == GRADE]
    for units in AXES:
        drawn = [d for d in counts if unit_of(d.name) in units]
        if drawn:
            groups.append(_group(drawn, axis_words(d.name for d in drawn), person))
    worded = [d for d in measures if d.name != GRADE and unit_of(d.name) is Unit.YES_NO]
    return [*groups, Group(tuple(map(_worded, worded)))]


def _group(differences: Sequence[Difference], unit: str, person: Person) -> Group:
    """Lines with one axis."""
    lines = [
        Line(
            d.name,
            _PILLS[d.verdict],
            _marks(d),
            f"{title(d.name)}: {_sides(d)}",
            _both(d),
            meaning=meaning_of(d.name, person),
        )
        for d in differences
    ]
    values = [v for line in lines for m in line.marks for v in (m.value, m.low, m.high)]
    scale = percent_scale(values) if differences[0].name == GRADE else make_scale(values)
    return Group(tuple(lines), scale, unit)


def _rules(differences: Sequence[Difference]) -> Group | None:
    """The rules, on an axis by logarithm only where it must be."""
    if not differences:
        return None
    lines = [Line(d.name, _PILLS[d.verdict], _marks(d), _sides(d), _both(d)) for d in differences]
    values = (v for line in lines for mark in line.marks for v in (mark.value, mark.high))
    return Group(tuple(lines), make_scale(values, wide=2000), "rows")


def _marks(d: Difference) -> tuple[Mark, ...]:
    """Both sides; those of a share in percent."""
    times = 100 if d.name == GRADE else 1
    marks = []
    for side, hollow in ((d.a, True), (d.b, False)):
        value, low, high = (None if v is None else v * times for v in side.numbers)
        marks.append(Mark(value, low, high, hollow))
    return tuple(marks)


def _sides(d: Difference) -> str:
    return f"A {_with_bounds(d, d.a)}; B {_with_bounds(d, d.b)}; {d.verdict}"


def _both(d: Difference) -> tuple[str, ...]:
    """The values, one below the other as their marks are."""
    return f"A {_value(d, d.a)}", f"B {_value(d, d.b)}"


def _worded(d: Difference) -> Line:
    """Yes or no, before and after."""
    before, after = (
        "not released" if side.value is None else "yes" if side.value else "no sign"
        for side in (d.a, d.b)
    )
    return Line(d.name, _PILLS[d.verdict], words=(f"A: {before}; B: {after}",))


def _value(d: Difference, side: Side) -> str:
    if side.value is None:
        return "–"
    return percent(side.value) if d.name == GRADE else shown(side.value)


def _with_bounds(d: Difference, side: Side) -> str:
    """A value with its bounds."""
    if d.name == GRADE and side.low is not None and side.high is not None:
        return f"{_value(d, side)}, {percent(side.low, up=False)} to {percent(side.high, up=True)}"
    if side.value is None:
        return "not released"
    return f"{_value(d, side)}, {span(side.low, side.high)}"


def _numbers(d: Difference) -> tuple[str, ...]:
    """A line of the table."""
    return (d.name, _with_bounds(d, d.a), _with_bounds(d, d.b), *change_in_words(d),
            f"{d.level:.0%}")  # fmt: skip
