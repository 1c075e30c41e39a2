"""The view of two cards."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from candling.measures import MEASURES, Unit, title
from candling.model.card import CardData
from candling.model.gate import GRADE
from candling.model.number import Grade, exact, word_interval
from candling.model.results import ComparisonData, Difference, Side, Verdict
from candling.render.pictures import (
    Group,
    Line,
    Mark,
    Pill,
    group_by_axis,
    make_scale,
    percent_scale,
)
from candling.render.view import (
    Bars,
    Block,
    Facts,
    Fold,
    Legend,
    Lines,
    Note,
    Paragraph,
    Place,
    Section,
    Table,
    Tone,
    View,
)
from candling.render.views.card import (
    DRAWN,
    NO_VALUE,
    ROOM_FOR_RULE,
    RULE_ALONE,
    RULES_ALONE,
    YES_NO,
)
from candling.render.wording import (
    amount,
    cut,
    plain,
    show_difference,
    signed_span,
    word_grade,
)

_VERDICTS = {
    Verdict.BETTER: "Better: the quality rose, and noise alone cannot explain it.",
    Verdict.WORSE: "Worse: the quality fell, and noise alone cannot explain it.",
    Verdict.CANNOT_TELL: "Cannot tell: noise alone could explain the difference.",
}
_PILLS = {
    Verdict.BETTER: Pill("no", "▼ better"),
    Verdict.WORSE: Pill("yes", "▲ worse"),
    Verdict.CANNOT_TELL: Pill("none", "? cannot tell"),
    Verdict.SAME: Pill("none", "= same"),
    Verdict.NEITHER: Pill("none", "no verdict"),
}
_LEGEND = (("ring", "A, before"), ("dot", "B, after"), ("bar", "interval"),
           ("open", "no upper bound"))  # fmt: skip
_INTERVALS = (
    "Each card is right about everything at once in at least 95 of 100 releases, so both are in at "
    "least 90 of 100 pairs. Then every true difference is within its interval. A difference is "
    "called better or worse only if its interval does not contain 0."
)
_DECISIVE = (
    "If both cards have a grade, the grade decides, because counts grow with the table. Otherwise "
    "the counts decide, and one that is worse is enough."
)
_SHORT = Place.TEXT | Place.CELL


def view_comparison(comparison: ComparisonData) -> View:
    """The verdict, both grades, and every difference."""
    sections = (
        Section("verdict", "Verdict", list(_verdict(comparison))),
        Section("measures", "Measures", list(_measures(comparison))),
        Section(
            "by-rule",
            RULES_ALONE,
            list(_by_rule(comparison.by_rule)),
            titled=Place.TEXT | Place.PAGE,
        ),
        Section("method", "How it is decided", _paragraphs(_INTERVALS, _DECISIVE)),
    )
    subtitle = (f"A: {_release(comparison.a)}", f"B: {_release(comparison.b)}")
    return View(sections, "Did the quality change?", subtitle=subtitle)


def _paragraphs(*texts: str) -> list[Block]:
    return [Paragraph(text, at=Place.PAGE) for text in texts]


def verdict_in_words(comparison: ComparisonData) -> str:
    """The verdict, and what decides it."""
    return f"{comparison.verdict} (decided by {_name_decisive(comparison)})"


def _name_decisive(comparison: ComparisonData) -> str:
    return ", ".join(title(name) for name in comparison.decided_by) or "nothing"


def change_in_words(d: Difference) -> tuple[str, str]:
    """A difference and its bounds; of the grade in points of a percent."""
    change = d.change
    if _is_yes_no(d):
        return NO_VALUE, f"{_word_side(d, d.a)}, then {_word_side(d, d.b)}"
    if d.name != GRADE:
        value = NO_VALUE if change.value is None else show_difference(change.value)
        return value, signed_span(change.low, change.high)
    low, high = _points(change.low, math.floor), _points(change.high, math.ceil)
    value = NO_VALUE if change.value is None else f"{_points(change.value, round)} points"
    return value, f"{low} to {high} points"


def _points(share: float | None, rounded: Callable[[Fraction], int]) -> str:
    """A change of a share, in points of a percent."""
    if share is None:
        return "?"
    points = rounded(10_000 * exact(share)) / 100
    return "0" if points == 0 else f"{'+' if points > 0 else '−'}{abs(points):g}"


def _release(card: CardData) -> str:
    name = cut(card.dataset, 80) if card.dataset else "a release"
    return f"{name} (epsilon {amount(card.epsilon)}, {card.about.time[:10]})"


def _verdict(comparison: ComparisonData) -> Iterator[Block]:
    yield Paragraph("", Tone.LEAD, strong=verdict_in_words(comparison), at=_SHORT)
    verdict = comparison.verdict
    pill, words = _PILLS[verdict], _VERDICTS[verdict]
    yield Paragraph("", Tone.LEAD, strong=words, pill=pill, at=Place.PAGE)
    yield Paragraph(f"Decided by: {_name_decisive(comparison)}.", Tone.FINE, at=Place.PAGE)
    cards = (("A", comparison.a), ("B", comparison.b))
    yield Facts([(name, [str(card.grade)]) for name, card in cards], at=_SHORT)
    for name, card in cards:
        if card.grade.reason is None:
            words = word_grade(card.grade, card.person)
            yield Paragraph(words, strong=f"{name}:", at=Place.PAGE)
    for warning in comparison.warnings:
        yield Note(warning)


def _measures(comparison: ComparisonData) -> Iterator[Block]:
    yield Lines(_groups(comparison), two=True)
    yield Legend(_LEGEND)
    differences = comparison.measures
    numbers = Table(
        ("measure", "A", "B", "B − A", "its interval", "level"),
        [
            (title(d.name), _word_side(d, d.a), _word_side(d, d.b), *change_in_words(d),
             f"{d.level:.0%}")
            for d in differences
        ],
        numbers=(1, 2, 3, 4, 5),
        code=None,
        caption="Both releases",
    )  # fmt: skip
    yield Fold("The numbers", [numbers])
    if differences:
        heads = ("from A to B", "change", "verdict", "interval")
        rows = [_difference(d) for d in differences]
        yield Table(heads, rows, numbers=(1,), code=None, fills=3, at=_SHORT)
    for reason, names in comparison.reasons.items():
        yield Paragraph(reason, Tone.FINE, names=", ".join(map(title, names)))


def _by_rule(differences: Sequence[Difference]) -> Iterator[Block]:
    if not differences:
        return
    yield Bars(_rules(differences[:DRAWN]))
    yield Table(
        (RULE_ALONE, "change", "verdict", "interval"),
        [_difference(d) for d in differences],
        numbers=(1,),
        fills=0,
        room=ROOM_FOR_RULE,
        at=Place.TEXT,
    )


def _difference(d: Difference) -> tuple[str, ...]:
    change, bounds = change_in_words(d)
    level = "" if _is_yes_no(d) else f" ({d.level:.0%})"
    return title(d.name), change, str(d.verdict), bounds + level


# Pictures


def _groups(comparison: ComparisonData) -> list[Group]:
    by_name = {d.name: d for d in comparison.measures}
    drawn = {n: d for n, d in by_name.items() if _known(d.a) or _known(d.b)}
    groups = [_group([drawn[GRADE]], "% of the rows")] if GRADE in drawn else []
    for names, unit in group_by_axis([name for name in drawn if name != GRADE]):
        groups.append(_group([drawn[name] for name in names], unit))
    worded = [
        _make_word_line(d)
        for name, d in by_name.items()
        if name != GRADE and MEASURES[name].unit is Unit.YES_NO
    ]
    return [*groups, Group(tuple(worded))]


def _group(differences: Sequence[Difference], unit: str) -> Group:
    """Lines with one axis."""
    lines = [
        Line(
            title(d.name),
            _PILLS[d.verdict],
            _marks(d),
            f"{title(d.name)}: {_sides(d)}",
            _both(d),
            meaning=None if d.name == GRADE else MEASURES[d.name].meaning,
        )
        for d in differences
    ]
    values = [v for line in lines for m in line.marks for v in (m.value, m.low, m.high)]
    scale = percent_scale(values) if differences[0].name == GRADE else make_scale(values)
    return Group(tuple(lines), scale, unit)


def _rules(differences: Sequence[Difference]) -> Group:
    """The rules, on an axis by logarithm only where it must be."""
    lines = [Line(d.name, _PILLS[d.verdict], _marks(d), _sides(d), _both(d)) for d in differences]
    values = (v for line in lines for mark in line.marks for v in (mark.value, mark.high))
    return Group(tuple(lines), make_scale(values, wide=2000), str(Unit.ROWS))


def _marks(d: Difference) -> tuple[Mark, ...]:
    """Both sides; those of a share in percent."""
    times = 100 if d.name == GRADE else 1
    marks = []
    for side, hollow in ((d.a, True), (d.b, False)):
        value, low, high = (None if v is None else v * times for v in side.numbers)
        marks.append(Mark(value, low, high, hollow))
    return tuple(marks)


def _sides(d: Difference) -> str:
    return f"A {_word_side(d, d.a)}; B {_word_side(d, d.b)}; {d.verdict}"


def _both(d: Difference) -> tuple[str, ...]:
    """The values, one below the other as their marks are."""
    return f"A {_short_side(d, d.a)}", f"B {_short_side(d, d.b)}"


def _make_word_line(d: Difference) -> Line:
    """Yes, no or cannot tell, before and after."""
    words = f"A: {_word_side(d, d.a)}; B: {_word_side(d, d.b)}"
    meaning = MEASURES[d.name].meaning
    return Line(title(d.name), _PILLS[d.verdict], words=(words,), meaning=meaning)


def _is_yes_no(d: Difference) -> bool:
    """Whether it is about a yes or a no."""
    return d.name in MEASURES and MEASURES[d.name].unit is Unit.YES_NO


def _known(side: Side) -> bool:
    """Whether a number was released."""
    return side.estimate is not None


def _short_side(d: Difference, side: Side) -> str:
    """The estimate of one card, or what is known."""
    if side.value is None or d.name == GRADE:
        return _word_side(d, side)
    return plain(side.value)


def _word_side(d: Difference, side: Side) -> str:
    """What one card says of a number."""
    if not _known(side):
        return "not released"
    if d.name == GRADE:
        grade = Grade(side.value, side.estimate, side.low, side.high)
        known = side.value is not None and side.low != side.high
        return f"{grade.shown}, {grade.interval_shown}" if known else grade.shown
    if _is_yes_no(d):
        return YES_NO[side.value]
    interval = word_interval(side.low, side.high)
    return interval if side.value is None else f"{plain(side.value)}, {interval}"
