"""When a printed number and ours agree, and what standard errors are of."""

from __future__ import annotations

import pytest

from candling_paper.experiments.comparison import (
    NOISY,
    NOT_MEASURED,
    OPEN,
    as_csv,
    counts,
    mark,
    merged,
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


def spread(value: float, spread: float) -> Estimate:
    return Estimate(value, spread / 3, "samples", spread=spread)


def test_a_reason_is_given_only_where_it_holds() -> None:
    far = Estimate(9.0, 0.01)
    assert mark(Comparison(printed(0.3), as_printed=far)) == OPEN
    # Single samples go as far as the printed number; or they vary so much that it says nothing.
    assert mark(Comparison(printed(1.0), as_run=spread(1.17, 0.1))) == "one-sample"
    assert mark(Comparison(printed(1.0), as_run=spread(1.4, 0.1))) == OPEN
    assert mark(Comparison(printed(1.0), as_run=spread(2.0, 0.6))) == OPEN
    # Other rows of the same kind.
    assert mark(Comparison(printed(1.0), as_run=far, other_rows=spread(1.01, 0.1))) == "other-rows"
    assert mark(Comparison(printed(1.0), as_run=far, other_rows=spread(2.0, 0.1))) == OPEN
    assert mark(Comparison(printed(1.0), other_rows=spread(1.0, 0.1))) == NOT_MEASURED
    # Facts about a file that is not here.
    fact = Estimate(5.0)
    assert mark(Comparison(printed(7.0, another_file=True), fact=fact)) == "another-file"
    assert mark(Comparison(printed(7.0), fact=fact)) == OPEN


@pytest.mark.parametrize(("seconds", "expected"), [(2.0, "another-machine"), (0.9, OPEN)])
def test_seconds_of_another_machine(seconds: float, expected: str) -> None:
    said = Printed(5.0, "seconds, Flight", "somewhere")
    c = Comparison(said, as_printed=Estimate(0.01), as_coded=Estimate(seconds))
    assert mark(c) == expected
    assert mark(Comparison(printed(5.0), as_coded=Estimate(seconds))) == OPEN  # no time


def test_a_number_is_there_once_whoever_measured_it() -> None:
    said = printed(1.0)
    one = Comparison(said, as_coded=Estimate(1.0), as_printed=Estimate(3.0))
    two = Comparison(said, as_run=Estimate(2.0), as_coded=Estimate(9.0))
    ((name, both),) = merged([("first", one), ("second", two)])
    assert name == "first"
    assert both == Comparison(
        said, as_run=Estimate(2.0), as_coded=Estimate(1.0), as_printed=Estimate(3.0)
    )


def test_kinds_are_counted_apart() -> None:
    found = [
        ("examples", Comparison(printed(1.0), fact=Estimate(1.0))),
        ("datasets", Comparison(printed(1.0, another_file=True), fact=Estimate(2.0))),
        ("budgets", Comparison(printed(1.0), as_run=Estimate(2.0, 0.01))),
    ]
    titles, lines = counts(found)
    assert titles[1:] == [
        *("agree", "differ for a tested reason", NOISY, OPEN, NOT_MEASURED, "in all"),
    ]
    assert lines == [
        ["experiments", "0", "0", "0", "1", "0", "1"],
        ["examples", "1", "0", "0", "0", "0", "1"],
        ["facts", "0", "1", "0", "0", "0", "1"],
        ["all", "1", "1", "0", "1", "0", "3"],
    ]


def row(sample: int, error: float | None, se: float | None = 0.3) -> Row:
    return {"sample": sample, "error": error, "error_se": se}


def test_the_standard_error_is_of_samples_where_there_are_several() -> None:
    one = estimate([row(0, 1.0), row(0, 2.0, 0.4)])
    assert one == Estimate(1.5, 0.25, "draws")
    two = estimate([row(0, 1.0), row(0, 2.0), row(1, 3.0), row(1, 4.0)])
    assert two == Estimate(2.5, 1.0, "samples", spread=2**0.5)  # means 1.5 and 3.5
    uneven = estimate([row(0, 1.0), row(1, 2.0), row(1, 3.0), row(1, 4.0)])
    assert uneven is not None
    assert uneven.value == 2.0  # of the samples, whatever their sizes
    assert estimate([row(0, None)]) is None
    assert estimate([row(0, 1.0, None)]) == Estimate(1.0)


def test_pooled() -> None:
    both = pooled([Estimate(1.0, 0.3, "samples"), None, Estimate(3.0, 0.4, "samples")])
    assert both == Estimate(2.0, 0.25, "samples")
    apart = pooled([Estimate(1.0, 0.3, spread=3.0), Estimate(3.0, 0.4, spread=4.0)])
    assert apart == Estimate(2.0, 0.25, spread=2.5)
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
