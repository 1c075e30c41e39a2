"""When a printed number and ours agree, and what standard errors are of."""

from __future__ import annotations

import pytest

from candling_paper.experiments.comparison import (
    EXPLANATIONS,
    NOISY,
    NOT_MEASURED,
    OPEN,
    as_csv,
    explained,
    mark,
)
from candling_paper.experiments.experiment import Comparison
from candling_paper.experiments.published_values import Printed
from candling_paper.experiments.store import Row
from candling_paper.experiments.tables import Estimate, estimate, from_csv, pooled, to_csv


def printed(value: float, **more: object) -> Printed:
    return Printed(value, "a number", "somewhere", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "ours", "expected"),
    [
        (printed(1.0), Estimate(1.19, 0.1), "agrees"),
        (printed(1.0), Estimate(1.21, 0.1), OPEN),
        (printed(1.0, unit=0.1), Estimate(1.24, 0.1), "agrees"),
        (printed(1.0, spread=0.3), Estimate(1.22, 0.1), "agrees"),
        (printed(1.0, spread=0.3), Estimate(1.4, 0.1), OPEN),
        (printed(1.0), Estimate(1.0, 0.2), NOISY),
        (printed(1.0, relation="<="), Estimate(0.1, 0.01), "agrees"),
        (printed(1.0, relation=">="), Estimate(0.1, 0.01), OPEN),
        (printed(3.0), Estimate(2.0, limits=(2.0, 3.0)), "agrees"),
        (printed(3.0), Estimate(1.0, limits=(1.0, 2.0)), OPEN),
    ],
)
def test_two_standard_errors(said: Printed, ours: Estimate, expected: str) -> None:
    assert mark(Comparison(said, as_printed=ours)) == expected


def test_a_fact_may_be_one_unit_off() -> None:
    assert mark(Comparison(printed(0.35, unit=0.01), fact=Estimate(0.357))) == "agrees"
    assert mark(Comparison(printed(0.35, unit=0.01), fact=Estimate(0.363))) == OPEN
    assert mark(Comparison(printed(7.0), fact=Estimate(7.0))) == "agrees"
    assert mark(Comparison(printed(7.0), fact=Estimate(7.1))) == OPEN


def test_the_mark_says_which_form_agrees() -> None:
    near, far = Estimate(1.0, 0.01), Estimate(2.0, 0.01)
    assert mark(Comparison(printed(1.0), as_coded=near, as_printed=near)) == "agrees"
    assert mark(Comparison(printed(1.0), as_coded=near, as_printed=far)) == "agrees (as coded)"
    assert mark(Comparison(printed(1.0), as_coded=far, as_printed=far, ours=near)) == OPEN
    assert mark(Comparison(printed(1.0), ours=near)) == NOT_MEASURED


def test_a_difference_is_explained_or_open() -> None:
    far = Estimate(9.0, 0.01)
    said = Printed(0.334, "minimal_inconsistent by R2T, Tax", "somewhere")
    assert mark(Comparison(said, as_printed=far)) == "open"
    said = Printed(0.269, "minimal_inconsistent by R2T, Adult", "somewhere")
    assert mark(Comparison(said, as_printed=far)) == "steps"
    assert explained("minimal_inconsistent by R2T, Stock") == "luck-of-r2t"  # the more particular
    assert explained("columns, Stock") is None
    assert all("Tried" in e.why or "Computed" in e.why for e in EXPLANATIONS.values())


def row(sample: int, error: float | None, se: float | None = 0.3) -> Row:
    return {"sample": sample, "error": error, "error_se": se}


def test_the_standard_error_is_of_samples_where_there_are_several() -> None:
    one = estimate([row(0, 1.0), row(0, 2.0, 0.4)])
    assert one == Estimate(1.5, 0.25, "draws")
    two = estimate([row(0, 1.0), row(0, 2.0), row(1, 3.0), row(1, 4.0)])
    assert two == Estimate(2.5, 1.0, "samples")  # means 1.5 and 3.5
    assert estimate([row(0, None)]) is None
    assert estimate([row(0, 1.0, None)]) == Estimate(1.0)


def test_pooled() -> None:
    both = pooled([Estimate(1.0, 0.3, "samples"), None, Estimate(3.0, 0.4, "samples")])
    assert both == Estimate(2.0, 0.25, "samples")
    assert pooled([Estimate(1.0), Estimate(2.0, 0.1)]) == Estimate(1.5)
    assert pooled([None]) is None


def test_csv_and_back() -> None:
    rows: list[Row] = [{"a": 1, "b": None, "c": "x, y"}, {"a": 0.25, "b": -3, "c": "1e"}]
    assert from_csv(to_csv(rows)) == rows
    (line,) = from_csv(as_csv([("e", Comparison(printed(1.0), ours=Estimate(2.0, 0.5, "draws")))]))
    assert (line["ours"], line["ours_se"], line["se_over"], line["mark"]) == (
        2,
        0.5,
        "draws",
        NOT_MEASURED,
    )
