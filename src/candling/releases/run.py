"""Make a release: draw noise for all statistics that were asked for, and read the card off it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from candling.card import Card
from candling.measures import (
    MAXIMAL_CONSISTENT,
    MEASURES,
    REPAIR,
    ROWS,
    SAMPLE,
    Measure,
    find_source,
)
from candling.measures.facts import Facts, PersonFacts
from candling.measures.released import Released
from candling.model.noisy import NoiseDraw, Noisy
from candling.model.relations import UNBOUNDED
from candling.model.worlds import Evidence
from candling.privacy import Drawn, Hint, LevelsDraw, PlainDraw, SampleDraw, Statistic
from candling.releases.request import DRAW, LEVELS, Request
from candling.system.progress import Phase, enter

MORE_ROWS = 1e-4  # the probability that there are more rows than thresholds are offered for

Statistics = Mapping[str, Sequence[Statistic]]  # by measure; of `by_rule` one for each rule


def run_release(facts: Facts | PersonFacts, request: Request) -> Card:
    """The card that was asked for; it costs request.epsilon (docs/privacy.md, Theorem 10)."""
    draws = _draw(facts, request)
    chosen = {
        name: (_choose_rule(name, facts, request, part), part)
        for name, part in request.parts.items()
        if name not in {DRAW, LEVELS}
    }
    asked = request.asked
    evidence = Evidence(asked.facts, draws, asked.public_rows, asked.max_rows, asked.persons)
    released = Released(asked, evidence, facts.rules.entry_texts, request.person, chosen)
    return Card.of(released, request.epsilon, request.about())


def _choose_rule(name: str, facts: Facts | PersonFacts, request: Request, part: Fraction) -> str:
    """The rule that a measure chooses; for persons by the sample."""
    table = facts.kept(request.person.most) if isinstance(facts, PersonFacts) else facts
    return facts.rules.entry_texts[MEASURES[name].choose(table, request.setting, part)]


def _draw(facts: Facts | PersonFacts, request: Request) -> tuple[NoiseDraw, ...]:
    """Noise for what has no thresholds; then, with what that tells, for what has."""
    draws: list[NoiseDraw] = []
    if request.draw:
        statistics, epsilon = _measure(facts, request, request.draw), request.parts[DRAW]
        plain = make_plain_draw(statistics, epsilon)
        draws.append(NoiseDraw(epsilon, _sort(facts, request, statistics, plain.draw())))
    if request.levels:
        statistics, epsilon = _measure(facts, request, request.levels), request.parts[LEVELS]
        hint = _hint(draws[0].numbers, request) if draws else None
        levels = LevelsDraw(join_statistics(statistics), epsilon, hint)
        draws.append(NoiseDraw(epsilon, _sort(facts, request, statistics, levels.draw())))
    return tuple(draws)


def _measure(facts: Facts | PersonFacts, request: Request, names: Sequence[str]) -> Statistics:
    """The statistics of measures, with their values. Private."""
    enter(Phase.MEASURING)
    persons, setting = request.asked.persons, request.setting
    statistics = {}
    for name in names:
        table = facts
        if isinstance(facts, PersonFacts) and name == MAXIMAL_CONSISTENT.name:
            table = facts.kept(request.person.most)
        statistics[name] = find_source(name, persons=persons).true_statistics(table, setting)
    enter(Phase.NOISE)
    return statistics


def join_statistics(statistics: Statistics) -> list[Statistic]:
    """The statistics of all measures, in order."""
    return [statistic for own in statistics.values() for statistic in own]


def make_plain_draw(statistics: Statistics, epsilon: Fraction) -> PlainDraw | SampleDraw:
    """The draw of numbers without thresholds; those of a sample come first."""
    together = join_statistics(statistics)
    if {*SAMPLE} <= {*statistics}:
        return SampleDraw(together, epsilon)
    return PlainDraw(together, epsilon, place_of_rows(statistics))


def place_of_rows(statistics: Statistics) -> int | None:
    """Which of the statistics of one draw counts the rows; None if none does."""
    names = [name for name, own in statistics.items() for _ in own]
    return names.index(ROWS.name) if ROWS.name in names else None


def _sort(
    facts: Facts | PersonFacts,
    request: Request,
    statistics: Statistics,
    together: Sequence[Drawn],
) -> dict[str, tuple[Noisy, ...]]:
    """What was drawn at once, by measure."""
    drawn = iter(together)

    def source(name: str) -> Measure:
        return find_source(name, persons=request.asked.persons)

    return {
        name: tuple(
            Noisy(draw := next(drawn), statistic.thresholds[draw.level], kind)
            for statistic, kind in zip(
                own, source(name).kinds(facts.rules, request.setting), strict=True
            )
        )
        for name, own in statistics.items()
    }


def _hint(known: Mapping[str, Sequence[Noisy]], request: Request) -> Hint | None:
    """What the first draw and public bounds tell of the thresholds that can be of use."""
    if request.asked.persons:
        return _hint_of_sample(known, request)
    if REPAIR.name not in known:
        return None
    (repair,) = known[REPAIR.name]
    stated = request.asked.public_rows
    if stated is not None:
        rows, most = Fraction(stated), stated
    elif ROWS.name in known:
        (noisy,) = known[ROWS.name]
        rows, most = noisy.number, math.floor(noisy.ends(MORE_ROWS, MORE_ROWS)[1])
        if request.asked.max_rows is not None:
            most = min(most, request.asked.max_rows)
    else:
        return None
    return Hint(repair.number, rows, max(1, most), request.person.most)


def _hint_of_sample(known: Mapping[str, Sequence[Noisy]], request: Request) -> Hint | None:
    """The same for persons: the repair is that of the whole table, the rows those of the sample."""
    if REPAIR.name not in known or SAMPLE[0] not in known:
        return None
    (repair,), (rows,) = known[REPAIR.name], known[SAMPLE[0]]
    most = request.asked.max_rows
    return Hint(
        repair.number, rows.number, UNBOUNDED if most is None else max(1, most), 1, by_person=True
    )
