"""The JSON of releases of given noisy numbers, for every output to show."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from candling.card import Card
from candling.gates import judge, parse_gate
from candling.ledger.signing import new_secret
from candling.model.person import Person
from candling.model.relations import RuleFacts
from tests import drawn_cards
from tests.drawn_cards import drawn_card, noisy, of_persons

MIXED = RuleFacts()  # rules on rows, and on pairs
RULES = ["zip: Zip -> City", "key(Id)", "not(t1.Age < 0)"]
DEFAULT = ("repair", "rows", "drastic")
NASTY = (
    "<script>alert('1')</script> & \"quotes\" 🥚 \u202eעברית\u202c \x00\x07 \ud800 ]]> --> {{7*7}}"
)


def about(**others: Any) -> dict[str, Any]:
    known: dict[str, Any] = {
        "candling": "0.0.0",
        "time": "2026-01-02T03:04:05Z",
        "measures": list(DEFAULT),
        "public_rows": None,
        "max_rows": None,
        "rules": RULES,
        "rule_facts": {"rows": True, "pairs": True, "keys": None},
    } | others
    return known | {"rules": [line(text) for text in known["rules"]]}


def line(text: str) -> dict[str, Any]:
    """A rule as the JSON of a card has it."""
    return drawn_cards.line(text).to_dict()


def content(*measures: str, **numbers: Any) -> dict[str, Any]:
    """The JSON of a card of these numbers."""
    options: dict[str, Any] = {"rules": RULES, "facts": MIXED}
    return drawn_card(measures or None, **options | numbers).to_dict()


def receipt(**others: Any) -> dict[str, Any]:
    return {
        "ledger": "5f2c8a34-0000-4000-8000-000000000000",
        "sequence": 6,
        "head": "ee05bef5fa8bf5b22d18606406215627" * 2,
        "time": "2026-01-02T03:04:05.678901Z",
        "kind": "stored",
        "dataset": "visits",
        "people": "patients",
        "request_id": "2026-q1",
        "charged": 2.0,
        "limit": 5.0,
        "spent": 2.7,
        "remaining": 2.3,
        "repeated": False,
        "candling": "0.0.0",
    } | others


def row(rows: int = 1, **others: Any) -> dict[str, Any]:
    """Nobody is named by a column: what the owner says of persons."""
    return {"columns": [], "rows": rows, **others}


def person(*columns: str, rows: int | None = 4, **others: Any) -> dict[str, Any]:
    """Somebody is: the grade counts at most so many rows of each."""
    return {"columns": list(columns) or ["patient"], "rows": rows, **others}


def of_person(content: dict[str, Any], whose: dict[str, Any]) -> dict[str, Any]:
    """The card of the same numbers for these persons, with the receipt that it had."""
    if not whose["columns"]:
        return content | {"person": whose}
    cost = Fraction(str(whose["epsilon"])) if "epsilon" in whose else None
    person = Person(tuple(whose["columns"]), whose["rows"], cost)
    others = {name: content[name] for name in ("receipt",) if name in content}
    return of_persons(Card.from_dict(content), person).to_dict() | others


PERSONS = {
    "row": row(),
    "promise": row(4),
    "stated": person(),
    "chosen": person("country", "patient", rows=2, epsilon=0.1),
    "unused": row(unused=["patient_id"]),
}


_ALL = ("repair", "rows", "problematic", "minimal_inconsistent", "drastic")
_CUT = "lower_bound"


def _numbers() -> dict[str, Any]:
    return {
        "repair": noisy(160, kind=_CUT),
        "rows": noisy(10_000, 1.5),
        "problematic": noisy(9_900, 60, kind=_CUT, threshold=64),
        "minimal_inconsistent": noisy(69_000, 900, kind=_CUT, threshold=1024, step=Fraction(1, 2)),
    }


def full(**others: Any) -> dict[str, Any]:
    """All measures that are not asked for by name, without a ledger."""
    return content(*_ALL, **_numbers() | others)


def small(**others: Any) -> dict[str, Any]:
    """What is released if nothing is said, under rules that allow the exact repair."""
    return content(*DEFAULT, **{"repair": noisy(160), "rows": noisy(10_000, 1.5)} | others)


def hidden() -> dict[str, Any]:
    """A table that is hidden by the noise."""
    return small(repair=noisy(0, kind=_CUT), rows=noisy(1, 1.5))


def refused() -> dict[str, Any]:
    """With a measure that the rules do not allow."""
    reason = {"maximal_consistent": "In the way: key(Id)"}
    return content(*_ALL, "maximal_consistent", **_numbers(), refused=reason)


def worst() -> dict[str, Any]:
    """With a worst rule that was paid for by itself."""
    return content(*_ALL, "worst_rule", **_numbers(), chosen=RULES[1])


def charged(**others: Any) -> dict[str, Any]:
    """Rule by rule, with a bound of the rows, from a ledger."""
    numbers = _numbers() | {
        "maximal_consistent": noisy(31, 1.0, step=Fraction(1, 2**16)),
        "by_rule": [noisy(value, 2.0) for value in (12, 140, 0)],
    }
    options = {"max_rows": 100_000, "epsilon": Fraction(2)}
    names = (*_ALL, "maximal_consistent", "worst_rule", "by_rule")
    card = content(*names, **numbers | options | others)
    return card | {"person": row(3), "receipt": receipt()}


def one() -> dict[str, Any]:
    """One measure that was refused, and one with no bound at all worth saying."""
    return content(
        "problematic",
        "maximal_consistent",
        problematic=noisy(44, 60, kind=_CUT, threshold=64),
        refused={"maximal_consistent": "In the way: key(Id)"},
        epsilon=Fraction(1, 10),
    )


def stated() -> dict[str, Any]:
    """A number of rows that is public, and an exact repair of about nothing."""
    return content(*DEFAULT, repair=noisy(0), public_rows=200)


def public() -> dict[str, Any]:
    """Nothing that was computed from rows."""
    return content("rows", public_rows=200, epsilon=Fraction(0))


def extreme() -> dict[str, Any]:
    """Numbers of 12 digits and more, 40 rules of 300 characters, names that want to be markup."""
    words = " and ".join(f"t1.Column{i} = t2.Column{i}" for i in range(11))
    rules = [f"rule-{i}: not({words})" for i in range(39)] + [NASTY + "x" * 10_000]
    card = charged(
        rules=rules,
        epsilon=Fraction(12),
        rows=noisy(123_456_789_012, 10**6),
        repair=noisy(23_456_789_012, 10**6, kind=_CUT),
        problematic=noisy(91_234_567_890, 10**10, kind=_CUT, threshold=64),
        minimal_inconsistent=noisy(10**16, 10**12, kind=_CUT, threshold=1024),
        by_rule=[noisy(3 * 10 ** (i % 9), 10 ** (i % 9)) for i in range(39)]
        + [noisy(10**10, 10**9)],
        max_rows=None,
    )
    card["receipt"] |= dict.fromkeys(("dataset", "people", "request_id", "ledger"), NASTY)
    card = of_person(card, person(NASTY, "x" * 300, "y", "z", rows=1_000_000, epsilon=1.2))
    card["repair"]["note"] = NASTY
    return card


def persons() -> dict[str, Any]:
    """Of persons, how many rows of whom are kept being chosen by the release."""
    return of_person(full(), PERSONS["chosen"])


def unused() -> dict[str, Any]:
    """Of rows, with columns that look like those of persons."""
    return full() | {"person": row(unused=["patient_id", NASTY, "email", "ssn", "user"])}


def judged() -> dict[str, Any]:
    """With what gates said of it, of each kind."""
    judged = of_person(charged(), PERSONS["stated"])
    gates = ("grade < 95%", "rows > 3", "repair > 200")
    return judged | {"gates": [judge(parse_gate(gate), card(judged)).to_dict() for gate in gates]}


def signed() -> dict[str, Any]:
    """With a signature, and so with the whole card in the page."""
    content = extreme()
    return content | {"signature": new_secret().signature(content)}


CARDS = {
    "full": full,
    "small": small,
    "hidden": hidden,
    "refused": refused,
    "worst": worst,
    "charged": charged,
    "one": one,
    "stated": stated,
    "public": public,
    "extreme": extreme,
    "persons": persons,
    "unused": unused,
    "judged": judged,
    "signed": signed,
}


def card(content: object) -> Card:
    """The card in a JSON object."""
    return Card.from_dict(content)
