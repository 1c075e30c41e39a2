"""The view of a card. Terminals and files show its numbers; a page adds all that it was made from.

What only a page shows is in `card_details.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from candling.measures import MEASURES, Unit
from candling.model.card import CardData
from candling.model.number import LEVEL, Grade, Number, percent
from candling.model.person import Person
from candling.render.pictures import Group, Line, Mark, Pill, group_by_axis, make_scale
from candling.render.view import (
    Bars,
    Block,
    Fact,
    Facts,
    Gauge,
    Heading,
    Legend,
    Lines,
    Note,
    Paragraph,
    Place,
    Section,
    Table,
    Tone,
    Verdicts,
    View,
)
from candling.render.views.card_details import (
    budget_blocks,
    format_moment,
    protection_blocks,
    view_details,
)
from candling.render.wording import amount, count, find_unused_id, guarantee, number, plain, span
from candling.system.canonical_json import compact_json

RULES_ALONE = "Rows to delete for each rule alone"
RULE_ALONE = "rows to delete for this rule alone"  # the head of a column of rules
DRAWN = 400  # rules in a picture
ROOM_FOR_RULE = 24  # beside the numbers of a rule
_ROOM_FOR_SENTENCE = 44
_HEADS = ("value", f"{LEVEL:.0%} interval")
_LONGEST_REASON = 4000
_PILLS: Mapping[object, Pill] = {
    1: Pill("yes", "▲ yes"), 0: Pill("no", "○ no"), None: Pill("none", "? cannot tell"),
}  # fmt: skip
_CELL_OR_PAGE = Place.CELL | Place.PAGE
_TEXT_OR_PAGE = Place.TEXT | Place.PAGE


def view_card(card: CardData) -> View:
    """All that is shown of a card."""
    subtitle = (
        f"Under {count(len(card.about.rules), 'rule')}",
        f"epsilon {amount(card.epsilon)}",
        format_moment(card.about.time),
    )
    sections = (
        Section("grade", "Grade", list(_grade(card))),
        Section("measures", "Measures", list(_measures(card))),
        Section("by-rule", RULES_ALONE, list(_by_rule(card)), titled=_TEXT_OR_PAGE),
        Section("worst", "", list(_named_rules(card))),
        Section("gates", "Gates", list(_gates(card)), titled=_TEXT_OR_PAGE),
        Section("spent", "What was spent", list(budget_blocks(card))),
        Section("person", "If you are in the table", list(_person(card))),
        Section("reasons", "", list(_reasons(card))),
        *view_details(card),
    )
    signed = None if card.signature is None else compact_json(card.to_dict())
    if card.dataset:
        return View(sections, "Data quality of", card.dataset, subtitle, embedded=signed)
    return View(sections, "Data quality scorecard", subtitle=subtitle, embedded=signed)


# The grade


def grade_blocks(grade: Grade) -> Iterator[Block]:
    """The grade with its interval, or why there is none."""
    if grade.reason is not None:
        yield Paragraph(grade.words, at=_TEXT_OR_PAGE)
        yield Paragraph(grade.words, coded=False, at=Place.CELL)
    elif grade.value is None:
        words = f"({grade.level:.0%} confidence)"
        yield Paragraph(words, strong=f"Grade {grade.interval_shown}")
    else:
        yield Paragraph(f"({grade.words})", strong=f"Grade {grade.shown}")


def _grade(card: CardData) -> Iterator[Block]:
    grade = card.grade
    yield Gauge(grade)
    if grade.reason is not None:
        yield Paragraph("It cannot be given.", Tone.LEAD, at=Place.PAGE)
        yield from grade_blocks(grade)
        return
    rows = "kept rows" if card.person.columns else "rows"
    lead = f"of the {rows} would remain after the smallest clean-up."
    yield Paragraph(lead, Tone.LEAD, strong=_between(grade), at=Place.PAGE)
    yield from grade_blocks(grade)
    yield Paragraph(
        "1 − repair/rows. The whole shell of the egg would be 100%; it is drawn full up to the "
        "lower bound, thin up to the upper one, and crossed at the value.",
        Tone.FINE,
        at=Place.PAGE,
    )


def _between(grade: Grade) -> str:
    if grade.low is None or grade.high is None:
        return f"About {grade.shown}"
    low, high = percent(grade.low, up=False), percent(grade.high, up=True)
    return low if low == high else f"Between {low} and {high}"


# The measures


def explain_threshold(measure: Number) -> str | None:
    """What the threshold of a measure means, if it has one; a rule has none."""
    if measure.threshold is None or measure.name not in MEASURES:
        return None
    return MEASURES[measure.name].at_threshold(measure.threshold)


def name_meaning(name: str, person: Person) -> str:
    """What a measure means for these persons."""
    measure = MEASURES[name]
    return (measure.meaning_of_kept if person.columns else None) or measure.meaning


def _measures(card: CardData) -> Iterator[Block]:
    if not card.measures:
        return
    kept = ", of the kept rows" if card.person.columns else ""
    sizes = [m.title for m in MEASURES.values() if m.is_size and m.name in card.measures]
    but = f", except for {' and '.join(sizes)}" if sizes else ""
    about = f"Noisy values with {LEVEL:.0%} intervals{kept}. Lower is better{but}."
    yield Paragraph(about, Tone.FINE, at=_CELL_OR_PAGE)
    yield Lines(_measure_groups(card), at=_CELL_OR_PAGE)
    yield Legend(_legend(card))
    numbers = [m for m in card if MEASURES[m.name].unit is not Unit.RULE]
    if numbers:
        yield Heading("The numbers")
        yield Table(
            ("measure", *_HEADS, "what it says"),
            [(m.name, plain(m.value), _interval(m), _sentence(m, card)) for m in numbers],
            numbers=(1,),
            fills=3,
            room=_ROOM_FOR_SENTENCE,
            caption="Released values with their intervals",
            at=_TEXT_OR_PAGE,
        )
    yield Heading("How to read them")
    yield Facts([(MEASURES[m.name].title, _notes(m)) for m in card])


def _notes(measure: Number) -> list[str]:
    reason = None if measure.reason is None else measure.reason[:_LONGEST_REASON]
    listed = (measure.note, reason, explain_threshold(measure))
    return [words for words in listed if words is not None]


def _sentence(measure: Number, card: CardData) -> str:
    if measure.refused:
        return "not released, for the reason below"
    return MEASURES[measure.name].sentence(measure, card)


def _interval(measure: Number) -> str:
    low, high = measure.interval()
    if low is None and high is None:
        return "-"
    return _words_of_interval(measure) or (
        f"at least {plain(low)}" if high is None else f"{plain(low)} to {plain(high)}"
    )


def _words_of_interval(measure: Number) -> str | None:
    """What stands in the place of an interval; a rule has nothing that does."""
    return MEASURES[measure.name].word_interval(measure) if measure.name in MEASURES else None


def _measure_groups(card: CardData) -> list[Group]:
    """Counts on one axis, what has another unit below, and what is not a number last."""
    groups, drawn = [], set()
    for names, unit in group_by_axis([m.name for m in card if not m.refused]):
        measures = [card.measures[name] for name in names]
        scale = make_scale(v for m in measures for v in (number(m.estimate), *m.interval()))
        groups.append(
            Group(tuple(_make_number_line(m, card.person) for m in measures), scale, unit)
        )
        drawn.update(names)
    worded = (
        _make_word_line(m, card.person, _sentence(m, card)) for m in card if m.name not in drawn
    )
    return [*groups, Group(tuple(worded))]


def _make_number_line(measure: Number, person: Person) -> Line:
    title = MEASURES[measure.name].title
    value, words = plain(measure.value), _words_of_interval(measure) or span(*measure.interval())
    return Line(
        title,
        value,
        (Mark(number(measure.value), *measure.interval()),),
        f"{title}: {value}, {words}",
        (words,),
        meaning=name_meaning(measure.name, person),
    )


def _make_word_line(measure: Number, person: Person, sentence: str) -> Line:
    """A measure that is not a number: yes, no or cannot tell, a rule, or refused."""
    rule = None
    if measure.refused:
        pill, words = Pill("none", "not released"), "The rules do not allow it; nothing was spent."
    elif MEASURES[measure.name].unit is Unit.RULE:
        pill, words, rule = Pill("yes", "▲ worst"), "", plain(measure.value)
    else:
        pill, words = _PILLS[measure.value], sentence
    title, meaning = MEASURES[measure.name].title, name_meaning(measure.name, person)
    return Line(title, pill, words=(words,), rule=rule, meaning=meaning)


def _legend(card: CardData) -> list[tuple[str, str]]:
    """What the signs mean; only those that are there."""
    worded = (Unit.YES_NO, Unit.RULE)
    drawn = [m.interval() for m in card if not m.refused and MEASURES[m.name].unit not in worded]
    entries = [("dot", "value"), ("bar", f"{LEVEL:.0%} interval")] if drawn else []
    if any(low is not None and high is None for low, high in drawn):
        entries.append(("open", "no upper bound"))
    return entries


# The rules


def _by_rule(card: CardData) -> Iterator[Block]:
    if not card.by_rule:
        return
    yield Paragraph(
        f"Most first. The thin line is the {LEVEL:.0%} interval; where two intervals overlap "
        "widely, noise may have changed the order.",
        Tone.FINE,
        at=Place.PAGE,
    )
    yield Bars(_rule_bars(card))
    left_out = len(card.by_rule) - DRAWN
    if left_out > 0:
        words = f"{count(left_out, 'rule')} with smaller values are not drawn."
        yield Paragraph(words, at=Place.PAGE)
    yield Table(
        (RULE_ALONE, *_HEADS),
        [(m.name, plain(m.value), _interval(m)) for m in card.by_rule],
        numbers=(1,),
        fills=0,
        room=ROOM_FOR_RULE,
        at=Place.TEXT,
    )
    words = f"By rule: {len(card.by_rule):,} more, see to_html or to_frame."
    yield Paragraph(words, Tone.FINE, at=Place.CELL)


def _rule_bars(card: CardData) -> Group:
    """The rules, the largest first, each with its number in the list of rules."""
    worst = {m.value for m in card if MEASURES[m.name].unit is Unit.RULE}
    numbered = sorted(
        enumerate(card.by_rule, 1), key=lambda pair: -(number(pair[1].estimate) or 0.0)
    )
    # The length of a bar is what it says, so a log scale only where it must be.
    values = (v for m in card.by_rule for v in (number(m.estimate), m.interval()[1]))
    lines = []
    for position, rule in numbered[:DRAWN]:
        value, bounds = plain(rule.value), span(*rule.interval())
        lines.append(
            Line(
                rule.name,
                value,
                (Mark(number(rule.value), *rule.interval()),),
                f"Rule {position}: {value}, {bounds}",
                (bounds,),
                number=position,
                pill=Pill("yes", "▲ chosen as the worst") if rule.name in worst else None,
            )
        )
    return Group(tuple(lines), make_scale(values, wide=2000), str(Unit.ROWS))


def _named_rules(card: CardData) -> Iterator[Block]:
    """Measures whose value is a rule."""
    for measure in card:
        if MEASURES[measure.name].unit is Unit.RULE:
            name = plain(measure.value)
            yield Fact(MEASURES[measure.name].title, name, _sentence(measure, card))


# Gates, persons, reasons


def _gates(card: CardData) -> Iterator[Block]:
    if not card.gates:
        return
    yield Paragraph(
        "A gate fails if its condition holds everywhere in the interval, passes if it holds "
        "nowhere, and cannot tell if the interval contains the limit.",
        Tone.FINE,
        at=Place.PAGE,
    )
    yield Verdicts(card.gates)


def _person(card: CardData) -> Iterator[Block]:
    if card.epsilon:
        yield Paragraph(guarantee(card.person), Tone.FINE, coded=False)
        warning = find_unused_id(card.person)
        if warning is not None:
            yield Note(warning, "Warning")
    yield from protection_blocks(card)


def _reasons(card: CardData) -> Iterator[Block]:
    """Why numbers or upper bounds are missing, each reason once, with the names of its measures."""
    for reason in dict.fromkeys(m.reason for m in card if m.reason is not None):
        names = ", ".join(m.name for m in card if m.reason == reason)
        yield Paragraph(reason, Tone.FINE, names=names, at=Place.TEXT)
