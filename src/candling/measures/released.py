"""What a release gives, as the numbers of a card: all of them are read off one set of worlds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction

from candling.measures import BY_RULE, MEASURES, REPAIR, ROWS
from candling.measures.measure import (
    NO_UPPER_BOUND,
    REFUSED,
    Asked,
    Measure,
    describe_kept_rows,
)
from candling.model.number import (
    LEVEL,
    Grade,
    Number,
    Share,
    Source,
    plain_number,
    round_for_storage,
)
from candling.model.person import Person
from candling.model.worlds import Evidence, Key, Worlds
from candling.records import dataclass


@dataclass(frozen=True, slots=True)
class Released:
    """What was asked for and what came of it: all numbers of a card follow from it."""

    asked: Asked
    evidence: Evidence
    texts: tuple[str, ...]  # of the rules
    person: Person
    chosen: Mapping[str, tuple[str, Fraction]] = field(default_factory=dict)  # a rule, and its cost

    @property
    def worlds(self) -> Worlds:
        """The possible tables at the level of a card."""
        return self.evidence.worlds(LEVEL)


def show_measures(released: Released) -> dict[str, Number]:
    """The measures that were asked for, but for the numbers of single rules."""
    asked = released.asked
    return {
        name: _show(MEASURES[name], released)
        for name in asked.measures
        if name != BY_RULE.name or name in asked.refused
    }


def show_rules(released: Released) -> tuple[Number, ...]:
    """The smallest repair of each rule alone, if they were asked for."""
    if not released.asked.has(BY_RULE.name):
        return ()
    return tuple(_read(BY_RULE, released, place, text) for place, text in enumerate(released.texts))


def show_grade(released: Released) -> Grade:
    """1 - repair/rows, or why there is none. A table without rows has grade 1."""
    asked = released.asked
    missing = [f"`{m.name}`" for m in (REPAIR, ROWS) if not asked.has(m.name)]
    if missing:
        verb = "was" if len(missing) == 1 else "were"
        names = " and ".join(missing)
        return Grade(None, reason=f"it is 1 - repair/rows, and {names} {verb} not released.")
    worlds = released.worlds
    estimate = round_for_storage(worlds.nearest_grade)
    low, high = worlds.grade
    both = (worlds.read(measure.name).telling for measure in (REPAIR, ROWS))
    bounded = any(noisy.kind != "exact" for noisy in released.evidence.numbers.get(REPAIR.name, ()))
    telling = low == high or (all(both) and not bounded)
    return Grade(
        estimate if telling else None,
        estimate,
        round_for_storage(low, up=False),
        round_for_storage(high, up=True),
    )


def _show(measure: Measure, released: Released) -> Number:
    asked = released.asked
    if measure.name in asked.refused:
        return Number(measure.name, None, Fraction(0), REFUSED, reason=asked.refused[measure.name])
    if not measure.chooses:
        return _read(measure, released, measure.name, measure.name)
    if measure.name in released.chosen:
        text, cost = released.chosen[measure.name]
    else:
        text, cost = _largest_rule(released), Fraction(0)
    return Number(measure.name, text, cost, _note(measure, None, released), text)


def _largest_rule(released: Released) -> str:
    """The rule with the largest repair in the nearest world."""
    worlds = released.worlds
    places = range(len(released.texts))
    return released.texts[max(places, key=lambda place: worlds.read(place).estimate)]


def _read(measure: Measure, released: Released, key: Key, name: str) -> Number:
    """A number as the worlds have it."""
    reading, asked = released.worlds.read(key), released.asked
    source = measure.find_source(asked)
    drawn = released.evidence.numbers.get(source or "", ())
    noisy = drawn[key if isinstance(key, int) and len(drawn) > 1 else 0] if drawn else None
    kind = None if noisy is None else noisy.kind
    estimate = plain_number(reading.estimate)
    high = None if reading.high is None else plain_number(reading.high)
    number = Number(
        name,
        estimate if reading.telling else None,
        _own_cost(measure, asked),
        _note(measure, kind, released),
        estimate,
        plain_number(reading.low),
        high,
        NO_UPPER_BOUND if high is None else None,
        unit=measure.unit_in_json,
        source=Source(released.evidence, key),
    )
    if measure.has_kind:
        number = replace(number, kind=kind or "exact")
    if measure.thresholded and source == measure.name and noisy is not None:
        number = replace(number, threshold=noisy.threshold)
    if measure.per_row and not measure.makes_grade and asked.has(ROWS.name):
        number = replace(number, per_row=_share(released.worlds, key))
    return number


def _own_cost(measure: Measure, asked: Asked) -> Fraction | None:
    """None for what shares a draw, and 0 for what is public or read off another measure."""
    source = measure.find_source(asked)
    drawn_for = source is not None and (source == measure.name or not asked.has(source))
    return None if drawn_for else Fraction(0)


def _share(worlds: Worlds, key: Key) -> Share:
    """A number divided by the rows."""
    reading, (low, high) = worlds.read(key), worlds.per_row(key)
    estimate = round_for_storage(Fraction(reading.estimate) / (worlds.nearest.rows or 1))
    return Share(
        estimate if reading.telling else None,
        estimate,
        round_for_storage(low, up=False),
        round_for_storage(high, up=True),
    )


def _note(measure: Measure, kind: str | None, released: Released) -> str:
    """The note of a number, and of which rows it is where not all of them are kept."""
    note, person = measure.find_note(kind), released.person
    if not person.columns:
        return note
    return f"{note} {describe_kept_rows(person, measure.of_kept_rows)}"
