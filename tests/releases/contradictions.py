"""Finds statements of a card that cannot be true together, or that are not true of its table.

It reads the JSON of a card and the relations of docs/privacy.md, Theorem 15, and shares no code
with what makes cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Ends = tuple[int, int | None]
COUNTS = ("rows", "repair", "problematic", "minimal_inconsistent")
ROUNDING = Fraction(1, 10**9)  # of shares, which a card holds with 12 digits


@dataclass(frozen=True)
class Truth:
    """What is true of a table."""

    rows: int
    repair: int  # the smallest
    problematic: int
    minimal_inconsistent: int
    by_rule: tuple[int, ...] = ()
    sample: tuple[int, int] | None = None  # rows and repair of the sample that the grade is about

    @property
    def grade(self) -> Fraction:
        rows, repair = self.sample or (self.rows, self.repair)
        return 1 - Fraction(repair, rows or 1)

    def per_row(self, name: str) -> Fraction:
        return Fraction(getattr(self, name), self.rows or 1)


def most_conflicts(repair: int, rows: int) -> int:
    """Of so many rows."""
    return max(repair, repair * rows - repair * (repair + 1) // 2)


def find_contradictions(card: Mapping[str, Any]) -> list[str]:
    """All that cannot be true together."""
    return [what for what, fine in _statements(card) if not fine]


def _statements(card: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Pairs of statements, and whether both can be true."""
    yield from _intervals(card)
    yield from _estimates(card)
    yield from _yes_or_no(card)
    yield from _shares(card)
    yield from _rules(card)


def _of_persons(card: Mapping[str, Any]) -> bool:
    return bool(card["person"]["columns"])


def _ends(card: Mapping[str, Any]) -> dict[str, Ends]:
    return {
        name: (card[name]["low"], card[name]["high"])
        for name in COUNTS
        if card.get(name, {}).get("estimate") is not None
    }


def _at_most(one: float | None, two: float | None) -> bool:
    """Whether the one is no larger; None is no bound."""
    return two is None or (one is not None and one <= two)


