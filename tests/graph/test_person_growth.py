"""What a person adds to the numbers of conflicts: all small tables, and planted mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import candling
from candling.graph import person_conflicts as module
from candling.graph.person_conflicts import person_conflicts
from candling.graph.person_flow import person_repair, person_witnesses
from candling.graph.person_network import Wiring
from candling.graph.person_pairs import Layout, PersonPairs
from candling.graph.person_rows import PersonRows
from candling.tables import open_table, read_rows
from candling.tables.classes import Classes, OwnedClasses
from tests.effort import ALL
from tests.graph.owned import (
    RULES,
    OwnedRows,
    conflicts_program,
    draw_rows,
    problematic_program,
    repair_program,
    solve,
)

Rows = tuple[tuple[tuple[int, int], ...], ...]  # by person, their rows over two columns of 0 and 1
CELLS = ((0, 0), (0, 1), (1, 0), (1, 1))
KINDS = (
    "a -> b",
    "key(a)",
    "not(t1.a < t2.a and t1.b > t2.b)\nnot(t1.a = 1 and t1.b = 1)",
    "not(t1.a <= t2.a and t1.b >= t2.b)",
    "a -> b\nkey(b)",
)
LEVELS = (1, 2)
MORE = (1, 3, 9)


def small_tables(most: int) -> Iterator[Rows]:
    """Each table of at most three persons and `most` rows, once whatever the persons' order."""
    own = [
        rows for size in range(1, most + 1) for rows in combinations_with_replacement(CELLS, size)
    ]
    for persons in range(4):
        for table in combinations_with_replacement(own, persons):
            if sum(map(len, table)) <= most:
                yield table


def own_cells(table: Rows, classes: Classes) -> OwnedClasses:
    """The classes of each person of a small table; `classes` have the rules."""
    rows = [(person, *cell) for person, cells in enumerate(table) for cell in cells]
    lines, weights = np.unique(np.array(rows, np.int64).reshape(-1, 3), axis=0, return_counts=True)
    codes = np.ascontiguousarray(lines[:, 1:].T.astype(np.int32))
    merged = replace(classes, rows=len(lines), codes=codes, weights=weights.astype(np.int64))
    return OwnedClasses(merged, lines[:, 0].astype(np.int64))


def find_numbers(owned: OwnedClasses, levels: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """All numbers of a table at some levels."""
    return {
        "repair": tuple(person_repair(owned, level) for level in levels),
        "problematic": person_witnesses(owned, levels),
        "minimal_inconsistent": person_conflicts(owned, levels),
    }


@pytest.mark.parametrize("rules", KINDS)
@pytest.mark.parametrize("written", [0, module.WRITTEN], ids=["without pairs", "with pairs"])
def test_a_person_adds_at_most_twice_the_level(
    rules: str, written: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WRITTEN", written)
    columns = [np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])]
    table = open_table(pa.table(columns, names=["a", "b"]))
    classes = read_rows(table, list(candling.parse_constraints(rules)))
    most = 4 if ALL else 3
    numbers = {rows: find_numbers(own_cells(rows, classes), LEVELS) for rows in small_tables(most)}
    reached = set()
    for rows, found in numbers.items():
        for person in range(len(rows)):
            less = numbers[rows[:person] + rows[person + 1 :]]
            for name, values in found.items():
                for level, one, two in zip(LEVELS, less[name], values, strict=True):
                    assert 0 <= two - one <= 2 * level
                    if two - one == 2 * level:
                        reached.add((name, level))
    assert reached >= {(name, level) for name in found for level in LEVELS[: most - 2]}


PROGRAMS = (repair_program, problematic_program, conflicts_program)


def find_wrong(tables: list[tuple[OwnedRows, list[tuple[int, ...]]]]) -> set[str]:
    """The numbers that differ from those of linear programs on some table."""
    wrong = set()
    for table, wanted in tables:
        for (name, values), true in zip(
            find_numbers(table.owned, MORE).items(), wanted, strict=True
        ):
            if values != true:
                wrong.add(name)
    return wrong


@pytest.fixture(scope="module")
def solved() -> list[tuple[OwnedRows, list[tuple[int, ...]]]]:
    """Tables with the values of their linear programs."""
    tables = [draw_rows(name, number) for name in sorted(RULES)[:8] for number in (0, 3)]
    return [
        (table, [tuple(solve(p(table), level) for level in MORE) for p in PROGRAMS])
        for table in tables
    ]


def without_not_mine(self: Wiring, group: Any, left: Any, right: Any) -> None:
    """A hub through which a value reaches itself too."""
    hubs = self.add(int(group.max(initial=-1)) + 1)
    self.join(left, hubs[group])
    self.join(hubs[group], right)


def test_planted_mistakes_are_caught(
    solved: list[tuple[OwnedRows, list[tuple[int, ...]]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not find_wrong(solved)
    with monkeypatch.context() as patch:
        patch.setattr(Wiring, "join_different", without_not_mine)
        assert find_wrong(solved) == {"repair", "problematic"}
    with monkeypatch.context() as patch:  # own rows are counted as waiting too
        count, home = PersonRows.count_by_person, PersonRows.find_home
        patch.setattr(PersonRows, "count_by_person", lambda s, _: count(s, home(s)))
        patch.setattr(PersonRows, "find_home", lambda s: np.zeros_like(home(s)))
        assert find_wrong(solved) == {"problematic"}
    with monkeypatch.context() as patch:  # own conflicts are counted twice
        write = Layout.write_pairs

        def write_twice(self: Layout, *arguments: Any, **options: Any) -> PersonPairs:
            pairs = write(self, *arguments, **options)
            return replace(pairs, home=2 * pairs.home)

        patch.setattr(Layout, "write_pairs", write_twice)
        assert find_wrong(solved) == {"minimal_inconsistent"}
    # Numbers for three times the level, as if all that a person had were a row: not the same.
    more = [
        (table, [tuple(solve(p(table), 3 * level) for level in MORE) for p in PROGRAMS])
        for table, _ in solved
    ]
    assert find_wrong(more) == {"repair", "problematic", "minimal_inconsistent"}
