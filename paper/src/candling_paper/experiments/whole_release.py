"""Releases of all measures, many times on one table: their numbers at one total epsilon."""

from __future__ import annotations

from fractions import Fraction

from candling.measures.facts import Facts
from candling.releases.request import ALL, make_request
from candling.releases.run import run_release

Values = dict[str, float]
SHOWN = ("rows", "repair", "problematic", "minimal_inconsistent")


def whole_releases(facts: Facts, epsilon: Fraction, draws: int) -> list[Values]:
    """What so many cards with all measures estimate, by measure."""
    request = make_request(facts.rules, epsilon=epsilon, measures=[ALL])
    cards = (run_release(facts, request) for _ in range(draws))
    return [{name: float(card.measures[name].estimate) for name in SHOWN} for card in cards]  # type: ignore[arg-type]
