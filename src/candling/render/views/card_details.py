"""What a page shows of a card in addition: the budget, the protection, how the card was made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from candling.measures import MEASURES
from candling.model.card import CardData
from candling.model.receipt import Receipt
from candling.render import epsilon
from candling.render.epsilon import Spending, spending_of
from candling.render.pictures import Share, shares
from candling.render.view import (
    Block,
    Facts,
    Heading,
    Listing,
    Paragraph,
    Place,
    Section,
    Stack,
    Table,
    Tone,
)
from candling.render.wording import CHOOSING, amount, cut, differ, facts, plain

_LONGEST_RULES = 250_000  # characters of all rules together: the page stays below 1 MB
_MOST_RULES = 5000
_LONGEST_NAME = 200


def view_details(card: CardData) -> Iterator[Section]:
    """How the card was made, its rules, and its receipt."""
    yield Section("method", "How it was made", [Facts(list(_method(card)))])
    yield Section("rules", "The rules", list(_rules(card)))
    yield Section("receipt", "Receipt", list(_receipt(card)))


def format_moment(time: str) -> str:
    """A time of the ledger, to the second."""
    day, _, clock = time.partition("T")
    return cut(f"{day} {clock[:8]} UTC" if clock else time, 40)


# What was spent


def describe_budget(card: CardData) -> str:
    """What was spent, and what is left if a ledger keeps count."""
    receipt = card.receipt
    spent = f"Epsilon {float(card.epsilon):g} was spent{spending_of(card).words}."
    if not card.epsilon:
        spent = "Nothing was spent: no number was computed from the rows."
    if receipt is None:
        unrecorded = " No ledger was given, so this spend is not recorded."
        return spent + (unrecorded if card.epsilon else "")
    left = f"{float(receipt.remaining):g} of {float(receipt.limit):g}"
    if receipt.repeated:
        return (
            f"This is the stored result of request {receipt.request_id}: nothing was spent on it "
            f"now. When it was made, {left} was left of {receipt.payer}."
        )
    return f"{spent} Of {receipt.payer}, {left} is left. Request {receipt.request_id}."


def budget_blocks(card: CardData) -> Iterator[Block]:
    """The budget in one sentence, or with all its parts on a page."""
    yield Paragraph(describe_budget(card), Tone.FINE, coded=False, at=Place.TEXT | Place.CELL)
    spending = spending_of(card)
    words = f"{spending.words}." if card.epsilon else ": nothing was spent."
    yield Paragraph(words, Tone.LEAD, strong=f"Epsilon {amount(card.epsilon)}", at=Place.PAGE)
    if any(len(names) > 1 for names, _ in spending.draws):
        yield _fine(
            "The noise of numbers in one draw is drawn together, so no part of the epsilon belongs "
            "to one of them."
        )
    parts = _parts(spending)
    if parts:
        yield Stack("Epsilon by part", parts)
    free = [m for m in card if m.epsilon == 0]
    derived = ", ".join(m.name for m in free if not m.refused)
    refused = ", ".join(m.name for m in free if m.refused)
    if derived:
        yield _fine(f"At no cost: `{derived}`.")
    if refused:
        yield _fine(f"Not released, and nothing spent: `{refused}`.")
    yield from _show_rest(card.receipt)


def _show_rest(receipt: Receipt | None) -> Iterator[Block]:
    if receipt is None:
        yield Paragraph("No ledger was given, so this spend is not recorded.", at=Place.PAGE)
        return
    yield Heading("What is left")
    people, dataset = (cut(n, _LONGEST_NAME) for n in (receipt.people, receipt.dataset or ""))
    draws = "" if dataset in ("", people) else f", on which {dataset} draws"
    left = f"of {amount(receipt.limit)} was left afterwards of the budget of {people}{draws}."
    yield Paragraph(left, strong=amount(receipt.remaining), at=Place.PAGE)
    before = max(0.0, float(receipt.spent - receipt.charged))
    parts = shares(
        [
            ("before", before, "cd-before"),
            ("this release", float(receipt.charged), "cd-now"),
            ("left", float(receipt.remaining), "cd-left"),
        ]
    )
    yield Stack("Budget", parts, legend=True)
    if receipt.repeated:
        yield _fine("This is a stored result, shown again at no cost.")


def _parts(spending: Spending) -> list[Share]:
    """The parts of the epsilon, where there is more than one."""
    paid = [(MEASURES[name].title, part) for name, part in spending.alone.items()]
    for names, part in reversed(spending.draws):
        head = "One draw: " if len(names) > 1 else ""
        paid.insert(0, (head + ", ".join(MEASURES[name].title for name in names), part))
    if spending.choosing:
        paid.append((f"To {CHOOSING}", spending.choosing))
    if len(paid) < 2:
        return []
    return shares([(name, part, f"cd-c{i % 8}") for i, (name, part) in enumerate(paid)])


# The protection


def protection_blocks(card: CardData) -> Iterator[Block]:
    """What the epsilon means for a person in the table."""
    lead, *others = epsilon.sentences(card)
    yield Paragraph(lead, Tone.LEAD if others else Tone.PLAIN, at=Place.PAGE)
    if card.epsilon:
        yield Table(
            ("how sure before", "at least, after", "at most, after"),
            epsilon.examples(card),
            numbers=(1, 2),
            code=None,
            caption="How far a guess can move",
            at=Place.PAGE,
        )
    for sentence in others:
        yield Paragraph(sentence, at=Place.PAGE)


# How it was made


def _method(card: CardData) -> Iterator[tuple[str, list[str]]]:
    about = card.about
    differing = f"tables that differ in {differ(card.person)}"
    yield "Guarantee", [f"epsilon-differential privacy (pure), for {differing}"]
    yield "Epsilon", [amount(card.epsilon)]
    if card.epsilon:
        for name, fact in facts(card.person).items():
            yield name, [fact]
    yield "Measures asked for", [", ".join(about.measures)]
    for title, rows in (("Rows", about.public_rows), ("Most rows", about.max_rows)):
        yield f"{title} as stated", ["not stated" if rows is None else plain(rows)]
    yield "candling", [about.candling]
    yield "Asked for", [format_moment(about.time)]


def _rules(card: CardData) -> Iterator[Block]:
    """The texts of the rules as far as there is room, and a digest of all if there is not."""
    rules = [line.text for line in card.about.rules]
    if not rules:
        yield Paragraph("No rule that can be broken.", at=Place.PAGE)
        return
    yield _fine("Public: they were given with the request.")
    room = _LONGEST_RULES // len(rules)
    yield Listing(rules[:_MOST_RULES], room)
    if len(rules) > _MOST_RULES or any(len(rule) > room for rule in rules):
        digest = hashlib.sha256("\n".join(rules).encode("utf-8", "surrogatepass")).hexdigest()
        yield _fine(f"Cut to fit on this page. SHA-256 of all rules, one a line: `{digest}`")


def _receipt(card: CardData) -> Iterator[Block]:
    receipt = card.receipt
    if receipt is None:
        yield Paragraph("No ledger was used, so there is no receipt.", at=Place.PAGE)
        return
    listed = {
        "Dataset": receipt.dataset,
        "People": receipt.people,
        "Request": receipt.request_id,
        "Time (UTC)": receipt.time,
        "Charged": float(receipt.charged),
        "Ledger": receipt.ledger,
        "Entry": receipt.sequence,
        "Head": receipt.head,
        "candling": receipt.candling,
    }
    if card.signature is not None:
        listed["Signed by"] = card.signature["key"]
    items = [(name, ["none" if fact is None else str(fact)]) for name, fact in listed.items()]
    yield Facts(items, code=True)
    if card.signature is None:
        yield _fine(
            "Keep the JSON of this release: `candling ledger verify` checks the ledger by it."
        )
    else:
        yield _fine(
            "`candling verify` tells whether this page is as it was made. Take the key from the "
            "owner of the ledger and not from here: whoever forges a page signs it with another "
            "key."
        )


def _fine(text: str) -> Paragraph:
    return Paragraph(text, Tone.FINE, at=Place.PAGE)
