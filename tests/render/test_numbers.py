from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from candling.model.number import Grade, word_interval
from candling.model.person import ROW
from candling.render.wording import (
    count,
    cut,
    factor,
    plain,
    short,
    show_difference,
    signed_span,
    word_grade,
)


def test_numbers() -> None:
    assert [plain(v) for v in (None, 1234, 2.0, 2.5, "x")] == ["-", "1,234", "2", "2.5", "x"]
    assert [show_difference(v) for v in (None, 0, 3, -2.5)] == ["?", "0", "+3", "−2.5"]
    assert [short(v) for v in (0, 10, 2500, 1e6, 1e9, 1e12)] == [
        "0",
        "10",
        "2.5k",
        "1M",
        "1B",
        "1T",
    ]
    assert short(1e20) == "10²⁰"
    assert signed_span(None, 3) == "+3 or less"
    assert signed_span(-1, None) == "−1 or more"
    assert [factor(e) for e in (0.001, 0.1, 1, 1.5, 8)] == ["1.01", "1.11", "2.72", "4.49", "2,981"]
    assert factor(100) == "2.7 × 10⁴³"
    assert factor(math.inf) == "10³⁰⁰ or more"
    assert [plain(v) for v in (None, 1234, 2.5, "x")] == ["-", "1,234", "2.5", "x"]
    assert [count(n, "row") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert [cut("abcdef", n) for n in (6, 5)] == ["abcdef", "abcd…"]


@pytest.mark.parametrize(
    ("low", "high", "most", "words"),
    [
        (3, 12, None, "3 to 12"),
        (3, 12, 20, "3 to 12"),
        (3, 12, 12, "at least 3"),
        (3, None, None, "at least 3"),
        (0, 12, 20, "at most 12"),
        (0, 12, 12, "cannot tell"),
        (0, None, None, "cannot tell"),
        (12, 12, 12, "12"),
        (0, 0, 0, "0"),
        (Fraction(1, 2), 2000, None, "0.5 to 2,000"),
    ],
)
def test_an_end_that_says_nothing_is_left_out(low: Any, high: Any, most: Any, words: str) -> None:
    assert word_interval(low, high, most) == words


@pytest.mark.parametrize(
    ("grade", "words", "end", "short"),
    [
        ((0.5, 0.4, 0.6), "About 50.0%", " (40.0% to 60.0%)", "about 50.0% (40.0% to 60.0%, "),
        ((None, 0.4, 0.6), "Between 40.0% and 60.0%", "", "40.0% to 60.0% ("),
        ((None, 0.4, 1.0), "At least 40.0%", "", "at least 40.0% ("),
        ((None, 0.0, 0.6), "At most 60.0%", "", "at most 60.0% ("),
        ((None, 0.0, 1.0), "Cannot tell: the noise hides how many", "", "cannot tell ("),
        ((1.0, 1.0, 1.0), "100%", "", "100% ("),
        ((0.0, 0.0, 0.0), "0%", "", "0% ("),
    ],
)
def test_a_grade_in_words(grade: tuple[Any, ...], words: str, end: str, short: str) -> None:
    value, low, high = grade
    shown = Grade(value, value, low, high)
    sentence = f"{words} of the rows would remain after the smallest clean-up{end}."
    assert word_grade(shown, ROW) == sentence
    assert str(shown) == f"Grade {short}95% confidence)"
