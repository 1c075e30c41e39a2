"""The JSON of releases, without noise, for every output to show."""

from __future__ import annotations

import copy
from typing import Any

from candling.card import Card
from candling.ledger.signing import new_secret
from candling.measures import (
    BY_RULE,
    DRASTIC,
    MAXIMAL_CONSISTENT,
    MINIMAL_INCONSISTENT,
    PROBLEMATIC,
    REPAIR,
    ROWS,
    WORST_RULE,
)
from candling.measures.measure import REFUSED
from candling.measures.thresholded import NO_UPPER_BOUND
from candling.model.card import SCHEMA
from candling.model.number import Grade

DRAWN = ("repair", "rows", "problematic", "minimal_inconsistent")
RULES = ["zip: Zip -> City", "key(Id)", "not(t1.Age < 0)"]
NASTY = (
    "<script>alert('1')</script> & \"quotes\" 🥚 \u202eעברית\u202c \x00\x07 \ud800 ]]> --> {{7*7}}"
)


def measure(value: Any, low: Any, high: Any, note: str, **extra: Any) -> Any:
    """Without an `epsilon` of its own it shares the draw."""
    return {"value": value, "low": low, "high": high, **extra, "note": note}


def drastic(value: int, low: int, detects: int) -> Any:
    extra = {"epsilon": 0.0, "false_alarm": 0.05, "detects_repair_of": detects}
    return measure(value, low, 1, DRASTIC.note.format(detects=detects), **extra)


def grade(value: float, low: float, high: float) -> dict[str, Any]:
    return Grade(value, low, high).to_dict()


def about(**others: Any) -> dict[str, Any]:
    known: dict[str, Any] = {
        "candling": "0.0.0",
        "time": "2026-01-02T03:04:05Z",
        "measures": ["repair", "rows"],
        "public_rows": None,
        "max_rows": None,
        "rules": RULES,
    } | others
    return known | {"rules": [line(text) for text in known["rules"]]}


def line(text: str) -> dict[str, str | None]:
    """A rule as a card has it."""
    label, colon, rule = text.rpartition(": ")
    return {"text": text, "rule": rule, "label": label if colon else None}


def noise(*names: str, rules: int = 0, kind: str = "lower_bound") -> dict[str, Any]:
    """The draws of so many numbers, and the law of their noise."""
    alone: dict[str, Any] = {"sensitivity": 1, "own": 0.0, "jump": 0.1425}
    first = {"value": 250, "step": "1", "level": 0, "threshold": 1, "kind": "exact"} | alone
    cut = {"level": 3, "threshold": 8, "kind": "lower_bound", "own": None, "jump": 0.0}
    kinds: dict[str, dict[str, Any]] = {
        "rows": {"own": 0.01, "value": 10011},
        "repair": {"kind": kind, "step": "1/2" if kind == "lower_bound" else "1"},
        "problematic": cut | {"sensitivity": 9},
        "minimal_inconsistent": cut | {"sensitivity": 8, "step": "1/2"},
        "maximal_consistent": {"step": "1/1024", "sensitivity": 1026},
    }
    draws = {name: [first | kinds[name]] for name in names}
    return {
        "rates": {"right": 0.67, "left": 0.725, "slow_left": 0.395, "rise": 0.275, "fall": 0.44},
        "draws": draws | ({"by_rule": [first] * rules} if rules else {}),
    }


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


def person(*columns: str, rows: int = 4, **others: Any) -> dict[str, Any]:
    """Somebody is: at most so many rows of each are kept."""
    return {"columns": list(columns) or ["patient"], "rows": rows, **others}


PERSONS = {
    "row": row(),
    "promise": row(4),
    "stated": person(),
    "chosen": person("country", "patient", rows=2, epsilon=0.1),
    "unused": row(unused=["patient_id"]),
}


def full() -> dict[str, Any]:
    """What is released if nothing is said, without a ledger."""
    return {
        "schema": SCHEMA,
        "epsilon": 1.0,
        "person": row(),
        "grade": grade(0.9831185695734692, 0.960702875399361, 0.9858907776048),
        "repair": measure(169, 142, 392, REPAIR.notes["lower_bound"], kind="lower_bound"),
        "rows": measure(10011, 9984, 10038, ROWS.note),
        "problematic": measure(
            9971,
            6740,
            10074,
            PROBLEMATIC.note,
            threshold=128,
            per_row={"value": 0.9960043951653181, "low": 0.6690490371252729, "high": 1.0},
        ),
        "minimal_inconsistent": measure(
            69824.5,
            53012,
            3913728,
            MINIMAL_INCONSISTENT.note,
            threshold=1024,
            per_row={"value": 6.974777744481071, "low": 5.262259281318244, "high": 388.5},
        ),
        "drastic": drastic(1, 1, 57),
        "about": about(),
        "noise": noise(*DRAWN),
    }


def refused() -> dict[str, Any]:
    """With a measure that the rules do not allow."""
    reason = "In the way: key(Id)"
    none = measure(None, None, None, REFUSED, epsilon=0.0, reason=reason)
    return full() | {"maximal_consistent": none}


