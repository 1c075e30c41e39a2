"""The easy repair: which rules allow it, and that it finds the smallest, NULLs included."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import candling
from candling.graph import tractable_repair
from candling.graph.build import self_inconsistent
from candling.graph.compilation import Compiled
from candling.graph.repair_kernels import heaviest_matching
from candling.graph.tractable_repair import count_fewest_removals
from candling.rules import compile_rules
from candling.rules.compile import easy_parts, part_without_null
from candling.tables import open_table, read_classes
from tests import oracle
from tests.effort import examples

EASY = [
    "A -> B",
    "A -> B, C, D",
    "A -> B where D = 1",
    "A -> B where D = 1\nA -> C where D = 2",
    "A -> B\nA, B -> C",  # a chain
    "A -> B\nA, C -> D",  # a chain, in which a NULL in B frees a row of one rule only
    "A -> B\nA -> C\nA, B -> D",
    "A -> B\nB -> A",  # a marriage
    "A -> B\nB -> A\nA, B -> C",
    "A, B -> C\nA, C -> B",  # common, then a marriage
    "not(t1.A != t2.A)\nB -> C",  # a consensus
    "not(t1.A != t2.A)\nB -> A\nC -> A",  # which has the others fulfilled
    "key(A)",
    "key(A) where C = 1\nA -> B",
    "key(A, B)\nA -> C",
    "key(A)\nkey(B)",  # a NULL in A leaves the key on B
    "key(A)\nkey(B)\nA -> C",
    "not(t1.A < t2.A and t1.B > t2.B)",
    "not(t1.A <= t2.A and t1.B > t2.B)",
    "not(t1.A < t2.A and t1.B >= t2.B)",
    "not(t1.A <= t2.A and t1.B >= t2.B)",
    "not(t1.C = t2.C and t1.A > t2.A and t1.B >= t2.B)",
    "not(t1.A != t2.A and t1.B != t2.B)",
    "not(t1.C = t2.C and t1.A != t2.A and t1.B != t2.B and t1.D > 0 and t2.D > 0)",
    "not(t1.A = 1)",
]
HARD = [
    "A -> B\nB -> C",
    "A -> B\nC -> D",
    "A -> C\nB -> C",
    "A, B -> C\nC -> B",
    "A -> B\nB -> A\nB -> C",  # a NULL in A frees a row of two rules, and not of the third
    "A -> B\nnot(t1.A < t2.A and t1.C > t2.C)",
    "not(t1.A != t2.A and t1.B != t2.B and t1.C != t2.C)",
    "not(t1.A != t2.A and t1.B != t2.B and t1.C = 1)",
    "not(t1.A < t2.A and t1.B > t2.B and t1.C > t2.C)",
]
RULES = st.one_of(
    st.sampled_from(EASY + HARD),
    st.lists(
        st.sampled_from(
            [
                *(f"{a} -> {b}" for a in "ABCD" for b in "ABCD" if a != b),
                *("A, B -> C", "A, C -> D", "B, C -> A", "key(A)", "key(B, C)", "key(D)"),
                *("A -> B where D = 1", "B -> C where D = 1", "key(A) where D = 1"),
                *("not(t1.A != t2.A)", "not(t1.B = 1)"),
            ]
        ),
        min_size=2,
        max_size=4,
    ).map("\n".join),
)
CONDITIONS = st.lists(  # which contain each other, exclude each other, or overlap
    st.builds(
        "{} where {}".format,
        st.sampled_from(["A -> B", "A -> B", "A -> C", "key(A)", "B -> C"]),
        st.sampled_from(
            [
                *("D > 0", "D > 1", "D >= 0", "D = 0", "D = 1", "D = 2", "D != 1", "D < 2"),
                *("C > 0", "C = 1", "D between 0 and 1", "D > 0 and C > 0", "C is not null"),
            ]
        ),
    ),
    min_size=2,
    max_size=7,
).map("\n".join)
CELL = st.one_of(st.none(), st.integers(0, 2))
ROWS = st.lists(st.fixed_dictionaries(dict.fromkeys("ABCD", CELL)), max_size=9)


def table_of(rows: list[Any]) -> pa.Table:
    return pa.Table.from_pylist(rows, pa.schema({name: pa.int64() for name in "ABCD"}))


@pytest.mark.parametrize("text", EASY)
def test_easy(text: str) -> None:
    assert compile_rules(candling.parse_constraints(text)).exact_repair


@pytest.mark.parametrize("text", HARD)
def test_not_easy(text: str) -> None:
    assert not compile_rules(candling.parse_constraints(text)).exact_repair


@pytest.mark.parametrize(
    ("template", "easy"),
    [
        ("A -> B where D > {}", True),  # the first contains all others
        ("A -> B where D < {}", True),  # the last does
        ("A -> B where D = {}", True),  # none has a row of another
        ("key(A) where C = {} and D > 3", True),
        ("A -> B where D between {} and 99", True),
        ("A -> B where D != {}", False),  # every two overlap, and the work doubles with each
    ],
)
def test_hundreds_of_rules_with_conditions(template: str, easy: bool) -> None:
    """A group in which rules leave different rows free branched at each of them."""
    text = "\n".join(template.format(i) for i in range(300 if easy else 60))
    numbers = np.random.default_rng(7)
    names = {"A": 40, "B": 5, "C": 300, "D": 300}
    table = pa.table({name: numbers.integers(0, most, 1000) for name, most in names.items()})
    start = time.process_time()
    rules = compile_rules(candling.parse_constraints(text))
    classes = read_classes(open_table(table), rules)
    classes = classes.select(~self_inconsistent(classes))
    found = [count_fewest_removals(part, classes) for part in rules.easy_parts[:30]]
    assert rules.exact_repair is easy
    assert time.process_time() - start < 30
    if "> {}" in template:  # the first rule alone says it all
        alone = compile_rules(candling.parse_constraints(template.format(0)))
        assert found == [count_fewest_removals(alone.easy_parts[0], read_classes(
            open_table(table), alone))]  # fmt: skip


@settings(max_examples=examples(800))
@given(st.one_of(RULES, CONDITIONS), ROWS, st.lists(st.integers(0, 20), max_size=3))
def test_every_easy_part_finds_the_smallest_repair(
    text: str, rows: list[Any], again: list[int]
) -> None:
    rows = rows + [rows[i] for i in again if i < len(rows)]
    rules = compile_rules(candling.parse_constraints(text))
    classes = read_classes(open_table(table_of(rows)), rules)
    classes = classes.select(~self_inconsistent(classes))
    rest = [row for row in rows if not any(oracle.violates_row(rule, row) for rule in rules)]
    for part in easy_parts(rules):
        own = [rules[number] for number in part.rules]
        truth = oracle.repair_exact(oracle.conflicts(rest, own))
        assert count_fewest_removals(part, classes) == truth


@settings(max_examples=examples(200))
@given(RULES, ROWS)
def test_the_repair_number_is_the_largest_easy_one(text: str, rows: list[Any]) -> None:
    rules = compile_rules(candling.parse_constraints(text))
    found = candling.exact(table_of(rows), candling.parse_constraints(text))
    truth = oracle.conflicts(rows, rules)
    assert found.repair_linear == oracle.repair(truth)
    assert found.repair_exact == oracle.repair_exact(truth)
    assert found.repair == oracle.repair_number(rows, rules, [p.rules for p in easy_parts(rules)])
    assert found.repair_linear <= found.repair <= oracle.repair_exact(truth)
    if rules.exact_repair:
        assert found.repair == found.repair_exact


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("A -> B\nB -> C", [(0,), (1,)]),
        ("A -> B\nC -> D\nA -> C", [(0, 2), (1,)]),
        ("A -> B\nB -> A\nB -> C", [(0, 1), (1, 2)]),
        ("A -> B\nnot(t1.A < t2.A and t1.C > t2.C)\nnot(t1.D = 1)", [(0,), (1,)]),
        ("not(t1.A < t2.A and t1.B > t2.B and t1.C > t2.C)", []),
    ],
)
def test_parts(text: str, wanted: list[tuple[int, ...]]) -> None:
    found = easy_parts(compile_rules(candling.parse_constraints(text)))
    assert sorted(part.rules for part in found) == wanted


@pytest.mark.parametrize("together", [1, 4, tractable_repair.TOGETHER])
def test_rows_free_of_a_rule_go_with_every_value(
    together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many values are tried at a time."""
    monkeypatch.setattr(tractable_repair, "TOGETHER", together)
    rng = np.random.default_rng(5)
    text = "A -> B, C, D"
    rules = compile_rules(candling.parse_constraints(text))
    for _ in range(30):
        rows = [
            {name: None if x == 0 else int(x) for name, x in zip("ABCD", row, strict=True)}
            for row in np.column_stack([np.ones(12, int), rng.integers(0, 4, (12, 3))])
        ]
        classes = read_classes(open_table(table_of(rows)), rules)
        (part,) = easy_parts(rules)
        truth = oracle.repair_exact(oracle.conflicts(rows, rules))
        assert count_fewest_removals(part, classes) == truth


