from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import candling
from candling.card import Card
from candling.gates import check_gates, judge, parse_gate, summary
from candling.model.gate import Gate, Outcome
from candling.releases import make_request
from candling.rules import Op, compile_rules
from tests.drawn_cards import between, drawn_card
from tests.without_noise import leave_out_noise

RULES = candling.parse_constraints("a -> b")
RULES_NAMED = candling.parse_constraints('ab: a -> b\n"odd.name": key(b)')


@pytest.fixture
def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out_noise(monkeypatch)


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("repair/rows > 2%", Gate("repair/rows > 2%", "repair", True, Op.GT, Fraction(1, 50))),
        (" repair / rows>=.5 ", Gate("repair / rows>=.5", "repair", True, Op.GE, Fraction(1, 2))),
        ("grade < 95%", Gate("grade < 95%", "grade", False, Op.LT, Fraction(19, 20))),
        ("grade<=0.95", Gate("grade<=0.95", "grade", False, Op.LE, Fraction(19, 20))),
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
        ("", 0, "expected the name of a measure or a rule"),
        ("2% < repair/rows", 0, "expected the name of a measure or a rule"),
        ("repar > 3", 0, "did you mean `repair`?"),
        ("worst_rule > 3", 0, "unknown number `worst_rule`"),
        ("repair", 6, "expected one of > >= < <="),
        ("repair = 3", 7, "noisy numbers are never exactly equal"),
        ("repair > x", 9, "expected a number"),
        ("repair > -1", 9, "expected a number"),
        ("repair > 2%", 10, "a percentage of what? Write repair/rows"),
        ("repair/rows > 2,5%", 15, "expected the end of the gate"),
        ("repair/rows > 2", 15, "never above 100%; did you mean 2%?"),
        ("repair/people > 2", 7, "divided by `rows` only"),
        ("drastic/rows > 2", 8, "`drastic` is not a row count, so it cannot be divided by rows"),
        ("grade/rows < 95%", 6, "`grade` is a share of the rows already"),
        ("grade < 95", 10, "`grade` is never above 100%; did you mean 95%?"),
        ("grade < 950%", 12, "`grade` is never above 100%"),
        ("grad < 95%", 0, "did you mean `grade`?"),
        ("repair > 2 and rows < 3", 11, "expected the end of the gate"),
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
    request = make_request(compile_rules(RULES), epsilon=1, measures=["repair"])
    check_gates([parse_gate("repair > 2")], request.measures, request.refused)
    with pytest.raises(candling.UsageError, match="needs `rows`, which is not released"):
        check_gates([parse_gate("repair/rows > 2%")], request.measures, request.refused)
    for measures, missing in ((["repair"], "rows"), (["rows"], "repair")):
        request = make_request(compile_rules(RULES), epsilon=1, measures=measures)
        with pytest.raises(candling.UsageError, match=f"needs `{missing}`, which is not released"):
            check_gates([parse_gate("grade < 95%")], request.measures, request.refused)
    rules = candling.parse_constraints("a -> b\nc -> d")
    request = make_request(compile_rules(rules), epsilon=1, measures=["maximal_consistent"])
    with pytest.raises(candling.UsageError, match="these rules do not allow"):
        check_gates([parse_gate("maximal_consistent > 2")], request.measures, request.refused)


def card_of(**bounds: tuple[int, int | None]) -> Card:
    numbers: dict[str, Any] = {n: between(low, high) for n, (low, high) in bounds.items()}
    return drawn_card(**numbers)


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
def test_judged_by_the_interval(interval: tuple[int, int | None], op: str, outcome: str) -> None:
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


GRADED = drawn_card(repair=between(100, 200), rows=between(1600, 1600))


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("grade < 93.75%", "cannot tell"),
        ("grade <= 93.75%", "fail"),
        ("grade < 87.5%", "pass"),
        ("grade <= 87.5%", "cannot tell"),
        ("grade > 0.5", "fail"),
        ("repair/rows > 12.5%", "pass"),
        ("repair/rows >= 12.5%", "cannot tell"),
        ("repair/rows >= 6.25%", "fail"),
        ("repair/rows > 6.25%", "cannot tell"),
    ],
)
def test_the_grade_judges_the_share_of_rows_to_delete(text: str, outcome: str) -> None:
    assert judge(parse_gate(text), GRADED).outcome == outcome


