"""Releases by persons: what is asked, what is chosen, what a card says, and what is refused."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import candling
from candling.errors import UsageError
from candling.model.person import Person
from candling.privacy.budget import GRID
from candling.releases import make_request
from candling.releases.request import NUMBERS, WORTH, choose_rows, numbers_to_choose_from
from candling.rules import compile_rules
from candling.tables import core
from candling.tables.backends.duckdb import ENGINE as DUCKDB
from tests.measures.draws import DrawCall, recorded
from tests.privacy.statistics import fits
from tests.privacy.test_selection import law as selection_law

RULE = "a -> b"
VISITS = pa.table(
    {
        "patient": ["ann"] * 6 + ["bob"] * 2 + ["eve", None, None],
        "a": [1] * 11,
        "b": [1, 2, 3, 4, 5, 6, 1, 2, 1, 8, 9],
    }
)


def rows_drawn(**wishes: Any) -> int:
    """The number of rows that the grade of a release is made from."""
    with recorded() as calls:
        candling.release(VISITS, RULE, 1, measures=["repair", "rows"], **wishes)
    place = 0 if "person" in wishes else 1  # repair comes before rows
    statistics = next(call for call in calls if isinstance(call, DrawCall)).statistics
    return int(statistics[place].values[0] * statistics[place].step)


def test_the_grade_counts_at_most_so_many_rows_of_each_person() -> None:
    assert rows_drawn() == 11
    assert rows_drawn(rows_per_person=3) == 11, "a promise cuts nothing"
    assert rows_drawn(person="patient", rows_per_person=1) == 3
    assert rows_drawn(person="patient", rows_per_person=2) == 5
    assert rows_drawn(person=["patient"], rows_per_person=100) == 9
    assert rows_drawn(person=["patient", "b"], rows_per_person=1) == 9


def test_counts_are_of_all_rows_with_a_limit_for_each_person() -> None:
    with recorded() as calls:
        candling.release(VISITS, RULE, 1, measures=["all"], person="patient", rows_per_person=2)
    first, second = (call.statistics for call in calls if isinstance(call, DrawCall))
    assert first[2].values[0] * first[2].step == Fraction(5, 2), (
        "ann and bob give 2 each, eve 1, to pairs"
    )
    rows, witnessed, conflicts = second
    assert [rows.values[t] for t in (0, 1, 2)] == [5, 7, 9]
    assert rows.thresholds[:3] == (2, 4, 8)
    assert len(witnessed.values) == len(conflicts.values) == 1, "so few errors need no thresholds"
    facts = candling.analyze(VISITS, RULE, person="patient")._analysis._person_facts
    exact = candling.exact(VISITS.slice(0, 9), RULE)
    assert facts.witnessed((1, 64))[-1] == 2 * exact.problematic == 18
    assert facts.conflicts((1, 64))[-1] == 2 * exact.minimal_inconsistent


def test_without_a_number_about_a_sample_none_is_chosen() -> None:
    for measures in (["rows"], ["repair"], ["problematic", "by_rule"], ["drastic"]):
        card = candling.release(VISITS, RULE, 1, measures=measures, person="patient")
        assert card.person == Person(("patient",), None)
        assert card.to_dict()["person"] == {"columns": ["patient"], "rows": None}
        assert candling.Card.from_dict(card.to_dict()) == card
        assert "counts at most" not in str(card)
    for measures in (["repair", "rows"], ["maximal_consistent"], ["worst_rule"]):
        card = candling.release(VISITS, RULE, 1, measures=measures, person="patient")
        assert card.person.epsilon == Fraction(1, 20)


def test_counts_have_no_upper_end_but_a_stated_one() -> None:
    asked: dict[str, Any] = {"measures": ["all", "by_rule"], "person": "patient"}
    card = candling.release(VISITS, RULE + "\nb -> a", 1, **asked)
    counts = [m for m in (*card, *card.by_rule) if m.name != "drastic"]
    assert all(m.high is None for m in counts)
    assert {m.reason for m in counts} == {
        "No upper bound, because one person can have any number of rows."
    }
    assert all(m.per_row is None for m in counts)
    stated = candling.release(VISITS, RULE, 1, max_rows=50, **asked)
    assert stated.rows.high == 50
    assert stated.problematic.high == 50


def test_gates_on_counts_of_persons(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"person": "patient", "rows_per_person": 2}
    with pytest.warns(UserWarning, match="can fail but never pass, because counts have no upper"):
        card = candling.release(VISITS, RULE, 1, gates=["repair > 1000"], **asked)
    assert card.gates[0].outcome == "cannot tell"
    with pytest.warns(UserWarning, match="can pass but never fail"):
        candling.analyze(VISITS, RULE, person="patient").release(1, gates=["rows < 3"])
    with pytest.raises(UsageError, match="the grade is the only one"):
        candling.release(
            VISITS, RULE, 1, gates=["problematic/rows > 5%"], measures=["all"], **asked
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        card = candling.release(VISITS, RULE, 1, gates=["grade < 1%", "repair/rows > 99%"], **asked)
    assert "with at most 2 rows of each person" in str(card.gates[0])


def test_the_owner_sees_what_is_kept() -> None:
    assert candling.exact(VISITS, RULE).rows == 11
    assert candling.exact(VISITS, RULE, person="patient").rows == 11
    assert candling.exact(VISITS, RULE, person="patient", rows_per_person=2).rows == 5
    study = candling.analyze(VISITS, RULE, person="patient")
    assert [study.exact(rows_per_person=k).rows for k in (1, 2, 1)] == [3, 5, 3]
    with pytest.raises(UsageError, match="Name the column"):
        candling.exact(VISITS, RULE, rows_per_person=2)


@pytest.mark.parametrize("small", [10**6, -1])
def test_every_reading_is_of_the_kept_rows(monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr(core, "SMALL", small)
    facts = candling.analyze(VISITS, RULE, person="patient")._analysis.facts(2)
    assert facts.rows == facts.classes.weights.sum() == 5


# What a card says


def test_a_card_says_whose_rows_it_protects() -> None:
    card = candling.release(VISITS, RULE, 1, person="patient", rows_per_person=2)
    assert card.person == Person(("patient",), 2)
    assert card.to_dict()["person"] == {"columns": ["patient"], "rows": 2}
    again = candling.Card.from_dict(card.to_dict())
    assert again.person == card.person


def test_a_chosen_number_is_on_the_card_with_its_price() -> None:
    card = candling.release(VISITS, RULE, "0.5", person="patient")
    assert card.person.rows in NUMBERS
    assert card.person.epsilon == Fraction(1, 40)
    assert card.epsilon == Fraction(1, 2)
    assert candling.Card.from_dict(card.to_dict()).person == card.person


def test_a_column_that_looks_like_a_person_is_named_by_its_name_alone() -> None:
    card = candling.release(VISITS, RULE, 1)
    assert card.person == Person(unused=("patient",))
    assert card.to_dict()["person"] == {"columns": [], "rows": 1, "unused": ["patient"]}
    empty = candling.release(VISITS.slice(0, 0), RULE, 1)
    assert empty.person == card.person
    assert candling.release(VISITS, RULE, 1, person="a", rows_per_person=2).person.unused == ()


@pytest.mark.parametrize("wishes", [{}, {"rows_per_person": 3}])
def test_a_table_decides_nothing_of_the_shape(wishes: dict[str, Any]) -> None:
    tables = {
        "visits": VISITS,
        "empty": VISITS.slice(0, 0),
        "nobody": VISITS.set_column(0, "patient", pa.nulls(11, pa.string())),
        "one giant": pa.table({"patient": ["x"] * 500, "a": [1] * 500, "b": list(range(500))}),
        "clean": pa.table({"patient": ["x", "y"], "a": [1, 2], "b": [1, 2]}),
    }
    shapes = set()
    for table in tables.values():
        with recorded() as calls:
            card = candling.release(table, RULE, 1, person="patient", **wishes).to_dict()
        fields = {name: sorted(part) for name, part in card.items() if isinstance(part, dict)}
        shapes.add((str(fields), str([call.public for call in calls])))
    assert len(shapes) == 1


# Choosing


def test_few_persons_keep_one_row_and_many_keep_what_they_have() -> None:
    one = Fraction(1)
    few = [choose_rows(NUMBERS, [20] * 6 + [0] * 14, one, 10 * one) for _ in range(50)]
    assert Counter(few).most_common(1)[0][0] == 1
    many = [choose_rows(NUMBERS, [5000] * 5 + [0] * 15, one, 10 * one) for _ in range(200)]
    assert min(many) == 32
    assert Counter(many)[32] > 150


def test_a_rule_between_the_rows_of_a_person_needs_two() -> None:
    def least(text: str, *person: str) -> int:
        return numbers_to_choose_from(compile_rules(candling.parse_constraints(text)), person)[0]

    assert least("patient -> birth", "patient") == 2
    assert least("patient, day -> ward", "patient") == 2
    assert least("zip -> city\npatient -> birth", "patient") == 2
    assert least("zip -> city", "patient") == 1
    assert least("land -> zone", "land", "patient") == 1


def test_one_row_of_each_person_is_refused_where_a_rule_compares_them() -> None:
    by_place = "not(t1.0 = t2.0 and t1.2 != t2.2)"
    for rule in ("patient -> b", "a -> b\npatient, a -> b", by_place):
        with pytest.raises(UsageError, match="no table breaks the rule") as error:
            candling.release(VISITS, rule, 1, person="patient", rows_per_person=1)
        assert error.value.code == "U217"
        with pytest.raises(UsageError):
            candling.analyze(VISITS, rule, person="patient").release(1, rows_per_person=1)
        assert candling.release(VISITS, rule, 1, person="patient").person.most >= 2
        assert candling.exact(VISITS, rule, person="patient", rows_per_person=1).rows == 3
    with pytest.raises(UsageError):
        candling.plan("patient -> b", epsilon=1, person="patient", rows_per_person=1)
    plan = candling.plan("patient -> b", epsilon=1, person="patient")
    assert plan.rows_planned == plan.to_dict()["person"]["rows_planned"] == 2
    stated = candling.plan("a -> b", epsilon=1, person="a2", rows_per_person=2)
    assert plan.to_dict()["repair"]["error"] > stated.to_dict()["repair"]["error"]


ORDER = candling.parse_constraints("type b: integer\nnot(t1.b < t2.b and t1.a = t2.a)")


def test_ids_in_a_file_of_text_are_text_so_that_one_person_moves_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An odd id would turn all others from numbers to texts, and with them what they keep."""
    lines = [f"{i}.5,{i % 7},{j}" for i in range(40) for j in range(6)]
    few = tmp_path / "few.csv"
    few.write_text("id,a,b\n" + "\n".join(lines) + "\n")
    for odd in ("x", "99999999999999999999999999999999999999999", "1.50"):
        more = tmp_path / "more.csv"
        more.write_text(few.read_text() + f"{odd},1,2\n")
        both = [candling.exact(path, ORDER, person="id", rows_per_person=2) for path in (few, more)]
        assert both[1].rows == both[0].rows + 1
        assert 0 <= both[1].repair - both[0].repair <= 1
    typed = candling.Reading(types={"id": "number"})
    same = candling.exact(more, "a -> b", person="id", rows_per_person=2, reading=typed)
    assert same.rows == 80, "1.50 is 1.5 where the type is stated"