@settings(max_examples=examples(200))
@given(
    st.sampled_from(["A -> B\nB -> A\nB -> C", "A -> B\nB -> A\nB -> C\nC -> D"]),
    st.lists(st.fixed_dictionaries(dict.fromkeys("ABCD", st.integers(0, 2))), max_size=9),
)
def test_without_null_more_rules_are_easy(text: str, rows: list[Any]) -> None:
    rules = compile_rules(candling.parse_constraints(text))
    part = part_without_null(rules)
    if "D" in text:
        assert part is None
        return
    assert part is not None
    classes = read_classes(open_table(table_of(rows)), rules)
    truth = oracle.repair_exact(oracle.conflicts(rows, rules))
    assert count_fewest_removals(part, classes) == truth


def test_one_dense_group_is_no_longer_half_the_truth() -> None:
    rules = candling.parse_constraints("Zip -> City, State")
    rows = 10_000
    junk = pa.table(
        {"Zip": ["1"] * rows, "City": [str(i) for i in range(rows)], "State": ["a"] * rows}
    )
    found = candling.exact(junk, rules)
    assert found.repair == found.repair_exact == rows - 1
    assert found.repair_linear == rows // 2
    assert found.minimal_inconsistent == rows * (rows - 1) // 2
    assert found.max_degree == rows - 1


