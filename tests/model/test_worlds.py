"""The event, the worlds that fit it, and what is read off them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candling.model.noisy import PARTS, SMALLEST, NoiseDraw, Noisy
from candling.model.relations import NoWorldError, RuleFacts
from candling.model.worlds import Evidence, Worlds
from candling.privacy import Drawn, PlainNoise
from tests import oracle

NAMES = ("repair", "rows", "problematic", "minimal_inconsistent", "maximal_consistent", "by_rule")
HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise that is never further away than so many steps."""

    steps: int

    def upper_tail(self, miss: float) -> int:
        return self.steps

    def lower_tail(self, miss: float) -> int:
        return self.steps


def noisy(value: int, away: int = 2, *, kind: str = "exact", threshold: int = 1) -> Noisy:
    step = HALF if kind == "lower_bound" else Fraction(1)
    return Noisy(Drawn(0, value, step, Noise(away)), threshold, kind)


def evidence(facts: Any = None, **known: Any) -> Evidence:
    """Numbers that were drawn, and what is public."""
    public = {name: known.pop(name) for name in ("public_rows", "max_rows") if name in known}
    drawn = {n: (own,) if isinstance(own, Noisy) else tuple(own) for n, own in known.items()}
    draws = (NoiseDraw(Fraction(1), drawn),) if drawn else ()
    return Evidence(facts or RuleFacts(rows=False), draws, **public)


# The event


@given(
    st.sets(st.sampled_from(NAMES), min_size=1),
    st.integers(1, 200),
    st.sampled_from((0.05, 0.2)),
)
def test_the_probability_to_miss_is_dealt_out_whole(
    names: set[str], rules: int, miss: float
) -> None:
    asked: dict[tuple[int, str], float] = {}

    def tail(which: str, real: Any) -> Any:
        def looked_at(of: Any, part: float) -> Any:
            asked[id(of), which] = max(part, asked.get((id(of), which), 0.0))
            return real(of, part)

        return looked_at

    drawn = {
        name: [noisy(50) for _ in range(rules)] if name == "by_rule" else noisy(50)
        for name in names
    }
    told = evidence(**drawn)
    with (
        mock.patch.object(Drawn, "lower", tail("lower", Drawn.lower)),
        mock.patch.object(Drawn, "upper", tail("upper", Drawn.upper)),
    ):
        Worlds(told, miss)
        for name in names - {"problematic", "minimal_inconsistent", "by_rule"}:
            Worlds(told, miss).read(name)
    one_sided = {
        id(told.numbers[name][0].draw) for name in names & {"problematic", "minimal_inconsistent"}
    }
    # The upper end of a number with a threshold only tells whether it is worth showing.
    tails = [part for (of, way), part in asked.items() if not (of in one_sided and way == "upper")]
    assert math.fsum(tails) == pytest.approx(miss, rel=1e-9)


def test_the_repair_gets_the_most() -> None:
    assert PARTS["repair"] == (8, 8)
    assert PARTS["rows"] == (1, 1)
    assert PARTS["problematic"] == PARTS["minimal_inconsistent"] == (2, 0)


def test_if_no_world_fits_the_event_has_failed() -> None:
    noise = PlainNoise(1.0, 1)
    repair, rows = (
        Noisy(Drawn(0, value, Fraction(1), noise)) for value in (30, 10)
    )  # more rows to delete than there are
    found = evidence(repair=repair, rows=rows).worlds(0.95)
    low, high = found.repair
    assert high is not None
    assert high < found.rows[1]  # type: ignore[operator]
    assert low <= high
    wide, narrow = (evidence(repair=repair, rows=noisy(40)).worlds(level) for level in (0.99, 0.5))
    assert wide.repair[0] < narrow.repair[0]


def test_a_false_statement_leaves_everything_open() -> None:
    found = evidence(repair=noisy(500), public_rows=10).worlds(0.95)
    assert (found.rows, found.repair, found.drastic) == ((10, 10), (0, 9), (0, 1))
    assert found.grade == (Fraction(1, 10), Fraction(1))


# What is read off


def test_ends_are_whole_and_rounded_inwards() -> None:
    found = evidence(repair=noisy(141, 31, kind="lower_bound"), rows=noisy(1000)).worlds(0.95)
    assert found.repair == (55, 172)  # half of 110 to twice half of 172
    assert found.rows == (998, 1002)
    assert found.grade == (1 - Fraction(172, 998), 1 - Fraction(55, 1002))


@pytest.mark.parametrize("kind", SMALLEST)
def test_levels_tell_of_the_repair(kind: str) -> None:
    cut = {
        "problematic": noisy(100, 10, threshold=8),
        "minimal_inconsistent": noisy(100, 10, threshold=8, kind="lower_bound"),
    }
    for name, least in (("problematic", 10), ("minimal_inconsistent", 6)):
        found = evidence(repair=noisy(1, 60, kind=kind), rows=noisy(10**4), **{name: cut[name]})
        assert found.worlds(0.95).repair[0] == least  # 90/9 and 45/8


