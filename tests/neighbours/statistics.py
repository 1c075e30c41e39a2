"""Every noise-free number that a release is made from, how far a row may move it, and its truth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import pytest

import candling
from candling.errors import CandlingError
from candling.graph import build_conflicts
from candling.measures import BY_RULE, MAXIMAL_CONSISTENT, MINIMAL_INCONSISTENT, PROBLEMATIC, REPAIR
from candling.measures.facts import Facts
from candling.measures.maximal_consistent import LOG_GRID, LOG_ROUNDING
from candling.measures.thresholded import powers_of_two
from candling.rules import Constraint, ConstraintSet, Rules
from candling.rules.compile import chain
from candling.tables import core
from tests import oracle
from tests.neighbours.tables import Case, oracle_cells, oracle_rule

PATHS = {"direct": 50_000, "large": -1}  # rows up to which a table is read without a core
FORMS = {"explicit": 500_000, "blocks": 0}  # pairs up to which a graph has them written down
_LOG = 1e-9  # what floating point may add to a logarithm


@dataclass(frozen=True)
class Repair:
    """A repair number in its steps."""

    value: int
    step: Fraction
    growth: int
    kind: str


@dataclass(frozen=True)
class Statistics:
    """What a release of one table is made from."""

    rows: int
    repair: Repair
    repair_by_rule: tuple[Repair, ...]
    problematic: tuple[int, ...]
    doubled_minimal_inconsistent: tuple[int, ...]
    maximal_consistent_log2: float | None  # None: these rules do not allow it


@dataclass(frozen=True)
class Failure:
    """An error, by what a caller sees of its kind."""

    name: str
    code: str | None  # None: an error that is not ours

    def __str__(self) -> str:
        return f"{self.name} {self.code or '(raw)'}"


Outcome = Statistics | Failure


def outcomes(data: Any, rules: ConstraintSet, path: str, **place: Any) -> dict[str, Outcome]:
    """The statistics of a table read on one path, by the form of its graph."""
    with _form("explicit"):
        facts, outcome = _explicit(data, rules, path, place)
    if isinstance(outcome, Failure) or facts is None:
        return dict.fromkeys(FORMS, outcome)
    with _form("blocks"):
        return {"explicit": outcome, "blocks": _in_blocks(facts)}


def _explicit(
    data: Any, rules: ConstraintSet, path: str, place: dict[str, Any]
) -> tuple[Facts | None, Outcome]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "SMALL", PATHS[path])
        try:
            facts = candling.analyze(data, rules, **place)._facts
            return facts, statistics_of(facts)
        except Exception as error:  # noqa: BLE001 - what escapes is what is looked for
            return None, _failure(error)


def _in_blocks(facts: Facts) -> Outcome:
    try:
        return statistics_of(Facts(facts.classes, build_conflicts(facts.classes)))
    except Exception as error:  # noqa: BLE001
        return _failure(error)


def _failure(error: Exception) -> Failure:
    code = getattr(error, "code", None) if isinstance(error, CandlingError) else None
    return Failure(type(error).__name__, code)


@contextmanager
def _form(name: str) -> Iterator[None]:
    """Graphs of this form; the limit is a default that was bound when it was defined."""
    defaults = build_conflicts.__kwdefaults__
    assert defaults is not None
    assert "explicit" in defaults
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(defaults, "explicit", FORMS[name])
        yield


def statistics_of(facts: Facts) -> Statistics:
    """All of them."""

    def repair(number: Any) -> Repair:
        return Repair(number.value, number.step, number.growth, number.kind)

    counted = not chain(facts.rules).broken_by
    return Statistics(
        rows=facts.rows,
        repair=repair(REPAIR.number(facts)),
        repair_by_rule=tuple(map(repair, BY_RULE.numbers(facts))),
        problematic=tuple(PROBLEMATIC.levels(facts)),
        doubled_minimal_inconsistent=tuple(MINIMAL_INCONSISTENT.levels(facts)),
        maximal_consistent_log2=MAXIMAL_CONSISTENT.log2(facts) if counted else None,
    )


# ------------------------------------------------------------------------------------- comparing


def differences(one: Statistics, two: Statistics) -> Iterator[str]:
    """What is not the same of one table, found in two ways."""
    for field in fields(Statistics):
        a, b = getattr(one, field.name), getattr(two, field.name)
        if field.name == "maximal_consistent_log2" and a is not None and b is not None:
            if not math.isclose(a, b, abs_tol=_LOG):
                yield f"maximal_consistent_log2: {a} and {b}"
        elif a != b:
            yield f"{field.name}: {short(a)} and {short(b)}"


def moves(small: Statistics, large: Statistics, rows: int = 1) -> Iterator[str]:
    """What one more row, or so many, moved by more than they may."""

    def outside(name: str, before: int, after: int, most: int) -> Iterator[str]:
        if not 0 <= after - before <= rows * most:
            yield f"{name}: {before} to {after}, which may grow by 0 to {rows * most}"

    yield from outside("rows", small.rows, large.rows, 1)
    pairs = [("repair", small.repair, large.repair)]
    pairs += [
        (f"repair of rule {k + 1}", one, two)
        for k, (one, two) in enumerate(zip(small.repair_by_rule, large.repair_by_rule, strict=True))
    ]
    for name, one, two in pairs:
        if (one.step, one.growth, one.kind) != (two.step, two.growth, two.kind):
            yield f"{name}: its kind is up to the rules, and was {one} and {two}"
        if one.step * one.growth != 1:
            yield f"{name}: it may grow by {one.step * one.growth} rows instead of one"
        yield from outside(name, one.value, two.value, one.growth)
    for measure, before, after in (
        (PROBLEMATIC, small.problematic, large.problematic),
        (
            MINIMAL_INCONSISTENT,
            small.doubled_minimal_inconsistent,
            large.doubled_minimal_inconsistent,
        ),
    ):
        for t, a, b in zip(powers_of_two(None), before, after, strict=True):
            yield from outside(f"{measure.name} at {t}", a, b, measure.growth(t))
    yield from _log_moves(small.maximal_consistent_log2, large.maximal_consistent_log2, rows)


def _log_moves(before: float | None, after: float | None, rows: int) -> Iterator[str]:
    if before is None or after is None:
        return
    grid = round(after * LOG_GRID) - round(before * LOG_GRID)
    if (
        not -_LOG <= after - before <= rows + _LOG
        or not -LOG_ROUNDING <= grid <= rows * LOG_GRID + LOG_ROUNDING
    ):
        yield f"maximal_consistent_log2: {before} to {after}, which may grow by 0 to {rows}"


def short(value: Any) -> str:
    """Statistic without the many that are the same at the end."""
    if isinstance(value, tuple) and len(value) > 6:
        return f"({', '.join(map(str, value[:5]))}, ... {value[-1]})"
    return str(value)


# ----------------------------------------------------------------------------------------- truth


def mistakes(found: Statistics, case: Case) -> Iterator[str]:
    """Where the statistics of the table of a case are not those of the oracle."""
    cells = oracle_cells(case)
    rules = case.compiled
    told = [oracle_rule(rule) for rule in rules]
    graph = oracle.conflicts(cells, told)
    yield from _unlike("rows", found.rows, len(cells))
    yield from _unlike("repair", _in_rows(found.repair), _true_repair(cells, told, rules))
    for k, (number, own) in enumerate(zip(found.repair_by_rule, rules.entries, strict=True)):
        truth = _true_repair(cells, [told[n] for n in own], [rules[n] for n in own])
        yield from _unlike(f"repair of rule {k + 1}", _in_rows(number), truth)
    wrong = len(graph.self_inconsistent)
    degree = oracle.max_degree(graph)
    for i, t in enumerate(powers_of_two(None)):
        witnesses = wrong + oracle.extension(graph, t, 1)
        halves = 2 * wrong + oracle.extension(graph, t, t)
        yield from _unlike(f"problematic at {t}", found.problematic[i], witnesses)
        yield from _unlike(
            f"minimal_inconsistent at {t}", found.doubled_minimal_inconsistent[i], halves
        )
        if t >= degree:  # from here on nothing changes
            yield from _unlike("problematic", found.problematic[-1], witnesses)
            yield from _unlike(
                "minimal_inconsistent", found.doubled_minimal_inconsistent[-1], halves
            )
            break
    yield from _log_mistakes(found, cells, rules, told)


def _log_mistakes(
    found: Statistics,
    cells: Sequence[oracle.Row],
    rules: Sequence[Constraint],
    told: Sequence[Constraint],
) -> Iterator[str]:
    if found.maximal_consistent_log2 is None:
        return
    needed = chain(rules).not_null
    complete = [row for row in cells if all(row[name] is not None for name in needed)]
    truth = math.log2(oracle.maximal_consistent(oracle.conflicts(complete, told)))
    if not math.isclose(found.maximal_consistent_log2, truth, abs_tol=_LOG):
        yield f"maximal_consistent_log2: {found.maximal_consistent_log2} instead of {truth}"


def _true_repair(
    cells: Sequence[oracle.Row], told: Sequence[Constraint], rules: Sequence[Constraint]
) -> Fraction:
    """The number that noise is added to: the smallest repair where the rules make it easy."""
    compiled = Rules(tuple(rules))
    if compiled.exact_repair:
        return Fraction(oracle.repair_exact(oracle.conflicts(cells, told)))
    return oracle.repair_number(cells, told, [part.rules for part in compiled.easy_parts])


def _in_rows(repair: Repair) -> Fraction:
    return repair.value * repair.step


def _unlike(name: str, found: Any, truth: Any) -> Iterator[str]:
    if found != truth:
        yield f"{name}: {found} instead of {truth}"
