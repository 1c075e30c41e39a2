from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import candling
from candling.constraints import Op
from candling.gates import Gate, Outcome, check_gates, judge, parse_gate, summary
from candling.privacy import laplace_noise
from candling.releases import Measure, Scorecard, make_request
from candling.releases.card import FixedBounds, LaplaceBounds
from candling.releases.intervals import cleanliness, interval_of, share_of_rows

RULES = candling.parse_constraints("a -> b")


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("repair/rows > 2%", Gate("repair/rows > 2%", "repair", True, Op.GT, Fraction(1, 50))),
        (" repair / rows>=.5 ", Gate("repair / rows>=.5", "repair", True, Op.GE, Fraction(1, 2))),
        ("rows < 10,000", Gate("rows < 10,000", "rows", False, Op.LT, Fraction(10_000))),
        ("rows ≤ 1_000.5", Gate("rows ≤ 1_000.5", "rows", False, Op.LE, Fraction("1000.5"))),
        (
            "minimal_inconsistent/rows > 3",
            Gate("minimal_inconsistent/rows > 3", "minimal_inconsistent", True, Op.GT, Fraction(3)),
        ),
    ],
)
def test_what_is_a_gate(text: str, gate: Gate) -> None:
    assert parse_gate(text) == gate


@pytest.mark.parametrize(
    ("text", "caret", "words"),
    [
        ("", 0, "the name of a measure comes first"),
        ("2% < repair/rows", 0, "the name of a measure comes first"),
        ("repar > 3", 0, "did you mean `repair`?"),
        ("worst_rule > 3", 0, "no number `worst_rule`"),
        ("repair", 6, "one of > >= < <= comes here"),
        ("repair = 3", 7, "noise leaves nothing equal"),
        ("repair > x", 9, "a number comes here"),
        ("repair > -1", 9, "a number comes here"),
        ("repair > 2%", 10, "a percentage of what? Write repair/rows"),
        ("repair/rows > 2,5%", 15, "nothing more can follow"),
        ("repair/rows > 2", 15, "never above 100%; did you mean 2%?"),
        ("repair/people > 2", 7, "divided by `rows` only"),
        ("drastic/rows > 2", 8, "`drastic` is no part of the rows"),
        ("repair > 2 and rows < 3", 11, "nothing more can follow"),
    ],
)
def test_what_is_none(text: str, caret: int, words: str) -> None:
    with pytest.raises(candling.UsageError) as error:
        parse_gate(text)
    assert error.value.code == "U302"
    first, shown, under, example = str(error.value).split("\n")
    assert words in first
    assert shown == f"    {text}"
    assert under == " " * (4 + caret) + "^"
    assert "repair/rows > 2%" in example


def test_a_gate_on_what_is_not_released() -> None:
    request = make_request(tuple(RULES), epsilon=1, measures=["repair"])
    check_gates([parse_gate("repair > 2")], request)
    with pytest.raises(candling.UsageError, match="needs `rows`, which is not released"):
        check_gates([parse_gate("repair/rows > 2%")], request)
    rules = candling.parse_constraints("a -> b\nc -> d")
    request = make_request(tuple(rules), epsilon=1)
    with pytest.raises(candling.UsageError, match="these rules do not allow"):
        check_gates([parse_gate("maximal_consistent > 2")], request)


def card_of(**bounds: tuple[float, float | None]) -> Scorecard:
    measures = {
        name: Measure(name, low, Fraction(1), "", FixedBounds(low, high))
        for name, (low, high) in bounds.items()
    }
    return Scorecard(Fraction(1), 1, measures)


@pytest.mark.parametrize(
    ("interval", "op", "outcome"),
    [
        ((11, 20), ">", "fail"),
        ((10, 20), ">", "cannot tell"),
        ((10, 20), ">=", "fail"),
        ((5, 10), ">", "pass"),
        ((5, 10), ">=", "cannot tell"),
        ((5, None), ">", "cannot tell"),
        ((11, None), ">", "fail"),
        ((0, 9), "<", "fail"),
        ((0, 10), "<", "cannot tell"),
        ((0, 10), "<=", "fail"),
        ((10, 12), "<", "pass"),
        ((10, 12), "<=", "cannot tell"),
        ((11, None), "<=", "pass"),
        ((5, None), "<", "cannot tell"),
    ],
)
def test_judged_by_the_interval(
    interval: tuple[float, float | None], op: str, outcome: str
) -> None:
    assert judge(parse_gate(f"repair {op} 10"), card_of(repair=interval)).outcome == outcome


