"""What the numbers of a table can be together: all small graphs, in both directions.

Rows are nodes, conflicts of two rows edges. Some rows break a rule alone; they have no edges.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import pytest

import candling
from candling.model.relations import UNBOUNDED, Limits, NoWorldError, Relations, RuleFacts, World
from candling.rules import compile_rules

PAIRS, MIXED, ROWS = RuleFacts(rows=False), RuleFacts(), RuleFacts(pairs=False)
Triple = tuple[int, int, int]  # smallest repair, rows in conflict, conflicts


@cache
def occurring(nodes: int) -> frozenset[Triple]:
    """Those of all graphs of so many nodes."""
    edges = [1 << a | 1 << b for a, b in combinations(range(nodes), 2)]
    covers = sorted(range(1 << nodes), key=int.bit_count)
    covered = [(c.bit_count(), sum(1 << i for i, e in enumerate(edges) if e & c)) for c in covers]
    found = set()
    for graph in range(1 << len(edges)):
        touched = 0
        for i, edge in enumerate(edges):
            if graph >> i & 1:
                touched |= edge
        repair = next(size for size, by in covered if not graph & ~by)
        found.add((repair, touched.bit_count(), graph.bit_count()))
    return frozenset(found)


@cache
def with_wrong_rows(rows: int) -> frozenset[Triple]:
    """The same where some of the rows break a rule alone."""
    return frozenset(
        (r + s, p + s, m + s) for s in range(rows + 1) for r, p, m in occurring(rows - s)
    )


@cache
def worlds_of(facts: RuleFacts, rows: int) -> tuple[World, ...]:
    """All worlds of so many rows."""
    relations, size = Relations(facts, Limits((rows, rows))), range(rows + 1)
    numbers = product(size, size, range(rows * rows + 1))
    return tuple(w for r, p, m in numbers if relations.has(w := World(rows, r, p, m)))


def allowed(facts: RuleFacts, rows: int) -> set[Triple]:
    return {(w.repair, w.in_conflict, w.conflicts) for w in worlds_of(facts, rows)}


SMALL = [*range(6), pytest.param(6, marks=pytest.mark.long)]


@pytest.mark.parametrize("rows", SMALL)
def test_rules_on_pairs_allow_what_occurs_and_nothing_else(rows: int) -> None:
    assert allowed(PAIRS, rows) == occurring(rows)


@pytest.mark.parametrize("rows", SMALL)
def test_with_rules_on_rows_all_that_occurs_is_allowed_and_both_ends_occur(rows: int) -> None:
    occurs, may = with_wrong_rows(rows), allowed(MIXED, rows)
    assert occurs <= may
    assert {(r, p) for r, p, _ in occurs} == {(r, p) for r, p, _ in may}
    for r, p, m in may - occurs:  # a few numbers of conflicts just above the fewest
        assert p == r + 1
        known = [conflicts for a, b, conflicts in occurs if (a, b) == (r, p)]
        assert min(known) < m < max(known)


@pytest.mark.parametrize("rows", range(7))
def test_rules_on_rows_alone_make_one_number_of_three(rows: int) -> None:
    assert allowed(ROWS, rows) == {(s, s, s) for s in range(rows + 1)}
    assert allowed(RuleFacts(rows=False, pairs=False), rows) == {(0, 0, 0)}


def tables_of_keys(keys: int) -> Iterator[tuple[int, Triple]]:
    """Drawn tables under so many keys."""
    rng = random.Random(keys)
    for _ in range(400):
        rows, values = rng.randint(1, 8), rng.randint(1, 5)
        table = [[rng.randrange(values) for _ in range(keys)] for _ in range(rows)]
        edges = [
            (u, v)
            for u, v in combinations(range(rows), 2)
            if any(x == y for x, y in zip(table[u], table[v], strict=True))
        ]
        repair = next(
            size
            for size in range(rows + 1)
            for cover in combinations(range(rows), size)
            if all(u in cover or v in cover for u, v in edges)
        )
        yield rows, (repair, len({u for edge in edges for u in edge}), len(edges))


@pytest.mark.parametrize("keys", [1, 2, 3])
def test_keys_allow_what_occurs(keys: int) -> None:
    for rows, (r, p, m) in tables_of_keys(keys):
        for alone in (False, True):
            relations = Relations(RuleFacts(alone, keys=keys), Limits((rows, rows)))
            assert relations.has(World(rows, r, p, m))
            if alone:  # two more rows, which are wrong
                more = Relations(RuleFacts(keys=keys), Limits((rows + 2, rows + 2)))
                assert more.has(World(rows + 2, r + 2, p + 2, m + 2))


FACTS = [
    PAIRS, MIXED, ROWS, RuleFacts(rows=False, pairs=False),
    *(RuleFacts(rows, keys=keys) for rows in (False, True) for keys in (1, 2)),
]  # fmt: skip


def all_worlds(facts: RuleFacts, limits: Limits) -> list[World]:
    """By trying."""
    return [
        world
        for rows in range(limits.rows[0], limits.rows[1] + 1)
        for world in worlds_of(facts, rows)
        if limits.repair[0] <= world.repair <= limits.repair[1]
        and world.in_conflict >= limits.in_conflict
        and world.conflicts >= limits.conflicts
    ]


def some_limits(rng: random.Random) -> Limits:
    most = rng.randint(0, 6)
    low = rng.choice((0, 0, 0, rng.randint(0, 6)))
    high = rng.choice((UNBOUNDED, rng.randint(0, 6)))
    conflicts = rng.choice((0, rng.randint(0, 16)))
    return Limits((rng.randint(0, most), most), (low, high), rng.choice((0, most // 2)), conflicts)


def _ends(values: list[Any]) -> tuple[Any, Any]:
    return min(values), max(values)


def has_world(facts: RuleFacts, limits: Limits) -> bool:
    try:
        Relations(facts, limits)
    except NoWorldError:
        return False
    return True


@pytest.mark.parametrize("facts", FACTS, ids=str)
def test_projections_are_those_of_all_worlds(facts: RuleFacts) -> None:
    rng = random.Random(str(facts))
    seen = {True: 0, False: 0}
    for _ in range(150):
        limits = some_limits(rng)
        worlds = all_worlds(facts, limits)
        seen[bool(worlds)] += 1
        if not worlds:
            assert not has_world(facts, limits)
            continue
        found = Relations(facts, limits)
        assert (found.least, found.most) == _ends([w.repair for w in worlds])
        assert found.rows == _ends([w.rows for w in worlds])
        assert found.in_conflict == _ends([w.in_conflict for w in worlds])
        assert found.conflicts == _ends([w.conflicts for w in worlds])
        share = [Fraction(w.repair, w.rows or 1) for w in worlds]
        assert found.share_to_delete(found.least, found.most) == _ends(share)
        part = max(0, found.most - 1)
        rule = [Fraction(min(part, w.repair), w.rows or 1) for w in worlds if w.repair >= part]
        assert found.share_to_delete(0, part)[1] == max(rule)
        bad = [Fraction(w.in_conflict, w.rows or 1) for w in worlds]
        assert found.share_in_conflict == _ends(bad)
        low, high = _ends([Fraction(w.conflicts, w.rows or 1) for w in worlds])
        assert found.conflicts_per_row[0] <= low
        assert found.conflicts_per_row[1] >= high
        if facts in (PAIRS, ROWS):
            assert found.conflicts_per_row[1] == high
    assert min(seen.values()) > 10


@pytest.mark.parametrize("facts", FACTS, ids=str)
def test_the_nearest_world_is_one(facts: RuleFacts) -> None:
    rng = random.Random(str(facts))
    for _ in range(400):
        if not has_world(facts, limits := some_limits(rng)):
            continue
        relations = Relations(facts, limits)
        told = [rng.choice((None, Fraction(rng.randint(-6, 40), 2))) for _ in range(4)]
        assert relations.has(relations.nearest(*told, keep_conflicts=rng.random() < 0.5))
    worlds = Relations(facts, Limits((4, 4)))
    for world in all_worlds(facts, Limits((4, 4))):
        numbers = (world.rows, world.repair, world.in_conflict, world.conflicts)
        assert worlds.nearest(*map(Fraction, numbers)) == world


def test_a_number_that_fits_is_kept() -> None:
    free = Relations(PAIRS, Limits((0, 100)))
    assert free.nearest(None, None, Fraction(40), None).in_conflict == 40
    assert free.nearest(Fraction(90), None, None, Fraction(200)).conflicts == 200
    both = free.nearest(Fraction(90), Fraction(2), Fraction(40), Fraction(20))
    assert (both.in_conflict, both.conflicts) == (40, 38)
    both = free.nearest(Fraction(90), Fraction(2), Fraction(40), Fraction(20), keep_conflicts=True)
    assert (both.in_conflict, both.conflicts) == (22, 20)


def test_numbers_may_be_of_any_size() -> None:
    huge = Relations(PAIRS, Limits((0, UNBOUNDED), (0, UNBOUNDED), 10**12, 10**24))
    assert huge.rows[0] == huge.in_conflict[0] > 10**12
    assert huge.least == 1
    many = Relations(MIXED, Limits((10**11, 10**12), (10**9, 4 * 10**11), 0, 10**23))
    assert many.in_conflict == (450_000_000_001, 10**12)


@pytest.mark.parametrize(
    ("rules", "limit", "facts"),
    [
        ("a -> b", None, PAIRS),
        ("a -> b\nnot(t1.a < 0)", None, MIXED),
        ("not(t1.a < 0)\nnot(t1.b < 0)", None, ROWS),
        ("key(a)\nkey(b)", None, RuleFacts(rows=False, keys=2)),
        ("key(a)\nnot(t1.b < 0)", 2, RuleFacts(keys=1)),
        ("key(a)\na -> b", None, PAIRS),
        ("key(a)\nnot(t1.b < 0)", 1, ROWS),
        ("a -> b", 1, RuleFacts(rows=False, pairs=False)),
        ("a -> a", None, RuleFacts(rows=False, pairs=False)),
    ],
)
def test_the_facts_follow_from_the_rules(rules: str, limit: int | None, facts: RuleFacts) -> None:
    assert RuleFacts.of(compile_rules(candling.parse_constraints(rules)), limit) == facts
