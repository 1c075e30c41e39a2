"""A card never contradicts itself, and all that it says is true at once in 95 of 100 releases.

Cards are drawn from the law of the release, for tables on which numbers are most likely to
disagree. Each statistical check fails by chance with probability 1e-10 at most.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import pandas as pd
import pyarrow as pa
import pytest

import candling
from benchmarks.laws import laws_kept
from candling.card import Card
from candling.cli.demo import RULES as DEMO_RULES
from candling.cli.demo import hospital, write_csv
from candling.measures import MEASURES
from candling.measures.facts import Facts, PersonFacts
from candling.model import worlds
from candling.model.noisy import PARTS, Key, Noisy, Reading
from candling.model.worlds import Worlds
from candling.releases import make_request, run_release
from candling.render.csv import card_as_csv
from candling.render.wording import plain
from candling.rules import Rules
from tests.effort import reduce
from tests.privacy.statistics import at_most
from tests.releases.contradictions import Truth, find_contradictions, find_false_statements
from tests.render.shown import card_markdown, card_page

EPSILONS = (Fraction("0.1"), Fraction(1), Fraction(3))
PERSONS = (1, 4)  # rows of a person
MISS = 0.05


@dataclass(frozen=True)
class Case:
    """A table under rules."""

    rules: str
    columns: Mapping[str, list[int]] = field(repr=False)

    def study(self, person: str | None = None) -> candling.Study:
        data = pa.table({n: pa.array(cells, pa.int64()) for n, cells in self.columns.items()})
        return candling.analyze(data, candling.parse_constraints(self.rules), person=person)

    @property
    def of_persons(self) -> Case:
        """With a column for persons of three rows each, but for one who has a tenth of them."""
        rows = len(self.columns["a"])
        whose = [max(0, i - rows // 10) // 3 for i in range(rows)]
        return replace(self, columns={**self.columns, "p": whose})


def _rows(rules: str, *rows: tuple[int, ...]) -> Case:
    names = "abc"[: max(map(len, rows), default=2)]
    return Case(rules, {name: [row[i] for row in rows] for i, name in enumerate(names)})


FALLING = "not(t1.a < t2.a and t1.b > t2.b)\na -> c\nb -> c"
MIXED = "a -> b\nkey(a, b)\nnot(t1.b > 7)"
WRONG = "not(t1.a < 0)\nnot(t1.b < 0)"
CASES: dict[str, Case] = {
    "empty": _rows("a -> b"),
    "empty, rules on rows": _rows(WRONG),
    "one row": _rows("a -> b", (1, 1)),
    "one wrong row": _rows(MIXED, (1, 8)),
    "two rows": _rows("a -> b", (1, 1), (2, 2)),
    "a pair": _rows("a -> b", (1, 1), (1, 2)),
    "three rows": _rows("a -> b\nb -> a", *((i, i) for i in range(3))),
    "a triangle": _rows("a -> b", *((1, i) for i in range(3))),
    "a path": _rows("a -> b\nb -> a", (1, 1), (1, 2), (2, 2)),
    "clean": _rows("a -> b\nb -> a", *((i, i) for i in range(300))),
    "five pairs": _rows("a -> b", *((i // 2, i % 2 if i < 10 else 0) for i in range(500))),
    "twenty pairs": _rows("a -> b\nb -> c", *(
        (i // 2, 2 * i + (i if i < 40 else 0), i) for i in range(500)
    )),
    "junk": _rows(FALLING, *((i, -i, 0) for i in range(200))),
    "a star": _rows("a -> b", *((1, int(i == 0)) for i in range(2000))),
    "ten stars": _rows("a -> b\nb -> c", *((i // 300, int(i % 300 == 0), 0) for i in range(3000))),
    "a clique": _rows("a -> b", *((1, i) for i in range(400))),
    "keys": _rows("key(a)\nkey(b)", *((i // 2, i // 2 if i < 200 else i) for i in range(600))),
    "wrong rows": _rows(WRONG, *((-1 if i % 6 == 0 else i, -(i % 4)) for i in range(900))),
    "no wrong rows": _rows(WRONG, *((i, i) for i in range(900))),
    "mixed": _rows(MIXED, *((i // 5, (i % 5 == 0) + 9 * (i % 11 == 0)) for i in range(600))),
}  # fmt: skip
ASKED: dict[str, list[str]] = {
    "default": ["repair", "rows", "drastic"],
    "all": ["all"],
    "by rule": ["all", "by_rule", "worst_rule"],
}


DEMO, BY_PERSONS = "demo", " by persons"
OF_PERSONS = tuple(
    name + BY_PERSONS
    for name in ("empty", "clean", "a pair", "twenty pairs", "a clique", "keys", "wrong rows",
                 "mixed", DEMO)
)  # fmt: skip
NAMES = (*CASES, DEMO, *OF_PERSONS)


@dataclass(frozen=True)
class Known:
    """What is true of a table, and how it is released."""

    facts: Facts | PersonFacts
    truth: Truth
    rules: Rules
    person: str | None = None

    def cards(self, count: int, asked: str, epsilon: Fraction, rows: int) -> Iterator[Card]:
        """Fresh cards, without reading the table for each of them."""
        request = make_request(
            self.rules, epsilon=epsilon, measures=ASKED[asked], person=self.person,
            rows_per_person=rows,
        )  # fmt: skip
        with laws_kept():
            for _ in range(count):
                yield run_release(self.facts, request)


@cache
def known(name: str) -> Known:
    table, person, sample = name.removesuffix(BY_PERSONS), None, None
    if name != table:
        person = "Patient" if table == DEMO else "p"
        study = demo(person) if table == DEMO else CASES[table].of_persons.study(person)
        facts: Facts | PersonFacts = study._analysis._person_facts
        kept = study.exact(rows_per_person=4)
        sample = kept.rows, kept.repair_exact
    else:
        study = demo() if name == DEMO else CASES[name].study()
        facts = study._facts
    exact = study.exact(by_rule=True)
    smallest = [rule.repair_exact for rule in exact.by_rule]
    assert exact.repair_exact is not None
    truth = Truth(
        exact.rows, exact.repair_exact, exact.problematic, exact.minimal_inconsistent,
        tuple(repair for repair in smallest if repair is not None), sample,
    )  # fmt: skip
    return Known(facts, truth, facts.rules, person)


def demo(person: str | None = None) -> candling.Study:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "demo.csv"
        write_csv(hospital(500, 7).dirty, path)
        table = pa.Table.from_pandas(pd.read_csv(path, dtype=str))
    return candling.analyze(table, candling.parse_constraints(DEMO_RULES), person=person)


# What cards say


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("name", NAMES)
def test_a_card_is_true_and_does_not_contradict_itself(name: str, asked: str) -> None:
    table = known(name)
    for epsilon in EPSILONS:
        for rows in (4,) if table.person else PERSONS:
            count, false = reduce(400 if asked == "default" else 160, 4), 0
            for card in table.cards(count, asked, epsilon, rows):
                content = card.to_dict()
                assert find_contradictions(content) == []
                false += bool(find_false_statements(content, table.truth))
            assert at_most(false, count, MISS), (epsilon, rows, false)


@pytest.mark.long
@pytest.mark.parametrize(("name", "rows"), [("twenty pairs", 4), ("a clique", 4), ("a pair", 4)])
def test_20_000_cards_are_true_where_the_fewest_are(name: str, rows: int) -> None:
    table, count = known(name), 20_000
    cards = table.cards(count, "default", Fraction(1), rows)
    false = sum(bool(find_false_statements(card.to_dict(), table.truth)) for card in cards)
    assert false <= MISS * count


def test_yes_and_no_are_rarely_said_where_nothing_can_be_seen() -> None:
    for name, rows in (("clean", 1), ("no wrong rows", 1), ("clean by persons", 4)):
        count = reduce(4_000, 4)
        cards = known(name).cards(count, "default", Fraction(1), rows)
        answers = Counter(card.drastic.value for card in cards)
        assert at_most(answers[1], count, MISS / 2)
        assert at_most(answers[0], count, MISS / 2)


# Every output


@pytest.mark.parametrize("name", ["empty", "twenty pairs", "wrong rows", "mixed", DEMO])
def test_every_output_shows_the_same_numbers(name: str) -> None:
    for epsilon in (Fraction("0.1"), Fraction(1)):
        for card in known(name).cards(3, "by rule", epsilon, 1):
            content = json.loads(json.dumps(card.to_dict()))
            assert candling.Card.from_dict(content) == card
            lines = {
                (line["measure"], line["rule"]): line
                for line in csv.DictReader(card_as_csv(card).splitlines())
            }
            frame = card.to_frame()
            text, markdown, page = _wide(card), card_markdown(card), card_page(card)
            for measure in card:
                if measure.name == "worst_rule":
                    continue
                told = content[measure.name]
                line = lines[measure.name, ""]
                for field_name in ("value", "estimate", "low", "high"):
                    number = told[field_name]
                    shown = line[field_name]
                    assert (None if shown == "" else float(shown)) == number
                    in_frame = frame.loc[measure.name][field_name]
                    assert number == in_frame or (number is None and math.isnan(in_frame))
                if measure.name == "drastic":
                    continue
                of = MEASURES[measure.name]
                words = plain(measure.value), of.word_interval(measure, card)
                for output in (text, markdown):
                    assert _row(output, of.title)[:2] == words, output
                assert all(word in page for word in words if word != "-")
            for place, rule in enumerate(card.by_rule):
                told = content["by_rule"][place]
                line = lines["by_rule", rule.name]
                assert told["rule"] == rule.name
                assert [float(line[end]) for end in ("low", "high")] == [told["low"], told["high"]]


def _wide(card: Card) -> str:
    """As a wide terminal shows it."""
    with mock.patch.dict(os.environ, {"COLUMNS": "200"}):
        return str(card)


def _row(output: str, name: str) -> tuple[str, ...]:
    """The cells of a measure in text or in Markdown."""
    for line in output.splitlines():
        cells = [cell.strip(" `|") for cell in re.split(r" {2,}|\|", line.strip(" |"))]
        if cells[0] == name:
            return tuple(cell for cell in cells[1:] if cell)
    raise AssertionError(name)


# What the checks see


def by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each number has an event for itself: intervals hold one by one only."""

    def deal_out(drawn: Mapping[str, tuple[Noisy, ...]], miss: float, _: Any) -> Iterator[Any]:
        for name, own in drawn.items():
            low, high = PARTS.get(name, (1, 1))
            yield (
                name,
                (miss * low / (low + high) / len(own), miss * high / (low + high) / len(own)),
            )

    monkeypatch.setattr(worlds, "deal_out", deal_out)


def test_numbers_that_are_not_one_event_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    by_themselves(monkeypatch)
    table, count = known("a clique"), 10_000
    cards = table.cards(count, "default", Fraction("0.1"), 4)
    false = sum(bool(find_false_statements(card.to_dict(), table.truth)) for card in cards)
    assert not at_most(false, count, MISS)


def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each number is read off a set of its own."""
    read = Worlds.read

    def alone(of: Worlds, key: Key) -> Reading:
        found = read(of, key)
        if isinstance(key, int) or key not in of._drawn:
            return found
        low, high = of._ends(of._drawn[key][0], key)
        return replace(found, low=math.floor(low), high=math.ceil(high))

    monkeypatch.setattr(Worlds, "read", alone)


def test_numbers_that_are_not_read_off_one_set_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    apart(monkeypatch)
    for name in ("empty", "twenty pairs", "mixed"):
        cards = known(name).cards(40, "all", Fraction("0.1"), 4)
        assert any(find_contradictions(card.to_dict()) for card in cards)