def test_a_null_in_a_row_in_conflict() -> None:
    """Another rule has the row in a triangle, of which the linear program takes halves."""
    rules = candling.parse_constraints("A -> B\nA -> C")
    table = pa.table({"A": [1, 1, 1], "B": [1, 2, None], "C": [1, 2, 3]})
    found = candling.exact(table, rules)
    assert found.repair_linear == Fraction(3, 2)
    assert found.repair == found.repair_exact == 2


def test_the_solver_gives_up_in_time() -> None:
    rng = np.random.default_rng(0)
    table = pa.table({name: rng.integers(0, 12, 400) for name in "ABCD"})
    rules = candling.parse_constraints("A -> B\nC -> D\nB -> C")
    found = candling.analyze(table, rules)._facts.exact(search=0)
    assert found["repair_exact"] is None
    assert found["maximal_consistent_log2"] is None


@pytest.mark.parametrize("interpreted", [True, False])
@settings(max_examples=examples(300))
@given(data=st.data())
def test_a_matching_is_the_heaviest(data: st.DataObject, interpreted: bool) -> None:
    lefts, rights = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 8))
    weight = st.integers(0, data.draw(st.sampled_from([1, 3, 10**7])))
    end = st.tuples(st.integers(0, lefts - 1), st.integers(0, rights - 1))
    edges = data.draw(st.dictionaries(end, weight))
    one, two = np.array(list(edges), np.int32).reshape(-1, 2).T
    weights = np.array(list(edges.values()), np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compiled, "_is_small", lambda *_: interpreted)
        matched = tractable_repair._heaviest_matching(one, two, weights)
    assert len(set(one[matched])) == len(set(two[matched])) == matched.sum()
    matrix = np.zeros((lefts, rights), np.int64)
    matrix[one, two] = weights
    assert weights[matched].sum() == matrix[linear_sum_assignment(matrix, maximize=True)].sum()


@pytest.mark.parametrize("seed", range(4))
def test_prices_prove_a_large_matching(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By duality: prices that no edge exceeds come to the weight of the matching."""
    rng = np.random.default_rng(seed)
    pairs, counts = np.unique(rng.integers(0, 3000, (2, 20_000)), axis=1, return_counts=True)
    weights = counts * rng.integers(1, [2, 5, 50, 10**6][seed], len(counts))
    prices: list[Any] = []

    def spied(*arrays: Any) -> None:
        heaviest_matching(*arrays)
        prices.append(arrays)

    monkeypatch.setattr(tractable_repair, "heaviest_matching", spied)
    one, two = pairs.astype(np.int32)
    matched = tractable_repair._heaviest_matching(one, two, weights)
    (_, lefts, rights, ordered, _, _, left, right, *_) = prices[0]
    assert (left >= 0).all()
    assert (right >= 0).all()
    assert (left[lefts] + right[rights] >= ordered).all()
    assert weights[matched].sum() == left.sum() + right.sum()