def _intervals(card: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    ends, facts = _ends(card), card["about"]["rule_facts"]
    for name, (low, high) in ends.items():
        yield f"{name}: low > high", _at_most(low, high)
        yield f"{name}: not whole", {type(low), type(high)} <= {int, type(None)}
    n, r, p, m = (ends.get(name) for name in COUNTS)
    pairs: list[tuple[str, Ends | None, str, Ends | None]] = [
        ("repair", r, "rows", n), ("problematic", p, "rows", n),
        ("repair", r, "problematic", p), ("repair", r, "conflicts", m),
    ]  # fmt: skip
    for one, less, two, more in pairs:
        if less is not None and more is not None:
            yield f"{one}.low > {two}.low", less[0] <= more[0]
            yield f"{one}.high > {two}.high", _at_most(less[1], more[1])
            if two != "rows":
                yield f"{one}, {two}: one starts at 0", (less[0] > 0) == (more[0] > 0)
    if m and r and n and m[1] is not None and r[1] is not None and n[1] is not None:
        yield "conflicts.high > C(r, n)", m[1] <= most_conflicts(r[1], n[1])
    if p and m and r and r[1] is not None:
        yield "conflicts.low < problematic.low - repair.high", m[0] >= p[0] - r[1]
    if not facts["pairs"]:
        both = [own for own in (r, p, m) if own]
        yield "the rules say that these are one number", len(set(both)) <= 1
    if facts["keys"] and p and r and p[1] is not None and r[1] is not None:
        yield "problematic.high above what keys allow", p[1] <= (facts["keys"] + 1) * r[1]


def _estimates(card: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    estimates = {name: card[name]["estimate"] for name in _ends(card)}
    numbers = [card[name] for name in estimates] + list(card.get("by_rule", []))
    for number in [*numbers, card["grade"]]:
        low, high, estimate = number["low"], number["high"], number["estimate"]
        if estimate is not None:
            yield (
                "an estimate outside of its interval",
                low <= estimate and _at_most(estimate, high),
            )
        yield "a value that is not the estimate", number["value"] in (None, estimate)
    n, r, p, m = (estimates.get(name) for name in COUNTS)
    if r is not None and n is not None:
        yield "estimates: repair > rows", r <= n
    if p is not None:
        yield "estimates: problematic", (r or 0) <= p and _at_most(p, n)
    if m is not None and r is not None and p is not None:
        yield "estimates: too few conflicts", m >= max(r, p - r)
        yield "estimates: too many conflicts", m <= most_conflicts(r, p)


def _yes_or_no(card: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    if "drastic" not in card:
        return
    drastic, grade = card["drastic"], card["grade"]
    sure = {(1, 1): 1, (0, 0): 0, (0, 1): None}[drastic["low"], drastic["high"]]
    yield "drastic: a value that is not its interval", drastic["value"] == sure
    for name, (low, high) in _ends(card).items():
        if name == "rows":
            continue
        yield f"drastic, {name}: is a rule broken?", (low > 0) == (drastic["low"] == 1)
        yield f"drastic, {name}: can one be?", (high == 0) == (drastic["high"] == 0)
    if grade["high"] is not None and not _of_persons(card):
        # Of very many rows, a grade just below 100% is rounded to it.
        below = grade["high"] < 1 or card["rows"]["high"] > 10**11
        yield "drastic, grade", below if drastic["low"] else grade["high"] == 1


def _shares(card: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    ends, grade = _ends(card), card["grade"]
    if grade["low"] is None:
        return
    (least, most), (low, high) = ends["rows"], ends["repair"]
    if _of_persons(card):  # the grade is about a sample, of which the card says no other number
        yield "the grade is outside of 0..1", 0 <= grade["low"] <= grade["high"] <= 1
        yield "a share of the table", all("per_row" not in card[name] for name in ends)
        return
    assert most is not None
    assert high is not None
    yield "the grade is outside of 0..1", 0 <= grade["low"] <= grade["high"] <= 1
    worst = Fraction(min(high, least), least) if least else Fraction(int(high > 0))
    yield "grade.low below repair / rows", grade["low"] >= 1 - worst - ROUNDING
    best = Fraction(low, most) if most else Fraction(0)
    yield "grade.high above repair / rows", grade["high"] <= 1 - best + ROUNDING
    for name in ("problematic", "minimal_inconsistent"):
        if name in ends:
            share = card[name]["per_row"]
            yield f"{name}/rows: low > high", share["low"] <= share["estimate"] <= share["high"]
            yield f"{name}/rows: starts at 0", (share["low"] > 0) == (ends[name][0] > 0)
            yield (
                f"{name}/rows: shows a value",
                (share["value"] is None) == (card[name]["value"] is None),
            )


def _rules(card: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    rules, repair = card.get("by_rule"), _ends(card).get("repair")
    if not rules or repair is None:
        return
    if not _of_persons(card):
        yield "all rules against their sum", sum(r["high"] for r in rules) >= repair[0]
    yield (
        "estimates: all rules against their sum",
        (
            max(r["estimate"] for r in rules)
            <= card["repair"]["estimate"]
            <= sum(r["estimate"] for r in rules)
        ),
    )
    for rule in rules:
        yield (
            "a rule against all rules",
            rule["low"] <= repair[0] and _at_most(rule["high"], repair[1]),
        )


def find_false_statements(card: Mapping[str, Any], truth: Truth) -> list[str]:
    """What a card says that is not true of its table."""
    wrong = [
        name
        for name, (low, high) in _ends(card).items()
        if not low <= getattr(truth, name) or not _at_most(getattr(truth, name), high)
    ]
    grade = card["grade"]
    if grade["low"] is not None and not _holds(grade, truth.grade):
        wrong.append("grade")
    for name in ("problematic", "minimal_inconsistent"):
        share = card.get(name, {}).get("per_row")
        if share and not _holds(share, truth.per_row(name)):
            wrong.append(f"{name}/rows")
    drastic = card.get("drastic")
    if drastic and drastic["value"] is not None and drastic["value"] != (truth.repair > 0):
        wrong.append("drastic")
    for place, rule in enumerate(card.get("by_rule", [])):
        true = truth.by_rule[place]
        if not rule["low"] <= true or not _at_most(true, rule["high"]):
            wrong.append(f"rule {place}")
    return wrong


def _holds(share: Mapping[str, float], true: Fraction) -> bool:
    """Whether an interval of a share holds it; its ends mean the decimals that they show."""
    return Fraction(repr(share["low"])) <= true <= Fraction(repr(share["high"]))
