from __future__ import annotations

import math

from candling.render.wording import (
    count,
    cut,
    factor,
    plain,
    short,
    show_difference,
    signed_span,
    span,
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
    assert span(None, None) == "no bounds"
    assert span(None, 3) == "at most 3"
    assert signed_span(None, 3) == "+3 or less"
    assert signed_span(-1, None) == "−1 or more"
    assert factor(1) == "2.72"
    assert factor(8) == "2,981"
    assert factor(100) == "2.7 × 10⁴³"
    assert factor(math.inf) == "more than 10³⁰⁰"
    assert [plain(v) for v in (None, 1234, 2.5, "x")] == ["-", "1,234", "2.5", "x"]
    assert [count(n, "row") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert [cut("abcdef", n) for n in (6, 5)] == ["abcdef", "abcd…"]
