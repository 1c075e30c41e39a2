"""How often the true values are inside the intervals that a release shows.

    python -m benchmarks.coverage                 # 500 random cases and the named tables
    python -m benchmarks.coverage --cases 100 --releases 20

Random rule sets and small tables are judged by brute force (tests/oracle.py); the named tables are
those on which intervals went wrong or could: junk, flights, clean, empty, all NULL, dense, a star.
Every output is asked for its grade, which is read back from its text. The tests use the same code
with fewer releases (tests/releases/test_coverage.py).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, Phase, given, settings

import candling
from candling.gates import judge
from candling.model.gate import Gate, Outcome
from candling.model.number import exact
from candling.rules import Op, compile_rules
from tests import oracle
from tests.outputs import OUTPUTS
from tests.strategies import TableAndRules, tables_and_rules, to_arrow

ASKED = ("rows", "drastic", "minimal_inconsistent", "problematic", "repair", "by_rule")
WISHES: tuple[dict[str, Any], ...] = ({}, {"max_rows": 10}, {"public_rows": True})
EPSILONS = (2, 12, 60, 100)  # noise of the size of the numbers, and nearly none
GATED = ("grade", "repair", "repair/rows", "problematic/rows", "minimal_inconsistent/rows")


@dataclass(frozen=True)
class Truth:
    """What a release must not miss."""

    rows: int
    repair: int  # the smallest
    problematic: int
    minimal_inconsistent: int
    by_rule: tuple[int, ...] = ()

    def per_row(self, name: str) -> Fraction:
        """A measure divided by the rows; 0 where there are none."""
        return Fraction(getattr(self, name), self.rows) if self.rows else Fraction(0)

    @property
    def grade(self) -> Fraction:
        """The share of the rows that can stay; all of none."""
        return 1 - self.per_row("repair")


@dataclass(frozen=True)
class Case:
    """A table under rules, with what is true of it and how it is released."""

    name: str
    study: candling.Study
    truth: Truth
    epsilon: int = 1
    wishes: Mapping[str, Any] = field(default_factory=dict)

    def release(self) -> candling.Card:
        """A fresh card."""
        return self.study.release(self.epsilon, measures=ASKED, **self.wishes)


@dataclass
class Misses:
    """How often something was wrong, of how many times."""

    releases: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)

    def count(self, name: str, *, wrong: bool) -> None:
        """One more look at it."""
        self.releases[name] += 1
        self.wrong[name] += wrong

    def look(self, card: candling.Card, truth: Truth, outputs: Iterable[str] = ()) -> None:
        """All that one card shows: intervals, gates, and the grade in some outputs."""
        grade = card.grade
        assert grade.low is not None
        assert grade.high is not None
        self.count("grade", wrong=outside(truth.grade, exact(grade.low), exact(grade.high)))
        for name in ("rows", "repair", "problematic", "minimal_inconsistent"):
            low, high = card.measures[name].interval()
            self.count(name, wrong=outside(getattr(truth, name), low, high))
        for name in ("problematic", "minimal_inconsistent"):
            share = card.measures[name].per_row
            assert share is not None
            wrong = outside(truth.per_row(name), exact(share.low), exact(share.high))
            self.count(f"{name}/rows", wrong=wrong)
        for rule, smallest in zip(card.by_rule, truth.by_rule, strict=False):
            self.count("by_rule", wrong=outside(smallest, *rule.interval()))
        for name in GATED:
            self.count(f"gate on {name}", wrong=wrongly_judged(name, card, truth))
        for output in outputs:
            held = OUTPUTS[output](card).holds(truth.grade)
            self.count(f"grade in {output}", wrong=not held)


def outside(
    true: Fraction | int, low: float | Fraction | None, high: float | Fraction | None
) -> bool:
    """Whether an interval misses the true value."""
    return (low is not None and true < low) or (high is not None and true > high)


def wrongly_judged(name: str, card: candling.Card, truth: Truth) -> bool:
    """Whether a gate says what is not true, at the limit where that is easiest: the true value."""
    measure, _, per_row = name.partition("/")
    limit = truth.grade if name == "grade" else Fraction(getattr(truth, measure))
    if per_row:
        limit = truth.per_row(measure)
    for op, true in ((Op.GT, False), (Op.GE, True), (Op.LT, False), (Op.LE, True)):
        outcome = judge(Gate(name, measure, bool(per_row), op, limit), card).outcome
        if outcome is (Outcome.PASS if true else Outcome.FAIL):
            return True
    return False


# Cases


def random_cases(count: int) -> list[Case]:
    """Random rule sets and tables with the truth by brute force: the same every time."""
    drawn: list[TableAndRules] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(tables_and_rules())
    def draw(case: TableAndRules) -> None:
        drawn.append(case)

    draw()
    return [_random_case(position, case) for position, case in enumerate(drawn[:count])]


def _random_case(position: int, case: TableAndRules) -> Case:
    columns, rows, rules = case
    graph = oracle.conflicts(rows, rules)
    study = candling.analyze(to_arrow(columns, rows), rules)
    alone = (oracle.conflicts(rows, [rule]) for rule in compile_rules(rules))
    truth = Truth(
        len(rows),
        oracle.repair_exact(graph),
        oracle.problematic(graph),
        oracle.minimal_inconsistent(graph),
        tuple(map(oracle.repair_exact, alone)),
    )
    wishes = WISHES[position % len(WISHES)]
    if "public_rows" in wishes:
        wishes = {"public_rows": len(rows)}
    epsilon = EPSILONS[position // len(WISHES) % len(EPSILONS)]
    return Case(f"random {position}", study, truth, epsilon, wishes)


def named_cases() -> Iterator[Case]:
    """Tables on which an interval is most likely to be wrong."""
    dependencies = "Zip -> City\nZip -> State"
    rows = 200
    junk = {"Zip": [1] * rows, "City": list(range(rows)), "State": [i % 50 for i in range(rows)]}
    pairs = rows * (rows - 1) // 2
    truth = Truth(rows, rows - 1, rows, pairs, (rows - 1, rows - 4))
    for epsilon in (1, 10, 100):
        yield Case(f"junk, epsilon {epsilon}", _study(dependencies, junk), truth, epsilon)
    key = {"Id": [7] * 150}
    yield Case("one dense key", _study("key(Id)", key), Truth(150, 149, 150, 11_175, (149,)), 4)
    star = {"Zip": [1] * 301, "City": [0] + [1] * 300, "State": [1] * 301}
    yield Case("one giant star", _study(dependencies, star), Truth(301, 1, 301, 300, (1, 0)), 10)
    clean = {name: list(range(100)) for name in ("Zip", "City", "State")}
    yield Case("clean", _study(dependencies, clean), Truth(100, 0, 0, 0, (0, 0)), 4)
    none: dict[str, list[Any]] = {"Zip": [], "City": [], "State": []}
    yield Case("empty", _study(dependencies, none), Truth(0, 0, 0, 0, (0, 0)), 4)
    null = {name: [None] * 50 for name in ("Zip", "City", "State")}
    yield Case("all NULL", _study(dependencies, null), Truth(50, 0, 0, 0, (0, 0)), 4)
    groups = [(g, int(i < 1 + g % 3)) for g in range(10) for i in range(6)]
    some = {"Zip": [zip_code for zip_code, _ in groups], "City": [city for _, city in groups]}
    yield Case("one dependency", _study("Zip -> City", some), Truth(60, 19, 60, 80, (19,)), 4)
    yield from _flights()
    yield _triangles()


def _flights() -> Iterator[Case]:
    """Departures of the same flight as several sources tell them, most of them differently."""
    lines = [(f, (f * s) % (1 + s % 5), (f + s * s) % 4) for f in range(24) for s in range(15)]
    flights: dict[str, list[Any]] = {
        "Flight": [f for f, _, _ in lines],
        "Departs": [d if (f + d) % 7 else None for f, d, _ in lines],
        "Arrives": [a for _, _, a in lines],
    }
    study = _study("Flight -> Departs\nFlight -> Arrives", flights)
    found = study.exact()
    if found.repair_exact is None:
        raise AssertionError("this table is small enough")
    truth = Truth(found.rows, found.repair_exact, found.problematic, found.minimal_inconsistent)
    for epsilon in (1, 10, 100):
        yield Case(f"flights, epsilon {epsilon}", study, truth, epsilon)


def _triangles(count: int = 60) -> Case:
    """Three rows, each two of which break a rule of their own: two must go, the LP says 3/2."""
    corners = {"a": (0, 0, None), "b": (0, None, 0), "c": (None, 0, 0)}
    columns: dict[str, list[Any]] = {}
    for name, own in corners.items():
        columns[name] = [None if o is None else t for t in range(count) for o in own]
        columns[f"not_{name}"] = list(range(3 * count))
    rules = "\n".join(f"{name} -> not_{name}" for name in corners)
    truth = Truth(3 * count, 2 * count, 3 * count, 3 * count, (count,) * 3)
    return Case("triangles", _study(rules, columns), truth, 10)


def _study(rules: str, columns: Mapping[str, Sequence[int | None]]) -> candling.Study:
    data = pa.table({name: pa.array(cells, pa.int64()) for name, cells in columns.items()})
    return candling.analyze(data, candling.parse_constraints(rules))


def covered(cases: Iterable[Case], releases: int, *, shown: int = 0) -> Misses:
    """Many releases of each case; the first `shown` of each in every output too."""
    found = Misses()
    for case in cases:
        for number in range(releases):
            found.look(case.release(), case.truth, OUTPUTS if number < shown else ())
    return found


def main() -> None:
    """The table of coverages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--releases", type=int, default=20, help="of each random case")
    parser.add_argument("--named", type=int, default=400, help="releases of each named table")
    parser.add_argument("--shown", type=int, default=2, help="releases shown in every output")
    asked = parser.parse_args()
    groups = {f"{asked.cases} random cases": (random_cases(asked.cases), asked.releases)}
    groups |= {case.name: ([case], asked.named) for case in named_cases()}
    found = {
        name: covered(cases, releases, shown=asked.shown * (1 if len(cases) > 1 else 10))
        for name, (cases, releases) in groups.items()
    }
    intervals = ("grade", "rows", "repair", "by_rule", "problematic", "minimal_inconsistent")
    shares = ("problematic/rows", "minimal_inconsistent/rows")
    print(f"| table | releases | {' | '.join((*intervals, *shares))} | worst output | worst gate |")
    print(f"|{'---|' * (len(intervals) + len(shares) + 4)}")
    for name, misses in found.items():
        cells = [_covered(misses, part) for part in (*intervals, *shares)]
        cells.append(_covered(misses, *(f"grade in {output}" for output in OUTPUTS)))
        cells.append(_covered(misses, *(f"gate on {gate}" for gate in GATED)))
        print(f"| {name} | {misses.releases['grade']:,} | {' | '.join(cells)} |")


def _covered(misses: Misses, *names: str) -> str:
    """How often it held; of several, the one that held least often."""
    if not misses.releases[names[0]]:
        return "-"
    return f"{100 * min(1 - misses.wrong[n] / misses.releases[n] for n in names):.1f}%"


if __name__ == "__main__":
    main()
