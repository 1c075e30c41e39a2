"""Which constants the levels draw should have, by simulation.

python -m research.levels [--data DIR] [--cache FILE] [--hints N] [--draws N] [--epsilon E]

A card with all measures: rows and repair are drawn at a third of epsilon, and what they give steers
the draw of `problematic` and `minimal_inconsistent` at the rest. The second draw is simulated in
the continuum on the true levels of many tables: noise is drawn from the law without tilt and prior,
and all pairs of levels are weighted with the rest. Values are clamped about as on a card.
`benchmarks.cards` takes real cards instead, of fewer tables.

Three sets of tables: the test bed of `benchmarks.accuracy`; a wide set on which constants were
compared when they were chosen; and a fresh one, with other samples and sizes, on which nothing was.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numba
import numpy as np
import numpy.typing as npt

from benchmarks.printing import progress
from benchmarks.tables import REPOSITORY
from candling.privacy import Hint
from candling.privacy import levels_draw as code
from candling.privacy.levels_draw import BY_REPAIR, Constants, Penalty, Shape, enough_levels
from candling_paper.datasets import FOLDER_VARIABLE, datasets, folder
from research.level_tables import FRESH, TEST_BED, WIDE, Case, read_cases

FIRST_PART = Fraction(1, 3)  # of epsilon, for rows and repair
MOST = 22  # levels: far above the rows of these tables
FEWEST = 30  # errors are relative to the truth or, outside of the test bed, at least this
ROWS_REACH = 11.3  # of the sum of two numbers with Laplace noise, at 1e-4
LOW_MISS = 0.05 * 2 / 22  # of a guaranteed low end on a card

Floats = npt.NDArray[np.float64]
Levels = tuple[Floats, Floats]  # values and sensitivities
Choice = Callable[[Hint, Fraction], Constants | None]  # of the constants, by what was released


def by_repair(ranges: dict[int, Constants]) -> Choice:
    """The constants from each repair on, in sensitivities over epsilon."""

    def choose(hint: Hint, epsilon: Fraction) -> Constants | None:
        found = [own for least, own in ranges.items() if hint.repair * epsilon >= least]
        return found[-1] if found else None

    return choose


LOW, HIGH = BY_REPAIR.values()
FREE = LOW.within_rows


def changed(constants: Constants, power: str, first: str = "0") -> Constants:
    """With another penalty for the levels of minimal_inconsistent."""
    return replace(constants, penalty=Penalty(Fraction(power), Fraction(first)))


CANDIDATES: dict[str, Choice] = {
    "the code's": code.constants_for,
    "small repair's only": by_repair({20: LOW}),
    "large repair's only": by_repair({20: HIGH}),
    "levels from 10 on": by_repair({10: LOW, 100: HIGH}),
    "levels from 30 on": by_repair({30: LOW, 100: HIGH}),
    "large from 50 on": by_repair({20: LOW, 50: HIGH}),
    "large from 200 on": by_repair({20: LOW, 200: HIGH}),
    "flatter": by_repair({20: changed(LOW, "1.4"), 100: changed(HIGH, "1.75")}),
    "steeper": by_repair({20: changed(LOW, "1.8"), 100: changed(HIGH, "2.25")}),
    "first level dearer": by_repair({20: changed(LOW, "1.6", "1"), 100: changed(HIGH, "2", "1")}),
    "more tilt": by_repair(
        {20: replace(LOW, tilt=Fraction("0.5")), 100: replace(HIGH, tilt=Fraction("0.45"))}
    ),
    "no hint": lambda _hint, _epsilon: code.UNKNOWN,
}


@numba.njit(cache=True)
def _tilts(v: float, down: float, levels: Levels, shape: tuple[float, float], logs: Floats) -> None:
    """By level: the log of the tilt; of two levels the smaller one counts."""
    (f, s), (c, theta) = levels, shape
    for i in range(len(logs)):
        y = f[i] + s[i] * v
        short = max(down, -v)
        for later in range(i + 1, len(f)):
            short = max(short, (f[later] - y) / max(s[later], s[i] / theta))
        logs[i] = -c * (short - down)


@numba.njit(cache=True)
def _errors(
    noise: tuple[Floats, Floats],
    both: tuple[Levels, Levels],  # conflicts and rows in conflict
    log_prior: Floats,
    shape: tuple[float, float],  # c, theta
    known: tuple[float, float, float, float, float],
) -> tuple[float, float, float, float]:
    """Means of |error| of both, and of their low ends.

    Known are rows, repair, their largest, and how far low ends are off, in sensitivities.
    """
    v, w = noise
    conflicts, problematic = both
    (fm, sm), (fp, sp) = both
    rows, repair, most_rows, most_repair, reach = known
    most = max(most_repair, most_repair * most_rows - most_repair * (most_repair + 1) / 2)
    levels_m, levels_p = log_prior.shape
    a, b = np.empty(levels_m), np.empty(levels_p)
    total = off_m = off_p = low_m = low_p = 0.0
    for q in range(len(v)):
        down = max(0.0, -v[q], -w[q])
        _tilts(v[q], down, conflicts, shape, a)
        _tilts(w[q], down, problematic, shape, b)
        for i in range(levels_m):
            ym = fm[i] + sm[i] * v[q]
            for j in range(levels_p):
                log = log_prior[i, j] + min(a[i], b[j])
                if log < -60:
                    continue
                weight = np.exp(log)
                yp = fp[j] + sp[j] * w[q]
                clamped = min(max(yp, repair), rows, 2 * most)
                pairs = min(max(ym, repair, clamped - most_repair), most)
                total += weight
                off_p += weight * abs(clamped - fp[-1])
                off_m += weight * abs(pairs - fm[-1])
                low_p += weight * min(fp[-1], max(0.0, yp - reach * sp[j]))
                low_m += weight * min(fm[-1], max(0.0, ym - reach * sm[i]))
    return off_p / total, off_m / total, low_p / total, low_m / total


def log_prior(constants: Constants, hint: Hint, levels: int) -> Floats:
    """By the levels of minimal_inconsistent and of problematic, without -ln S: v is drawn."""
    level, two = np.arange(levels), np.log(2)
    enough = np.minimum(level, enough_levels(hint))
    own, inside = constants.penalty, constants.within_rows
    pairs = -float(own.power) * two * level - float(own.first) * (level > 0)
    rows = -float(inside.power) * two * enough - float(inside.first) * (level > 0)
    rows = rows - float(code.BEYOND) * two * (level - enough)
    above = np.maximum(0, level - level[:, None])
    found: Floats = pairs[:, None] + rows - float(code.ORDER) * above
    return found


def box_noise(right: float, left: float, n: int, rng: np.random.Generator) -> Floats:
    """`n` draws of two numbers with density proportional to exp(-right max v+ - left max v-)."""
    weights = (left / right) ** np.arange(3)
    positive = rng.choice(3, n, p=weights / weights.sum())
    most = rng.gamma(np.maximum(positive, 1)) / right
    least = rng.gamma(np.maximum(2 - positive, 1)) / left
    share = rng.random((n, 2))
    share[:, 0] = np.where(positive > 0, 1, share[:, 0])
    share[:, 1] = np.where(positive < 2, 1, share[:, 1])
    up = np.arange(2) < positive[:, None]
    v = np.where(up, share * most[:, None], -share * least[:, None])
    swap = rng.random(n) < 0.5
    v[swap] = v[swap][:, ::-1]
    found: Floats = v
    return found


def simulate(case: Case, choose: Choice, epsilon: Fraction, hints: int, draws: int) -> Floats:
    """Relative errors of problematic and minimal_inconsistent, and low ends over the truth."""
    rng = np.random.default_rng(7)
    first, rest = epsilon * FIRST_PART, epsilon * (1 - FIRST_PART)
    scale, e = 1 / float(first), float(rest)
    thresholds: Floats = np.array([2.0**level for level in range(len(case.problematic))])
    conflicts = np.array(case.doubled_conflicts) / 2, thresholds
    problematic = np.array(case.problematic, np.float64), thresholds + 1
    found = np.zeros(4)
    for _ in range(hints):
        bad, good = rng.laplace(scale=scale, size=2)
        repair, rows = case.repair + bad, case.rows + bad + good
        most_rows = max(1, int(rows + ROWS_REACH * scale))
        hint = Hint(Fraction(repair), Fraction(rows), most_rows, 1)
        constants = choose(hint, rest)
        levels, prior, right, left, tilt = 1, np.zeros((1, 1)), e, e, (0.0, 1.0)
        reach = -np.log(2 * LOW_MISS) * 4 / 3 / e
        if constants is not None and hint.most_rows > 1:
            shape = Shape.of(rest, constants)
            levels = min(MOST, (hint.most_rows - 1).bit_length() + 1)
            prior = log_prior(constants, hint, levels)
            right, left = float(shape.right), float(shape.left - shape.tilt)
            tilt = float(shape.tilt), float(shape.theta)
            far = 2**30
            reach = shape.noise(far, (far,)).upper_tail(LOW_MISS) / far
        noise = box_noise(right, left + tilt[0], draws, rng)
        kind = 1 if case.repair_exact else 2
        known = (
            max(0.0, rows),
            max(0.0, min(repair - 3 * scale, rows)),
            max(0.0, rows + 5 * scale),
            max(0.0, min(kind * (repair + 3 * scale), rows + 5 * scale)),
            float(reach),
        )
        both = (noise[:, 0].copy(), noise[:, 1].copy())
        found += _errors(both, (conflicts, problematic), prior, tilt, known)
    truth = np.array([problematic[0][-1], conflicts[0][-1]])
    least = 1 if case.part == TEST_BED else FEWEST
    scales = np.concatenate([np.maximum(least, truth), np.maximum(1, truth)])
    means: Floats = found / hints / scales
    return means


def table(cases: Sequence[Case], epsilon: Fraction, hints: int, draws: int) -> str:
    """Means over the tables of each part, by candidate, as Markdown."""
    parts = [p for p in (TEST_BED, WIDE, FRESH) if any(case.part == p for case in cases)]
    lines = [f"| constants | {' | '.join(parts)} |", f"|---|{'---|' * len(parts)}"]
    for name, choose in CANDIDATES.items():
        progress(f"epsilon {float(epsilon):g}, {name}")
        cells = []
        for part in parts:
            own = [simulate(c, choose, epsilon, hints, draws) for c in cases if c.part == part]
            cells.append(" ".join(f"{x:.3f}" for x in np.mean(own, axis=0)))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m research.levels",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help=f"folder of datasets (or {FOLDER_VARIABLE})")
    parser.add_argument("--cache", type=Path, help="keep the levels of all tables in this file")
    parser.add_argument("--hints", type=int, default=24, help="first draws of each table")
    parser.add_argument("--draws", type=int, default=200, help="second draws for each of them")
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--quick", action="store_true", help="fewer tables")
    options = parser.parse_args()

    data = options.data or folder(REPOSITORY)
    if not data.is_dir():
        print(f"benchmark skipped: no datasets in {data}; pass --data or set {FOLDER_VARIABLE}")
        return
    cases = read_cases(datasets(data), options.cache, quick=options.quick)
    print(f"{len(cases)} tables; by part: errors of problematic and minimal_inconsistent, then low")
    print("ends over the truth\n")
    print(table(cases, Fraction(options.epsilon), options.hints, options.draws))


if __name__ == "__main__":
    main()
