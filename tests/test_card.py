"""The JSON of a card: what is written is read back, and nothing else is."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import candling
from candling.model.card import SCHEMA
from candling.model.number import Grade
from tests.json_schema import fits
from tests.releases.tables import study
from tests.render.cards import CARDS, NASTY, charged, full, judged, person, row, signed

DESCRIBED = json.loads(
    Path(__file__).parents[1].joinpath("docs", "card.schema.json").read_text(encoding="utf-8")
)
EVERYTHING = [
    *("rows", "drastic", "minimal_inconsistent", "problematic", "maximal_consistent", "repair"),
    *("by_rule", "worst_rule"),
]
TABLES: dict[str, dict[str, list[Any]]] = {
    "junk": {"a": [1] * 60, "b": list(range(60))},
    "clean": {"a": list(range(60)), "b": [7] * 60},
    "empty": {"a": [], "b": []},
    "nulls": {"a": [None] * 20, "b": [None] * 20},
    "star": {"a": [1] * 60, "b": [0] + [-1] * 59},
}
RULES = {"chain": "a -> b", "refused": "a -> b\nnot(t1.b > t2.b and t1.a < t2.a)", "none": "a -> a"}


def described(content: Any) -> bool:
    return fits(content, DESCRIBED, DESCRIBED)


def as_json(content: Any) -> Any:
    return json.loads(json.dumps(content))


def refused(content: object) -> str:
    with pytest.raises(candling.UsageError) as error:
        candling.Card.from_dict(content)
    assert error.value.code == "U106"
    assert str(error.value).startswith("This is not the JSON of a release: ")
    return str(error.value)


# What is read back


@pytest.mark.parametrize("name", CARDS)
def test_a_card_is_read_and_written_whole(name: str) -> None:
    content = as_json(CARDS[name]())
    card = candling.Card.from_dict(content)
    assert card.to_dict() == content
    assert json.dumps(card.to_dict(), sort_keys=True) == json.dumps(content, sort_keys=True)
    assert candling.Card.from_dict(card.to_dict()) == card
    assert described(content)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("rules", RULES)
def test_every_release_is_as_described(table: str, rules: str) -> None:
    of = study(RULES[rules], None, **TABLES[table])
    for options in ({}, {"public_rows": 60}, {"max_rows": 100}, {"measures": ["rows"]}):
        card = of.release(1, **{"measures": EVERYTHING} | options)
        content = as_json(card.to_dict())
        assert described(content)
        assert candling.Card.from_dict(content).to_dict() == content
        assert next(iter(content)) == "schema"


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("rules", RULES)
def test_every_release_of_persons_is_as_described(table: str, rules: str) -> None:
    of = study(RULES[rules], "a", **TABLES[table])
    for options in ({}, {"rows_per_person": 3}, {"max_rows": 100}, {"measures": ["rows"]}):
        card = of.release(1, **{"measures": EVERYTHING} | options)
        content = as_json(card.to_dict())
        assert described(content)
        assert candling.Card.from_dict(content).to_dict() == content
        released = [m for m in (*card, *card.by_rule) if not m.refused]
        sampled = card.person.rows is not None
        told = [m for m in released if sampled or m.name != "maximal_consistent"]
        assert all("person" in m.note for m in told)
        assert len(released) > 0


def test_numbers_may_be_written_in_another_way() -> None:
    """Other programs write 1 for 1.0: that changes no value, only a signature would notice."""
    card = candling.Card.from_dict(full() | {"epsilon": 1})
    assert json.dumps(card.to_dict()) == json.dumps(full())


def test_the_parts_of_a_card() -> None:
    card = candling.Card.from_dict(judged())
    low, high = card.repair.interval()
    assert low is not None
    assert high is not None
    assert low <= float(card.repair.estimate or 0) <= high
    assert card.dataset == "visits"
    assert [verdict.gate.measure for verdict in card.gates]
    assert isinstance(card.grade, Grade)
    assert candling.Card.from_dict(full()).dataset is None
    with pytest.raises(AttributeError, match="'median' was not released"):
        _ = card.median


# What is refused


PLAIN = {"name": "plain", "scale": 1.0, "numbers": 1, "of_rows": True}


def _noise(change: tuple[str, Any, str]) -> tuple[Any, str]:
    """A card whose first noisy number has another field, and what is said of it."""
    name, value, words = change
    content = copy.deepcopy(full())
    numbers = content["noise"]["draws"][0]["numbers"]
    next(iter(numbers.values()))[0][name] = value
    return content, words


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "it is not an object"),
        ([], "it is not an object"),
        ({1: 2}, "it is not an object"),
        ({}, "schema is missing"),
        (full() | {"schema": True}, "schema is not a whole number"),
        (full() | {"schema": SCHEMA + 1}, f"its schema is {SCHEMA + 1}, and this version"),
        ({n: p for n, p in full().items() if n != "schema"}, "schema is missing"),
        ({n: p for n, p in full().items() if n != "about"}, "about is missing"),
        (full() | {"about": full()["about"] | {"measures": []}}, "it has no measure"),
        (full() | {"epsilon": "one"}, "epsilon is not a number"),
        (full() | {"epsilon": -1.0}, "epsilon is negative"),
        (full() | {"epsilon": float("nan")}, "epsilon is out of range"),
        ({n: p for n, p in full().items() if n != "person"}, "person is missing"),
        (full() | {"person": row(0)}, "person.rows is out of range"),
        (full() | {"person": row(10**400)}, "person.rows is out of range"),
        (full() | {"person": {"columns": [], "rows": 1.0}}, "person.rows is not a whole number"),
        (full() | {"person": {"columns": [], "rows": None}}, "person.rows is missing"),
        (full() | {"person": person(rows=None, epsilon=0.1)}, "person.rows is missing"),
        (full() | {"person": {"columns": "id", "rows": 1}}, "person.columns is not a list"),
        (full() | {"person": person(epsilon=0)}, "person.epsilon is out of range"),
        (full() | {"person": person(epsilon=1.5)}, "person.epsilon is out of range"),
        (full() | {"person": row(epsilon=0.1)}, "person.epsilon is for a person without columns"),
        (full() | {"person": row(unused=[])}, "person does not follow"),
        (full() | {"person": row(unused=[1])}, "person.unused is not a list of texts"),
        (full() | {"person": person(unused=["id"])}, "person.unused is there, and so are columns"),
        (full() | {"person": row(column="id")}, "person does not follow"),
        (full() | {"repair": {"value": 1}}, "repair.estimate is missing"),
        (full() | {"repair": None}, "repair is not an object"),
        ({n: p for n, p in full().items() if n != "repair"}, "repair is missing"),
        (full() | {"median": full()["rows"]}, "median is a field that candling does not write"),
        (full() | {"extra": 1}, "extra is a field that candling does not write"),
        (full() | {"about": full()["about"] | {"measures": ["median"]}}, "is not a measure"),
        (full() | {"about": full()["about"] | {"rules": "a -> b"}}, "about.rules is not a list"),
        (full() | {"about": full()["about"] | {"rules": [1]}}, "about.rules[0] is not an object"),
        (full() | {"about": full()["about"] | {"new": 1}}, "about does not follow"),
        (full() | {"receipt": [1]}, "receipt is not an object"),
        (full() | {"receipt": None}, "receipt is not an object"),
        *(
            (full() | {"rows": full()["rows"] | {end: wrong}}, "rows does not follow")
            for end in ("value", "low", "high")
            for wrong in (1, True, "7", float("nan"), 10**400)
        ),
        (full() | {"rows": full()["rows"] | {"estimate": True}}, "rows.estimate is not a number"),
        (full() | {"grade": full()["grade"] | {"low": 1.0}}, "grade does not follow"),
        (charged() | {"by_rule": [1]}, "by_rule[0] is not an object"),
        (charged() | {"by_rule": charged()["by_rule"][1:]}, "by_rule does not follow"),
        (charged() | {"worst_rule": charged()["rows"]}, "worst_rule does not follow"),
        (charged() | {"receipt": charged()["receipt"] | {"spent": 3}}, "receipt does not follow"),
        (judged() | {"gates": [judged()["gates"][0] | {"outcome": "ok"}]}, "gates does not follow"),
        (judged() | {"gates": [judged()["gates"][0] | {"gate": "x"}]}, "gates[0].gate cannot be"),
        *(
            _noise(change)
            for change in (
                ("value", 10**50, "value or its threshold is out of range"),
                ("value", 1.5, "value is not a whole number"),
                ("threshold", 0, "value or its threshold is out of range"),
                ("kind", "cover", "kind is not exact or lower_bound"),
                ("step", "0/1", "step is not a fraction"),
                ("law", {"name": "other"}, "law.name is not plain, levels, sample"),
                ("law", {"name": "plain"}, "law.scale is missing"),
                ("law", PLAIN | {"scale": 0.0}, "law.name or another field is out of range"),
                ("law", PLAIN | {"numbers": 10**9}, "law.name or another field is out of range"),
            )
        ),
        (full() | {"noise": {"draws": []}}, "noise.draws does not have what"),
    ],
)
def test_what_is_no_card(content: object, words: str) -> None:
    assert words in refused(content)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    yield path
    if isinstance(value, str | int | float | None):
        return
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield from _places(item, (*path, key))


def _changed(content: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    copied = inner = copy.deepcopy(content)
    for key in path[:-1]:
        inner = inner[key]
    change(inner, path[-1])
    return copied


OTHERS: list[Any] = [None, True, -1, 10**400, 0.5, "x", NASTY, [], [[]], {}, {"value": 1}]


def _put(other: Any) -> Callable[[Any, Any], None]:
    def put(inner: Any, key: Any) -> None:
        inner[key] = copy.deepcopy(other)

    return put


def _drop(inner: Any, key: Any) -> None:
    del inner[key]


@pytest.mark.parametrize("name", ["refused", "judged"])
def test_whatever_a_field_holds_it_is_read_whole_or_refused(name: str) -> None:
    """Each field of a card removed, or replaced by anything: no other error ever leaves."""
    content = as_json(CARDS[name]())
    assert described(content)
    kept = 0
    for path in list(_places(content))[1:]:
        for change in (_drop, *map(_put, OTHERS)):
            mutant = _changed(content, path, change)
            try:
                card = candling.Card.from_dict(mutant)
            except candling.UsageError:
                continue
            kept += 1
            assert card.to_dict() == mutant
            assert described(mutant), path
            card._repr_html_()
    assert kept > 20, "texts and notes may be anything"


WRONG: list[Callable[[Any], Any]] = [
    lambda c: c | {"schema": SCHEMA + 1},
    lambda c: c | {"schema": str(SCHEMA)},
    lambda c: c | {"epsilon": "1"},
    lambda c: c | {"epsilon": -1},
    lambda c: c | {"person": 1},
    lambda c: c | {"person": row(0)},
    lambda c: c | {"person": {"rows": 1}},
    lambda c: c | {"person": row(unused=[])},
    lambda c: c | {"person": row(of="Id")},
    lambda c: c | {"person": person(epsilon=-0.1)},
    lambda c: c | {"rows": 3},
    lambda c: c | {"rows": c["rows"] | {"value": "many"}},
    lambda c: c | {"rows": {n: p for n, p in c["rows"].items() if n != "note"}},
    lambda c: c | {"repair": c["repair"] | {"kind": "good"}},
    lambda c: c | {"worst_rule": c["worst_rule"] | {"value": 3}},
    lambda c: c | {"by_rule": [{n: p for n, p in r.items() if n != "rule"} for r in c["by_rule"]]},
    lambda c: c | {"about": c["about"] | {"rules": None}},
    lambda c: c | {"about": c["about"] | {"new": 1}},
    lambda c: c | {"receipt": c["receipt"] | {"repeated": 1}},
    lambda c: c | {"gates": []},
    lambda c: c | {"gates": [c["gates"][0] | {"outcome": "maybe"}]},
    lambda c: c | {"signature": {"algorithm": "ed25519"}},
    lambda c: {n: p for n, p in c.items() if n != "grade"},
]


@pytest.mark.parametrize("change", WRONG)
def test_the_description_refuses_what_the_reader_refuses(change: Callable[[Any], Any]) -> None:
    mutant = change(judged())
    assert not described(mutant)
    refused(mutant)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@given(JSON, st.sampled_from(sorted(judged())))
def test_anything_in_the_place_of_a_part_is_read_whole_or_refused(part: Any, name: str) -> None:
    content = judged() | {name: part}
    with suppress(candling.UsageError):
        assert candling.Card.from_dict(content).to_dict() == content


# Files


def test_a_card_is_loaded_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    path.write_text(json.dumps(signed()), encoding="utf-8")
    assert candling.Card.load(path).to_dict() == as_json(json.loads(path.read_text()))
    assert candling.Card.load(str(path)).signature is not None


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, "null", '{"schema": 1', "1e999", "\udcff", "9" * 5000]
)
def test_files_without_a_card(tmp_path: Path, text: str) -> None:
    path = tmp_path / "card.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    for wrong in (path, tmp_path, tmp_path / "none.json"):
        with pytest.raises(candling.UsageError, match="is not a card") as error:
            candling.Card.load(wrong)
        assert error.value.code == "U106"
