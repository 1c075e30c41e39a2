"""Making a release: every number that leaves is made here."""

from __future__ import annotations

from dataclasses import replace

from candling.card import Card
from candling.measures import BY_RULE, MEASURES, Numbers
from candling.measures.facts import Facts
from candling.measures.measure import Measure
from candling.measures.sentences import describe_kept_rows
from candling.model.card import Noisy
from candling.model.number import Number
from candling.person import Person
from candling.phases import Phase, enter
from candling.privacy import OneDraw
from candling.releases.agree import grade_of, reconcile_measures, reconcile_rules
from candling.releases.request import DRAW, Request, place_of_rows

Draws = dict[str, list[Noisy]]  # by measure; of `by_rule` one for each rule


def run_release(facts: Facts, request: Request) -> Card:
    """The card that was asked for; it costs request.epsilon (docs/privacy.md, Theorem 10)."""
    draws = _one_draw(facts, request) if request.draw else {}
    chosen = {
        name: MEASURES[name].choose(facts, request.setting, part)
        for name, part in request.parts.items()
        if name != DRAW and MEASURES[name].chooses
    }
    return _card(request, Numbers(
        request.asked, draws, facts.rules, request.setting, request.parts, request.draw, chosen
    ))  # fmt: skip


def _card(request: Request, numbers: Numbers) -> Card:
    """What was drawn, as measures that agree with each other. Nothing private comes here."""
    refused = request.asked.refused
    by_rule = BY_RULE.show_rules(numbers)
    measures = {
        name: MEASURES[name].show_refused(refused[name])
        if name in refused
        else MEASURES[name].show(numbers)
        for name in request.measures
        if name != BY_RULE.name or name in refused
    }
    measures = reconcile_measures(measures, numbers)
    rules = reconcile_rules(by_rule, measures, numbers)
    return Card(
        request.epsilon,
        request.person,
        {
            name: _of_kept_rows(measure, request.person, MEASURES[name])
            for name, measure in measures.items()
        },
        tuple(_of_kept_rows(rule, request.person, BY_RULE) for rule in rules),
        about=request.about(),
        grade=grade_of(measures, numbers),
        draws={name: tuple(own) for name, own in numbers.draws.items()},
    )


def _of_kept_rows(shown: Number, person: Person, measure: Measure) -> Number:
    """A number whose note says that it is about the kept rows, where not all of them are kept."""
    if not person.columns or shown.value is None:
        return shown
    return replace(shown, note=f"{shown.note} {describe_kept_rows(person, measure.of_kept_rows)}")


def _one_draw(facts: Facts, request: Request) -> Draws:
    """All statistics at once."""
    enter(Phase.MEASURING)
    statistics = {
        name: MEASURES[name].true_statistics(facts, request.setting) for name in request.draw
    }
    enter(Phase.NOISE)
    together = [statistic for own in statistics.values() for statistic in own]
    rows = place_of_rows(statistics, request.setting)
    drawn = iter(OneDraw(together, request.parts[DRAW], rows).draw())
    return {
        name: [
            Noisy(draw := next(drawn), statistic.thresholds[draw.level], kind)
            for statistic, kind in zip(
                own, MEASURES[name].kinds(facts.rules, request.setting), strict=True
            )
        ]
        for name, own in statistics.items()
    }
