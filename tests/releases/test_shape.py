"""The data never decides what a release looks like, what it costs or whether it works."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from functools import cache
from typing import Any

import pyarrow as pa
import pytest

import candling
from candling.errors import UsageError
from candling.measures import MEASURES
from candling.model.number import Number
from candling.privacy.statistic import POWERS
from candling.releases import make_request
from candling.releases.request import DEFAULT
from candling.rules import compile_rules
from tests.measures.draws import DrawCall, recorded
from tests.releases.tables import study

COLUMNS = ("a", "b", "c", "d")
TABLES: dict[str, list[tuple[int | None, ...]]] = {
    "empty": [],
    "one row": [(1, 2, 3, 4)],
    "clean": [(i, i, i, i) for i in range(30)],
    "all conflicting": [*((1, i, 1, -i) for i in range(30)), *[(1, 0, 1, 0)] * 5],
    "all NULL": [(None,) * 4] * 20,
    "normal": [(i % 7, i % 3, i % 5, i) for i in range(40)] + [(None, 1, None, 2), (1, None, 2, 3)],
}
RULES = {
    "dependency": "a -> b",
    "chain": "a -> b\na, c -> d",
    "tractable, no chain": "a -> b\nb -> a",
    "hard": "a -> b\nb -> c",
    "key": "key(a)",
    "order": "not(t1.a < t2.a and t1.b > t2.b)",
    "one row": "not(t1.a > t1.b)",
    "conditional": "a -> b where c = 1",
    "mixed": "a -> b\nkey(a, c)\nnot(t1.a < t2.a and t1.d > t2.d)\nnot(t1.b > 10)",
    "never broken": "not(t1.a != t1.a)",
}
ALL = ("all", "maximal_consistent", "by_rule", "worst_rule")
SUBSETS = [DEFAULT, ALL, ("repair",), ("drastic",), ("maximal_consistent", "rows"), ("worst_rule",)]


@cache
def rules_of(name: str) -> candling.ConstraintSet:
    return candling.parse_constraints(RULES[name])


@cache
def study_of(rules: str, table: str) -> candling.Study:
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in TABLES[table]]
    schema = pa.schema([(name, pa.int64()) for name in COLUMNS])
    return candling.analyze(pa.Table.from_pylist(rows, schema=schema), rules_of(rules))


DRAWN = ("value", "estimate", "low", "high", "threshold", "level")


def shape(value: Any, key: str = "") -> Any:
    """What a JSON output is made of: keys, types and what the rules and the request decide.

    Drawn are numbers (an int or a float, or none worth showing, as it comes), the worst rule, and
    levels, from which the law of their noise follows; the time is that of the request.
    """
    if key == "law":
        return "law"
    if isinstance(value, dict):
        return {name: shape(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    if key in DRAWN:
        is_text = isinstance(value, str)
        return type(value).__name__ if is_text or (value is None and key != "value") else "number"
    if key == "step":
        return "step"
    return type(value).__name__ if key == "time" else value


@pytest.mark.parametrize("rules", RULES)
def test_every_table_gives_the_same_shape(rules: str) -> None:
    shapes = []
    for table in TABLES:
        card = study_of(rules, table).release(1, measures=ALL, max_rows=50)
        shapes.append(shape(card.to_dict()))
    assert all(found == shapes[0] for found in shapes)


@pytest.mark.parametrize("rules", RULES)
def test_the_law_of_the_noise_follows_from_the_first_draw_and_the_drawn_levels(rules: str) -> None:
    laws: dict[Any, Any] = {}
    for table in TABLES:
        for _ in range(4):
            card = study_of(rules, table).release("0.5", measures=ALL, max_rows=50).to_dict()
            for draw in card["noise"]["draws"]:
                numbers = [own for name in draw["numbers"].values() for own in name]
                drawn = tuple((own["level"], own["law"]["name"]) for own in numbers)
                rates = numbers[0]["law"].get("right")  # of a range of the released repair
                for own in numbers:
                    del own["value"]
                key = tuple(draw["numbers"]), drawn, rates
                assert laws.setdefault(key, numbers) == numbers


@pytest.mark.parametrize("measures", SUBSETS)
@pytest.mark.parametrize("rules", ["chain", "mixed"])
def test_every_table_gives_the_same_shape_for_measures(
    rules: str, measures: tuple[str, ...]
) -> None:
    shapes = [
        shape(study_of(rules, table).release("0.5", measures=measures, max_rows=50).to_dict())
        for table in TABLES
    ]
    assert all(found == shapes[0] for found in shapes)
    assert set(measures) - {"by_rule", "all"} <= set(shapes[0])
    assert ("by_rule" in shapes[0]) == ("by_rule" in measures)


@pytest.mark.parametrize("wishes", [{}, {"public_rows": 40}])
@pytest.mark.parametrize("rules", ["dependency", "mixed", "never broken"])
def test_every_table_gives_the_same_shape_whatever_is_known_of_the_rows(
    rules: str, wishes: dict[str, Any]
) -> None:
    shapes = [
        shape(study_of(rules, table).release(1, measures=ALL, **wishes).to_dict())
        for table in TABLES
        for _ in range(3)
    ]
    assert all(found == shapes[0] for found in shapes)
    assert shapes[0]["grade"] == dict.fromkeys(
        ("value", "estimate", "low", "high", "level"), "number"
    )
    for name in ("problematic", "minimal_inconsistent"):
        assert shapes[0][name]["high"] == "number"
        assert "reason" not in shapes[0][name]


def test_every_table_gives_the_same_shape_without_a_bound_on_the_rows() -> None:
    shapes = [
        shape(
            study_of("dependency", table)
            .release(1, measures=["problematic", "minimal_inconsistent"], rows_per_person=3)
            .to_dict()
        )
        for table in ("empty", "all conflicting", "all NULL")
    ]
    assert all(found == shapes[0] for found in shapes)
    assert shapes[0]["problematic"]["high"] == "NoneType"
    assert shapes[0]["problematic"]["reason"]


def test_the_keys_are_those_of_the_contract() -> None:
    assert DEFAULT == ("repair", "rows", "drastic")
    every = ["repair", "rows", "problematic", "minimal_inconsistent", "drastic"]
    for names, measures in ((DEFAULT, None), (every, ["all"])):
        card = study_of("chain", "normal").release(1, measures=measures, max_rows=50).to_dict()
        assert list(card) == ["schema", "epsilon", "person", "grade", *names, "about", "noise"]
        assert list(card["grade"]) == ["value", "estimate", "low", "high", "level"]
        for name in names:
            assert {"value", "estimate", "low", "high", "note"} <= set(card[name])
            assert ("epsilon" in card[name]) == (name == "drastic"), "the others share a draw"
    assert "threshold" in card["problematic"]
    assert list(card["problematic"]["per_row"]) == ["value", "estimate", "low", "high"]
    assert card["repair"]["kind"] in {"exact", "lower_bound"}


def test_tables_without_rows_do_not_hide_in_the_limit_of_rows() -> None:
    for rows in (0, 1, 2):
        for table in ("empty", "normal"):
            card = study_of("mixed", table).release(1, measures=ALL, max_rows=rows)
            for measure in (card.rows, card.problematic, card.repair):
                assert (measure.interval()[1] or 0) <= rows


@pytest.mark.parametrize(("rows", "most"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 6)])
def test_the_public_upper_bound_holds_for_rows_that_break_a_rule_alone(
    rows: int, most: int
) -> None:
    """Of n rows, all may be inconsistent by themselves; for n < 3 that is more than n(n-1)/2."""
    of = study("not(t1.a > 0)", a=[1] * rows)
    card = of.release(100, measures=["minimal_inconsistent"], max_rows=rows)
    high = card.minimal_inconsistent.interval()[1]
    assert high is not None
    assert of.exact().minimal_inconsistent <= high <= most


# Nothing true leaves by the back door


def test_nothing_true_is_in_a_repr() -> None:
    # 7919 rows, 7901 of them in 15600 pairs: numbers that no text has by chance.
    cells = [(0, 0)] * 1 + [(0, 1)] * 7900 + [(i, i) for i in range(1, 19)]
    of = study("a -> b", a=[a for a, _ in cells], b=[b for _, b in cells])
    of.release(1)
    exact = of.exact()
    assert (exact.rows, exact.problematic) == (7919, 7901)
    text = repr(of) + str(of) + repr(of._facts) + str(of._facts)
    assert not any(number in text for number in ("7919", "7901", "7900", "18"))


def test_a_card_holds_released_numbers_only() -> None:
    shown = {f.name for f in fields(Number) if f.repr}
    assert shown == {
        *("name", "value", "estimate", "low", "high", "epsilon", "note", "reason", "kind"),
        *("threshold", "unit", "per_row"),
    }
    card = study_of("mixed", "normal").release(1, measures=ALL, max_rows=50)
    # All that can be reached from a card is in its pickle.
    reached = pickle.dumps(card)
    for private in (b"Statistic", b"measures.facts", b"ConflictGraph", b"Classes"):
        assert private not in reached
    for law in (b"PlainDraw", b"LevelsDraw", b"Shortfall"):
        assert law not in reached
    assert pickle.loads(reached) == card
    for name in (b"Drawn", b"Evidence"):
        assert name in reached, "the search would find it"


# The budget


@pytest.mark.parametrize("epsilon", ["1", "0.1", "1/3", "0.7", "2.345"])
@pytest.mark.parametrize("measures", [*SUBSETS, None])
def test_the_parts_sum_to_exactly_epsilon(epsilon: str, measures: tuple[str, ...] | None) -> None:
    for rules in ("chain", "mixed"):
        request = make_request(compile_rules(rules_of(rules)), epsilon=epsilon, measures=measures)
        refused_alone = set(request.measures) == set(request.refused)
        assert request.epsilon == sum(request.parts.values())
        assert request.epsilon == (0 if refused_alone else Fraction(epsilon))


def test_what_a_card_charges_is_the_sum_of_what_its_measures_cost() -> None:
    card = study_of("mixed", "normal").release("0.3", measures=ALL, max_rows=50)
    assert card.epsilon == Fraction("0.3")
    assert not any(m.epsilon for m in (*card, *card.by_rule)), "all in one draw, or free"
    chosen = study_of("mixed", "normal").release("0.3", measures=["repair", "worst_rule"])
    assert chosen.epsilon == Fraction("0.3")
    assert chosen.worst_rule.epsilon == Fraction("0.06")


def test_a_single_measure_gets_all() -> None:
    for name in MEASURES:
        request = make_request(compile_rules(rules_of("chain")), epsilon=2, measures=[name])
        part = {"worst_rule": "worst_rule"} | dict.fromkeys(
            ("problematic", "minimal_inconsistent"), "levels"
        )
        assert request.parts == {part.get(name, "draw"): 2}
    card = study_of("dependency", "normal").release(1, measures=["repair"])
    assert card.epsilon == 1
    assert card.repair.epsilon is None
    assert [m.name for m in card] == ["repair"]


def test_drastic_pays_only_without_repair() -> None:
    of = study_of("dependency", "normal")
    both = of.release(1, measures=["drastic", "repair"])
    assert both.drastic.epsilon == 0
    assert both.repair.epsilon is None
    alone = of.release(1, measures=["drastic"])
    assert alone.epsilon == 1
    assert alone.drastic.epsilon is None


def test_drastic_reads_the_same_worlds() -> None:
    of = study_of("dependency", "all conflicting")
    for _ in range(50):
        card = of.release("0.3", measures=["drastic", "repair"])
        low, high = card.repair.interval()
        assert card.drastic.interval() == (int((low or 0) > 0), int((high or 0) > 0))
        assert (card.drastic.value is None) == (low == 0 < (high or 0))


def test_stated_rows_cost_nothing_and_are_shown() -> None:
    card = study_of("dependency", "normal").release(1, measures=["rows", "repair"], public_rows=42)
    assert card.rows.value == 42
    assert card.rows.interval() == (42, 42)
    assert card.rows.epsilon == 0
    assert card.repair.epsilon is None
    nothing = study_of("dependency", "normal").release(1, measures=["rows"], public_rows=42)
    assert nothing.epsilon == 0


def test_a_refused_measure_costs_nothing_and_names_the_rules_in_the_way() -> None:
    card = study_of("order", "normal").release(1, measures=["maximal_consistent", "rows"])
    refused = card.maximal_consistent
    assert refused.value is None
    assert refused.epsilon == 0
    assert refused.reason is not None
    assert "t1.a < t2.a" in refused.reason
    assert card.epsilon == 1
    assert card.rows.epsilon is None


def test_shares_can_be_given() -> None:
    of = study_of("dependency", "normal")
    card = of.release("0.7", measures=["rows", "worst_rule"], split={"draw": 6, "worst_rule": "1"})
    assert card.worst_rule.epsilon == Fraction("0.1")


Call = Callable[[candling.Study], object]
MISTAKES: dict[str, tuple[str, Call]] = {
    "no epsilon": ("U201", lambda s: s.release("much")),
    "unknown measure": ("U202", lambda s: s.release(1, measures=["repairs"])),
    "a text of measures": ("U202", lambda s: s.release(1, measures="repair")),
    "no measures": ("U202", lambda s: s.release(1, measures=[])),
    "no person": ("U203", lambda s: s.release(1, rows_per_person=0)),
    "half a person": ("U203", lambda s: s.release(1, rows_per_person=0.5)),  # type: ignore[arg-type]
    "true persons": ("U203", lambda s: s.release(1, rows_per_person=True)),
    "negative rows": ("U203", lambda s: s.release(1, max_rows=-1)),
    "a text of rows": ("U203", lambda s: s.release(1, public_rows="many")),  # type: ignore[arg-type]
    "split too small": ("U204", lambda s: s.release(1, measures=["rows"], split={})),
    "split too large": (
        "U204",
        lambda s: s.release(1, measures=["rows"], split={"rows": 1, "repair": 1}),
    ),
    "split for what is free": (
        "U204",
        lambda s: s.release(1, measures=["repair", "drastic"], split={"repair": 1, "drastic": 1}),
    ),
    "negative share": ("U204", lambda s: s.release(1, measures=["rows"], split={"rows": -1})),
    "share of nothing": ("U204", lambda s: s.release(1, measures=["rows"], split={"rows": 0})),
    "true share": ("U204", lambda s: s.release(1, measures=["rows"], split={"rows": True})),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("table", ["empty", "normal"])
def test_mistakes_are_refused_by_code_whatever_the_table(mistake: str, table: str) -> None:
    code, call = MISTAKES[mistake]
    with pytest.raises(UsageError) as caught:
        call(study_of("dependency", table))
    assert caught.value.code == code


def test_a_measure_that_nearly_exists_is_suggested() -> None:
    with pytest.raises(UsageError, match="Did you mean 'problematic'"):
        study_of("dependency", "normal").release(1, measures=["problematics"])


def test_mistakes_are_found_before_the_table_is_read() -> None:
    rules = rules_of("dependency")
    with pytest.raises(UsageError) as caught:
        candling.release("no-such-file.parquet", rules, epsilon=1, measures=["nothing"])
    assert caught.value.code == "U202"


# Rows per person


@pytest.mark.parametrize("person", [1, 2, 7])
def test_rows_per_person_scale_every_sensitivity(person: int) -> None:
    of = study_of("chain", "normal")
    with recorded() as calls:
        card = of.release(1, measures=ALL, rows_per_person=person, max_rows=50)
    assert card.to_dict()["person"]["rows"] == person
    assert all(isinstance(call, DrawCall) for call in calls)
    plain, levels = (call for call in calls if isinstance(call, DrawCall))
    names = [[*draw.numbers] for draw in card.evidence.draws]
    assert names == [
        ["repair", "rows", "maximal_consistent", "by_rule"],
        ["problematic", "minimal_inconsistent"],
    ]
    moved = [[s * found.step for s in found.sensitivities] for found in plain.statistics]
    assert moved[:2] == moved[3:] == [[person], [person]], "of each rule, too"
    assert person < moved[2][0] == pytest.approx(person, rel=1e-4), "rounding is paid for"
    moved = [[s * found.step for s in found.sensitivities] for found in levels.statistics]
    count = len(moved[0])
    assert moved == [
        [person * (t + 1) for t in POWERS[:count]],
        [person * t for t in POWERS[:count]],
    ]


@pytest.mark.parametrize("rows", [None, 2, 3, 4, 5, 9, 1000])
def test_public_limits_alone_decide_the_thresholds(rows: int | None) -> None:
    counts = set()
    for table in ("empty", "all conflicting"):
        with recorded() as calls:
            study_of("key", table).release(1, measures=["problematic"], max_rows=rows)
        (call,) = calls
        assert isinstance(call, DrawCall)
        counts.add(len(call.statistics[0].values))
    (count,) = counts
    if rows is None:
        assert count == 41
    else:
        assert 2 ** (count - 1) >= rows - 1, "the largest degree there can be"
