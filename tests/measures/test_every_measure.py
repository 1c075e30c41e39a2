"""What every measure must pass: sensitivity, rows of a person, budget, noise, shape and words.

The suite takes the measure objects themselves; a new one needs an entry in oracles.py.

Each measure is released from all tables of up to four rows of two columns, under rules that make
it exact and under rules that do not, with every draw of noise recorded (tests/measures/draws.py).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

import candling
from candling.measures import MEASURES, Measure, Setting, worst_rule
from candling.measures.facts import Facts
from candling.privacy import LevelsDraw, PlainDraw, Statistic, noisy_max
from candling.privacy.budget import GRID
from candling.releases import run
from tests.measures.draws import Call, DrawCall, Growth, SelectionCall, cost, recorded
from tests.measures.oracles import ORACLES, RULES, Numbers
from tests.oracle import Cell
from tests.privacy.statistics import fits
from tests.privacy.test_selection import law as selection_law
from tests.registered import registered

Row = tuple[int | None, int | None]
Table = tuple[Row, ...]

RELEASED = [(m, rules) for m in MEASURES for rules in RULES if rules not in ORACLES[m].refused]
ROUNDING = 1e-3  # of epsilon: what paying for rounded numbers may take from the noise's precision

ROWS: Table = ((0, 0), (0, 1), (1, 0), (1, 1))
MOST = 4  # rows of a table


@cache
def study_of(rules: str, table: Table) -> candling.Study:
    parsed = candling.parse_constraints(RULES.get(rules, rules))
    rows: list[dict[str, Cell]] = [dict(zip("ab", row, strict=True)) for row in table]
    return candling.analyze(registered(({"a": "int64", "b": "int64"}, rows, parsed)), parsed)


def tables(most: int = MOST) -> Iterator[Table]:
    """All of them: the order of rows means nothing."""
    for size in range(most + 1):
        yield from combinations_with_replacement(ROWS, size)


def pairs(person: int, most: int = MOST) -> Iterator[tuple[Table, Table, int]]:
    """All neighbours if one person owns up to `person` rows, and by how many rows they differ."""
    for small in tables(most):
        for added in range(1, min(person, most - len(small)) + 1):
            for rows in combinations_with_replacement(ROWS, added):
                yield small, tuple(sorted(small + rows)), added


def calls_of(
    rules: str,
    table: Table,
    measures: Sequence[str],
    *,
    epsilon: Fraction = Fraction(1),
    last: bool = False,
    **wishes: Any,
) -> list[Call]:
    """What a release draws."""
    of = study_of(rules, table)
    with recorded(last=last) as calls:
        of.release(epsilon, measures=measures, **wishes)
    return calls


# The checks; those for planted bugs further down call the same


def check_budget(measure: str, rules: str, person: int, epsilon: Fraction) -> None:
    """What the noise of a release pays for, at the sensitivities of the docs, is its epsilon."""
    calls = calls_of(
        rules, ((0, 0), (0, 1)), [measure], epsilon=epsilon, rows_per_person=person, max_rows=9
    )
    (call,) = calls
    spent = call.spent(ORACLES[measure].growths(rules, call), person)
    assert spent <= float(epsilon) * (1 + 1e-12)
    assert spent >= float(epsilon) * (1 - ROUNDING), "and wastes nothing"


def check_neighbours(measure: str, rules: str, person: int) -> None:
    """No neighbours can be told apart by more than epsilon, and each draw is needed in full."""
    wishes: dict[str, Any] = {"rows_per_person": person, "max_rows": MOST}
    found = {table: calls_of(rules, table, [measure], **wishes) for table in tables()}
    (first,) = found[()]
    growths = ORACLES[measure].growths(rules, first)
    needed = 0.0
    for small, large, added in pairs(person):
        (one,), (two,) = found[small], found[large]
        told = cost([one], [two])
        assert told <= 1 + 1e-12
        assert told <= one.spent(growths, added) * (1 + ROUNDING), "as stated"
        needed = max(needed, told)
    full = 0 if rules in ORACLES[measure].unmoved else first.spent(growths, person)
    assert needed == pytest.approx(full, rel=ROUNDING), "the tables look where it hurts"


DENSE: Table = (*((0, i) for i in range(60)), *((7, 7),) * 20)
SHAPES: dict[str, Table] = {
    "empty": (),
    "one row": ((0, 0),),
    "two rows": ((0, 0), (1, 1)),
    "a conflict": ((0, 0), (0, 1)),
    "clean": tuple((i, 0) for i in range(33)),
    "junk": ((None, None), (None, 3), (-5, None), (10**15, -3), (1, 1), (1, 1), (1, 2)),
    "dense": DENSE,
    "dense, and a row": (*DENSE, (0, -1)),
    "dense, and two": (*DENSE, (0, -1), (7, 7)),
}


def check_shape(measures: Sequence[str], rules: str, wishes: Mapping[str, Any]) -> None:
    """A table decides nothing but what the draws are made from: equal outputs, equal cards."""
    for output, last in ((0, False), (-3, True), (41, False), (10**6, True)):
        seen: list[object] = []
        for table in SHAPES.values():
            of = study_of(rules, table)
            with recorded(output, last=last) as calls:
                card = of.release(1, measures=measures, **wishes)
            told = card.to_dict()
            del told["about"]["time"]
            seen.append((told, [call.public for call in calls], [m.interval(0.8) for m in card]))
        assert all(shown == seen[0] for shown in seen)


# The suite


def test_every_measure_has_its_oracle() -> None:
    assert set(ORACLES) == set(MEASURES)
    assert all(measure.name == name for name, measure in MEASURES.items())


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction("0.3")])
@pytest.mark.parametrize("person", [1, 3])
@pytest.mark.parametrize(("measure", "rules"), RELEASED)
def test_a_release_pays_for_the_rows_of_a_person_with_its_epsilon(
    measure: str, rules: str, person: int, epsilon: Fraction
) -> None:
    check_budget(measure, rules, person, epsilon)


@pytest.mark.parametrize("person", [1, 2])
@pytest.mark.parametrize(("measure", "rules"), RELEASED)
def test_neighbours_are_told_apart_by_epsilon_at_most(
    measure: str, rules: str, person: int
) -> None:
    check_neighbours(measure, rules, person)


def truth(measure: str, rules: str, table: Table) -> Numbers:
    """What each draw of a measure stands for, by brute force."""
    rows: list[dict[str, Cell]] = [dict(zip("ab", row, strict=True)) for row in table]
    return ORACLES[measure].truth(rules, rows, list(candling.parse_constraints(RULES[rules])))


@pytest.mark.parametrize(("measure", "rules"), RELEASED)
def test_what_gets_noise_is_the_measure(measure: str, rules: str) -> None:
    for table in tables(3):
        calls = calls_of(rules, table, [measure], max_rows=MOST)
        values: list[Fraction | float] = []
        (call,) = calls
        if isinstance(call, SelectionCall):
            values += [Fraction(score, GRID) for score in call.scores]
        elif isinstance(call, DrawCall):  # the last level loses nothing of so small a table
            values += [s.values[-1] * s.step for s in call.statistics]
        assert values == pytest.approx(truth(measure, rules, table), abs=1e-4)


@pytest.mark.parametrize("rules", RULES)
def test_all_measures_together_cost_epsilon(rules: str) -> None:
    found = {table: calls_of(rules, table, list(MEASURES), max_rows=MOST) for table in tables()}
    worst = max(cost(found[small], found[large]) for small, large, _ in pairs(1))
    assert 0.5 < worst <= 1 + 1e-12


BOUNDS: dict[str, dict[str, Any]] = {
    "no bound": {},
    "a bound": {"max_rows": 50},
    "stated rows": {"public_rows": 50},
    "several rows a person": {"rows_per_person": 3},
}


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("measure", MEASURES)
def test_a_table_decides_nothing_but_its_statistic(measure: str, rules: str, bound: str) -> None:
    check_shape([measure], rules, BOUNDS[bound])


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("rules", RULES)
def test_a_table_decides_nothing_of_a_whole_card(rules: str, bound: str) -> None:
    """With `rows` released, the noisy number of rows decides the thresholds, never the true one."""
    check_shape(list(MEASURES), rules, BOUNDS[bound])


# The scale of the noise, by draws from the mechanisms that a release has made


DRAWS = 6_000
WRONG = (Fraction(13, 10), Fraction(10, 13))


def buckets(scale: float, centre: int, width: int) -> dict[int, float]:
    """The law of floor(value / width) for `centre` plus discrete Laplace noise."""

    def below(z: int) -> float:
        """P(Z < z)."""
        q = math.exp(-1 / scale)
        return q ** (1 - z) / (1 + q) if z <= 0 else 1 - q**z / (1 + q)

    reach = math.ceil(30 * scale / width) + 1
    middle = centre // width
    return {
        k: below((k + 1) * width - centre) - below(k * width - centre)
        for k in range(middle - reach, middle + reach + 1)
    }


def first_of(draw: PlainDraw | LevelsDraw, width: int) -> Mapping[Any, float]:
    """The law of the first statistic of a draw: of (level, value), or of value // width."""
    statistic = draw.statistics[0]
    (centre, *_), (sensitivity, *_) = statistic.values, statistic.sensitivities
    rate, count = float(draw.epsilon) / sensitivity, len(draw.statistics)
    if isinstance(draw, PlainDraw) and count == 1:
        return buckets(1 / rate, centre, width)
    if isinstance(draw, PlainDraw):  # all numbers are uniform between -j and i, given i and j
        reach = math.ceil(40 / rate)
        i = np.arange(reach)
        chances = np.exp(-rate * (i[:, None] + i)) * (i[:, None] + i + 1.0) ** (count - 1)
        found = {z: chances[max(z, 0) :, max(-z, 0) :].sum() for z in range(-reach, reach)}
        total = math.fsum(found.values())
        law: Counter[int] = Counter()
        for z, chance in found.items():
            law[(centre + z) // width] += chance / total
        return law
    weights = {}
    for level, s in enumerate(statistic.sensitivities):
        reach = math.ceil(60 * s / float(draw.epsilon))
        for y in range(min(statistic.values) - reach, max(statistic.values) + reach):
            weight = math.exp(draw.log_weight([level], [y])) * float(draw.prior([level]))
            weights[level, y] = weight
    total = math.fsum(weights.values())
    return {point: weight / total for point, weight in weights.items()}


def check_scale(call: Call, growths: Sequence[Growth], epsilon: Fraction) -> None:
    """Noise of the scale for `growths` at epsilon, and neither 30% more nor less.

    The right scale is refused, or a wrong one taken, with probability 1e-9 at most.
    """
    drawn: Counter[Any] = Counter()
    laws: dict[Fraction, Mapping[Any, float]] = {}
    width = 0
    for factor in (Fraction(1), *WRONG):
        at = epsilon / factor
        if isinstance(call, DrawCall):
            stated = [
                replace(s, sensitivities=(g,) if isinstance(g, int) else tuple(g), falls=0)
                for s, g in zip(call.statistics, growths, strict=True)
            ]
            width = 0 if stated[0].has_levels else max(1, stated[0].sensitivities[0] // 8)
            plain = isinstance(call.draw, PlainDraw)
            law = PlainDraw(stated, at, call.rows) if plain else LevelsDraw(stated, at, None)
            laws[factor] = first_of(law, width)
        elif isinstance(call, SelectionCall):
            (growth,) = growths
            assert isinstance(growth, int)
            laws[factor] = selection_law(list(call.scores), float(growth / at))
    for _ in range(DRAWS):
        output: Any = call.again()
        if isinstance(call, DrawCall):
            output = output[0][1] // width if width else output[0]
        drawn[output] += 1
    outputs = list(drawn.elements())
    assert fits(outputs, laws[Fraction(1)], cells=8)
    for factor in WRONG:
        assert not fits(outputs, laws[factor], cells=8)


# One rule is broken, the others are not: a choice among equal scores has no scale.
UNEVEN: Table = tuple((0, -i) for i in range(6))


@pytest.mark.parametrize(("measure", "rules"), RELEASED)
def test_the_noise_has_the_scale_of_its_sensitivity_and_no_other(measure: str, rules: str) -> None:
    person = 2
    (call,) = calls_of(rules, UNEVEN, [measure], rows_per_person=person, max_rows=MOST)
    growths: list[Growth] = [
        person * growth if isinstance(growth, int) else [person * g for g in growth]
        for growth in ORACLES[measure].growths(rules, call)
    ]
    check_scale(call, growths, Fraction(1))


# Words


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_has_words_for_everything_that_is_shown(name: str) -> None:
    measure = MEASURES[name]
    short, _, long = measure.explanation.partition("\n\n")
    assert short.endswith(".")
    assert "\n" not in short
    assert len(long) > 80
    assert measure.title[0].isupper()
    assert len(measure.title) <= 24
    assert not measure.meaning.endswith(".")
    for rules in RULES:
        for table in SHAPES.values():
            card = study_of(rules, table).release(1, measures=[name], max_rows=100)
            for shown in [*card, *card.by_rule]:
                assert shown.note.endswith((".", "}"))
                if not shown.refused and shown.name == name:
                    sentence = measure.sentence(shown, card)
                    assert sentence
                    assert not sentence.endswith(".")
                    assert len(sentence) <= 100
    assert bool(measure.at_threshold(8)) == measure.thresholded


# Planted bugs that the suite must see


def planted_selection(
    monkeypatch: pytest.MonkeyPatch, **wrong: Callable[[Fraction], Fraction]
) -> None:
    """`worst_rule` tells noisy max something else."""

    def planted(scores: Sequence[Fraction], **told: Any) -> int:
        changed = {name: change(told[name]) for name, change in wrong.items()}
        return noisy_max(scores, **told | changed)

    monkeypatch.setattr(worst_rule, "noisy_max", planted)


@pytest.mark.parametrize("rules", RULES)
def test_the_suite_sees_a_worst_rule_that_forgets_the_rows_of_a_person(
    rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted_selection(monkeypatch, window=lambda _: Fraction(1))
    check_budget("worst_rule", rules, 1, Fraction(1))  # right for one row
    with pytest.raises(AssertionError):
        check_budget("worst_rule", rules, 3, Fraction(1))
    with pytest.raises(AssertionError):
        check_neighbours("worst_rule", rules, 2)


@pytest.mark.parametrize("rules", RULES)
def test_the_suite_sees_a_worst_rule_that_spends_three_times_its_part(
    rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted_selection(monkeypatch, epsilon=lambda part: 3 * part)
    with pytest.raises(AssertionError):
        check_budget("worst_rule", rules, 1, Fraction(1))
    with pytest.raises(AssertionError):
        check_neighbours("worst_rule", rules, 1)


@pytest.mark.parametrize("measure", ["problematic", "minimal_inconsistent"])
def test_the_suite_sees_thresholds_up_to_the_true_number_of_rows(
    measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Measure.true_statistics

    def planted(measure: Measure, facts: Facts, setting: Setting) -> list[Statistic]:
        return real(measure, facts, replace(setting, limit=facts.rows))

    monkeypatch.setattr(Measure, "true_statistics", planted)
    for wishes in BOUNDS.values():
        with pytest.raises(AssertionError):
            check_shape([measure], "exact", wishes)


def planted_sensitivity(monkeypatch: pytest.MonkeyPatch, factor: Fraction) -> None:
    """Every statistic states a factor of its sensitivity."""
    real = Measure.true_statistics

    def planted(measure: Measure, facts: Facts, setting: Setting) -> list[Statistic]:
        scaled = []
        for statistic in real(measure, facts, setting):
            stated = tuple(max(1, round(s * factor)) for s in statistic.sensitivities)
            scaled.append(replace(statistic, sensitivities=stated, falls=0))
        return scaled

    monkeypatch.setattr(Measure, "true_statistics", planted)


def test_the_suite_sees_sensitivities_that_are_too_small_or_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for factor in (Fraction(1, 2), Fraction(2)):
        planted_sensitivity(monkeypatch, factor)
        for measure in set(MEASURES) - {"worst_rule"}:
            with pytest.raises(AssertionError):
                check_budget(measure, "exact", 4, Fraction(1))
        monkeypatch.undo()


def test_the_suite_sees_a_draw_that_spends_three_times_its_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for draw in (PlainDraw, LevelsDraw):
        monkeypatch.setattr(
            run, draw.__name__, lambda them, epsilon, known, of=draw: of(them, 3 * epsilon, known)
        )
    for measure in set(MEASURES) - {"worst_rule"}:
        with pytest.raises(AssertionError):
            check_budget(measure, "exact", 1, Fraction(1))
        with pytest.raises(AssertionError):
            check_neighbours(measure, "exact", 1)


def test_the_suite_sees_noise_of_another_scale() -> None:
    (call,) = calls_of("exact", UNEVEN, ["rows"])
    check_scale(call, [1], Fraction(1))
    for factor in WRONG:
        with pytest.raises(AssertionError):
            check_scale(call, [1], factor)
