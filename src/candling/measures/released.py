"""What a release gives, as the numbers of a card: all of them are read off one set of worlds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction

from candling.measures import BY_RULE, MEASURES, REPAIR, ROWS, find_source
from candling.measures.measure import (
    NO_UPPER_BOUND,
    NO_UPPER_BOUND_FOR_PERSONS,
    REFUSED,
    Asked,
    Measure,
    describe_sample,
)
from candling.model.noisy import Key
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
from candling.model.person_worlds import PersonWorlds
from candling.model.worlds import Evidence, Worlds
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
    def worlds(self) -> Worlds | PersonWorlds:
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
    telling = low == high or worlds.tells_grade
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
    no_upper_bound = NO_UPPER_BOUND_FOR_PERSONS if asked.persons else NO_UPPER_BOUND
    number = Number(
        name,
        estimate if reading.telling else None,
        _own_cost(measure, asked),
        _note(measure, kind, released),
        estimate,
        plain_number(reading.low),
        high,
        None if high is not None else no_upper_bound,
        unit=measure.unit_in_json,
        source=Source(released.evidence, key),
    )
    if measure.has_kind:
        number = replace(number, kind=kind or "exact")
    levels = find_source(measure.name, persons=asked.persons).thresholded
    if levels and source == measure.name and noisy is not None:
        number = replace(number, threshold=noisy.threshold)
    # Of persons nothing is known above, so the grade is the one share that a card has.
    shared = measure.per_row and not measure.makes_grade and not asked.persons
    if shared and asked.has(ROWS.name):
        number = replace(number, per_row=_share(released.worlds, key))
    return number


def _own_cost(measure: Measure, asked: Asked) -> Fraction | None:
    """None for what shares a draw, and 0 for what is public or read off another measure."""
    source = measure.find_source(asked)
    drawn_for = source is not None and (source == measure.name or not asked.has(source))
    return None if drawn_for else Fraction(0)


def _share(worlds: Worlds | PersonWorlds, key: Key) -> Share:
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
    """The note of a number, and of which rows it is where that is a sample."""
    person = released.person
    if person.columns and measure.note_for_persons:
        return measure.note_for_persons
    note = measure.find_note(kind)
    of_sample = person.columns and person.rows is not None and measure.of_sample
    return f"{note} {describe_sample(person, measure.of_sample)}" if of_sample else note
