"""The report of two releases side by side."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from candling.measures.grade import exact, percent
from candling.present import pictures
from candling.present.comparison import GRADE, Comparison, Difference, Side, Verdict
from candling.present.lines import LISTED, LONGEST_NAME, axis_item, axis_line, line, pill, worded
from candling.present.markup import Child, Html, join, name_code, tag, verbatim
from candling.present.names import name_of
from candling.present.numbers import amount, shown, signed, signed_span, span
from candling.present.page import page, section, table
from candling.present.pictures import Mark
from candling.present.scale import Scale, make_scale, percent_scale

if TYPE_CHECKING:
    from candling.card import Card

_LEADS = {
    Verdict.BETTER: "Better: the quality rose, beyond what noise explains.",
    Verdict.WORSE: "Worse: the quality fell, beyond what noise explains.",
    Verdict.CANNOT_TELL: "Cannot tell: noise alone would explain the difference.",
}
_ALONE = {GRADE, "maximal_consistent", "drastic"}  # not on the axis of the counts
_SIGNS = {
    Verdict.BETTER: ("no", "▼ better"),
    Verdict.WORSE: ("yes", "▲ worse"),
    Verdict.CANNOT_TELL: ("none", "? cannot tell"),
    Verdict.SAME: ("none", "= same"),
    Verdict.NEITHER: ("none", "no verdict"),
}


def comparison_page(found: Comparison) -> str:
    """The page for a comparison."""
    return page(
        "Did the quality change?",
        "Did the quality change?",
        join("A: ", _which(found.a), " · B: ", _which(found.b)),
        _verdict(found),
        _pictures(found),
        _rules(found),
        _numbers(found),
        _method(),
    )


def _which(card: Card) -> Html:
    name: Child = verbatim(card.dataset, 80) if card.dataset else "a release"
    return join(name, f" (epsilon {amount(float(card.epsilon))}, {card.about.time[:10]})")


def _verdict(found: Comparison) -> Html:
    decided = ", ".join(name_of(name).lower() for name in found.decided_by) or "nothing"
    return section(
        "verdict",
        "Verdict",
        tag("p", _pill(found.verdict), " ", tag("strong", _LEADS[found.verdict]), class_="cd-lead"),
        tag("p", f"Decided by: {decided}.", class_="cd-fine"),
        tag("ul", (tag("li", tag("bdi", w)) for w in found.warnings), class_="cd-warnings")
        if found.warnings
        else None,
    )


def _pill(verdict: Verdict) -> Html:
    return pill(*_SIGNS[verdict])


def _pictures(found: Comparison) -> Html:
    groups = (
        ([d for d in found.measures if d.name == GRADE], "% of the rows"),
        ([d for d in found.measures if d.name not in _ALONE], "rows or pairs"),
        ([d for d in found.measures if d.name == "maximal_consistent"], "log₂"),
    )
    lines: list[Child] = []
    for group, unit in groups:
        drawn = [d for d in group if d.a.value is not None or d.b.value is not None]
        if drawn:
            lines += _group(drawn, unit)
    lines += [_words(d) for d in found.measures if d.name == "drastic"]
    legend = (
        tag("li", pictures.key("ring"), "A, before"),
        tag("li", pictures.key("dot"), "B, after"),
        tag("li", pictures.key("bar"), "interval"),
        tag("li", pictures.key("open"), "no upper bound"),
    )
    return section(
        "measures",
        "Measures",
        tag("div", *lines, class_="cd-lines cd-two"),
        tag("ul", *legend, class_="cd-legend"),
    )


def _group(group: list[Difference], unit: str) -> list[Child]:
    """Lines with one axis."""
    times = 100 if group[0].name == GRADE else 1
    sides = [_times(side, times) for d in group for side in (d.a, d.b)]
    values = [v for side in sides for v in (side.value, side.low, side.high)]
    scale = percent_scale(values) if times == 100 else make_scale(values)
    lines: list[Child] = [_line(d, scale, times) for d in group]
    return [*lines, axis_line(scale, unit)]


def _times(side: Side, times: int) -> Side:
    if times == 1:
        return side
    value, low, high = (None if v is None else v * times for v in (side.value, side.low, side.high))
    return Side(value, low, high)


def _line(d: Difference, scale: Scale, times: int = 1) -> Html:
    first, second = (_times(side, times) for side in (d.a, d.b))
    label = f"{name_of(d.name)}: A {_told(d, d.a)}; B {_told(d, d.b)}; {d.verdict}"
    marks = [
        Mark(first.value, first.low, first.high, hollow=True),
        Mark(second.value, second.low, second.high),
    ]
    return line(d.name, _pill(d.verdict), pictures.marks(marks, scale, label), _both(d))


def _both(d: Difference) -> tuple[Html, Html]:
    """The values, one below the other as their marks are."""
    return (
        tag("span", f"A {_short(d, d.a)}", class_="cd-ab"),
        tag("span", f"B {_short(d, d.b)}", class_="cd-ab"),
    )


def _words(d: Difference) -> Html:
    """Yes or no, before and after."""
    sides = (side.value for side in (d.a, d.b))
    before, after = ("not released" if v is None else "yes" if v else "no sign" for v in sides)
    return worded(d.name, _pill(d.verdict), f"A: {before}; B: {after}")


def _short(d: Difference, side: Side) -> str:
    if side.value is None:
        return "–"
    return percent(side.value) if d.name == GRADE else shown(side.value)


def _told(d: Difference, side: Side) -> str:
    """A value with its bounds."""
    if d.name == GRADE and side.low is not None and side.high is not None:
        return f"{_short(d, side)}, {percent(side.low, up=False)} to {percent(side.high, up=True)}"
    if side.value is None:
        return "not released"
    return f"{_short(d, side)}, {span(side.low, side.high)}"


def change_in_words(d: Difference) -> tuple[str, str]:
    """A difference and its bounds; of the grade in points of a percent."""
    change = d.change
    if d.name != GRADE:
        return signed(change.value), signed_span(change.low, change.high)
    low, high = _points(change.low, math.floor), _points(change.high, math.ceil)
    return f"{_points(change.value, round)} points", f"{low} to {high} points"


def _points(share: float | None, rounded: Callable[[Fraction], int]) -> str:
    """A change of a share, in points of a percent."""
    if share is None:
        return "?"
    points = rounded(10_000 * exact(share)) / 100
    return "0" if points == 0 else f"{'+' if points > 0 else '−'}{abs(points):g}"


def _rules(found: Comparison) -> Html | None:
    if not found.by_rule:
        return None
    drawn = found.by_rule[:LISTED]
    sides = [side for d in drawn for side in (d.a, d.b)]
    scale = make_scale((v for s in sides for v in (s.value, s.high)), wide=2000)
    lines: list[Child] = []
    for d in drawn:
        marks = [
            Mark(d.a.value, d.a.low, d.a.high, hollow=True),
            Mark(d.b.value, d.b.low, d.b.high),
        ]
        label = f"A {_told(d, d.a)}; B {_told(d, d.b)}; {d.verdict}"
        rule = tag("span", tag("code", verbatim(d.name, LONGEST_NAME)), class_="cd-rule")
        picture = pictures.marks(marks, scale, label)
        words = tag("span", _both(d), class_="cd-words")
        lines.append(tag("li", rule, picture, _pill(d.verdict), words))
    lines.append(axis_item(scale, "rows"))
    return section(
        "by-rule",
        "Rule by rule",
        tag("p", "Rows that must go for each rule alone.", class_="cd-fine"),
        tag("ol", *lines, class_="cd-bars"),
    )


def _numbers(found: Comparison) -> Html:
    rows: list[tuple[Child, ...]] = []
    for d in found.measures:
        value, bounds = change_in_words(d)
        rows.append(
            (name_code(d.name), _told(d, d.a), _told(d, d.b), value, bounds, f"{d.level:.0%}")
        )
    head = ("Measure", "A", "B", "B − A", "Its interval", "Level")
    reasons = (
        tag("p", tag("code", ", ".join(names)), f": {reason}", class_="cd-fine")
        for reason, names in found.reasons.items()
    )
    return section("numbers", "The numbers", table("Both releases", head, rows), *reasons)


def _method() -> Html:
    return section(
        "method",
        "How it is told",
        tag(
            "p",
            "Each card holds 95% intervals. Both of them hold at once in 90 of 100 pairs of "
            "releases, or more, and then the true difference lies between the differences of their "
            "ends. That holds for the grade, 1 − repair/rows, as for every other number. Better or "
            "worse is said only if the interval of the difference leaves out 0.",
        ),
        tag(
            "p",
            "The grade decides where both cards have it, because counts grow with the table. "
            "Otherwise the counts do, and one that is worse is enough. A level is for its line "
            "alone: of many lines, some may be wrong.",
        ),
    )
