"""Which constants and which prior one draw of a whole release should have, by simulation.

python -m benchmarks.prior [--data DIR] [--cache FILE] [--draws N] [--quick] [--json F]

The draw: rows, repair, and `problematic` and `minimal_inconsistent` at a level each, all at once,
with weights that fall with the largest noise of the four. It is simulated in the continuum on the
true levels of many tables: noise is drawn from the law without tilt and prior, and all pairs of
levels are weighted with the rest. The split release, which gives each number its own share of
epsilon, is simulated beside it. The numbers of both are then made to agree, about as in a release.
`benchmarks.whole_release` takes real cards instead, of fewer tables.

Three sets of tables: the test bed of `benchmarks.accuracy`; a wide set on which constants were
compared when they were chosen; and a fresh one, with other samples and sizes, on which nothing was.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import product
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.printing import number, progress
from benchmarks.prior_law import (
    APART,
    APART_PRIORS,
    BORROWED,
    CANDIDATES,
    SHARES,
    THRESHOLDS,
    Apart,
    Constants,
    Draws,
    Floats,
    Priors,
    Rng,
    alone,
    conflicts_levels,
    noise_reach,
    one_draw,
    problematic_levels,
    split,
)
from benchmarks.prior_tables import FRESH, TEST_BED, WIDE, Case, read_cases
from benchmarks.tables import NAMES, REPOSITORY
from candling_paper.datasets import FOLDER_VARIABLE, datasets, folder

EPSILONS = (0.1, 0.4, 1.0, 3.0, 5.0)
QUICK_EPSILONS = (0.4, 1.0, 3.0)
DRAWS = 10_000
QUICK_DRAWS = 2_000
HINT_DRAWS = 20  # noisy hints for each table

# ---------------------------------------------------------------------------------------- errors


def agreeing(draws: Draws, case: Case, reach: float) -> Draws:
    """Numbers that can be true together; rows and repair may be `reach` higher.

    Simpler than `candling.releases.run`: here the conflicts always move, and repair never.
    """
    rows = np.maximum(0, draws.rows)
    repair = np.minimum(np.maximum(0, draws.repair), rows)
    most_rows = rows + reach
    kind = 1 if case.repair_exact else 2
    most_repair = np.minimum(kind * np.maximum(0, draws.repair + reach), most_rows)
    most = np.maximum(most_repair, most_repair * most_rows - most_repair * (most_repair + 1) / 2)
    problematic = np.minimum(np.maximum(draws.problematic, repair), np.minimum(rows, 2 * most))
    least = np.maximum(repair, problematic / 2)
    return Draws(rows, repair, np.minimum(np.maximum(draws.conflicts, least), most), problematic)


@dataclass(frozen=True)
class Errors:
    """Of the releases of one table: relative to the truth, absolute where that is 0."""

    conflicts: float
    conflicts_tail: float  # the 99.9% quantile
    problematic: float
    problematic_tail: float
    rows: float  # rows off
    repair: float
    within_two: float  # the share of releases whose conflicts are right within a factor of 2

    @classmethod
    def average(cls, several: Sequence[Errors]) -> Errors:
        return cls(*np.mean([astuple(e) for e in several], axis=0).tolist())


def relative(values: Floats, truth: float) -> tuple[float, float]:
    """Mean and 99.9% quantile."""
    off = np.abs(values - truth) / (truth or 1)
    return float(off.mean()), float(np.quantile(off, 0.999))


def errors_of(draws: Draws, case: Case) -> Errors:
    pairs = case.doubled_conflicts[-1] / 2
    return Errors(
        *relative(draws.conflicts, pairs),
        *relative(draws.problematic, case.problematic[-1]),
        float(np.abs(draws.rows - case.rows).mean()),
        float(np.abs(draws.repair - case.repair).mean()),
        float(((draws.conflicts >= pairs / 2) & (draws.conflicts <= 2 * pairs)).mean()),
    )


Way = Callable[[Case, float, int, Rng], Draws]  # of a table, epsilon and a number of draws


def drawn(constants: Constants) -> Way:
    def way(case: Case, epsilon: float, n: int, rng: Rng) -> Draws:
        reach = noise_reach(constants, 4, BORROWED) / epsilon
        return agreeing(one_draw(case, epsilon, constants, n, rng), case, reach)

    return way


def splitting(case: Case, epsilon: float, n: int, rng: Rng) -> Draws:
    reach = math.log(1 / (2 * BORROWED)) / (SHARES["rows"] * epsilon)
    return agreeing(split(case, epsilon, n, rng), case, reach)


# ----------------------------------------------------------------------------------------- hints


PAID = {"groups": 0.05, "repair": 0.04, "rows": 0.02}  # of epsilon, for noisy hints
RIGHT = (0.5, 1.0, 2.0)  # a stated number that is right within a factor of 2
UNKNOWN_DEGREE = 1_000  # what somebody states of a table that turns out to be clean
Hint = Callable[[Case, float, Rng], Priors]


def bump(centre: float, floor: Floats) -> Floats:
    """A log-prior that rises at the power of two next to a hint, over a floor without it."""
    logs = np.log(THRESHOLDS)
    found: Floats = np.maximum(floor, -3 - 5 * np.abs(logs - math.log(_power(centre))))
    return found


def paid(floors: Priors) -> Hint:
    """Noisy group sizes tell the largest degree; rows and repair, what `problematic` needs."""

    def hint(case: Case, epsilon: float, rng: Rng) -> Priors:
        scale = case.group_hint_sensitivity / (PAID["groups"] * epsilon)
        degree = max(1.0, case.group_hint + scale * (rng.laplace() - 1))
        rows = max(1.0, case.rows + rng.laplace() / (PAID["rows"] * epsilon))
        least = 1 / (PAID["repair"] * epsilon)
        repair = max(case.repair + least * rng.laplace(), least)
        low = epsilon < 0.35
        witnesses = (1.9 if low else 2.4 * max(1.0, epsilon) ** 0.4) * rows / repair
        return (
            bump((0.8 if low else 1.1) * degree, floors[0]),
            bump(min(witnesses, 1.3 * degree), floors[1]),
        )

    return hint


STATED = 2.0, 0.8, 3.0  # once above the lowest level, then by ln t up to the stated D, and beyond


def stated(factors: Sequence[float]) -> Hint:
    """A largest degree that the user states, off by one of the factors.

    The prior of minimal_inconsistent is nearly flat up to it and steep beyond.
    """

    def hint(case: Case, epsilon: float, rng: Rng) -> Priors:  # noqa: ARG001 - public, so exact
        degree = _power((case.largest_degree or UNKNOWN_DEGREE) * rng.choice(factors))
        once, below, beyond = STATED
        prior = -once * (THRESHOLDS > 1) - below * np.log(np.minimum(THRESHOLDS, degree))
        prior -= beyond * np.log(np.maximum(1, THRESHOLDS / degree))
        return prior, APART.single()[1]

    return hint


def _power(centre: float) -> float:
    return 2.0 ** round(math.log2(max(1.0, centre)))


def hinted(
    hint: Hint, spent: float, constants: Callable[[float], Constants], order: Apart = APART
) -> Way:
    """Releases with fresh hints every n/HINT_DRAWS of them."""

    def way(case: Case, epsilon: float, n: int, rng: Rng) -> Draws:
        own, left = constants(epsilon), epsilon * (1 - spent)
        parts = []
        for _ in range(HINT_DRAWS):
            pairs = order.paired(hint(case, epsilon, rng))
            parts.append(one_draw(case, left, own, n // HINT_DRAWS, rng, log_pairs=pairs))
        draws = Draws(*(np.concatenate(x) for x in zip(*map(_fields, parts), strict=True)))
        return agreeing(draws, case, noise_reach(own, 4, BORROWED) / left)

    return way


def _fields(draws: Draws) -> tuple[Floats, ...]:
    return draws.rows, draws.repair, draws.conflicts, draws.problematic


SKETCHED = Apart(1.25, 3.5, 1.25, 3.5)


def _sketched(epsilon: float) -> Constants:
    """The constants with which paid hints were first proposed: no desert term."""
    return Constants(float(np.clip(0.25 * epsilon**-0.3, 0.15, 0.33)), 0.35, 0, 0, SKETCHED)


def _apart(epsilon: float) -> Constants:  # noqa: ARG001 - the same at every epsilon
    return APART_PRIORS


HINTS: dict[str, Way] = {
    "paid, as first proposed": hinted(
        paid(SKETCHED.single()), sum(PAID.values()), _sketched, SKETCHED
    ),
    "paid": hinted(paid(APART.single()), sum(PAID.values()), _apart),
    "stated, within 2": hinted(stated(RIGHT), 0, _apart),
    "stated, 8 too high": hinted(stated((8.0,)), 0, _apart),
    "stated, 8 too low": hinted(stated((1 / 8,)), 0, _apart),
}


# --------------------------------------------------------------------------------------- figures

MEASURED = ("conflicts", "conflicts_tail", "problematic", "problematic_tail")
TITLES = ("minimal_inconsistent", "its 99.9%", "problematic", "its 99.9%")
TOLERATED = 1.1
ByFamily = dict[tuple[str, str], Errors]  # by part and family


def simulate(way: Way, cases: Sequence[Case], epsilon: float, n: int) -> ByFamily:
    """Errors of each family of tables, averaged over its tables."""
    found: dict[tuple[str, str], list[Errors]] = {}
    for seed, case in enumerate(cases):
        errors = errors_of(way(case, epsilon, n, np.random.default_rng([seed, 7])), case)
        found.setdefault((case.part, case.family), []).append(errors)
    return {key: Errors.average(several) for key, several in found.items()}


def ratios(own: ByFamily, rival: ByFamily, part: str) -> dict[str, Floats]:
    """By family of one part of the tables, for each of MEASURED."""
    return {
        family: np.array([getattr(e, m) / getattr(rival[p, family], m) for m in MEASURED])
        for (p, family), e in own.items()
        if p == part
    }


def alone_errors(
    constants: Constants, cases: Sequence[Case], epsilon: float, n: int
) -> dict[str, tuple[float, ...]]:
    """Of each measure released by itself, on the test bed: means over each dataset."""
    found: dict[str, list[tuple[float, ...]]] = {}
    for seed, case in enumerate(c for c in cases if c.part == TEST_BED):
        rng = np.random.default_rng([seed, 8])
        errors: tuple[float, ...] = ()
        both = conflicts_levels(case), problematic_levels(case)
        for levels, prior in zip(both, constants.prior.single(), strict=True):
            values = alone(levels, epsilon, constants, n, rng, log_prior=prior)
            errors += relative(np.maximum(0, values), levels.values[-1])
        found.setdefault(case.family, []).append(errors)
    return {name: tuple(np.mean(errors, axis=0)) for name, errors in found.items()}


# ---------------------------------------------------------------------------------------- output


def width_table() -> Table:
    table = Table(title="Half-width of a 95% interval for rows or repair, times epsilon")
    sizes = range(1, 6)
    for head in ("constants", *(f"{d} statistics" for d in sizes)):
        table.add_column(head, justify="left" if head == "constants" else "right")
    for name, constants in CANDIDATES.items():
        table.add_row(name, *(f"{noise_reach(constants, d, 0.025):.1f}" for d in sizes))
    split_width = math.log(1 / 0.05) / SHARES["rows"]
    table.add_row("split", "", "", "", f"{split_width:.1f}", "")
    return table


def bed_table(figures: Mapping[float, Mapping[str, ByFamily]]) -> Table:
    table = Table(title=f"Test bed: mean error of {', '.join(n.capitalize() for n in NAMES)}")
    for head in ("epsilon", "release", *TITLES, "rows off", "repair off"):
        table.add_column(head)
    for epsilon, by_way in figures.items():
        for name, found in by_way.items():
            own = [found[TEST_BED, dataset] for dataset in NAMES]
            cells = (" ".join(number(getattr(e, m)) for e in own) for m in MEASURED)
            off = (np.mean([getattr(e, m) for e in own[1:]]) for m in ("rows", "repair"))
            last = name == list(by_way)[-1]
            table.add_row(f"{epsilon:g}", name, *cells, *map(number, off), end_section=last)
    return table


def ratio_table(
    title: str, figures: Mapping[float, Mapping[str, ByFamily]], rival: str, parts: Sequence[str]
) -> Table:
    """Geometric mean over families, how many are worse than tolerated, and the worst."""
    table = Table(title=f"{title}: geometric mean (families above {TOLERATED}; worst)")
    for head in ("tables", "epsilon", "release", *TITLES):
        table.add_column(head)
    for part, (epsilon, by_way) in product(parts, figures.items()):
        for name, found in by_way.items():
            if name == rival:
                continue
            r = np.array(list(ratios(found, by_way[rival], part).values()))
            means = np.exp(np.log(r).mean(axis=0))
            cells = (
                f"{mean:.2f} ({int((column > TOLERATED).sum())}; {column.max():.1f})"
                for mean, column in zip(means, r.T, strict=True)
            )
            last = name == list(by_way)[-1]
            table.add_row(part, f"{epsilon:g}", name, *cells, end_section=last)
    return table


def family_table(
    title: str, by_way: Mapping[str, ByFamily], rival: str, names: Sequence[str], part: str
) -> Table:
    table = Table(title=f"{title}: {', '.join(TITLES)}")
    table.add_column("family")
    for name in names:
        table.add_column(name, justify="right")
    columns = [ratios(by_way[name], by_way[rival], part) for name in names]
    for family in columns[0]:
        table.add_row(family, *(" ".join(f"{x:.2f}" for x in c[family]) for c in columns))
    return table


def nine_table(by_way: Mapping[str, ByFamily]) -> Table:
    table = Table(title="Nine rules, epsilon 1: conflicts right within a factor of 2")
    families = [key for key in by_way["split"] if key[1].startswith("nine rules")]
    for head in ("release", *(", ".join(key) for key in families)):
        table.add_column(head)
    for name, found in by_way.items():
        table.add_row(name, *(f"{found[key].within_two:.0%}" for key in families))
    return table


def worse(figures: Mapping[float, Mapping[str, ByFamily]], name: str) -> Iterator[str]:
    """Every family where a release is worse than the split one by more than is tolerated."""
    for (epsilon, by_way), part in product(figures.items(), (TEST_BED, WIDE, FRESH)):
        for family, row in ratios(by_way[name], by_way["split"], part).items():
            for title, ratio in zip(TITLES, row, strict=True):
                if ratio > TOLERATED:
                    yield f"epsilon {epsilon:g}, {part}, {family}: {title} {ratio:.2f}"


def alone_table(cases: Sequence[Case], epsilons: Sequence[float], n: int) -> Table:
    table = Table(title="One measure alone, test bed: mean relative error")
    for head in ("epsilon", "constants", *TITLES):
        table.add_column(head)
    for epsilon in epsilons:
        for name in ("of a measure alone", "the code's"):
            found = alone_errors(CANDIDATES[name], cases, epsilon, n)
            columns = zip(*(found[dataset] for dataset in NAMES), strict=True)
            cells = (" ".join(map(number, column)) for column in columns)
            table.add_row(f"{epsilon:g}", name, *cells, end_section=name == "the code's")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.prior",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help=f"folder of datasets (or {FOLDER_VARIABLE})")
    parser.add_argument("--cache", type=Path, help="keep the levels of all tables in this file")
    parser.add_argument("--draws", type=int, help=f"releases of each table ({DRAWS:,})")
    parser.add_argument("--quick", action="store_true", help="fewer tables and draws: a look")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()

    data = options.data or folder(REPOSITORY)
    if not data.is_dir():
        print(f"benchmark skipped: no datasets in {data}; pass --data or set {FOLDER_VARIABLE}")
        return
    draws = options.draws or (QUICK_DRAWS if options.quick else DRAWS)
    epsilons = QUICK_EPSILONS if options.quick else EPSILONS
    cases = read_cases(datasets(data), options.cache, quick=options.quick)
    parts = [p for p in (TEST_BED, WIDE, FRESH) if any(case.part == p for case in cases)]

    releases: dict[str, Way] = {"split": splitting}
    releases |= {name: drawn(constants) for name, constants in CANDIDATES.items()}
    figures: dict[float, dict[str, ByFamily]] = {}
    hints: dict[float, dict[str, ByFamily]] = {}
    for epsilon in epsilons:
        figures[epsilon], hints[epsilon] = {}, {}
        for name, way in releases.items():
            progress(f"epsilon {epsilon:g}, {name}")
            figures[epsilon][name] = simulate(way, cases, epsilon, draws)
        hints[epsilon]["no hint"] = figures[epsilon]["a prior for each"]
        for name, way in HINTS.items():
            progress(f"epsilon {epsilon:g}, hint: {name}")
            hints[epsilon][name] = simulate(way, cases, epsilon, draws)

    out = Console()
    if not out.is_terminal:
        out = Console(width=220)
    out.print(f"{len(cases)} tables, {draws:,} draws of each number")
    out.print(width_table())
    out.print(bed_table(figures))
    out.print(ratio_table("One draw over split", figures, "split", parts))
    out.print(f"Worse than the split release by more than {TOLERATED}, with the code's constants:")
    for line in worse(figures, "the code's"):
        out.print(f"  {line}")
    out.print(nine_table(figures[1.0]))
    out.print(alone_table(cases, epsilons, draws))
    out.print(ratio_table("Hint over no hint", hints, "no hint", parts))
    title = "Hint over no hint at epsilon 1, fresh tables"
    out.print(family_table(title, hints[1.0], "no hint", list(HINTS), FRESH))
    if options.json:
        options.json.write_text(json.dumps(_plain(figures, hints), indent=2) + "\n")


def _plain(*several: Mapping[float, Mapping[str, ByFamily]]) -> list[dict[str, object]]:
    return [
        {"epsilon": e, "release": name, "part": part, "family": family} | asdict(errors)
        for figures in several
        for e, by_way in figures.items()
        for name, found in by_way.items()
        for (part, family), errors in found.items()
    ]


if __name__ == "__main__":
    main()