def test_answers_of_yes_no_and_cannot_tell() -> None:
    answers = {}
    for value in (-2, -1, 2, 3):
        reading = evidence(repair=noisy(value), rows=noisy(100)).worlds(0.95).read("drastic")
        answers[value] = reading.estimate if reading.telling else None
    assert answers == {-2: 0, -1: None, 2: None, 3: 1}


def test_a_value_is_shown_where_its_interval_says_something() -> None:
    rows = noisy(10**4)
    for kind in SMALLEST:
        shown = [
            evidence(repair=noisy(value, kind=kind), rows=rows).worlds(0.95).read("repair").telling
            for value in (4, 5, 6, 100)
        ]
        assert shown == [False, False, True, True]
    clean = evidence(repair=noisy(-3), rows=rows).worlds(0.95).read("repair")
    assert (clean.telling, clean.low, clean.high, clean.estimate) == (True, 0, 0, 0)
    cut = evidence(repair=noisy(50), rows=rows, problematic=noisy(300, 100, threshold=4))
    assert cut.worlds(0.95).read("problematic").telling  # although it is 200 to 10,002
    cut = evidence(repair=noisy(50), rows=rows, problematic=noisy(299, 100, threshold=4))
    assert not cut.worlds(0.95).read("problematic").telling


def test_rules_are_read_off_the_same_worlds() -> None:
    found = evidence(
        repair=noisy(50, 5), rows=noisy(1000), by_rule=[noisy(60, 15), noisy(0, 10)]
    ).worlds(0.95)
    assert found.repair == (45, 55)
    assert [found.of_rule(place) for place in (0, 1)] == [(45, 55), (0, 10)]
    found = evidence(repair=noisy(50, 5), rows=noisy(1000), by_rule=[noisy(20, 5)] * 2).worlds(0.95)
    assert found.repair == (45, 50), "no more than both"
    assert found.of_rule(0) == (20, 25), "no less than the other leaves"
    estimates = [found.read(place).estimate for place in (0, 1)]
    assert sum(estimates) >= found.read("repair").estimate == 50


def test_ways_are_no_more_than_the_repair_allows() -> None:
    known = {"repair": noisy(10), "rows": noisy(100)}
    found = evidence(**known, maximal_consistent=noisy(11, 5)).worlds(0.95)
    assert found.repair == (8, 12)
    reading = found.read("maximal_consistent")
    assert (reading.low, reading.high, reading.estimate) == (6, 12, 10)
    found = evidence(rows=noisy(100), maximal_consistent=noisy(11, 5)).worlds(0.95)
    assert found.repair == (5, 101)  # a step less, as the log is rounded


@pytest.mark.parametrize("nodes", range(1, 6))
def test_each_row_to_delete_doubles_the_ways_to_clean_at_most(nodes: int) -> None:
    pairs = list(combinations(range(nodes), 2))
    reached = set()
    for mask in range(1 << len(pairs)):
        edges = frozenset(pair for i, pair in enumerate(pairs) if mask >> i & 1)
        graph = oracle.Conflicts(nodes, frozenset(), edges)
        ways, repair = oracle.maximal_consistent(graph), oracle.repair_exact(graph)
        assert ways <= 2**repair
        if ways == 2**repair:
            reached.add(repair)
    assert reached == set(range(nodes // 2 + 1)), "pairs reach it"


LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)


@given(
    st.dictionaries(st.sampled_from(NAMES[:4]), st.integers(-20, 3000), min_size=1),
    st.sampled_from(list(SMALLEST)),
    st.sampled_from(({}, {"max_rows": 2000}, {"public_rows": 100})),
    st.sampled_from((RuleFacts(), RuleFacts(rows=False), RuleFacts(keys=2))),
)
def test_a_higher_level_never_says_more_while_worlds_fit(
    values: dict[str, int], kind: str, public: Mapping[str, int], facts: RuleFacts
) -> None:
    step = HALF if kind == "lower_bound" else Fraction(1)
    numbers = {
        name: Noisy(
            Drawn(0, value, step if name == "repair" else Fraction(1), PlainNoise(9.0, 1)),
            4 if name in NAMES[2:] else 1,
            kind if name == "repair" else "exact",
        )
        for name, value in values.items()
        if not (name == "rows" and "public_rows" in public)
    }
    told = evidence(facts, **public, **numbers)
    found = [told.worlds(level) for level in LEVELS]
    for name in numbers:
        for worlds in found:
            reading = worlds.read(name)
            assert reading.low <= reading.estimate
            assert reading.high is None or reading.estimate <= reading.high
    fits = [worlds for level, worlds in zip(LEVELS, found, strict=True)
            if _fits(told, 1 - level)]  # fmt: skip
    for narrow, wide in pairwise(fits):
        for name in numbers:
            one, two = narrow.read(name), wide.read(name)
            assert two.low <= one.low
            assert two.high is None or (one.high is not None and one.high <= two.high)


def _fits(told: Evidence, miss: float) -> bool:
    """Whether the event need not be halved."""
    try:
        Worlds(told, miss)
    except NoWorldError:
        return False
    return True
