"""A whole release with pinned draws: every word and number of its card, and the phases it names.

CANDLING_UPDATE_GOLDEN=1 writes the cards again; look at the difference.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import candling
from candling.errors import UsageError
from candling.measures import MEASURES, REPAIR
from candling.measures.drastic import DrasticBounds
from candling.measures.problematic import ProblematicBounds
from candling.measures.rows import RowsBounds
from candling.measures.thresholded import powers_of_two
from candling.privacy import Drawn
from candling.releases import make_request, run
from candling.releases.request import MOST_ROWS
from candling.rules import compile_rules
from candling.system.progress import Phase
from candling_paper.laplace import DiscreteLaplace
from tests.measures.draws import recorded
from tests.releases.tables import One, noisy_number, study
from tests.thresholded import thresholded

GOLDEN = Path(__file__).parent / "golden"
RULES = {
    "exact": "a -> b\nkey(a, b)",
    "relaxed": "a -> b\nnot(t1.a < t2.a and t1.b > t2.b)\nnot(t1.b > t1.a)",
    "nulls": "a -> b\na -> c",
}
WISHES: dict[str, dict[str, Any]] = {
    "plain": {},
    "bounded": {"max_rows": 9, "rows_per_person": 2},
    "stated": {"public_rows": 9},
}


@pytest.mark.parametrize("output", [-3, 41])
@pytest.mark.parametrize("wishes", WISHES)
@pytest.mark.parametrize("rules", RULES)
def test_the_card_of_given_outputs(
    rules: str, wishes: str, output: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    phases: list[Phase] = []
    monkeypatch.setattr(run, "enter", phases.append)
    of = study(RULES[rules], a=[1, 1, 2], b=[1, 2, 1], c=[1, 1, None])
    with recorded(output, last=output > 0) as calls:
        card = of.release(1, measures=list(MEASURES), **WISHES[wishes])
    told = card.to_dict()
    del told["about"]["time"], told["about"]["candling"]
    shown = {
        "card": told,
        "names": [measure.name for measure in card],
        "phases": [phase.name for phase in phases],
        "draws": [repr(call.public) for call in calls],
    }
    path = GOLDEN / f"{rules}-{wishes}-{output}.json"
    if os.environ.get("CANDLING_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(shown, indent=1) + "\n", encoding="utf-8")
    assert shown == json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("rules", RULES)
def test_what_a_plan_is_told_of_the_repair_is_what_a_release_has(rules: str) -> None:
    facts = study(RULES[rules], a=[1, 1], b=[1, 2], c=[1, 1])._facts
    public = REPAIR.public(facts.rules)
    assert public == replace(REPAIR.number(facts), value=0)
    assert (public.growth, public.step) == (
        (2, Fraction(1, 2)) if rules == "relaxed" else (1, Fraction(1))
    )


def test_a_level_is_for_one_row_a_person_unless_stated() -> None:
    facts = study("a -> b", a=[1, 1], b=[1, 2])._facts
    for person in ({}, {"rows_per_person": 1}):
        levels = thresholded(facts, "problematic", limit=4, **person)
        assert levels.sensitivities == (2, 3, 5)
    levels = thresholded(facts, "problematic", limit=4, rows_per_person=3)
    assert levels.sensitivities == (6, 9, 15)


def test_thresholds_reach_the_largest_degree_that_a_bound_on_the_rows_allows() -> None:
    counts = {0: 2, 1: 2, 2: 2, 3: 3, 4: 3, 5: 4, 8: 4, 9: 5, 2**39: 40, 2**60: 41, None: 41}
    for limit, count in counts.items():
        assert powers_of_two(limit) == tuple(2**i for i in range(count))


def test_the_alarm_starts_beyond_the_quantile_of_the_noise() -> None:
    of = study("a -> b", a=[1], b=[1])
    for noisy, alarm in ((2, 0), (3, 1)):  # of scale 1, P(Z > 2) = 3.6% and P(Z > 1) = 9.9%
        with recorded(noisy):
            card = of.release(1, measures=["drastic"])
        assert card.drastic.value == alarm
        assert card.drastic.interval()[0] == alarm


# Bounds


NOISE = DiscreteLaplace(10.0)  # exceeds 23 with probability 5%, 30 with 2.5%


def test_a_two_sided_interval_has_half_of_its_misses_on_each_side() -> None:
    assert (NOISE.upper_tail(0.05), NOISE.upper_tail(0.025)) == (23, 30)
    assert noisy_number(100, NOISE).interval(0.95) == (70, 130)
    assert noisy_number(100, NOISE, Fraction(1, 2)).interval(0.95) == (35, 65)
    assert noisy_number(30, NOISE).interval(0.95) == (0, 60)
    assert noisy_number(-40, NOISE).interval(0.95) == (0, 0)
    assert replace(noisy_number(100, NOISE), upper=False).interval(0.95) == (77, None)
    assert [noisy_number(n, NOISE, Fraction(1, 2)).value for n in (-1, 0, 3)] == [0, 0, 1.5]


def test_a_table_is_inconsistent_for_sure_beyond_the_quantile() -> None:
    for noisy, low in ((22, 0), (23, 0), (24, 1)):
        assert DrasticBounds(noisy_number(noisy, NOISE)).interval(0.95) == (low, 1)


def test_a_lower_bound_is_kept_within_what_is_public() -> None:
    for value, limit, bounds in ((8, None, (4, None)), (8, 3, (3, 3)), (-8, 3, (0, 3))):
        rows = None if limit is None else RowsBounds(None, most=limit)
        found = ProblematicBounds(Drawn(0, value, Fraction(1, 2), One()), rows).interval(0.95)
        assert found == bounds


# Words


def test_a_measure_that_was_not_released_is_named() -> None:
    card = study("a -> b", a=[1], b=[1]).release(1, measures=["rows", "repair"])
    with pytest.raises(AttributeError, match=r"'drastic' was not released; .* has rows, repair$"):
        _ = card.drastic


def refused(split: dict[str, Any]) -> str:
    of = study("a -> b", a=[1], b=[1])
    with pytest.raises(UsageError) as caught:
        of.release(1, measures=["rows", "worst_rule"], split=split)
    assert caught.value.code == "U204"
    return str(caught.value)


def test_a_split_that_does_not_fit_is_refused_in_words() -> None:
    start = "The split must name exactly what is paid for here: draw, worst_rule; it names "
    assert refused({}) == f"{start}none."
    assert refused({"rows": 1, "worst_rule": 1}) == f"{start}rows, worst_rule."
    words = "The share of 'draw' must be a number above 0, not "
    for share in (0, "x", MOST_ROWS + 1):
        assert refused({"draw": share, "worst_rule": 1}) == f"{words}{share!r}."
    card = study("a -> b", a=[1], b=[1]).release(
        1, measures=["rows", "worst_rule"], split={"draw": MOST_ROWS, "worst_rule": MOST_ROWS}
    )
    assert card.rows.epsilon is None
    assert card.worst_rule.epsilon == Fraction(1, 2)


def test_one_draw_has_nothing_to_split() -> None:
    of = study("a -> b", a=[1], b=[1])
    with pytest.raises(UsageError, match="nothing to split") as caught:
        of.release(1, measures=["rows", "repair"], split={"rows": 1, "repair": 2})
    assert caught.value.code == "U204"


def test_the_worst_rule_is_read_off_the_numbers_of_all_rules() -> None:
    of = study("a -> b\nkey(c)", a=[1] * 40, b=range(40), c=range(40))
    card = of.release(10, measures=["by_rule", "worst_rule"])
    assert card.worst_rule.value == "a -> b"
    assert card.worst_rule.epsilon == 0
    assert all(rule.epsilon is None for rule in card.by_rule)


def test_nothing_true_is_in_the_repr_of_the_facts() -> None:
    assert repr(study("a -> b", a=[1], b=[1])._facts) == "Facts()"


def test_numbers_of_too_many_rules_are_refused_and_cost_nothing() -> None:
    columns = [f"c{i}" for i in range(210)]
    for count, measures, released in (
        (50, ["by_rule", "problematic"], True),
        (51, ["by_rule", "problematic"], False),
        (200, ["by_rule", "rows"], True),
        (201, ["by_rule", "rows"], False),
    ):
        rules = "\n".join(f"{a} -> {b}" for a, b in pairwise(columns[: count + 1]))
        constraints = compile_rules(candling.parse_constraints(rules))
        request = make_request(constraints, epsilon=1, measures=measures)
        assert ("by_rule" in request.draw) == released
        assert ("by_rule" in request.refused) != released
        assert request.epsilon == 1
