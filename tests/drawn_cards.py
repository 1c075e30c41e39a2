"""Cards of given noisy numbers: what a release would show, had it drawn these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from candling.card import Card
from candling.measures import SAMPLE, Asked, find_source
from candling.measures.released import Released
from candling.model.card import About
from candling.model.noisy import NoiseDraw, Noisy
from candling.model.person import ROW, Person
from candling.model.relations import UNBOUNDED, RuleFacts
from candling.model.worlds import Evidence
from candling.privacy import Drawn, PlainNoise
from candling.rules import RuleLine

TIME = "2026-01-02T03:04:05Z"


def noisy(
    value: float | Fraction,
    scale: float = 1.0,
    *,
    kind: str = "exact",
    threshold: int = 1,
    step: Fraction | None = None,
) -> Noisy:
    """A noisy number with discrete Laplace noise of a scale, in rows or conflicts."""
    lattice = step or Fraction(1, 2 if kind == "lower_bound" else 1)
    noise = PlainNoise(scale / float(lattice), 1)
    level = threshold.bit_length() - 1
    return Noisy(Drawn(level, int(Fraction(value) / lattice), lattice, noise), threshold, kind)


@dataclass(frozen=True, slots=True)
class Reach:
    """Noise that is never further up or down than so many steps."""

    up: int
    down: int

    def upper_tail(self, miss: float) -> int:
        return self.up

    def lower_tail(self, miss: float) -> int:
        return self.down


def between(
    low: int, high: int | None, value: int | None = None, *, kind: str = "exact", threshold: int = 1
) -> Noisy:
    """A noisy number that leaves an interval, whatever the level; it has no JSON."""
    drawn, top = low if value is None else value, UNBOUNDED if high is None else high
    noise = Reach(drawn - low, top - drawn)
    return Noisy(Drawn(0, drawn, Fraction(1), noise), threshold, kind)


def line(text: str) -> RuleLine:
    """A rule as a card has it."""
    label, colon, rule = text.rpartition(": ")
    return RuleLine(text, rule, label if colon else None)


def drawn_card(
    measures: Sequence[str] | None = None,
    *,
    rules: Sequence[str] = ("a -> b", "b -> c"),
    facts: RuleFacts | None = None,
    person: Person = ROW,
    public_rows: int | None = None,
    max_rows: int | None = None,
    refused: Mapping[str, str] | None = None,
    chosen: str | None = None,
    epsilon: Fraction = Fraction(1),
    time: str = TIME,
    **numbers: Any,
) -> Card:
    """The card of these noisy numbers, of `by_rule` a list of them.

    `measures` are those that were drawn unless they are named. `chosen` is a worst rule that was
    paid for with a fifth of epsilon.
    """
    drawn = {n: (own,) if isinstance(own, Noisy) else tuple(own) for n, own in numbers.items()}
    persons = bool(person.columns)
    if persons:
        drawn = with_sample(drawn)

    def levelled(name: str) -> bool:
        return find_source(name, persons=persons).thresholded

    plain = {name: own for name, own in drawn.items() if not levelled(name)}
    levels = {name: own for name, own in drawn.items() if levelled(name)}
    cost = epsilon / 5 if chosen is not None else Fraction(0)
    left = epsilon - cost - (person.epsilon or 0)
    parts = [left / 3, 2 * left / 3] if plain and levels else [left]
    parts = [Fraction(int(part * 10**12), 10**12) for part in parts]
    draws = tuple(
        NoiseDraw(part, own)
        for part, own in zip(parts, filter(None, (plain, levels)), strict=False)
    )  # fmt: skip
    known = RuleFacts(rows=False) if facts is None else facts
    shown = (name for name in drawn if name not in SAMPLE)
    names = tuple(measures or (*shown, *(refused or {}), *(["worst_rule"] if chosen else [])))
    asked = Asked(names, public_rows, max_rows, dict(refused or {}), len(rules), known, persons)
    lines = tuple(map(line, rules))
    released = Released(
        asked,
        Evidence(known, draws, public_rows, max_rows, persons),
        tuple(rule.text for rule in lines),
        person,
        {} if chosen is None else {"worst_rule": (chosen, cost)},
    )
    about = About("0.0.0", time, names, public_rows, max_rows, lines, known)
    return Card.of(released, epsilon, about)


def with_sample(drawn: Mapping[str, tuple[Noisy, ...]]) -> dict[str, tuple[Noisy, ...]]:
    """The same for persons: lower bounds, and, where needed, a sample of three in five rows."""
    known = {
        name: tuple(replace(own, kind="at_least") for own in numbers)
        if name in ("repair", "by_rule")
        else numbers
        for name, numbers in drawn.items()
    }
    if "rows" in known:
        known["rows"] = (replace(drawn["rows"][0], kind="lower_bound"),)
    if not {"repair", "rows"} <= {*drawn} or {*SAMPLE} & {*drawn}:
        return known
    sample = {}
    for name, of in zip(SAMPLE, ("rows", "repair"), strict=True):
        (own,) = drawn[of]
        part = replace(own.draw, value=own.draw.value * 3 // 5)
        sample[name] = (replace(own, draw=part, threshold=1),)
    return sample | known


def of_persons(card: Card, person: Person) -> Card:
    """The card that the same numbers make for persons."""
    about = card.about
    worst = next((own for own in card if own.name == "worst_rule" and own.epsilon), None)
    refused = {own.name: own.reason or "" for own in card if own.refused}
    return drawn_card(
        about.measures,
        rules=[rule.text for rule in about.rules],
        facts=about.rule_facts,
        person=person,
        max_rows=about.max_rows,
        refused=refused,
        chosen=str(worst.value) if worst else None,
        epsilon=card.epsilon,
        time=about.time,
        **dict[str, Any](card.evidence.numbers),
    )
