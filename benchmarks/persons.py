"""Mean relative error at epsilon 1 where neighbours differ in all rows of a person.

python -m benchmarks.persons [--draws N] [--law skewed|heavy] [--markdown F] [--times ROWS]

Six tables of visits (benchmarks.person_tables), seven ways to hide a patient:

- cut, k given: at most k rows of each patient, and every sensitivity k-fold;
- cut, k chosen: the same, k a power of two that is chosen with a tenth of epsilon;
- promise: no row is cut, and k is the largest number of rows of a patient, as if that were public;
- flow: no row is cut, and capacities belong to patients (benchmarks.person_flow); each statistic
  has its own level, drawn with it;
- flow, T given: the same, but `rows`, `repair` and `by_rule` at one stated level;
- flow and cut: k is chosen as for the cut, `rows` is cut at k, and `repair` is drawn twice: with
  levels, and at the level k without;
- cut, conflicts by flow: k is chosen and `rows`, `repair` and `by_rule` are those of the cut; only
  `problematic` and `minimal_inconsistent` are by persons.

Errors are against the true measures of the whole table. `by_rule` is a release of its own: the
errors of all rules over the sum of their true numbers. `drastic` is how often it says 0. The second
table of each is about 95% intervals: what they say on average, and how often they hold for the
whole table, which only the low end of `repair` claims where rows are cut or levels are drawn.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

import candling
from benchmarks import person_flow as flow
from benchmarks.laws import Laws
from benchmarks.person_draw import Levels, one_level, own_levels, own_levels_and_stated
from benchmarks.person_tables import ERRORS, LAWS, PERSON, ROWS, RULES, visits_table
from benchmarks.printing import progress
from candling.card import Card
from candling.privacy import OneDraw, Statistic
from candling.privacy.statistic import POWERS
from candling.releases.request import choose_rows, numbers_to_choose_from
from candling.rules import Rules, compile_rules, parse_constraints

EPSILON = Fraction(1)
GIVEN = (2, 4, 8, 16, 32)  # a rule compares the rows of a patient, so 1 is refused
STATED = (2, 8, 32)
LEVELS = 14  # T = 1 to 8,192
RULE_LEVELS = 10
CHOICE = EPSILON / 10  # for the rows of a person, as the product has it
MEASURES = ("rows", "repair", "problematic", "minimal_inconsistent")
HEADS = (*MEASURES, "drastic", "by_rule")
DEPENDENCIES = (
    ("doctor", "hospital"),
    ("hospital", "zip"),
    ("hospital", "phone"),
    ("zip", "city"),
    ("zip", "state"),
    ("code", "name"),
    ("patient", "birth_year"),
)

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
    def rules(self) -> Rules:
        return compile_rules(parse_constraints(RULES))

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

    @cached_property
    def conflicts(self) -> flow.Conflicts:
        return flow.conflicts_of(self.table, PERSON, DEPENDENCIES)

    @cached_property
    def flows(self) -> dict[str, Statistic]:
        """The statistics of the default release by persons."""
        return {
            "repair": _statistic(flow.repair_level, self.conflicts, 2),
            "rows": _statistic(flow.rows_level, self.conflicts, 1),
            "problematic": _statistic(flow.problematic_level, self.conflicts, 2),
            "minimal_inconsistent": _statistic(flow.conflicts_level, self.conflicts, 2),
        }

    @cached_property
    def rule_flows(self) -> list[Statistic]:
        """The smallest repair of each dependency by persons."""
        found = []
        for rule in DEPENDENCIES:
            levels = [
                flow.dependency_level(self.table, PERSON, rule, t) for t in POWERS[:RULE_LEVELS]
            ]
            sensitivities = tuple(2 * t for t in POWERS[:RULE_LEVELS])
            found.append(Statistic(tuple(levels), sensitivities, Fraction(1, 2)))
        return found


def _statistic(
    level: Callable[[flow.Conflicts, int], int], conflicts: flow.Conflicts, growth: int
) -> Statistic:
    """A statistic with all of its levels; it grows by growth * T."""
    values = tuple(level(conflicts, t) for t in POWERS[:LEVELS])
    return Statistic(values, tuple(growth * t for t in POWERS[:LEVELS]), Fraction(1, growth))


# ------------------------------------------------------------------------------------- the ways


def released(study: candling.Study, k: int | None, draws: int) -> tuple[Released, Counter[int]]:
    """Releases through the product's own door, and how often k was what."""
    cards, rules = [], []
    with Laws().in_use():
        for _ in range(draws):
            cards.append(study.release(EPSILON, rows_per_person=k))
            rules.append(study.release(EPSILON, rows_per_person=k, measures=["by_rule"]))
    by_rule = np.array([[rule.value for rule in card.by_rule] for card in rules], float)
    return values_of(cards) | {"by_rule": by_rule}, Counter(card.person.most for card in cards)


def values_of(cards: list[Card]) -> Released:
    values = {
        name: np.array([card.measures[name].value for card in cards], float)
        for name in (*MEASURES, "drastic")
    }
    repair = [card.measures["repair"].interval() for card in cards]
    grade = [(card.grade.low, card.grade.high) for card in cards]
    return values | {"repair ends": np.array(repair, float), "grade ends": np.array(grade, float)}


