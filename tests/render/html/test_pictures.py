"""Axes: everything is on them, in order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candling.model.number import Grade
from candling.render.pictures import (
    FIRST,
    LAST,
    arcs,
    make_scale,
    percent_scale,
    shares,
    words_in_egg,
)


@given(st.lists(st.floats(0, 1e15), min_size=1, max_size=8))
def test_everything_is_on_the_axis_and_in_order(values: list[float]) -> None:
    scale = make_scale(values)
    places = [scale.at(v) for v in sorted(values)]
    assert places == sorted(places)
    assert all(FIRST <= place <= LAST for place in places)
    assert scale.top >= max(values)
    assert 2 <= len(scale.ticks) <= 7
    assert all(0 <= tick <= scale.top * (1 + 1e-9) for tick in scale.ticks)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_shares_are_on_their_axis(values: list[float]) -> None:
    scale = percent_scale(values)
    assert scale.start <= min(values)
    assert scale.ticks[-1] == 100
    assert 2 <= len(scale.ticks) <= 7


def test_axes_are_linear_where_they_can_be() -> None:
    assert not make_scale([142, 169, 196]).log
    assert make_scale([142, 169, 196]).ticks == (0, 50, 100, 150, 200)
    assert make_scale([3, 60_000]).log
    assert not make_scale([]).log


def test_the_shell_of_the_egg() -> None:
    assert arcs(Grade(None)) == []
    shell = [("cd-unsure", "50", "-25"), ("cd-sure", "25", "-0")]
    for value, needle in ((None, []), (0.5, [("cd-needle", "0.8", "-49.6")])):
        drawn = arcs(Grade(value, 0.5, 0.25, 0.75))
        assert [(arc.kind, arc.length, arc.offset) for arc in drawn] == shell + needle


@pytest.mark.parametrize(
    ("grade", "lines"),
    [
        (Grade(None), ["?"]),
        (Grade(None, 0.5, 0.0, 1.0), ["?"]),
        (Grade(0.5, 0.5, 0.4, 0.6), ["50.0%"]),
        (Grade(None, 0.5, 0.4, 0.6), ["40.0%", "to", "60.0%"]),
        (Grade(None, 0.5, 0.4, 1.0), ["at least", "40.0%"]),
        (Grade(None, 0.5, 0.0, 0.6), ["at most", "60.0%"]),
    ],
)
def test_the_words_in_the_egg(grade: Grade, lines: list[str]) -> None:
    assert words_in_egg(grade) == lines


@given(st.lists(st.floats(0, 1e6), max_size=8))
def test_shares_fill_the_row(amounts: list[float]) -> None:
    placed = shares([("part", amount, "cd-c0") for amount in amounts])
    assert [share.amount for share in placed] == amounts
    if sum(amounts) > 0:
        assert placed[-1].start + placed[-1].width == pytest.approx(100)
