"""Plans: made from the rules alone, right about the noise, and able to answer wishes."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest

import candling
from candling.errors import UsageError
from candling.privacy import SampleDraw, Statistic
from candling.privacy.levels_draw import UNKNOWN, Shape
from candling.releases import session as study_module
from candling.releases.request import DEFAULT
from tests.effort import reduce
from tests.releases.tables import study

CHAIN = candling.parse_constraints("a -> b")
HARD = candling.parse_constraints("a -> b\nb -> c")
ORDER = candling.parse_constraints("not(t1.a < t2.a and t1.b > t2.b)")


def error(plan: candling.Plan, name: str) -> float:
    """The planned error of a measure, or of measure@threshold."""
    measure, _, threshold = name.partition("@")
    planned = plan.measures[measure]
    found = planned.by_threshold[int(threshold)] if threshold else planned.error
    assert found is not None
    return found


ALL = ["all", "maximal_consistent"]
ERRORS = ["rows", "repair", "maximal_consistent", "problematic@4", "minimal_inconsistent@1"]


def test_no_data_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a plan reads no data")

    for name in ("open_table", "read_core", "Facts"):
        monkeypatch.setattr(study_module, name, refuse)
    plan = candling.plan(CHAIN, epsilon=1, rows=10_000)
    assert list(plan.measures) == list(DEFAULT)
    assert candling.plan(CHAIN, target_errors={"repair": 5}, measures=["repair"]).epsilon > 0


def test_the_plan_splits_as_the_release_does() -> None:
    for text in ("a -> b", "not(t1.a < t2.a and t1.b > t2.b)"):
        of = study(text, a=[1, 1], b=[1, 2])
        card = of.release("0.7", max_rows=10, measures=ALL)
        plan = candling.plan(of.rules, epsilon="0.7", rows=10, measures=ALL)
        assert plan.epsilon == card.epsilon == Fraction("0.7")
        assert {m.name: m.epsilon for m in card} == {
            name: planned.epsilon for name, planned in plan.measures.items()
        }
        refused = {name for name, planned in plan.measures.items() if planned.reason}
        assert refused == {m.name for m in card if m.refused}
        assert [epsilon for _, epsilon in plan.draws] == [d.epsilon for d in card.evidence.draws]


@pytest.mark.parametrize("name", ERRORS)
def test_errors_fall_as_one_over_epsilon(name: str) -> None:
    errors = [
        error(candling.plan(CHAIN, epsilon=e, measures=ALL, rows=10**6), name)
        for e in ("0.05", "0.1", "0.2")
    ]
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.01)
    assert errors[1] / errors[2] == pytest.approx(2, rel=0.01)


@pytest.mark.parametrize("name", ERRORS)
def test_errors_grow_with_the_rows_per_person(name: str) -> None:
    one, five = (
        error(candling.plan(CHAIN, epsilon="0.1", rows_per_person=k, measures=ALL), name)
        for k in (1, 5)
    )
    assert five / one == pytest.approx(5, rel=0.01)


@pytest.mark.parametrize("measure", ["problematic", "minimal_inconsistent"])
def test_thresholds_go_up_to_the_largest_degree(measure: str) -> None:
    shown = (
        candling.plan(CHAIN, epsilon=1, rows=10_000, measures=ALL).measures[measure].by_threshold
    )
    assert list(shown) == [2**i for i in range(15)]
    errors = list(shown.values())
    assert errors == sorted(errors)
    without = candling.plan(CHAIN, epsilon=1, measures=ALL).measures[measure].by_threshold
    assert without[1024] == shown[1024]


def test_what_the_rules_do_not_allow_is_told() -> None:
    planned = candling.plan(ORDER, epsilon=1, measures=ALL).measures["maximal_consistent"]
    assert planned.epsilon == 0
    assert planned.error is None
    assert "t1.a < t2.a" in str(planned.reason)


@pytest.mark.parametrize(
    "wishes",
    [
        {"repair": 5.0},
        {"rows": 0.5},
        {"problematic@16": 100.0},
        {"minimal_inconsistent@64": 1000.0, "rows": 3.0},
        {"maximal_consistent": 0.3, "problematic@1": 20.0},
        {"repair": 50_000.0},
    ],
)
@pytest.mark.parametrize("alone", [True, False])
def test_wishes_are_fulfilled_by_no_more_than_it_takes(
    wishes: dict[str, float], alone: bool
) -> None:
    measures = sorted({name.partition("@")[0] for name in wishes}) if alone else ALL
    plan = candling.plan(CHAIN, target_errors=wishes, measures=measures)
    assert all(error(plan, name) <= wished for name, wished in wishes.items())
    less = candling.plan(CHAIN, epsilon=plan.epsilon * Fraction(99, 100), measures=measures)
    assert any(error(less, name) > wished for name, wished in wishes.items())
    same = candling.plan(CHAIN, epsilon=plan.epsilon, measures=measures)
    assert same == plan


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"epsilon": 1, "target_errors": {"rows": 1}},
        {"target_errors": {"rows": 0}},
        {"target_errors": {"rows": -1}},
        {"target_errors": {"rows": float("nan")}},
        {"target_errors": {"rows": 1e-300}},
        {"target_errors": {"columns": 1}},
        {"target_errors": {"drastic": 1}},
        {"target_errors": {"problematic": 1}},
        {"target_errors": {"problematic@3": 1}},
        {"target_errors": {"problematic@": 1}},
        {"target_errors": {"repair": 1}, "measures": ["rows"]},
    ],
)
def test_wishes_that_make_no_sense_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        candling.plan(CHAIN, **arguments)
    assert caught.value.code == "U205"


def test_a_wish_for_a_refused_measure_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        candling.plan(ORDER, target_errors={"maximal_consistent": 1}, measures=ALL)
    assert caught.value.code == "U205"


@pytest.mark.parametrize("rules", ["a -> b", "a -> b\nb -> c"])
def test_planned_errors_are_what_releases_show(rules: str) -> None:
    """A mean of n errors is off by a share s with probability e**(-n * s**2 / 2 / (1 + s)) at most:
    they are sums of nearly exponential variables. That is 1e-9 for 5000 errors and 10%.
    """
    pairs, draws = 200, reduce(5_000, 4)
    share = 0.1 * math.sqrt(5_000 / draws)
    rows = range(2 * pairs)
    of = study(rules, a=[i // 2 for i in rows], b=rows, c=rows)
    plan = candling.plan(of.rules, epsilon="0.5", measures=["rows", "repair"])
    errors = {"rows": 0.0, "repair": 0.0}
    for _ in range(draws):
        numbers = of.release("0.5", measures=["rows", "repair"]).evidence.numbers
        for name, true in (("rows", 2 * pairs), ("repair", pairs)):
            errors[name] += abs(float(numbers[name][0].number) - true) / draws
    for name, mean in errors.items():
        assert mean == pytest.approx(error(plan, name), rel=share)


def test_a_planned_error_by_threshold_is_that_of_the_draw_at_a_level_that_loses_nothing() -> None:
    plan = candling.plan(CHAIN, epsilon=2, measures=["minimal_inconsistent"])
    # One level with threshold 8: sensitivity 16 in halves.
    shape = Shape.of(Fraction(2), UNKNOWN)
    up, down = (math.exp(-rate / 16) for rate in (shape.right, shape.left))
    total = 1 / (1 - up) + 1 / (1 - down) - 1
    mean = (up / (1 - up) ** 2 + down / (1 - down) ** 2) / total / 2
    assert error(plan, "minimal_inconsistent@8") == pytest.approx(mean, rel=0.01)


def test_a_plan_is_json() -> None:
    plan = candling.plan(HARD, epsilon=1, rows=100, rows_per_person=2)
    found = json.loads(json.dumps(plan.to_dict()))
    assert found["epsilon"] == 1
    assert found["person"] == {"columns": [], "rows": 2}
    assert set(found) == {"epsilon", "person", "draws", *DEFAULT}
    assert found["draws"] == [{"measures": ["repair", "rows"], "epsilon": 1}]


def test_a_plan_tells_what_numbers_with_thresholds_cost_the_others() -> None:
    default = candling.plan(HARD, epsilon=1)
    everything = candling.plan(HARD, epsilon=1, measures=["all"])
    assert [len(names) for names, _ in everything.draws] == [2, 2]
    parts = [epsilon for _, epsilon in everything.draws]
    assert float(parts[0]) == pytest.approx(1 / 3, abs=1e-11)
    assert sum(parts) == 1
    assert not default.without_thresholds
    for name in ("repair", "rows"):
        assert everything.without_thresholds[name] == default.measures[name].error
        assert error(everything, name) == pytest.approx(3 * error(default, name), rel=0.1)
    found = json.loads(json.dumps(everything.to_dict()))
    assert found["problematic"]["error_by_threshold"]["16"] > 0
    assert set(found["errors_without_thresholds"]) == {"repair", "rows"}
    half = candling.plan(HARD, epsilon=1, measures=["repair", "rows", "problematic"])
    assert [epsilon for _, epsilon in half.draws] == [Fraction(1, 2)] * 2


# Persons


def test_a_described_table_of_persons_has_the_error_of_each_number() -> None:
    asked: dict[str, Any] = {"person": "p", "rows_per_person": 4, "measures": ["all"]}
    plan = candling.plan(HARD, epsilon=1, **asked, rows=10_000, persons=2_000, repair=150)
    assert plan.grade_error is not None
    assert 0.0005 < plan.grade_error < 0.01
    assert plan.to_dict()["grade"] == {"error": plan.grade_error}
    at = {name: [*plan.measures[name].by_threshold] for name in ("rows", "problematic")}
    assert at == {"rows": [32], "problematic": [256]}
    assert all(plan.measures[name].error for name in ("rows", "repair", "minimal_inconsistent"))
    assert "Grade" in str(plan)
    assert "at about threshold 256" in " ".join(str(plan).split())
    few = candling.plan(HARD, epsilon=1, **asked, rows=10_000, persons=1_000, repair=150)
    assert few.grade_error is not None
    assert few.grade_error > 1.9 * plan.grade_error, "half of the rows are in the sample"
    assert candling.plan(HARD, epsilon=1, **asked, rows=10_000).grade_error is None


@pytest.mark.parametrize(
    "described",
    [
        {"persons": 5},
        {"repair": 5},
        {"rows": 5, "persons": 6},
        {"rows": 5, "persons": 0},
        {"rows": 5, "persons": 5, "repair": 0},
    ],
)
def test_a_description_that_makes_no_sense_is_refused(described: dict[str, Any]) -> None:
    with pytest.raises(candling.UsageError, match="its rows and its persons"):
        candling.plan(HARD, epsilon=1, person="p", **described)
    with pytest.raises(candling.UsageError, match="name their column"):
        candling.plan(HARD, epsilon=1, rows=5, persons=2)


def test_errors_of_persons_are_those_of_the_draw() -> None:
    """The repair of the whole table beside the sample: by the law, with any number of draws."""
    plan = candling.plan(HARD, epsilon=1, person="p", rows_per_person=2)
    epsilon = float(plan.draws[0][1])
    draw = SampleDraw(
        [Statistic((0,), (2,)), *[Statistic((0,), (4,), Fraction(1, 2))] * 2], Fraction(epsilon)
    )
    found = (draw.draw()[2] for _ in range(1500))
    drawn = [abs(float(one.value * one.step)) for one in found]
    assert plan.measures["repair"].error == pytest.approx(sum(drawn) / len(drawn), rel=0.15)
