"""The default release of candling, many times on one table: its numbers at one total epsilon."""

from __future__ import annotations

from fractions import Fraction

from candling.measures import MEASURES, Numbers
from candling.measures.facts import Facts
from candling.model.card import Noisy
from candling.privacy import OneDraw
from candling.releases.request import DRAW, make_request, place_of_rows
from candling.releases.run import reconcile_measures

Values = dict[str, float]


def default_releases(facts: Facts, epsilon: Fraction, draws: int) -> list[Values]:
    """What so many default cards say, by measure: the values after they were made to agree.

    `candling.release` does the same for each card. Here the law of the draw, which depends on the
    table and not on the draws, is made once for all.
    """
    request = make_request(facts.rules, epsilon=epsilon)
    setting = request.setting
    statistics = {name: MEASURES[name].true_statistics(facts, setting) for name in request.draw}
    together = [statistic for own in statistics.values() for statistic in own]
    law = OneDraw(together, request.parts[DRAW], place_of_rows(statistics, setting))
    cards = []
    for _ in range(draws):
        drawn = iter(law.draw())
        noisy = {
            name: [
                Noisy(d := next(drawn), s.thresholds[d.level], kind)
                for s, kind in zip(own, MEASURES[name].kinds(facts.rules, setting), strict=True)
            ]
            for name, own in statistics.items()
        }
        numbers = Numbers(request.asked, noisy, facts.rules, setting, request.parts, request.draw)
        shown = {name: MEASURES[name].show(numbers) for name in request.measures}
        agreed = reconcile_measures(shown, numbers)
        cards.append({name: float(agreed[name].value) for name in statistics})  # type: ignore[arg-type]
    return cards