@given(
    low=st.integers(0, 30),
    width=st.integers(0, 30),
    number=st.integers(0, 60),
    op=st.sampled_from([">", ">=", "<", "<="]),
)
def test_fail_means_everywhere_and_pass_means_nowhere(
    low: int, width: int, number: int, op: str
) -> None:
    gate = parse_gate(f"repair {op} {number}")
    holds = [bool(gate.op.compare(x, number)) for x in range(low, low + width + 1)]
    expected = Outcome.FAIL if all(holds) else Outcome.CANNOT_TELL if any(holds) else Outcome.PASS
    assert judge(gate, card_of(repair=(low, low + width))).outcome is expected


@given(
    top=st.tuples(st.integers(0, 50), st.integers(0, 50)),
    bottom=st.tuples(st.integers(0, 50), st.integers(0, 50)),
    at=st.tuples(st.integers(0, 50), st.integers(0, 50)),
)
def test_the_share_of_any_two_values_is_inside(
    top: tuple[int, int], bottom: tuple[int, int], at: tuple[int, int]
) -> None:
    """Whatever is repaired of whatever number of rows: no more than all, none of none."""
    repair = top[0] + at[0] % (top[1] + 1)
    rows = bottom[0] + at[1] % (bottom[1] + 1)
    if repair > rows:
        return
    card = card_of(repair=(top[0], sum(top)), rows=(bottom[0], sum(bottom)))
    found = share_of_rows(card, "repair")
    share = Fraction(repair, rows) if rows else Fraction(0)
    assert found.high is not None
    assert found.low <= share <= found.high <= 1


def test_two_noisy_numbers_are_each_taken_at_more_than_95_percent() -> None:
    noise = laplace_noise(1, Fraction(1, 10))
    bounds = {"repair": LaplaceBounds(100, noise), "rows": LaplaceBounds(1000, noise)}
    card = Scorecard(
        Fraction(1), 1, {n: Measure(n, b.value, Fraction(1), "", b) for n, b in bounds.items()}
    )
    found = share_of_rows(card, "repair")
    assert found.level == 0.95
    assert found.low == Fraction(bounds["repair"].interval(0.975)[0]) / Fraction(
        bounds["rows"].interval(0.975)[1] or 0
    )
    assert interval_of(card, "repair").low == bounds["repair"].interval(0.95)[0]
    stored = Scorecard.from_dict(card.to_dict())
    again = share_of_rows(stored, "repair")
    assert again.level == 0.9
    assert found.low < again.low


def test_a_stated_number_of_rows_costs_no_level() -> None:
    card = candling.release(_table(), RULES, 1, public_rows=4)
    stored = Scorecard.from_dict(card.to_dict())
    assert share_of_rows(card, "repair") == share_of_rows(stored, "repair")
    assert share_of_rows(stored, "repair").level == 0.95


def _table() -> object:
    import pyarrow as pa

    return pa.table({"a": [1, 1, 2, 2], "b": [1, 2, 3, 3]})


def test_several_gates() -> None:
    verdicts = [
        judge(parse_gate(text), card_of(repair=(5, 10)))
        for text in ("repair > 20", "repair > 7", "repair > 1")
    ]
    assert summary([]) is Outcome.PASS
    assert summary(verdicts[:1]) is Outcome.PASS
    assert summary(verdicts[:2]) is Outcome.CANNOT_TELL
    assert summary(verdicts) is Outcome.FAIL


def test_the_grade() -> None:
    found = cleanliness(card_of(repair=(10, 20), rows=(100, 200)))
    assert not isinstance(found, str)
    value, bounds = found
    assert value == 1 - Fraction(10, 100)
    assert (bounds.low, bounds.high) == (1 - Fraction(20, 100), 1 - Fraction(10, 200))
    assert "no rows to divide by" in str(cleanliness(card_of(repair=(0, 1), rows=(0, 1))))
