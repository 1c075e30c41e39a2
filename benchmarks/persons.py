"""Mean relative error at epsilon 1 where neighbours differ in all rows of a person.

python -m benchmarks.persons [--draws N] [--law skewed|heavy] [--markdown F]

Six tables of visits (benchmarks.person_tables), three ways to hide a patient:

- cut, k given: at most k rows of each patient, and every sensitivity k-fold;
- cut, k chosen: the same, k a power of two that is chosen with a tenth of epsilon;
- promise: no row is cut, and k is the largest number of rows of a patient, as if that were public.

Errors are of the estimates, against the true measures of the whole table. `by_rule` is a release by
itself: the errors of all rules over the sum of their true numbers. `drastic` is how often a card
cannot tell. The second table of each is about 95% intervals: what they say on average, and how
often they hold for the whole table, which only the low end of `repair` claims where rows are cut.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

import candling
from benchmarks.laws import laws_kept
from benchmarks.person_tables import ERRORS, LAWS, PERSON, ROWS, RULES, visits_table
from benchmarks.printing import progress
from candling.card import Card
from candling.releases.request import ALL

EPSILON = Fraction(1)
GIVEN = (2, 4, 8, 16, 32)  # a rule compares the rows of a patient, so 1 is refused
MEASURES = ("rows", "repair", "problematic", "minimal_inconsistent")
HEADS = (*MEASURES, "drastic", "by_rule")
Floats = npt.NDArray[np.float64]
Released = dict[str, Floats]  # values by measure; of `by_rule` one line for each draw


# ------------------------------------------------------------------------------------ the table


@dataclass
class Case:
    """One table of visits, and what is true of it."""

    law: str
    errors: str
    rows: int = ROWS

    @cached_property
    def table(self) -> pd.DataFrame:
        return visits_table(self.law, self.errors, self.rows)

    @cached_property
    def visits(self) -> npt.NDArray[np.int64]:
        """How many rows each person has."""
        counts: npt.NDArray[np.int64] = self.table[PERSON].value_counts().to_numpy()
        return counts

    @cached_property
    def truth(self) -> dict[str, Floats]:
        exact = candling.exact(self.table, RULES, by_rule=True)
        assert exact.repair_exact is not None
        values = {
            "rows": exact.rows,
            "repair": exact.repair_exact,
            "problematic": exact.problematic,
            "minimal_inconsistent": exact.minimal_inconsistent,
            "drastic": exact.drastic,
            "by_rule": [rule.repair_exact for rule in exact.by_rule],
        }
        return {name: np.array(value, float) for name, value in values.items()}

    @cached_property
    def by_persons(self) -> candling.Study:
        return candling.analyze(self.table, RULES, person=PERSON)

    @cached_property
    def by_rows(self) -> candling.Study:
        return candling.analyze(self.table, RULES)


# ------------------------------------------------------------------------------------- the ways


def released(study: candling.Study, k: int | None, draws: int) -> tuple[Released, Counter[int]]:
    """Releases through the product's own door, and how often k was what."""
    cards, rules = [], []
    with laws_kept():
        for _ in range(draws):
            cards.append(study.release(EPSILON, rows_per_person=k, measures=[ALL]))
            rules.append(study.release(EPSILON, rows_per_person=k, measures=["by_rule"]))
    by_rule = np.array([[rule.estimate for rule in card.by_rule] for card in rules], float)
    return values_of(cards) | {"by_rule": by_rule}, Counter(card.person.most for card in cards)


def values_of(cards: list[Card]) -> Released:
    values = {
        name: np.array([card.measures[name].estimate for card in cards], float) for name in MEASURES
    }
    # A card that tells says 1 here: rules are broken in all of these tables.
    values["drastic"] = np.array([card.drastic.value or 0 for card in cards], float)
    repair = [card.measures["repair"].interval() for card in cards]
    grade = [(card.grade.low, card.grade.high) for card in cards]
    return values | {"repair ends": np.array(repair, float), "grade ends": np.array(grade, float)}


# ---------------------------------------------------------------------------------- the figures


