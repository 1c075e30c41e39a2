"""The view of a card. Terminals and files show its numbers; a page adds all that it was made from.

What only a page shows is in `card_details.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from candling.measures import BY_RULE, MEASURES, Unit
from candling.model.card import CardData
from candling.model.number import CANNOT_TELL, LEVEL, Number
from candling.render.pictures import Group, Line, Mark, Pill, group_by_axis, make_scale
from candling.render.view import (
    Bars,
    Block,
    Fact,
    Facts,
    Fold,
    Gauge,
    Legend,
    Lines,
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
    method_blocks,
    protection_blocks,
)
from candling.render.wording import (
    LOWER_BOUNDS,
    amount,
    cap,
    count,
    number,
    plain,
    word_grade,
)
from candling.system.canonical_json import compact_json

RULES_ALONE = "Rows to delete for each rule alone"
RULE_ALONE = "rows to delete for this rule alone"  # the head of a column of rules
DRAWN = 400  # rules in a picture
ROOM_FOR_RULE = 24  # beside the numbers of a rule
NO_VALUE = "-"
_ROOM_FOR_SENTENCE = 28
_HEADS = ("estimate", f"{LEVEL:.0%} interval")
_LONGEST_REASON = 4000
_LARGEST_EMBEDDED = 200_000  # characters of a card without signature: a page stays below 1 MB
YES_NO: Mapping[object, str] = {1: "yes", 0: "no", None: CANNOT_TELL}
_PILLS: Mapping[object, Pill] = {
    1: Pill("yes", "▲ yes"), 0: Pill("no", "○ no"), None: Pill("none", "? cannot tell"),
}  # fmt: skip
_AT_ONCE = "In at least 95 of 100 releases, all of this is true at once."
_HOW_TO_READ = (
    "The thick line of the egg ends at the low end of the grade's interval, the thin line at its "
    "high end. The grade is 1 − (rows to delete ÷ rows)."
)
_CELL_OR_PAGE = Place.CELL | Place.PAGE
_TEXT_OR_CELL = Place.TEXT | Place.CELL
_TEXT_OR_PAGE = Place.TEXT | Place.PAGE


def view_card(card: CardData, title: str | None = None) -> View:
    """All that is shown of a card; `title` names the table where no ledger does."""
    subtitle = (
        f"Under {_count_rules(card)}",
        f"epsilon {amount(card.epsilon)}",
        format_moment(card.about.time),
    )
    sections = (
        Section("grade", "Grade", list(_grade(card))),
        Section("measures", "Measures", list(_measures(card))),
        Section("by-rule", RULES_ALONE, list(_by_rule(card)), titled=_TEXT_OR_PAGE),
        Section("worst", "", list(_named_rules(card))),
        Section("gates", "Gates", list(_gates(card)), titled=_TEXT_OR_PAGE),
        Section("reasons", "", list(_reasons(card))),
        Section("spent", "What was spent", list(budget_blocks(card))),
        Section("person", "If you are in the table", list(protection_blocks(card))),
        Section("method", "How it was made", list(method_blocks(card))),
    )
    name = card.dataset or title
    content: str | None = compact_json(card.to_dict())
    if card.signature is None and len(content or "") > _LARGEST_EMBEDDED:
        content = None
    if name:
        return View(sections, "Data quality of", name, subtitle, embedded=content)
    return View(sections, "Data quality scorecard", subtitle=subtitle, embedded=content)


def _count_rules(card: CardData) -> str:
    """`10 rules and 4 types`: lines that state a type are rules, too, that a cell can break."""
    types = sum(rule.states_type for rule in card.about.rules)
    rules = count(len(card.about.rules) - types, "rule")
    return f"{rules} and {count(types, 'type')}" if types else rules


# The grade


def _grade(card: CardData) -> Iterator[Block]:
    grade = card.grade
    yield Gauge(grade)
    if grade.reason is not None:
        yield Paragraph("No grade.", Tone.LEAD, at=Place.PAGE)
        yield Paragraph(grade.reason, Tone.FINE, at=Place.PAGE)
        yield Paragraph(str(grade), at=Place.TEXT)
        yield Paragraph(str(grade), coded=False, at=Place.CELL)
        return
    words = word_grade(grade, card.person)
    yield Paragraph("", Tone.LEAD, strong=words, at=Place.PAGE)
    yield Paragraph(words, strong="Grade", at=_TEXT_OR_CELL)
    for measure in card:
        if MEASURES[measure.name].unit is Unit.YES_NO and not measure.refused:
            sentence = f"{cap(_sentence(measure, card))}."
            yield Paragraph(sentence, Tone.LEAD, pill=_PILLS[measure.value], at=Place.PAGE)
    yield Paragraph(_AT_ONCE, Tone.FINE, at=Place.PAGE)


# The measures


def explain_threshold(measure: Number, card: CardData) -> str | None:
    """What the threshold of a measure means, if it has one; a rule has none."""
    if measure.threshold is None or measure.name not in MEASURES:
        return None
    persons = bool(card.person.columns)
    return MEASURES[measure.name].at_threshold(measure.threshold, persons=persons)


def _measures(card: CardData) -> Iterator[Block]:
    if not card.measures:
        return
    bounds = f" {LOWER_BOUNDS}" if card.person.columns else ""
    sizes = [m.title for m in MEASURES.values() if m.is_size and m.name in card.measures]
    but = f", except for {' and '.join(sizes)}" if sizes else ""
    yield Paragraph(f"Lower is better{but}.{bounds}", Tone.FINE, at=_CELL_OR_PAGE)
    yield Lines(_measure_groups(card), at=_CELL_OR_PAGE)
    yield Legend(_legend(card))
    table = _numbers(card)
    if table is not None:
        yield table
        yield Paragraph(_AT_ONCE, Tone.FINE, at=Place.TEXT)
        yield Fold("The numbers", [table])
    notes = [(MEASURES[m.name].title, _notes(m, card)) for m in card]
    yield Fold("How to read them", [Facts([("The egg", [_HOW_TO_READ]), *notes])])


def _numbers(card: CardData) -> Table | None:
    """Every number with its interval."""
    numbers = [m for m in card if MEASURES[m.name].unit is not Unit.RULE]
    if not numbers:
        return None
    return Table(
        ("measure", *_HEADS, "what it is"),
        [
            (MEASURES[m.name].title, _value(m), _interval(m, card), _sentence(m, card))
            for m in numbers
        ],
        numbers=(1,),
        code=None,
        fills=3,
        room=_ROOM_FOR_SENTENCE,
        caption="Estimates with their intervals",
        at=Place.TEXT,
    )


def _notes(measure: Number, card: CardData) -> list[str]:
    reason = None if measure.reason is None else measure.reason[:_LONGEST_REASON]
    listed = (measure.note, reason, explain_threshold(measure, card))
    return [words for words in listed if words is not None]


def _sentence(measure: Number, card: CardData) -> str:
    if measure.refused:
        return "not released: the rules do not allow it"
    return MEASURES[measure.name].sentence(measure, card)


def _value(measure: Number) -> str:
    """The estimate where it is worth showing."""
    if MEASURES[measure.name].unit is Unit.YES_NO and not measure.refused:
        return YES_NO[measure.value]
    return NO_VALUE if measure.value is None else plain(measure.value)


def _interval(measure: Number, card: CardData) -> str:
    """The interval of a measure, or of a rule."""
    if measure.refused:
        return NO_VALUE
    return MEASURES.get(measure.name, BY_RULE).word_interval(measure, card)


def word_number(measure: Number, card: CardData) -> str:
    """A measure or a rule in a sentence: `About 160 (157 to 326)`, `At least 3`."""
    if measure.refused:
        return "Not released"
    if isinstance(measure.value, str):
        return measure.value
    if measure.name in MEASURES and MEASURES[measure.name].unit is Unit.YES_NO:
        sentence = _sentence(measure, card)
        return f"{cap(YES_NO[measure.value])}: {sentence}"
    interval = _interval(measure, card)
    if measure.value is None or measure.low == measure.high:
        return cap(interval)
    return f"Estimate {plain(measure.value)} ({interval})"


def _measure_groups(card: CardData) -> list[Group]:
    """Counts on one axis, what has another unit below, and what is not a number last."""
    groups, drawn = [], set()
    for names, unit in group_by_axis([m.name for m in card if not m.refused]):
        measures = [card.measures[name] for name in names]
        scale = make_scale(v for m in measures for v in (number(m.estimate), *m.interval()))
        groups.append(Group(tuple(_make_number_line(m, card) for m in measures), scale, unit))
        drawn.update(names)
    worded = (_make_word_line(m, card) for m in card if m.name not in drawn)
    return [*groups, Group(tuple(worded))]


def _make_number_line(measure: Number, card: CardData) -> Line:
    """A number with its estimate and interval, or with what is known of it."""
    title, words = MEASURES[measure.name].title, _interval(measure, card)
    known = measure.value is not None
    value: str | Pill = plain(measure.value) if known else words
    if value == CANNOT_TELL:
        value = _PILLS[None]
    return Line(
        title,
        value,
        (Mark(number(measure.value), *measure.interval()),),
        f"{title}: {plain(measure.value)}, {words}" if known else f"{title}: {words}",
        (words if known else "",),
        meaning=_sentence(measure, card),
    )


def _make_word_line(measure: Number, card: CardData) -> Line:
    """A measure that is not a number: yes, no or cannot tell, a rule, or refused."""
    words, rule = _sentence(measure, card), None
    if measure.refused:
        pill, words = Pill("none", "not released"), "The rules do not allow it; nothing was spent."
    elif MEASURES[measure.name].unit is Unit.RULE:
        pill, words, rule = Pill("none", "▲ worst"), "", plain(measure.value)
    else:
        pill = _PILLS[measure.value]
    title, meaning = MEASURES[measure.name].title, MEASURES[measure.name].meaning
    return Line(title, pill, words=(words,), rule=rule, meaning=meaning)


def _legend(card: CardData) -> list[tuple[str, str]]:
    """What the signs mean; only those that are there."""
    worded = (Unit.YES_NO, Unit.RULE)
    drawn = [m for m in card if not m.refused and MEASURES[m.name].unit not in worded]
    entries = [("bar", f"{LEVEL:.0%} interval")] if drawn else []
    if any(m.value is not None for m in drawn):
        entries.insert(0, ("dot", "estimate"))
    if any(m.high is None for m in drawn):
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
        words = f"{count(left_out, 'rule')} with smaller estimates are not drawn."
        yield Paragraph(words, at=Place.PAGE)
    yield Table(
        (RULE_ALONE, *_HEADS),
        [(m.name, plain(m.value), _interval(m, card)) for m in card.by_rule],
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
        words, known = _interval(rule, card), rule.value is not None
        value = plain(rule.value) if known else words
        lines.append(
            Line(
                rule.name,
                value,
                (Mark(number(rule.value), *rule.interval()),),
                f"Rule {position}: {value}, {words}" if known else f"Rule {position}: {words}",
                (words if known else "",),
                number=position,
                pill=Pill("none", "▲ chosen as the worst") if rule.name in worst else None,
            )
        )
    return Group(tuple(lines), make_scale(values, wide=2000), str(Unit.ROWS))


def _named_rules(card: CardData) -> Iterator[Block]:
    """Measures whose value is a rule."""
    for measure in card:
        if MEASURES[measure.name].unit is Unit.RULE:
            name = plain(measure.value)
            yield Fact(MEASURES[measure.name].title, name, _sentence(measure, card))


# Gates, reasons


def _gates(card: CardData) -> Iterator[Block]:
    if not card.gates:
        return
    yield Verdicts(card.gates)
    yield Paragraph(
        "A gate fails if its condition holds in all of the interval, is ok if it holds nowhere in "
        "it, and cannot tell otherwise.",
        Tone.FINE,
        at=Place.PAGE,
    )


def _reasons(card: CardData) -> Iterator[Block]:
    """Why numbers or upper bounds are missing, each reason once, with the names of its measures."""
    for reason in dict.fromkeys(m.reason for m in card if m.reason is not None):
        names = ", ".join(MEASURES[m.name].title for m in card if m.reason == reason)
        yield Paragraph(reason, Tone.FINE, names=names, at=Place.TEXT)
