"""How a grade is shown: never tighter than it is, and with its value inside."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candling.model.number import Grade, exact, percent, round_for_storage

SHARES = st.one_of(
    st.floats(0, 1),
    st.floats(0, 0.02),
    st.floats(0, 0.02).map(lambda share: 1 - share),
    st.fractions(0, 1),
)


@pytest.mark.parametrize(
    ("share", "down", "nearest", "up"),
    [
        (0.0, "0%", "0%", "0%"),
        (1.0, "100%", "100%", "100%"),
        (0.5, "50.0%", "50.0%", "50.0%"),
        (Fraction(1, 3), "33.3%", "33.3%", "33.4%"),
        (0.98765, "98.7%", "98.8%", "98.8%"),
        (0.99512, "99.51%", "99.51%", "99.52%"),
        (0.9999999, "99.999%", "100%", "100%"),
        (0.0000001, "0%", "0%", "0.001%"),
        (12.34, "1,234.0%", "1,234.0%", "1,234.0%"),
    ],
)
def test_percent(share: float, down: str, nearest: str, up: str) -> None:
    exact = Fraction(str(share))
    assert (percent(exact, up=False), percent(exact), percent(exact, up=True)) == (
        down,
        nearest,
        up,
    )


def _read(shown: str) -> Fraction:
    return Fraction(shown.removesuffix("%")) / 100


@given(st.tuples(SHARES, SHARES, SHARES).map(sorted))
def test_what_is_shown_is_no_tighter_and_holds_the_value(shares: list[float]) -> None:
    low, value, high = shares
    shown = _read(percent(low, up=False)), _read(percent(value)), _read(percent(high, up=True))
    assert shown[0] <= exact(low)
    assert exact(high) <= shown[2]
    assert shown[0] <= shown[1] <= shown[2]


@given(SHARES)
def test_the_rest_of_a_share_is_shown_with_the_same_digits(share: float) -> None:
    rest = 1 - exact(share)
    assert _read(percent(share, up=False)) == 1 - _read(percent(rest, up=True))


@given(st.fractions(-1, 10**12))
def test_a_stored_share_is_no_tighter_and_means_its_decimal(share: Fraction) -> None:
    low, nearest, high = (
        round_for_storage(share, up=False),
        round_for_storage(share),
        round_for_storage(share, up=True),
    )
    assert exact(low) <= share <= exact(high)
    assert low <= nearest <= high
    assert [
        exact(end) for end in (round_for_storage(exact(low)), round_for_storage(exact(high)))
    ] == [
        exact(low),
        exact(high),
    ]


def test_words() -> None:
    grade = Grade(0.983, 0.983, 0.9791, 0.9868)
    assert grade.shown == "about 98.3%"
    assert str(grade) == "Grade about 98.3% (97.9% to 98.7%, 95% confidence)"
    hidden = Grade(None, 0.983, 0.9791, 1.0)
    assert hidden.shown == "at least 97.9%"
    assert Grade(None, reason="it is not there.").shown == "cannot tell"
    assert str(Grade(None, reason="it is not there.")) == "No grade: it is not there."