def test_a_card_without_a_grade_is_not_judged_by_it() -> None:
    card = drawn_card(repair=between(1, 2))
    with pytest.raises(candling.UsageError, match="No grade: it is 1 - repair/rows") as error:
        judge(parse_gate("grade < 95%"), card)
    assert error.value.code == "U303"


@pytest.mark.parametrize("text", ["rows > 3", "problematic/rows > 3%", "repair/rows > 3%"])
def test_a_card_without_the_measure_is_not_judged(text: str) -> None:
    with pytest.raises(candling.UsageError) as error:
        judge(parse_gate(text), card_of(problematic=(1, 2)))
    assert error.value.code == "U303"


@pytest.mark.parametrize(
    "text",
    [
        *("grade < 50%", "repair/rows > 20%", "problematic/rows > 20%", "rows > 3"),
        *("minimal_inconsistent/rows > 0.2", "repair > 1", "problematic >= 2", "drastic >= 1"),
    ],
)
def test_a_stored_card_is_judged_as_the_fresh_one_was(text: str) -> None:
    every: list[dict[str, Any]] = [{}, {"public_rows": 4}, {"max_rows": 5}]
    for wishes in every:
        card = candling.release(_table(), RULES, 3, measures=["all"], **wishes)
        stored = Card.from_dict(json.loads(json.dumps(card.to_dict())))
        verdict = judge(parse_gate(text), card)
        assert verdict == judge(parse_gate(text), stored)
        assert verdict.level == 0.95


@pytest.mark.parametrize("text", ["ab > 0", "ab/rows > 20%", '"a -> b"/rows > 20%', "odd.name > 1"])
def test_a_gate_on_one_rule_of_a_stored_card(text: str) -> None:
    measures = ["rows", "by_rule"]
    card = candling.release(_table(), RULES_NAMED, 3, measures=measures)
    stored = Card.from_dict(json.loads(json.dumps(card.to_dict())))
    verdict = card.check(text)
    assert verdict == stored.check(text)
    assert verdict.level == 0.95
    again = Card.from_dict(stored.to_dict() | {"gates": [verdict.to_dict()]})
    assert again.gates == (verdict,)
    for missing in (["rows", "repair"], ["by_rule"] if "/" in text else ["rows"]):
        other = candling.release(_table(), RULES_NAMED, 3, measures=missing)
        with pytest.raises(candling.UsageError) as error:
            other.check(text)
        assert error.value.code == "U303"


def test_the_share_of_a_rule_covers_the_true_one() -> None:
    """A quarter of the rows must go; 95 of 100 intervals cover that, and none is without limits."""
    table = pa.table({"a": [i // 2 for i in range(400)], "b": [i % 4 for i in range(400)]})
    rule = candling.parse_constraints("ab: not(t1.a = t2.a and t1.b != t2.b and t1.b < 2)")
    true = candling.exact(table, rule, by_rule=True).by_rule[0].repair_exact
    study = candling.analyze(table, rule)
    covered = narrow = 0
    for _ in range(60):
        card = study.release(2, measures=["rows", "by_rule"])
        verdict = card.check("ab/rows > 0%")
        assert verdict.high is not None
        covered += verdict.low <= Fraction(true or 0, 400) <= verdict.high
        narrow += verdict.high - verdict.low < Fraction(1, 2)
    assert covered >= 50
    assert narrow == 60


def test_without_noise_a_rule_is_judged_as_all_rules_are(without_noise: None) -> None:
    card = candling.release(_table(), "a -> b", 1, measures=["repair", "rows", "by_rule"])
    rule, all_rules = card.check('"a -> b"/rows > 20%'), card.check("repair/rows > 20%")
    assert (rule.low, rule.high) == (all_rules.low, all_rules.high)


NAMES = ("repair", "rows", "drastic")


def test_all_gates_of_a_card_are_right_at_once() -> None:
    """A grade at its lowest, and no row to delete, are not both possible."""
    card = drawn_card(NAMES, repair=between(0, 10), rows=between(100, 200))
    assert card.check("grade < 90%").passed
    assert card.check("grade <= 90%").outcome is Outcome.CANNOT_TELL
    clean = drawn_card(NAMES, repair=between(-5, 0), rows=between(100, 200))
    assert clean.check("drastic >= 1").passed
    assert clean.check("grade < 100%").passed
    dirty = drawn_card(NAMES, repair=between(1, 10**4), rows=between(10**13, 2 * 10**13))
    assert dirty.check("drastic >= 1").failed
    assert dirty.check("grade < 100%").failed, "although 100% is shown"
    assert dirty.grade.high == 1


def _table() -> object:
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
