"""Make a release: draw noise for all statistics that were asked for, and read the card off it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from candling.card import Card
from candling.measures import MEASURES, REPAIR, ROWS
from candling.measures.facts import Facts
from candling.measures.released import Released
from candling.model.worlds import Evidence, NoiseDraw, Noisy
from candling.privacy import Drawn, Hint, LevelsDraw, PlainDraw, Statistic
from candling.releases.request import DRAW, LEVELS, Request
from candling.system.progress import Phase, enter

MORE_ROWS = 1e-4  # the probability that there are more rows than thresholds are offered for

Statistics = Mapping[str, Sequence[Statistic]]  # by measure; of `by_rule` one for each rule


def run_release(facts: Facts, request: Request) -> Card:
    """The card that was asked for; it costs request.epsilon (docs/privacy.md, Theorem 10)."""
    draws = _draw(facts, request)
    chosen = {
        name: (facts.rules.entry_texts[MEASURES[name].choose(facts, request.setting, part)], part)
        for name, part in request.parts.items()
        if name not in {DRAW, LEVELS}
    }
    asked = request.asked
    evidence = Evidence(asked.facts, draws, asked.public_rows, asked.max_rows)
    released = Released(asked, evidence, facts.rules.entry_texts, request.person, chosen)
    return Card.of(released, request.epsilon, request.about())


def _draw(facts: Facts, request: Request) -> tuple[NoiseDraw, ...]:
    """Noise for what has no thresholds; then, with what that tells, for what has."""
    draws: list[NoiseDraw] = []
    if request.draw:
        statistics, epsilon = _measure(facts, request, request.draw), request.parts[DRAW]
        plain = PlainDraw(join_statistics(statistics), epsilon, place_of_rows(statistics))
        draws.append(NoiseDraw(epsilon, _sort(facts, request, statistics, plain.draw())))
    if request.levels:
        statistics, epsilon = _measure(facts, request, request.levels), request.parts[LEVELS]
        hint = _hint(draws[0].numbers, request) if draws else None
        levels = LevelsDraw(join_statistics(statistics), epsilon, hint)
        draws.append(NoiseDraw(epsilon, _sort(facts, request, statistics, levels.draw())))
    return tuple(draws)


def _measure(facts: Facts, request: Request, names: Sequence[str]) -> Statistics:
    """The statistics of measures, with their values. Private."""
    enter(Phase.MEASURING)
    statistics = {name: MEASURES[name].true_statistics(facts, request.setting) for name in names}
    enter(Phase.NOISE)
    return statistics


def join_statistics(statistics: Statistics) -> list[Statistic]:
    """The statistics of all measures, in order."""
    return [statistic for own in statistics.values() for statistic in own]


def place_of_rows(statistics: Statistics) -> int | None:
    """Which of the statistics of one draw counts the rows; None if none does."""
    names = [name for name, own in statistics.items() for _ in own]
    return names.index(ROWS.name) if ROWS.name in names else None


def _sort(
    facts: Facts, request: Request, statistics: Statistics, together: Sequence[Drawn]
) -> dict[str, tuple[Noisy, ...]]:
    """What was drawn at once, by measure."""
    drawn = iter(together)
    return {
        name: tuple(
            Noisy(draw := next(drawn), statistic.thresholds[draw.level], kind)
            for statistic, kind in zip(
                own, MEASURES[name].kinds(facts.rules, request.setting), strict=True
            )
        )
        for name, own in statistics.items()
    }


def _hint(known: Mapping[str, Sequence[Noisy]], request: Request) -> Hint | None:
    """What the first draw and public bounds tell of the thresholds that can be of use."""
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