def worst() -> dict[str, Any]:
    """With a worst rule that was paid for by itself."""
    chosen = measure(RULES[1], None, None, WORST_RULE.note, epsilon=0.2)
    return full() | {"worst_rule": chosen}


def charged() -> dict[str, Any]:
    """Rule by rule, with bounds on the rows, from a ledger."""
    card = full() | {"epsilon": 2.0, "person": row(3)}
    card["maximal_consistent"] = measure(31.4, 17.2, 45.6, MAXIMAL_CONSISTENT.note, unit="log2")
    card["worst_rule"] = measure(RULES[1], None, None, WORST_RULE.note, epsilon=0.0)
    card["by_rule"] = [
        {
            "rule": rule,
            **measure(value, value / 2, value * 2, BY_RULE.notes["exact"], kind="exact"),
        }
        for rule, value in zip(RULES, (12, 140, 0), strict=True)
    ]
    card["noise"] = noise(*DRAWN, "maximal_consistent", rules=len(RULES))
    return card | {"about": about(max_rows=100000), "receipt": receipt()}


def one() -> dict[str, Any]:
    """One measure that was refused, and one with no bound at all worth saying."""
    card = refused()
    kept = {name: card[name] for name in ("problematic", "maximal_consistent", "about")}
    kept["problematic"] = measure(
        44,
        0,
        None,
        PROBLEMATIC.note,
        threshold=128,
        reason=NO_UPPER_BOUND,
    )
    missing = Grade(None, reason="it is 1 - repair/rows, and `repair` was not released.").to_dict()
    kept["noise"] = noise("problematic")
    return {"schema": SCHEMA, "epsilon": 0.1, "person": row(), "grade": missing, **kept}


def stated() -> dict[str, Any]:
    """A number of rows that is public, and an exact repair of nothing."""
    card = {key: full()[key] for key in ("schema", "epsilon", "person")}
    card["grade"] = grade(1.0, 0.985, 1.0)
    card["repair"] = measure(0, 0, 3, REPAIR.notes["exact"], kind="exact")
    card["rows"] = measure(200, 200, 200, ROWS.note_as_stated, epsilon=0.0)
    card["drastic"] = drastic(0, 0, 9)
    return card | {"about": about(public_rows=200), "noise": noise("repair", kind="exact")}


def extreme() -> dict[str, Any]:
    """Numbers of 12 digits and more, 40 rules of 300 characters, names that want to be markup."""
    card = copy.deepcopy(charged())
    words = " and ".join(f"t1.Column{i} = t2.Column{i}" for i in range(11))
    rules = [f"rule-{i}: not({words})" for i in range(39)] + [NASTY + "x" * 10_000]
    card["epsilon"] = 12.0
    card["rows"] |= {"value": 123456789012, "low": 123456780000, "high": 123456799999}
    card["minimal_inconsistent"] |= {"value": 4.0e23, "low": 987654321098.5, "high": None}
    card["problematic"] |= {"value": 912345678901, "low": 3, "high": None}
    card["repair"] |= {"value": 23456789012.5, "low": 23456780000, "high": 46913599998}
    card["grade"] = grade(0.8099999985, 0.6199999, 0.81000009)
    card["worst_rule"] |= {"value": rules[-1]}
    part = card["by_rule"][0]
    card["by_rule"] = [
        part | {"rule": rule, "value": 3 * 10 ** (i % 9), "low": 0, "high": 5 * 10 ** (i % 9)}
        for i, rule in enumerate(rules)
    ]
    card["about"] |= {"rules": [line(rule) for rule in rules]}
    card["noise"] = noise(*DRAWN, "maximal_consistent", rules=len(rules))
    card["receipt"] |= dict.fromkeys(("dataset", "people", "request_id", "ledger"), NASTY)
    card["person"] = person(NASTY, "x" * 300, "y", "z", rows=1_000_000, epsilon=1.2)
    card["repair"]["note"] = card["problematic"]["reason"] = NASTY
    return card


def persons() -> dict[str, Any]:
    """Of persons, how many rows of whom are kept being chosen by the release."""
    return full() | {"person": PERSONS["chosen"]}


def unused() -> dict[str, Any]:
    """Of rows, with columns that look like those of persons."""
    return full() | {"person": row(unused=["patient_id", NASTY, "email", "ssn", "user"])}


def judged() -> dict[str, Any]:
    """With what gates said of it."""
    gates = [
        {"gate": "grade < 95%", "outcome": "pass", "low": 0.96, "high": 0.986, "level": 0.95},
        {"gate": "rows > 3", "outcome": "fail", "low": 9984.0, "high": None, "level": 0.95},
    ]
    return charged() | {"person": PERSONS["stated"], "gates": gates}


def signed() -> dict[str, Any]:
    """With a signature, and so with the whole card inside of the page."""
    card = extreme()
    return card | {"signature": new_secret().signature(card)}


CARDS = {
    "full": full,
    "refused": refused,
    "worst": worst,
    "charged": charged,
    "one": one,
    "stated": stated,
    "extreme": extreme,
    "persons": persons,
    "unused": unused,
    "judged": judged,
    "signed": signed,
}


def card(content: object) -> Card:
    """The card in a JSON object."""
    return Card.from_dict(content)
