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
from candling.measures.thresholded import powers_of_two
from candling.releases import make_request, run
from candling.releases.request import MOST_ROWS
from candling.rules import compile_rules
from candling.system.progress import Phase
from tests.measures.draws import recorded
from tests.releases.tables import study
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


def test_a_rule_is_broken_beyond_the_quantile_of_the_noise() -> None:
    of = study("a -> b", a=[1, 2], b=[1, 2])
    for noisy, answer in ((-3, 0), (-2, None), (3, None), (4, 1)):  # P(Z > 3) = 1.3%
        with recorded(noisy):
            card = of.release(1, measures=["drastic"])
        assert card.drastic.value == answer
        assert card.drastic.interval() == {0: (0, 0), None: (0, 1), 1: (1, 1)}[answer]


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
        (200, ["by_rule", "problematic"], True),
        (200, ["by_rule", "rows"], True),
        (201, ["by_rule", "rows"], False),
    ):
        rules = "\n".join(f"{a} -> {b}" for a, b in pairwise(columns[: count + 1]))
        constraints = compile_rules(candling.parse_constraints(rules))
        request = make_request(constraints, epsilon=1, measures=measures)
        assert ("by_rule" in request.draw) == released
        assert ("by_rule" in request.refused) != released
        assert request.epsilon == 1


@pytest.mark.parametrize(
    ("rules", "asked", "draw", "levels"),
    [
        ("a -> b\nb -> c", ["all"], ("repair", "rows"), ("problematic", "minimal_inconsistent")),
        ("not(t1.a < 0)", ["all"], ("repair", "rows"), ()),
        ("not(t1.a < 0)", ["problematic"], ("repair",), ()),
        ("a -> a", ["all"], ("rows",), ()),
        ("a -> a", ["repair", "drastic"], (), ()),
        ("a -> b", ["repair", "by_rule", "worst_rule"], ("repair",), ()),
        ("a -> b", ["by_rule"], ("repair",), ()),
        ("a -> b\nkey(c)", ["drastic", "by_rule"], ("repair", "by_rule"), ()),
        ("not(t1.a < 0)", ["maximal_consistent"], (), ()),
        ("a -> b", ["problematic", "rows"], ("rows",), ("problematic",)),
    ],
)
def test_numbers_that_the_rules_make_one_are_drawn_once(
    rules: str, asked: list[str], draw: tuple[str, ...], levels: tuple[str, ...]
) -> None:
    compiled = compile_rules(candling.parse_constraints(rules))
    request = make_request(compiled, epsilon=1, measures=asked)
    assert (request.draw, request.levels) == (draw, levels)
    assert request.epsilon == (1 if draw or levels else 0)
    card = study(rules, a=[-1, 2, 3], b=[1, 2, 3], c=[1, 1, 1]).release(1, measures=asked)
    assert {name for d in card.evidence.draws for name in d.numbers} == {*draw, *levels}
    assert candling.Card.from_dict(card.to_dict()) == card


def test_rules_on_single_rows_make_one_number_of_three() -> None:
    of = study("not(t1.a < 0)\nnot(t1.b < 0)", a=[-1, 2] * 40, b=[1] * 80)
    for card in (of.release(1, measures=["all"]), of.release(1, measures=["all"], max_rows=100)):
        three = [card.measures[n] for n in ("repair", "problematic", "minimal_inconsistent")]
        assert len({(m.value, m.estimate, m.interval(), m.interval(0.5)) for m in three}) == 1
        assert [m.epsilon for m in three] == [None, 0, 0]


@pytest.mark.parametrize("limit", [{"max_rows": 1}, {"public_rows": 1}])
def test_a_table_of_one_row_breaks_no_rule_on_pairs(limit: dict[str, Any]) -> None:
    card = study("a -> b", a=[1], b=[1]).release(1, measures=["all"], **limit)
    for name in ("repair", "problematic", "minimal_inconsistent", "drastic"):
        number = card.measures[name]
        assert number.value == number.epsilon == 0
        assert number.interval() == (0, 0)
    assert (card.grade.value, card.grade.low) == (1, 1)


def test_the_epsilon_of_both_draws_comes_back_from_json() -> None:
    for epsilon in ("1", "0.7", "0.0003"):
        card = study("a -> b", a=[1], b=[1]).release(epsilon, measures=["all"])
        assert sum(draw.epsilon for draw in card.evidence.draws) == Fraction(epsilon)
        assert candling.Card.from_dict(card.to_dict()).evidence == card.evidence
