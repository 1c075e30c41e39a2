"""One release as a page, and small for a notebook."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from candling.measures import MEASURES, Unit, title
from candling.model.number import Number
from candling.present import epsilon
from candling.present.epsilon import Spending, spending_of
from candling.present.html.page import embed, render
from candling.present.html.pictures import (
    Group,
    Line,
    Mark,
    Pill,
    Share,
    arcs,
    make_scale,
    shares,
)
from candling.present.numbers import number, shown, span
from candling.present.persons import CHOOSING, differ, facts, statements
from candling.present.text import stated, threshold_sentence

if TYPE_CHECKING:
    from candling.card import Card
    from candling.person import Person

AXES = ((Unit.ROWS, Unit.CONFLICTS), (Unit.LOG2,))  # units that share an axis
LISTED = 400  # rules that are drawn
_LONGEST_RULES = 250_000  # characters of all rules together: the page stays below 1 MB
_MOST_RULES = 5000


def card_page(card: Card) -> str:
    """The page for a release."""
    return render(
        "card",
        card=card,
        embedded=embed(card),
        arcs=arcs(card.grade),
        groups=measure_groups(card),
        legend=_legend(card),
        stated=stated,
        thresholds={m.name: threshold_sentence(m) for m in card},
        spending=spending_of(card),
        statements=statements(card),
        differ=differ(card.person),
        person=facts(card.person) if card.epsilon else {},
        spent=_spent(spending_of(card)),
        budget=_budget(card),
        guarantee=list(epsilon.sentences(card)),
        beliefs=epsilon.examples(card) if card.epsilon else [],
        moment=_moment(card.about.time),
        **_by_rule(card),
        **_rules(card),
    )


def card_cell(card: Card) -> str:
    """A piece of HTML for a notebook; every rule of its style applies inside of it only."""
    return render(
        "cell",
        card=card,
        groups=measure_groups(card),
        spending=spending_of(card),
        statements=statements(card),
    )


# The measures


def measure_groups(card: Card) -> list[Group]:
    """All measures: counts on one axis, what has another unit below, what is no number last."""
    groups, drawn = [], set()
    for units in AXES:
        measures = [m for m in card if unit_of(m.name) in units and number(m) is not None]
        if measures:
            scale = make_scale(v for m in measures for v in (number(m), *m.interval()))
            words = axis_words(m.name for m in measures)
            groups.append(Group(tuple(_drawn(m, card.person) for m in measures), scale, words))
            drawn |= {m.name for m in measures}
    return [*groups, Group(tuple(_worded(m) for m in card if m.name not in drawn))]


def unit_of(name: str) -> Unit:
    """What a measure counts; a rule counts rows."""
    return MEASURES[name].unit if name in MEASURES else Unit.ROWS


def axis_words(names: Iterable[str]) -> str:
    """What the numbers below an axis count."""
    units = {unit_of(name) for name in names}
    if Unit.LOG2 in units:
        return str(Unit.LOG2)
    return "rows or pairs" if Unit.CONFLICTS in units else "rows"


def meaning_of(name: str, person: Person) -> str | None:
    """What a measure means, where it means something else than in other releases."""
    return "rows of persons that were kept" if name == "rows" and person.columns else None


def _drawn(measure: Number, person: Person) -> Line:
    words = "as stated" if stated(measure) else span(*measure.interval())
    label = f"{title(measure.name)}: {shown(measure.value)}, {words}"
    mark = Mark(number(measure), *measure.interval())
    meaning = meaning_of(measure.name, person)
    return Line(measure.name, shown(measure.value), (mark,), label, (words,), meaning=meaning)


def _worded(measure: Number) -> Line:
    """A measure that is no number: yes or no, a rule, or refused."""
    name = measure.name
    if measure.value is None:
        words = "The rules do not allow it; nothing was spent."
        return Line(name, Pill("none", "not released"), words=(words,))
    if unit_of(name) is Unit.YES_NO and measure.value:
        return Line(name, Pill("yes", "▲ yes"), words=("beyond what noise explains",))
    if unit_of(name) is Unit.YES_NO:
        words = "nothing beyond what noise explains"
        return Line(name, Pill("no", "○ no sign"), words=(words,))
    return Line(name, Pill("yes", "▲ worst"), rule=shown(measure.value))


def _legend(card: Card) -> list[tuple[str, str]]:
    """What the shapes mean; only those that are there."""
    drawn = [
        m.interval() for m in card if number(m) is not None and unit_of(m.name) is not Unit.YES_NO
    ]
    entries = [("dot", "value"), ("bar", "95% interval")] if drawn else []
    if any(low is not None and high is None for low, high in drawn):
        entries.append(("open", "no upper bound"))
    return entries


# The rules


def _by_rule(card: Card) -> dict[str, Any]:
    """The rules that are drawn, the largest first, each with its number in the list of rules."""
    numbered = list(enumerate(card.by_rule, 1))
    largest_first = sorted(numbered, key=lambda pair: -(number(pair[1]) or 0.0))
    # the length of a bar is what it says, so a log scale only where it must be
    values = (v for m in card.by_rule for v in (number(m), m.interval()[1]))
    return {
        "bars": [
            (position, rule, Mark(number(rule), *rule.interval()))
            for position, rule in largest_first[:LISTED]
        ],
        "bars_scale": make_scale(values, wide=2000),
        "bars_left_out": max(0, len(numbered) - LISTED),
        "worst": card.measures["worst_rule"].value if "worst_rule" in card.measures else None,
    }


def _rules(card: Card) -> dict[str, Any]:
    """The texts of the rules as far as there is room, and a digest of all if there is not."""
    rules = [line.text for line in card.about.rules]
    room = _LONGEST_RULES // max(1, len(rules))
    is_cut = len(rules) > _MOST_RULES or any(len(rule) > room for rule in rules)
    digest = hashlib.sha256("\n".join(rules).encode("utf-8", "surrogatepass")).hexdigest()
    return {
        "rules": rules[:_MOST_RULES],
        "rule_room": room,
        "rules_digest": digest if is_cut else None,
    }


# The budget


def _spent(spending: Spending) -> list[Share]:
    """The parts of the epsilon, where there is more than one."""
    paid = [(title(name), part) for name, part in spending.alone.items()]
    if spending.draw:
        head = "One draw: " if len(spending.draw) > 1 else ""
        paid.insert(0, (head + ", ".join(map(title, spending.draw)), spending.of_draw))
    if spending.choosing:
        paid.append((f"To {CHOOSING}", spending.choosing))
    if len(paid) < 2:
        return []
    return shares([(name, part, f"cd-c{i % 8}") for i, (name, part) in enumerate(paid)])


def _budget(card: Card) -> list[Share]:
    """The budget of the ledger: before, this release, left."""
    receipt = card.receipt
    if receipt is None:
        return []
    before = max(0.0, float(receipt.spent - receipt.charged))
    return shares(
        [
            ("before", before, "cd-before"),
            ("this release", float(receipt.charged), "cd-now"),
            ("left", float(receipt.remaining), "cd-left"),
        ]
    )


def _moment(time: str) -> str:
    """A time of the ledger, to the second."""
    day, _, clock = time.partition("T")
    return f"{day} {clock[:8]} UTC" if clock else time
