"""What a card for persons says of a table: `python -m benchmarks.persons`.

Releases go through the product's own door, at epsilon 1, with all measures. Errors are mean
relative ones, against the whole table; of a table in which no rule is broken they are in rows and
conflicts. "Holds for its own" is how often the interval of the grade holds the grade of the sample
that it is about, "low ends hold" how often those of rows, repair, problematic and
minimal_inconsistent do for the whole table. `by_rule` is a release of its own: sums of errors over
the sum of what is true.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from unittest import mock

import numpy as np
import numpy.typing as npt
import pandas as pd

import candling
from benchmarks import person_tables
from benchmarks.laws import laws_kept
from benchmarks.person_tables import ERRORS, LAWS, PERSON, RULES, visits_table
from candling.card import Card

EPSILON = 1
COUNTS = ("rows", "repair", "problematic", "minimal_inconsistent")
STATED = (2, 4, 8)  # rows of each person in the sample
HEAD = (
    "way", "rows", "repair", "problematic", "min_inc", "drastic misses", "grade",
    "holds for whole", "holds for its own", "mean low ends rep/prob/mi", "low ends hold",
)  # fmt: skip

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A table, and what is true of it."""

    name: str
    table: pd.DataFrame
    rules: str
    person: str

    @cached_property
    def study(self) -> candling.Study:
        return candling.analyze(self.table, self.rules, person=self.person)

    @cached_property
    def truth(self) -> dict[str, float]:
        exact = candling.exact(self.table, self.rules)
        assert exact.repair_exact is not None
        return {
            "rows": exact.rows,
            "repair": exact.repair_exact,
            "problematic": exact.problematic,
            "minimal_inconsistent": exact.minimal_inconsistent,
        }

    @cached_property
    def by_rule(self) -> Floats:
        exact = candling.exact(self.table, self.rules, by_rule=True)
        return np.array([rule.repair_exact for rule in exact.by_rule], float)

    @cached_property
    def sample_grade(self) -> Callable[[int], float]:
        """The grade of the sample, by the rows of each person in it."""

        @cache
        def grade(rows: int) -> float:
            exact = self.study.exact(rows_per_person=rows)
            assert exact.repair_exact is not None
            return float(1 - Fraction(int(exact.repair_exact), max(1, exact.rows)))

        return grade


def cases() -> Iterator[Case]:
    """The tables, in the order in which they are shown."""
    for law in LAWS:
        for errors in ERRORS:
            yield Case(f"{law}, {errors}", visits_table(law, errors), RULES, PERSON)
    yield demo()
    yield Case("100k rows, skewed, mixed", visits_table("skewed", "mixed", 100_000), RULES, PERSON)
    with mock.patch.object(person_tables, "WRONG", 0.0):
        for law in LAWS:
            yield Case(f"clean, {law}", visits_table(law, "independent"), RULES, PERSON)


def demo() -> Case:
    """The hospital of `candling demo`."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "candling", "demo", "--keep", "demo"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        kept = Path(folder, "demo")
        table = pd.read_csv(kept / "hospital.csv", dtype=str, keep_default_na=False)
        return Case("demo hospital", table, (kept / "rules.txt").read_text(), "Patient")


def released(case: Case, rows: int | None, draws: int, measures: list[str]) -> list[Card]:
    """Cards of the same request."""
    with laws_kept():
        return [
            case.study.release(EPSILON, rows_per_person=rows, measures=measures)
            for _ in range(draws)
        ]


def line(case: Case, way: str, cards: list[Card]) -> str:
    """What the cards say, beside what is true."""
    truth = case.truth
    cells = []
    for name in COUNTS:
        if name not in cards[0].measures:
            cells.append("-")
            continue
        values = np.array([card.measures[name].estimate for card in cards], float)
        error = np.abs(values - truth[name]).mean()
        cells.append(f"{error / truth[name]:.2f}" if truth[name] else f"{error:.1f}")
    yes = np.mean([card.drastic.value == 1 for card in cards])
    cells.append(f"{1 - yes:.0%}" if truth["repair"] else f"alarm {yes:.1%}")
    low, high = (np.array([getattr(card.grade, end) for card in cards]) for end in ("low", "high"))
    cells.append(f"{low.mean():.1%} to {high.mean():.1%}")
    sample = np.array([case.sample_grade(card.person.most) for card in cards])
    cells += [
        f"{np.mean((low <= grade + 1e-9) & (high >= grade - 1e-9)):.0%}"
        for grade in (1 - truth["repair"] / truth["rows"], sample)
    ]
    lows: Mapping[str, Floats] = {
        name: np.array([card.measures[name].low for card in cards], float)
        for name in COUNTS
        if name in cards[0].measures
    }
    cells.append("/".join(f"{lows[name].mean():,.0f}" for name in COUNTS[1:] if name in lows))
    cells.append("/".join(f"{np.mean(own <= truth[name]):.0%}" for name, own in lows.items()))
    return f"| {way} | {' | '.join(cells)} |"


def by_rule(case: Case, draws: int) -> str:
    """The error of a release by rule alone."""
    cards = released(case, None, draws, ["by_rule"])
    values = np.array([[rule.estimate for rule in card.by_rule] for card in cards], float)
    error = np.abs(values - case.by_rule).sum(axis=1).mean()
    return f"{error / max(1.0, case.by_rule.sum()):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.persons", description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--table", action="append", help="only tables whose names begin so")
    parser.add_argument("--stated", action="store_true", help="also with stated rows of a person")
    parser.add_argument("--default", action="store_true", help="also with the default measures")
    options = parser.parse_args()
    for case in cases():
        if options.table and not any(case.name.startswith(name) for name in options.table):
            continue
        truth, visits = case.truth, case.table.groupby(case.person).size()
        counts = ", ".join(f"{name} {number:,.0f}" for name, number in truth.items())
        grade = 1 - truth["repair"] / truth["rows"]
        print(
            f"\n### {case.name}: {counts}; {len(visits):,} persons, at most {visits.max()} rows; "
            f"grade {grade:.2%}\n\n| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}"
        )
        cards = released(case, None, options.draws, ["all"])
        usual = Counter(card.person.most for card in cards)
        chosen = ", ".join(f"{rows}: {many}" for rows, many in sorted(usual.items()))
        print(line(case, f"rows of a person chosen ({chosen})", cards), flush=True)
        if options.default:
            cards = released(case, None, options.draws, list(DEFAULT))
            print(line(case, "the same, default measures", cards), flush=True)
        for rows in STATED if options.stated else ():
            cards = released(case, rows, options.draws, ["all"])
            print(line(case, f"{rows} rows of a person", cards), flush=True)
        print(f"\nby_rule: {by_rule(case, options.draws)}", flush=True)


DEFAULT = ("repair", "rows", "drastic")

if __name__ == "__main__":
    main()
