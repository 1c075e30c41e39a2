"""Did the quality change between two releases, beyond noise?

The true table of a card is among its possible tables with probability 95%, so both true tables are
with 90% or more, by the union bound. Then every difference is one of a pair of possible tables, for
all numbers at once. Only a difference that cannot be 0 is called one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from candling.errors import UsageError
from candling.measures import BY_RULE, MEASURES, Measure, Unit
from candling.model.card import CardData
from candling.model.gate import GRADE
from candling.model.number import LEVEL, Number, exact, round_for_storage
from candling.model.person import Person
from candling.model.results import ComparisonData, Difference, Side, Verdict
from candling.records import dataclass
from candling.render.wording import cut, number, rows_of, whose


@dataclass(frozen=True, slots=True)
class Comparison(ComparisonData):
    """Two cards, number by number, and the verdict that follows."""

    def __str__(self) -> str:
        from candling.render.text import render_text
        from candling.render.views import view_comparison

        return render_text(view_comparison(self))

    def _repr_html_(self) -> str:
        from candling.render.html import render_cell
        from candling.render.views import view_comparison

        return render_cell(view_comparison(self))


def compare(a: CardData, b: CardData, *, anyway: bool = False) -> Comparison:
    """What changed from A, the earlier release, to B. Nothing is spent: it reads released numbers.

    The grade decides where both cards have it, because counts grow with the table; else the
    counts do, and one that is worse is enough. Raises UsageError for cards whose numbers do not
    mean the same, unless `anyway`.
    """
    if not all(isinstance(card, CardData) for card in (a, b)):
        raise UsageError(
            "`compare` takes two cards: candling.Card.load('card.json') reads one.", code="U401"
        )
    obstacles = list(_obstacles(a, b))
    if obstacles and not anyway:
        raise UsageError(
            f"The cards cannot be compared: {' '.join(obstacles)} Use --anyway (in Python: "
            "anyway=True) to compare them regardless.",
            code="U401",
        )
    grade = _grade(a, b)
    counts = tuple(
        _difference(MEASURES[name], a.measures[name], b.measures[name])
        for name in a.measures
        if name in b.measures and MEASURES[name].unit is not Unit.RULE
    )
    decisive = counts if grade is None else (grade,)
    verdict, decided_by = _overall(decisive)
    return Comparison(
        a,
        b,
        verdict,
        decided_by,
        counts if grade is None else (grade, *counts),
        tuple(_rules(a, b)),
        (*obstacles, *_warnings(a, b, counts)),
    )


def _obstacles(a: CardData, b: CardData) -> Iterator[str]:
    """Why the numbers of two cards do not mean the same."""
    ours, theirs = ({line.rule for line in card.about.rules} for card in (a, b))
    if ours != theirs:
        gone, new = len(ours - theirs), len(theirs - ours)
        yield (
            f"They have different rules ({len(ours & theirs)} in common, {gone} only in A, "
            f"{new} only in B)."
        )
    if (a.person.columns, a.person.rows) != (b.person.columns, b.person.rows):
        yield _different_persons(a.person, b.person)


def _different_persons(a: Person, b: Person) -> str:
    """That two cards are of other rows, or that what their owners say of persons differs."""
    if not a.columns and not b.columns:
        return f"They treat persons differently. A: {whose(a)}. B: {whose(b)}."
    different = f"They are about different rows. A: {rows_of(a)}. B: {rows_of(b)}."
    if a.columns != b.columns:
        return different
    return (
        f"Their grades are about different samples. A: {rows_of(a)}. B: {rows_of(b)}. State "
        "--rows-per-person, so that releases count as many rows of each person."
    )


def _warnings(a: CardData, b: CardData, counts: tuple[Difference, ...]) -> Iterator[str]:
    """What a reader of the verdict should know."""
    if a == b or (_account(a) is not None and _request(a) == _request(b)):
        yield "A and B are the same release, so nothing changed."
    elif (account := _account(a)) is not None and account == _account(b):
        yield (
            f"Both were charged to the budget of {cut(account[1], 100)!r}: a reader of both "
            f"learns as much about a person as from one release with epsilon "
            f"{float(a.epsilon + b.epsilon):.3g}."
        )
    same = a.person.columns == b.person.columns and a.person.rows == b.person.rows
    if a.person.columns and a.person.rows is not None and same:
        yield f"Both grades are about a sample: {rows_of(a.person)}."
    for name in (name for name in a.measures if name in b.measures):
        kinds = a.measures[name].kind, b.measures[name].kind
        if None not in kinds and kinds[0] != kinds[1]:
            yield (
                f"The {name} numbers are of different kinds (A {kinds[0]}, B {kinds[1]}), so their "
                f"values differ in meaning; their intervals are both for the smallest {name}."
            )
    if a.about.time > b.about.time:
        yield "A is newer than B: the change that is shown goes backwards in time."
    if any(MEASURES[d.name].is_size and _side(d.change) for d in counts):
        yield "The tables differ in size, and counts grow with it: go by the grade."


def _account(card: CardData) -> tuple[str, str] | None:
    """The ledger, and the people in it whose budget paid for a card."""
    return None if card.receipt is None else (card.receipt.ledger, card.receipt.people)


def _request(card: CardData) -> tuple[object, ...]:
    return (_account(card), None if card.receipt is None else card.receipt.request_id)


def _grade(a: CardData, b: CardData) -> Difference | None:
    """The change of the grade, whose intervals hold whatever kind of repair it was made from."""
    first, second = a.grade, b.grade
    if first.reason is not None or second.reason is not None:
        return None
    before, after = (Side(g.value, g.estimate, g.low, g.high) for g in (first, second))
    change = Side(
        _gap(second.value, first.value),
        _gap(second.estimate, first.estimate),
        _gap(second.low, first.high, up=False),
        _gap(second.high, first.low, up=True),
    )
    sign = _side(change)
    verdict = Verdict.BETTER if sign > 0 else Verdict.WORSE if sign < 0 else Verdict.CANNOT_TELL
    level = round(first.level + second.level - 1, 10)
    return Difference(GRADE, before, after, change, level, verdict)


def _gap(after: float | None, before: float | None, *, up: bool | None = None) -> float | None:
    """A difference of shares, not off in its last digits."""
    if after is None or before is None:
        return None
    return round_for_storage(exact(after) - exact(before), up=up)


def _difference(measure: Measure, a: Number, b: Number) -> Difference:
    name = b.name
    before, after = (Side(number(m.value), number(m.estimate), *m.interval()) for m in (a, b))
    change = _minus(after, before)
    level = round(2 * LEVEL - 1, 10)
    if a.refused or b.refused:
        missing = "It was not released in both."
        return Difference(name, before, after, change, level, Verdict.CANNOT_TELL, missing)
    if measure.is_size:
        return Difference(name, before, after, change, level, Verdict.NEITHER)
    if change.low == change.high == 0:
        return Difference(name, before, after, change, level, Verdict.SAME)
    sign = _side(change)
    reason = None
    verdict = Verdict.WORSE if sign > 0 else Verdict.BETTER if sign < 0 else Verdict.CANNOT_TELL
    if sign == 0 and change.low is None and change.high is None:
        reason = "Neither card has an upper bound; release `rows` in both to get one."
    return Difference(name, before, after, change, level, verdict, reason)


def _minus(after: Side, before: Side) -> Side:
    """What B minus A can be."""

    def gap(x: float | None, y: float | None) -> float | None:
        return None if x is None or y is None else x - y

    return Side(
        gap(after.value, before.value),
        gap(after.estimate, before.estimate),
        gap(after.low, before.high),
        gap(after.high, before.low),
    )


def _side(change: Side) -> int:
    """1 if a change is above 0 for sure, -1 if it is below, else 0."""
    if change.low is not None and change.low > 0:
        return 1
    return -1 if change.high is not None and change.high < 0 else 0


def _overall(decisive: tuple[Difference, ...]) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict of what decides, and which of it that is: one that is worse is enough."""
    for verdict in (Verdict.WORSE, Verdict.BETTER):
        names = tuple(d.name for d in decisive if d.verdict is verdict)
        if names:
            return verdict, names
    return Verdict.CANNOT_TELL, tuple(d.name for d in decisive if d.verdict is Verdict.CANNOT_TELL)


def _rules(a: CardData, b: CardData) -> Iterator[Difference]:
    """Each rule that both cards have, in the order of B."""
    ours, theirs = ({line.text: line.rule for line in card.about.rules} for card in (a, b))
    known: Mapping[str, Number] = {
        ours.get(rule.name, rule.name): rule
        for rule in a.by_rule  # all types are one
    }
    for reading in b.by_rule:
        before = known.get(theirs.get(reading.name, reading.name))
        if before is not None:
            yield _difference(BY_RULE, before, reading)
