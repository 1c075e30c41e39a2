"""The repair number on every small table: true, and moved by a row as its theorem says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import candling
from candling.measures import REPAIR
from candling.measures.facts import Facts
from candling.rules import compile_rules
from candling.rules.compile import easy_parts
from candling.tables import Classes, open_table, read_classes
from tests import oracle

Row = tuple[int | None, ...]
Table = tuple[Row, ...]

RULES = {
    "no part has all rules": ("a -> b\nb -> c", "abc", (0, 1, None), 3),
    "two left sides": ("a -> c\nb -> c", "abc", (0, 1, None), 3),
    "a marriage, and one rule more": ("a -> b\nb -> a\nb -> c", "abc", (0, 1, None), 3),
    "an order and a dependency": (
        "a -> b\nnot(t1.a < t2.a and t1.b > t2.b)",
        "ab",
        (0, 1, 2, None),
        4,
    ),
    "a row rule beside": ("not(t1.a = 1)\na -> b\nb -> a\nkey(b)", "ab", (0, 1, 2, None), 4),
    "one left side": ("a -> b, c", "abc", (0, 1, None), 3),
    "an order": ("not(t1.a <= t2.a and t1.b > t2.b)", "ab", (0, 1, 2, None), 4),
    "two columns differ": ("not(t1.a != t2.a and t1.b != t2.b)", "ab", (0, 1, 2, None), 4),
    "two keys": ("key(a)\nkey(b)", "ab", (0, 1, None), 5),
}
LONG = (  # what they are for is seen in the others, too
    *("two left sides", "a marriage, and one rule more", "an order and a dependency"),
    *("a row rule beside", "two columns differ"),
)


class Small:
    """All tables of some rows over a few values, and what is true of each."""

    def __init__(self, text: str, columns: str, values: tuple[int | None, ...], most: int) -> None:
        self.rules = compile_rules(candling.parse_constraints(text))
        schema = pa.schema({name: pa.int64() for name in columns})
        every = pa.table({name: [v for v in values if v is not None] for name in columns}, schema)
        self.coded = read_classes(open_table(every), self.rules)
        self.names = list(dict.fromkeys(n for rule in self.rules for n in rule.columns))
        self.rows = list(product(values, repeat=len(columns)))
        self.columns = columns
        self.most = most

    def tables(self) -> Iterator[Table]:
        for size in range(self.most + 1):
            yield from combinations_with_replacement(self.rows, size)

    def classes(self, table: Table) -> Classes:
        """Coded as in the table that was read, which has every value once in each column."""
        codes = np.full((len(self.names), len(table)), -1, np.int32)
        for own, known, name in zip(codes, self.coded.codes, self.names, strict=True):
            for line, row in enumerate(table):
                if (value := row[self.columns.index(name)]) is not None:
                    own[line] = np.sort(known)[value]
        ones = np.ones(len(table), np.int64)
        return Classes(len(table), codes, ones, self.coded.rules)

    def cells(self, table: Table) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in table]


def worst_move(small: Small, number: Callable[[Table], int]) -> tuple[int, int]:
    """How far one row moves a number, over all tables: the least and the most."""
    known = {table: number(table) for table in small.tables()}
    least, most = 0, 0
    for table, value in known.items():
        for gone in range(len(table)):
            move = value - known[table[:gone] + table[gone + 1 :]]
            least, most = min(least, move), max(most, move)
    return least, most


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in RULES]
)
def test_every_small_table(name: str) -> None:
    small = Small(*RULES[name])
    parts = [part.rules for part in easy_parts(small.rules)]
    growth = None

    def number(table: Table) -> int:
        nonlocal growth
        found = REPAIR.number(Facts(small.classes(table)))
        growth = found.growth
        cells = small.cells(table)
        truth = oracle.repair_exact(oracle.conflicts(cells, small.rules))
        assert found.value * found.step == oracle.repair_number(cells, small.rules, parts)
        assert truth / 2 <= found.value * found.step <= truth
        if found.kind == "exact":
            assert found.value == truth
        return found.value

    assert worst_move(small, number) == (0, growth)


def test_a_sum_of_the_terms_would_be_seen() -> None:
    """The largest term grows by what each may; a sum of them does not."""
    small = Small(*RULES["no part has all rules"])
    least, most = worst_move(small, lambda table: sum(Facts(small.classes(table)).terms(REPAIR)))
    assert least == 0
    assert most > 2