def test_the_choice_has_the_noise_of_its_epsilon_and_no_other() -> None:
    epsilon, above = Fraction(1, 2), [6, 2, 2, 2]
    numbers = NUMBERS[:4]
    total = Fraction(WORTH, 2)  # so that two persons are worth it
    drawn = [numbers.index(choose_rows(numbers, above, epsilon, total)) for _ in range(6_000)]
    scores = [math.floor(-(max(n - 2, 0) + 4 * i) * GRID) for i, n in enumerate(above)]
    for factor, right in ((1.0, True), (1.3, False), (1 / 1.3, False)):
        law = selection_law(scores, factor * (GRID + 1) / float(epsilon))
        assert fits(drawn, law, cells=4) == right


def test_the_split_can_be_stated() -> None:
    rules = compile_rules(candling.parse_constraints(RULE))
    split = {"person": 1, "draw": 2, "levels": 1}
    request = make_request(rules, epsilon=1, person="p", split=split)
    assert request.person.epsilon == Fraction(1, 4)
    assert request.parts == {"draw": Fraction(1, 2), "levels": Fraction(1, 4)}
    assert request.epsilon == 1
    both = make_request(rules, epsilon=1, person="p", measures=["rows", "worst_rule"])
    assert both.person.epsilon == Fraction(1, 20)
    assert sum(both.parts.values()) == Fraction(19, 20)
    assert both.parts["levels"] == 4 * both.parts["worst_rule"]


