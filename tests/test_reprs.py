"""No repr of anything that a user can get hold of shows what is true of the table.

A notebook prints the repr of whatever stands last in a cell, and a debugger that of everything.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import candling
from candling.measures import REPAIR

CITY, ZIP = "Qarnaqville", 918273645
ROWS, PEOPLE = 7919, 3571  # primes, which nothing else is likely to be


@pytest.fixture(scope="module")
def study() -> candling.Study:
    """Every number below is of no other thing: the rows, a class, what is in conflict."""
    cities = [CITY] * PEOPLE + ["other"] * (ROWS - PEOPLE)
    zips = [ZIP] * PEOPLE + [ZIP] * (ROWS - PEOPLE - 1) + [1]
    data = pa.table({"Zip": zips, "City": cities, "Age": [-1] + [30] * (ROWS - 1)})
    rules = candling.parse_constraints("Zip -> City\nnot(t1.Age < 0)")
    return candling.analyze(data, rules)


def everything_true(study: candling.Study) -> set[str]:
    exact = study.exact().to_dict()
    numbers = {int(v) for v in exact.values() if isinstance(v, int | float)} | {ROWS, PEOPLE}
    return {str(n) for n in numbers if n > 1000} | {CITY, str(ZIP)}


def reached(thing: Any, depth: int = 5) -> Iterator[Any]:
    """An object of ours and what it holds, private or not, computed or not."""
    if not type(thing).__module__.startswith("candling") or depth == 0:
        return
    yield thing
    names = (
        {f.name for f in dataclasses.fields(thing)} if dataclasses.is_dataclass(thing) else set()
    )
    names |= set(getattr(thing, "__dict__", {}))
    names |= {n for n, v in vars(type(thing)).items() if type(v).__name__ == "cached_property"}
    for name in names:
        part = getattr(thing, name)
        held = part.values() if isinstance(part, dict) else part
        for item in held if isinstance(part, tuple | list | dict) else (part,):
            yield from reached(item, depth - 1)


def shown(thing: Any) -> str:
    html = getattr(thing, "_repr_html_", None) if hasattr(type(thing), "_repr_html_") else None
    return f"{thing!r} {thing} {html() if html else ''}"


def test_no_repr_holds_anything_true(study: candling.Study) -> None:
    study.release(1)  # whatever it computes and keeps is there now
    true = everything_true(study)
    assert len(true) > 5
    seen = set()
    for thing in (*reached(study), *reached(REPAIR.number(study._facts))):
        seen.add(type(thing).__name__)
        text = re.sub(r"[,_]", "", shown(thing))
        assert not [value for value in true if re.search(rf"(?<!\d){value}(?!\d)", text)], thing
    assert {
        "Study",
        "Analysis",
        "Facts",
        "Part",
        "Classes",
        "ConflictGraph",
        "RepairNumber",
    } <= seen


def test_what_may_be_shown_holds_what_was_paid_for(study: candling.Study) -> None:
    """With noise that moves every number away, no true one is left on a card."""
    true = everything_true(study)
    card = study.release("0.001", measures=["minimal_inconsistent", "problematic", "by_rule"])
    for text in (shown(card), card.to_frame().to_string(), str(card.to_dict())):
        assert CITY not in text
        assert str(ZIP) not in text
    assert true


def test_a_plan_knows_no_table(study: candling.Study) -> None:
    assert str(ROWS) not in repr(candling.plan(study.rules, epsilon=1))
