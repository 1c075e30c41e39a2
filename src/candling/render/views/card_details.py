"""What a page shows of a card in addition: the budget, the protection, how the card was made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from candling.measures import MEASURES, title
from candling.model.card import CardData
from candling.model.receipt import Receipt
from candling.render import epsilon
from candling.render.epsilon import spending_of
from candling.render.pictures import shares
from candling.render.view import (
    Block,
    Facts,
    Fold,
    Listing,
    Note,
    Paragraph,
    Place,
    Stack,
    Table,
    Tone,
)
from candling.render.wording import (
    CHOOSING,
    amount,
    cap,
    cut,
    differ,
    facts,
    guarantee,
    list_words,
    plain,
    statements,
)

_LONGEST_RULES = 250_000  # characters of all rules together: the page stays below 1 MB
_MOST_RULES = 5000
_LONGEST_NAME = 200
_UNRECORDED = "No ledger was given, so this spend is not recorded."


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
        return f"{spent} {_UNRECORDED}" if card.epsilon else spent
    left = f"{float(receipt.remaining):g} of {float(receipt.limit):g}"
    if receipt.repeated:
        return (
            f"This is the stored result of request {receipt.request_id}, shown again at no cost. "
            f"When it was made, {left} was left in the budget of {receipt.payer}."
        )
    return f"{spent} {left} is left in the budget of {receipt.payer}. Request {receipt.request_id}."


def budget_blocks(card: CardData) -> Iterator[Block]:
    """The budget in one sentence; a page adds what is left, and all parts of the epsilon."""
    yield Paragraph(describe_budget(card), Tone.FINE, coded=False, at=Place.TEXT | Place.CELL)
    spent = " was spent." if card.epsilon else ": nothing was spent."
    yield Paragraph(spent, Tone.LEAD, strong=f"Epsilon {amount(card.epsilon)}", at=Place.PAGE)
    yield from _show_rest(card.receipt, spent=bool(card.epsilon))
    parts = list(_show_parts(card))
    if parts:
        yield Fold("What it was spent on", parts)


def _show_parts(card: CardData) -> Iterator[Block]:
    spending = spending_of(card)
    if any(len(names) > 1 for names, _ in spending.draws):
        yield _fine(
            "Numbers that are listed together share one noise and one part of the epsilon, which "
            "cannot be split between them."
        )
    paid = spending.paid
    if spending.choosing:
        paid.append((cap(f"to {CHOOSING}"), spending.choosing))
    if len(paid) > 1:
        coloured = [(name, part, f"cd-c{i % 8}") for i, (name, part) in enumerate(paid)]
        yield Stack("Epsilon by part", shares(coloured))
    free = [m for m in card if m.epsilon == 0]
    for words, listed in (
        ("At no cost", [m for m in free if not m.refused]),
        ("Not released, and nothing spent", [m for m in free if m.refused]),
    ):
        if listed:
            yield _fine(f"{words}: {list_words([MEASURES[m.name].title for m in listed])}")


def _show_rest(receipt: Receipt | None, *, spent: bool) -> Iterator[Block]:
    if receipt is None:
        if spent:
            yield Paragraph(_UNRECORDED, at=Place.PAGE)
        return
    people, dataset = (cut(n, _LONGEST_NAME) for n in (receipt.people, receipt.dataset or ""))
    draws = "" if dataset in ("", people) else f", which {dataset} draws on"
    left = f"of {amount(receipt.limit)} is left in the budget of {people}{draws}."
    yield Paragraph(left, strong=amount(receipt.remaining), coded=False, at=Place.PAGE)
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


# The protection


def protection_blocks(card: CardData) -> Iterator[Block]:
    """Whose rows are protected, and what a person in the table risks."""
    lead, *others = epsilon.sentences(card)
    if not card.epsilon:
        yield Paragraph(lead, at=Place.PAGE)
        return
    told, *doubts = statements(card)
    yield Paragraph(told, Tone.FINE, coded=False, at=Place.TEXT | Place.CELL)
    yield Paragraph(lead, Tone.LEAD, at=Place.PAGE)
    for doubt in doubts:
        yield Note(doubt, "Warning")
    yield Paragraph(guarantee(card.person), coded=False, at=Place.PAGE)
    beliefs = Table(
        ("suspicion before", "after, at least", "after, at most"),
        epsilon.examples(card),
        numbers=(1, 2),
        code=None,
        caption="How far a suspicion can move",
    )
    yield Fold("What this means", [beliefs, *(Paragraph(words, coded=False) for words in others)])


# How it was made


def method_blocks(card: CardData) -> Iterator[Block]:
    """The request, its rules, and the receipt."""
    yield Fold("The release", [Facts(list(_method(card)))])
    yield Fold("The rules", list(_rules(card)))
    yield Fold("The receipt", list(_receipt(card)))


def _method(card: CardData) -> Iterator[tuple[str, list[str]]]:
    about = card.about
    differing = f"tables that differ in {differ(card.person)}"
    yield "Guarantee", [f"epsilon-differential privacy (pure), for {differing}"]
    yield "Epsilon", [amount(card.epsilon)]
    if card.epsilon:
        for name, fact in facts(card.person).items():
            yield name, [fact]
    yield "Measures asked for", [", ".join(map(title, about.measures))]
    for stated, rows in (
        ("Declared number of rows", about.public_rows),
        ("Declared maximum of rows", about.max_rows),
    ):
        yield stated, ["none" if rows is None else plain(rows)]
    yield "candling", [about.candling]
    yield "Asked for", [format_moment(about.time)]


def _rules(card: CardData) -> Iterator[Block]:
    """The texts of the rules as far as there is room, and a digest of all if there is not."""
    rules = [line.text for line in card.about.rules]
    if not rules:
        yield Paragraph("No rule can be broken.", at=Place.PAGE)
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
        yield Paragraph("This release has no receipt because no ledger was used.", at=Place.PAGE)
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
            "Keep the JSON of this release: `candling ledger verify` uses it to check the ledger."
        )
    else:
        yield _fine(
            "`candling verify` checks that this page is unchanged. Take the key from the owner of "
            "the ledger, not from this page: a forged page would show another key."
        )


def _fine(text: str) -> Paragraph:
    return Paragraph(text, Tone.FINE, at=Place.PAGE)