def test_rows_must_be_chosen_before_anything_is_drawn() -> None:
    rules = compile_rules(candling.parse_constraints(RULE))
    request = make_request(rules, epsilon=1, person="p")
    with pytest.raises(AssertionError, match="not chosen yet"):
        _ = request.setting
    assert request.with_rows_per_person(4).setting.rows_per_person == 4


def test_requests_differ_where_persons_do() -> None:
    rules = compile_rules(candling.parse_constraints(RULE))
    wishes: list[dict[str, Any]] = [
        {},
        {"rows_per_person": 2},
        {"person": "p"},
        {"person": "q"},
        {"person": ["p", "q"]},
        {"person": "p", "rows_per_person": 1},
        {"person": "p", "rows_per_person": 2},
        {"person": "p", "split": {"person": 1, "draw": 1, "levels": 1}},
    ]
    texts = {str(make_request(rules, epsilon=1, **wish).parameters()) for wish in wishes}
    assert len(texts) == len(wishes)


# Refused


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"person": "patent"}, r"no column 'patent' .* Did you mean 'patient'"),
        ({"person": ""}, "the name of a column"),
        ({"person": []}, "the name of a column"),
        ({"person": 7}, "must be the name of a column"),
        ({"person": ["patient", "patient"]}, "twice"),
        ({"person": "patient", "public_rows": 11}, "--max-rows"),
        ({"person": "patient", "rows_per_person": 0}, "from 1 to"),
        ({"split": {"person": 1, "draw": 9}}, "nothing to split"),
    ],
)
def test_what_makes_no_sense_is_refused(wishes: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        candling.release(VISITS, RULE, 1, **wishes)


def test_conflicts_of_persons_are_refused_on_a_cluster_before_a_charge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the address of the engine, whatever the table; what does not count conflicts is fine."""
    monkeypatch.setattr(type(DUCKDB), "is_on_cluster", lambda *_: True)
    ledger = candling.create_ledger(tmp_path / "l.ledger")
    ledger.add("visits", 1)
    for table in (VISITS, VISITS.slice(0, 0)):
        with pytest.raises(UsageError, match="across all parts of the table") as error:
            candling.release(
                table, RULE, 1, person="patient", measures=["all"], ledger=ledger, dataset="visits"
            )
        assert error.value.code == "U220"
    candling.release(VISITS, "a is not null", 1, person="patient", measures=["all"])
    candling.release(VISITS, RULE, 1, measures=["all"])
    card = candling.release(VISITS, RULE, 1, person="patient", ledger=ledger, dataset="visits")
    assert card.receipt is not None
    assert card.receipt.spent == 1


def test_nothing_is_charged_for_a_column_that_is_not_there(tmp_path: Any) -> None:
    ledger = candling.create_ledger(tmp_path / "l.ledger")
    ledger.add("visits", 1)
    with pytest.raises(UsageError):
        candling.release(VISITS, RULE, 1, person="no", ledger=ledger, dataset="visits")
    assert candling.release(VISITS, RULE, 1, person="a", ledger=ledger, dataset="visits").receipt