@dataclass(frozen=True, slots=True)
class Error:
    """A mean relative error, and the standard error of that."""

    mean: float
    doubt: float

    @classmethod
    def of(cls, values: Floats, truth: Floats) -> Error:
        away = np.abs(values - truth)
        errors = (away.sum(axis=1) if away.ndim > 1 else away) / max(1.0, float(truth.sum()))
        return cls(float(errors.mean()), float(errors.std(ddof=1)) / math.sqrt(len(errors)))

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.doubt:.3f}"


@dataclass(frozen=True, slots=True)
class Way:
    """What one way to hide a person gave."""

    errors: Mapping[str, Error]
    repair: Floats  # mean ends of the interval
    grade: Floats
    repair_low_holds: float  # how often, for the whole table
    repair_holds: float
    grade_holds: float

    @classmethod
    def of(cls, values: Released, truth: Mapping[str, Floats]) -> Way:
        errors = {name: Error.of(values[name], truth[name]) for name in HEADS}
        repair, grade = values["repair ends"], values["grade ends"]
        true_repair, true_grade = truth["repair"], 1 - truth["repair"] / truth["rows"]
        low, high = repair[:, 0] <= true_repair, repair[:, 1] >= true_repair
        within = (grade[:, 0] <= true_grade) & (grade[:, 1] >= true_grade)
        holds = float(low.mean()), float((low & high).mean()), float(within.mean())
        return cls(errors, repair.mean(axis=0), grade.mean(axis=0), *holds)


def measured(case: Case, draws: int) -> dict[str, Way]:
    found: dict[str, Way] = {}

    def note(way: str, values: Released) -> None:
        found[way] = Way.of(values, case.truth)

    for k in GIVEN:
        progress(f"{case.law}, {case.errors}: cut at {k}")
        note(f"cut, k = {k}", released(case.by_persons, k, draws)[0])
    progress("k chosen")
    values, chosen = released(case.by_persons, None, draws)
    usual = ", ".join(f"{k}: {many}" for k, many in sorted(chosen.items()))
    note(f"cut, k chosen ({usual})", values)
    most = int(case.visits.max())
    note(f"promise, k = {most}", released(case.by_rows, most, draws)[0])
    return found


def markdown(case: Case, found: Mapping[str, Way]) -> str:
    truth = case.truth
    about = (
        f"{len(case.table):,} rows, {len(case.visits):,} persons, at most {case.visits.max()} rows "
        f"each; repair {truth['repair']:.0f}, problematic {truth['problematic']:.0f}, "
        f"minimal_inconsistent {truth['minimal_inconsistent']:.0f}."
    )
    lines = [
        f"### {case.law} visits, {case.errors} errors",
        "",
        about,
        "",
        f"| way | {' | '.join(HEADS)} |",
        f"|---|{'---|' * len(HEADS)}",
    ]
    for name, way in found.items():
        lines.append(f"| {name} | {' | '.join(str(way.errors[head]) for head in HEADS)} |")
    lines += [
        "",
        "| way | repair, mean interval | low end holds | interval holds | grade | holds |",
        "|---|---|---|---|---|---|",
    ]
    for name, way in found.items():
        cells = [
            f"{way.repair[0]:.0f} to {way.repair[1]:.0f}",
            f"{way.repair_low_holds:.0%}",
            f"{way.repair_holds:.0%}",
            f"{way.grade[0]:.1%} to {way.grade[1]:.1%}",
            f"{way.grade_holds:.0%}",
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.persons", description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--law", choices=LAWS, action="append", help="only these tables")
    parser.add_argument("--markdown", type=Path, help="write the tables to this file too")
    options = parser.parse_args()
    texts = []
    for law in options.law or LAWS:
        for errors in ERRORS:
            case = Case(law, errors)
            texts.append(markdown(case, measured(case, options.draws)))
            print(texts[-1], end="\n\n", flush=True)
    if options.markdown:
        options.markdown.write_text("\n\n".join(texts) + "\n")


if __name__ == "__main__":
    main()
