"""Race to the top: the cost of every runner, and how seldom it overshoots."""

from __future__ import annotations

from fractions import Fraction
from unittest import mock

import pyarrow as pa
import pytest

from candling_paper import methods, race
from candling_paper.all_rows import read_all_rows
from candling_paper.laplace import laplace_noise
from candling_paper.levels import Levels
from tests.privacy.statistics import at_most

LEVELS = Levels((40, 70, 90, 90), (2, 4, 8, 16), (1, 2, 4, 8), Fraction(1, 2))


def test_every_runner_pays_an_equal_part() -> None:
    asked: list[tuple[int, Fraction]] = []

    def watched(sensitivity: int, epsilon: Fraction) -> object:
        asked.append((sensitivity, epsilon))
        return laplace_noise(sensitivity, epsilon)

    with mock.patch.object(race, "laplace_noise", watched):
        race.R2T()(LEVELS, Fraction(1))
    assert asked == [(s, Fraction(1, 4)) for s in LEVELS.sensitivities]


def test_it_seldom_exceeds_the_truth_and_its_bound_seldom_the_extension() -> None:
    draws = [race.R2T()(LEVELS, Fraction(1)) for _ in range(2_000)]
    assert at_most(sum(d.value > 90 for d in draws), len(draws), race.MISS)
    too_high = sum(d.lower(0.05) > LEVELS.values[d.level] for d in draws)
    assert at_most(too_high, len(draws), 0.05)
    assert all(d.lower(0.2) >= d.lower(0.05) for d in draws)


def test_with_much_budget_it_finds_the_truth() -> None:
    draw = race.R2T()(LEVELS, Fraction(100))
    # The value is at most 88 and noise of scale .64: it is above 95 once in 200,000 draws.
    assert 80 <= draw.value <= 95
    assert draw.level in {2, 3}


def test_the_first_of_equal_runners_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race, "add_laplace", lambda value, _: value)
    equal = Levels((7, 7, 7), (1, 1, 1), (1, 2, 4))
    assert race.R2T()(equal, Fraction(1)).level == 0


def test_a_larger_base_races_over_some_of_the_levels() -> None:
    rows = read_all_rows(pa.table({"a": [1] * 40, "b": [1] * 39 + [2]}), "a -> b")
    for measure in ("minimal_inconsistent", "problematic"):
        every = methods.r2t().cut_levels(rows, measure, limit=40)
        some = methods.r2t(base=4).cut_levels(rows, measure, limit=40)
        assert some.thresholds == (1, 4, 16, 64)
        assert some.values == every.values[::2]
        assert some.sensitivities == every.sensitivities[::2]
        assert some.step == every.step
    assert methods.r2t(base=8).name == "paper-r2t-8"


@pytest.mark.parametrize(
    ("limit", "thresholds"), [(0, (1,)), (1, (1,)), (2, (1, 8)), (8, (1, 8)), (9, (1, 8, 64))]
)
def test_the_last_threshold_of_a_base_is_no_smaller_than_the_rows(
    limit: int, thresholds: tuple[int, ...]
) -> None:
    assert race.EveryPower(8).thresholds(limit) == thresholds


def test_without_a_limit_the_race_ends_where_the_levels_do() -> None:
    assert race.EveryPower(2).thresholds(None)[-1] == 2**40
    assert race.EveryPower(8).thresholds(None)[-1] == 2**39


@pytest.mark.parametrize("base", [1, 3, 6])
def test_the_base_is_a_power_of_two(base: int) -> None:
    with pytest.raises(ValueError, match="2, 4, 8"):
        methods.r2t(base=base)