def by_flow(case: Case, draws: int, rng: np.random.Generator) -> Released:
    cards = own_levels(case.flows, case.rules, EPSILON, draws)
    values, _ = one_level(Levels.of(case.rule_flows), float(EPSILON), draws, rng)
    return values_of(cards) | {"by_rule": np.maximum(0, values)}


def by_flow_and_cut(case: Case, draws: int, rng: np.random.Generator) -> Released:
    cards: list[Card] = []
    for k, many in chosen_k(case, draws).items():
        at = POWERS.index(k)
        statistics = case.flows | {"rows": _at(case.flows["rows"], at)}
        stated = _at(case.flows["repair"], at)
        cards += own_levels_and_stated(statistics, stated, case.rules, EPSILON - CHOICE, many)
    values, _ = one_level(Levels.of(case.rule_flows), float(EPSILON), draws, rng)
    return values_of(cards) | {"by_rule": np.maximum(0, values)}


def conflicts_by_flow(case: Case, draws: int, by_rule: Floats) -> Released:
    cards: list[Card] = []
    for k, many in chosen_k(case, draws).items():
        kept = case.by_persons.exact(rows_per_person=k)
        fixed = {
            "rows": Statistic((kept.rows,), (k,)),
            "repair": Statistic((int(2 * kept.repair),), (2 * k,), Fraction(1, 2)),
        }
        cards += own_levels(case.flows | fixed, case.rules, EPSILON - CHOICE, many)
    return values_of(cards) | {"by_rule": by_rule}


def chosen_k(case: Case, draws: int) -> Counter[int]:
    """How often the product chooses which k."""
    numbers = numbers_to_choose_from(case.rules, [PERSON])
    above = [int((case.visits > number).sum()) for number in numbers]
    return Counter(choose_rows(numbers, above, CHOICE, EPSILON) for _ in range(draws))


def by_flow_at(case: Case, level: int, draws: int) -> Released:
    """Nothing is chosen but the levels of the measures that have some without persons."""
    at = POWERS.index(level)
    fixed = {name: _at(case.flows[name], at) for name in ("rows", "repair")}
    cards = own_levels(case.flows | fixed, case.rules, EPSILON, draws)
    law = OneDraw([_at(s, at) for s in case.rule_flows], EPSILON)
    rules = [[float(d.value * d.step) for d in law.draw()] for _ in range(draws)]
    return values_of(cards) | {"by_rule": np.maximum(0, np.array(rules))}


def _at(statistic: Statistic, level: int) -> Statistic:
    """The statistic without the other levels."""
    values, sensitivities = (statistic.values[level],), (statistic.sensitivities[level],)
    return Statistic(values, sensitivities, statistic.step)


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


def check(case: Case) -> None:
    """The last level is the measure itself."""
    for name in ("rows", "problematic", "minimal_inconsistent"):
        statistic = case.flows[name]
        assert statistic.values[-1] * statistic.step == case.truth[name]
    assert [s.values[-1] / 2 for s in case.rule_flows] == case.truth["by_rule"].tolist()


def measured(case: Case, draws: int) -> dict[str, Way]:
    check(case)
    rng = np.random.default_rng(1)
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
    progress("flow")
    note("flow", by_flow(case, draws, rng))
    note("flow and cut", by_flow_and_cut(case, draws, rng))
    note("cut, conflicts by flow", conflicts_by_flow(case, draws, values["by_rule"]))
    for level in STATED:
        note(f"flow, T = {level} given", by_flow_at(case, level, draws))
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


def times(rows: int) -> str:
    """Seconds of one release with the cut, and of what the flow needs instead, as a line."""
    case = Case("skewed", "independent", rows)
    table = case.table

    def seconds(work: Callable[[], object]) -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    def release() -> object:
        return candling.release(table, RULES, EPSILON, person=PERSON, rows_per_person=8)

    def law() -> OneDraw:
        return OneDraw(list(case.flows.values()), EPSILON)

    release()  # loads compiled loops
    figures = [seconds(release), seconds(lambda: case.conflicts), seconds(lambda: case.flows)]
    figures.append(seconds(lambda: case.rule_flows))
    figures.append(seconds(lambda: law().draw()))
    drawn = law()
    drawn.draw()
    figures.append(seconds(lambda: [drawn.draw() for _ in range(20)]) / 20)
    cells = [f"{rows:,}", f"{len(case.conflicts.pairs):,}", *(f"{each:.2f}" for each in figures)]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.persons", description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--law", choices=LAWS, action="append", help="only these tables")
    parser.add_argument("--times", type=int, action="append", help="seconds at so many rows")
    parser.add_argument("--markdown", type=Path, help="write the tables to this file too")
    options = parser.parse_args()
    if options.times:
        print(
            "| rows | pairs | release, cut | pairs by rows | four statistics | by_rule | ", end=""
        )
        print("law and first draw | another draw |\n|---|---|---|---|---|---|---|---|")
        for rows in options.times:
            print(times(rows), flush=True)
        return
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
