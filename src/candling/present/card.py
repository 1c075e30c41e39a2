"""The report of one release."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from candling.measures.glossary import THRESHOLDS, at_threshold
from candling.measures.grade import Grade
from candling.present import guarantee, pictures
from candling.present.embedded import embed
from candling.present.lines import (
    LISTED,
    LONGEST_NAME,
    axis_item,
    legend,
    measure_lines,
    pill,
    stated,
)
from candling.present.markup import Child, Html, coded, cut, join, name_code, tag, verbatim
from candling.present.names import name_of
from candling.present.numbers import amount, number, shown, span
from candling.present.page import facts, page, paragraphs, section, table
from candling.present.pictures import Mark
from candling.present.scale import make_scale
from candling.present.spending import Spending, spending_of

if TYPE_CHECKING:
    from candling.card import Card
    from candling.measures.shown import Shown

_ABOUT = {"lower_bound": "At most about ", "cover": "At least about "}  # of the rows can stay
LOOSE = {
    "lower_bound": "The repair number is a lower bound, and the smallest repair may be twice as "
    "large: the interval allows for that.",
    "cover": "The repair number is that of a cover, and the smallest repair may be half as large: "
    "the interval allows for that.",
}
_LONGEST_RULES = 250_000  # characters of all rules together: the page stays below 1 MB
_ONE_DRAW = (
    "The noise of these numbers was drawn together, so no part of the epsilon belongs to one of "
    "them. With fewer numbers the same epsilon would have given a little less noise to each."
)
_KEEP = "Keep the JSON of this release: `candling ledger verify` checks the ledger by it."
_CHECKED = (
    "`candling verify` tells whether this page is as it was made. Take the key from the owner of "
    "the ledger and not from here: whoever forges a page signs it with a key of their own."
)
_CUT = "Cut to fit on this page. SHA-256 of all rules, one a line: "


def card_page(card: Card) -> str:
    """The page for a release."""
    title, heading = "Data quality scorecard", join("Data quality scorecard")
    if card.dataset:
        title = f"Data quality of {cut(card.dataset, 60)}"
        heading = join("Data quality of ", verbatim(card.dataset, 200))
    words = [
        f"Under {_count(len(card.about.rules), 'rule')}",
        f"epsilon {amount(float(card.epsilon))}",
        _moment(card.about.time),
    ]
    return page(
        title,
        heading,
        " · ".join(words),
        _grade(card),
        _measures(card),
        _rules_bars(card),
        _spent(card),
        _person(card),
        _method(card),
        _rules(card),
        _receipt(card),
        embedded=embed(card),
    )


# The grade


def _grade(card: Card) -> Html:
    return tag(
        "section",
        pictures.gauge(card.grade),
        tag("div", tag("h2", "Grade", id="grade"), *_graded(card, card.grade)),
        class_="cd-section cd-hero",
        aria_labelledby="grade",
    )


def _graded(card: Card, grade: Grade) -> Iterator[Html]:
    if grade.value is None:
        yield tag("p", "It cannot be given.", class_="cd-lead")
        yield tag("p", coded(grade.words))
        return
    kind = str(card.measures["repair"].extra.get("kind")) if "repair" in card.measures else ""
    yield tag(
        "p",
        _ABOUT.get(kind, "About "),
        tag("strong", grade.shown),
        " of the rows can stay if as few as possible are deleted until every rule holds.",
        class_="cd-lead",
    )
    yield tag("p", "Grade ", tag("strong", grade.shown), f" ({grade.words})")
    if kind in LOOSE:
        yield tag("p", LOOSE[kind], class_="cd-fine")
    yield tag(
        "p",
        "1 − repair/rows. The whole shell of the egg would be 100%; it is drawn full up to the "
        "lower bound, thin up to the upper one, and crossed at the value.",
        class_="cd-fine",
    )


# The measures


def _measures(card: Card) -> Html | None:
    if not card.measures:
        return None
    readings = list(card.measures.values())
    return section(
        "measures",
        "Measures",
        tag(
            "p",
            "Noisy values with 95% intervals. Of all but the rows, fewer is better.",
            class_="cd-fine",
        ),
        measure_lines(readings),
        legend(readings),
        tag("h3", "The numbers"),
        _numbers(card),
        tag("h3", "How to read them"),
        facts([(name_of(r.name), tag("div", *_notes(r))) for r in readings]),
    )


def _numbers(card: Card) -> Html:
    priced = spending_of(card).measure_by_measure
    rows: list[tuple[Child, ...]] = []
    for r in card.measures.values():
        if r.name == "worst_rule":
            continue
        low, high = r.interval()
        bounds = "–" if low is None and high is None else span(low, high)
        bounds = "as stated" if stated(r) else bounds
        cost = (amount(float(r.epsilon or 0)),) if priced else ()
        rows.append((name_code(r.name), shown(r.value), bounds, *cost))
    return table(
        "Released values with their intervals",
        ("Measure", "Value", "95% interval", *(("Epsilon",) if priced else ())),
        rows,
    )


def _notes(reading: Shown) -> Iterator[Html]:
    yield tag("p", coded(reading.note))
    if reading.reason:
        yield tag("p", coded(cut(reading.reason, 4000)), class_="cd-reason")
    threshold = reading.extra.get("threshold")
    if reading.name in THRESHOLDS and isinstance(threshold, int):
        yield tag("p", at_threshold(reading.name, threshold))


# The rules


def _rules_bars(card: Card) -> Html | None:
    if not card.by_rule:
        return None
    worst = card.measures.get("worst_rule")
    numbered = {r.name: number for number, r in enumerate(card.by_rule, 1)}
    # the length of a bar is what it says, so a log scale only where it must be
    scale = make_scale((v for r in card.by_rule for v in (number(r), r.interval()[1])), wide=2000)
    listed = sorted(card.by_rule, key=lambda r: -(number(r) or 0.0))
    lines = [
        tag(
            "li",
            tag(
                "span",
                tag("span", f"{numbered[r.name]}", class_="cd-tag"),
                tag("code", verbatim(r.name, LONGEST_NAME)),
                _worst_pill(r, worst),
                class_="cd-rule",
            ),
            pictures.bar(
                Mark(number(r), *r.interval()),
                scale,
                f"Rule {numbered[r.name]}: {shown(r.value)}, {span(*r.interval())}",
            ),
            tag("span", shown(r.value), class_="cd-value"),
            tag("span", span(*r.interval()), class_="cd-words"),
        )
        for r in listed[:LISTED]
    ]
    more = len(listed) - len(lines)
    lines.append(axis_item(scale, "rows"))
    return section(
        "by-rule",
        "Rule by rule",
        tag(
            "p",
            "Rows that must go for each rule alone, most first. The thin line is the 95% interval; "
            "where two of them overlap widely, noise may have turned the order around.",
            class_="cd-fine",
        ),
        tag("ol", *lines, class_="cd-bars"),
        tag("p", f"{_count(more, 'rule')} with smaller values are not drawn.")
        if more > 0
        else None,
    )


def _worst_pill(reading: Shown, worst: Shown | None) -> Html | None:
    if worst is None or worst.value != reading.name:
        return None
    return pill("yes", "▲ chosen as the worst")


def _rules(card: Card) -> Html:
    rules = card.about.rules
    if not rules:
        return section("rules", "The rules", tag("p", "No rule that can be broken."))
    room = _LONGEST_RULES // len(rules)
    items = (tag("li", tag("code", verbatim(rule, room))) for rule in rules[:5000])
    cut = len(rules) > 5000 or any(len(rule) > room for rule in rules)
    digest = hashlib.sha256("\n".join(rules).encode("utf-8", "surrogatepass")).hexdigest()
    return section(
        "rules",
        "The rules",
        tag("p", "Public: they were given with the request.", class_="cd-fine"),
        tag("ol", items, class_="cd-rules"),
        tag("p", _CUT, tag("code", digest), class_="cd-fine") if cut else None,
    )


# The budget


def _spent(card: Card) -> Html:
    spending = spending_of(card)
    return section(
        "spent",
        "What was spent",
        tag(
            "p",
            "Epsilon ",
            tag("strong", amount(float(card.epsilon))),
            f"{spending.words}." if card.epsilon else ": nothing was spent.",
            class_="cd-lead",
        ),
        tag("p", _ONE_DRAW, class_="cd-fine") if len(spending.draw) > 1 else None,
        *_shares(spending),
        *_free(card),
        *_left(card),
    )


def _shares(spending: Spending) -> Iterator[Html]:
    """The parts of the epsilon, where there is more than one."""
    paid = [(name_of(name), epsilon) for name, epsilon in spending.alone.items()]
    if spending.draw:
        head = "One draw: " if len(spending.draw) > 1 else ""
        paid.insert(0, (head + ", ".join(map(name_of, spending.draw)), spending.of_draw))
    if len(paid) < 2:
        return
    label = "Epsilon by part: " + "; ".join(f"{name} {amount(e)}" for name, e in paid)
    colours = [f"cd-c{i % 8}" for i in range(len(paid))]
    rows: list[tuple[Child, ...]] = [
        (
            join(tag("span", str(i), class_=f"cd-tag {colour}"), name),
            amount(epsilon),
            f"{epsilon / spending.epsilon:.0%}",
        )
        for i, ((name, epsilon), colour) in enumerate(zip(paid, colours, strict=True), 1)
    ]
    yield pictures.stack([(e, c) for (_, e), c in zip(paid, colours, strict=True)], label)
    yield table("Epsilon by part", ("Spent on", "Epsilon", "Share"), rows)


def _free(card: Card) -> Iterator[Html]:
    free = [r for r in card.measures.values() if r.epsilon == 0]
    for words, names in (
        ("At no cost: ", [r.name for r in free if r.value is not None]),
        ("Not released, and nothing spent: ", [r.name for r in free if r.value is None]),
    ):
        if names:
            yield tag("p", words, tag("code", ", ".join(names)), ".", class_="cd-fine")


def _left(card: Card) -> Iterator[Html]:
    receipt = card.receipt
    if receipt is None:
        yield tag("p", "No ledger was given: nobody keeps count of what is spent on this table.")
        return
    limit, charged, remaining = map(float, (receipt.limit, receipt.charged, receipt.remaining))
    before = max(0.0, float(receipt.spent - receipt.charged))
    yield tag("h3", "What is left")
    yield tag(
        "p",
        tag("strong", amount(remaining)),
        f" of {amount(limit)} was left afterwards",
        " of the budget of ",
        verbatim(receipt.dataset, 200),
        ".",
    )
    shares = [(before, "cd-before"), (charged, "cd-now"), (remaining, "cd-left")]
    words = (("before", before), ("this release", charged), ("left", remaining))
    label = "Budget: " + ", ".join(f"{name} {amount(share)}" for name, share in words)
    yield pictures.stack(shares, label)
    legend = (
        tag("li", tag("span", str(i), class_=f"cd-tag {kind}"), f"{name} {amount(share)}")
        for i, ((name, share), (_, kind)) in enumerate(zip(words, shares, strict=True), 1)
    )
    yield tag("ul", legend, class_="cd-legend")
    if receipt.repeated:
        yield tag("p", "This is a stored result, shown again at no cost.", class_="cd-fine")


# What it means, and how it was made


def _person(card: Card) -> Html:
    told = list(guarantee.sentences(card))
    beliefs: list[tuple[Child, ...]] = list(guarantee.examples(card)) if card.epsilon else []
    head = ("How sure before", "At least, after", "At most, after")
    shown_table = (
        table("How far a guess can move", head, beliefs, hidden=False) if beliefs else None
    )
    return section(
        "person",
        "If you are in the table",
        tag("p", told[0], class_="cd-lead" if len(told) > 1 else None),
        shown_table,
        *paragraphs(told[1:]),
    )


def _method(card: Card) -> Html:
    about = card.about
    pairs: list[tuple[str, Child]] = [
        ("Guarantee", "epsilon-differential privacy (pure), for tables that differ in one person"),
        ("Epsilon", amount(float(card.epsilon))),
        ("Rows per person", f"{card.rows_per_person:,} at most"),
        ("Measures asked for", ", ".join(about.measures)),
        ("Method", _mono(about.method)),
        ("Rows as stated", "not stated" if about.public_rows is None else shown(about.public_rows)),
        ("Most rows as stated", "not stated" if about.max_rows is None else shown(about.max_rows)),
        ("candling", _mono(about.candling)),
        ("Asked for", _mono(_moment(about.time))),
    ]
    return section("method", "How it was made", facts(pairs))


def _receipt(card: Card) -> Html:
    receipt = card.receipt
    if receipt is None:
        return section("receipt", "Receipt", tag("p", "No ledger was used, so there is none."))
    content = receipt.to_dict()
    names = {
        "dataset": "Dataset",
        "request_id": "Request",
        "time": "Time (UTC)",
        "charged": "Charged",
        "ledger": "Ledger",
        "sequence": "Entry",
        "head": "Head",
        "candling": "candling",
    }
    pairs: list[tuple[str, Child]] = [(words, _mono(content[key])) for key, words in names.items()]
    if card.signature is not None:
        pairs.append(("Signed by", _mono(card.signature["key"])))
    return section(
        "receipt",
        "Receipt",
        facts(pairs),
        tag("p", coded(_KEEP if card.signature is None else _CHECKED), class_="cd-fine"),
    )


def _mono(value: object) -> Child:
    return "none" if value is None else tag("span", verbatim(str(value), 500), class_="cd-mono")


def _moment(time: str) -> str:
    """A time of the ledger, to the second."""
    day, _, clock = str(time).partition("T")
    return f"{day} {clock[:8]} UTC" if clock else cut(str(time), 40)


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
