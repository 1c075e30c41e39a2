"""The default release, all numbers in one draw, beside the same release with epsilon split.

python -m benchmarks.whole_release [--data DIR] [--draws N] [--seeds N] [--quick] [--json F]
                                   [--cards F [--only DATASET]]

Accuracy: 10,000 rows of each dataset (9,746 of Flight), made dirty by RNoise and by CONoise, at a
total epsilon of 0.1 to 3. Cards come from `Study.release`, numbers made to agree included. Split
means shares of 1 for rows, 1 for repair, 4 for minimal_inconsistent and 3 for problematic, each
drawn alone. Then how often a small table with nine rules shows its conflicts within a factor of 2,
and how long a release takes when the table was analysed before. A run that was stopped goes on
with `--cards`; with `--only`, several at a time fill the same file.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

import candling
from benchmarks.laws import Laws, split_release
from benchmarks.printing import number, progress
from benchmarks.tables import ALPHAS, ITERATIONS, NAMES, REPOSITORY, ROWS, SEEDS, dependencies
from candling.measures import MINIMAL_INCONSISTENT, PROBLEMATIC, REPAIR
from candling.releases.request import DEFAULT
from candling_paper.conoise import conoise
from candling_paper.datasets import FOLDER_VARIABLE, Dataset, datasets, folder

Floats = npt.NDArray[np.float64]

EPSILONS = (0.1, 0.4, 1.0, 3.0)
DRAWS = 200
CONOISE_SEEDS = 2  # fewer than for RNoise, to end in less than half an hour
ONE, SPLIT = "one draw", "split"
RELATIVE = ("minimal_inconsistent", "problematic")
MEASURES = (*RELATIVE, "repair", "rows")  # the last two: rows off
RNOISE, CONOISE = "RNoise", "CONoise"
TOLERATED = 1.1
RESAMPLES = 200
TAIL = 0.999

# At epsilon 1 under RNoise, in the order of NAMES.
RELATIVE_BARS = {
    "minimal_inconsistent": (0.70, 0.10, 0.09, 0.065, 0.10),
    "problematic": (0.70, 0.09, 0.05, 0.035, 0.05),
}
ROWS_OFF_BAR = 3.6

SMALL_RELEASES = 60
SMALL_SEEDS = 5
SMALL_BAR = 55

TIMED_ROWS = (1_000, 10_000, 100_000)
TIMED_RULES = 10
TIMED_TURNS = 9
LONGER_BAR = 0.3


# -------------------------------------------------------------------------------------- accuracy


def truth_of(study: candling.Study) -> dict[str, float]:
    """The numbers that a release is about, without noise or thresholds."""
    facts = study._facts  # noqa: SLF001 - what is true is nobody else's business
    return {
        "minimal_inconsistent": MINIMAL_INCONSISTENT.levels(facts)[-1] / 2,
        "problematic": float(PROBLEMATIC.levels(facts)[-1]),
        "repair": float(REPAIR.number(facts).value * REPAIR.number(facts).step),
        "rows": float(facts.rows),
    }


@dataclass(frozen=True)
class Noise:
    """What was done to a sample of a dataset."""

    dataset: str
    kind: str  # RNOISE or CONOISE
    amount: float  # a share of the cells, or iterations
    seed: int

    def __str__(self) -> str:
        amount = f"{self.amount:.1%}" if self.kind == RNOISE else f"{self.amount:g}"
        return f"{self.dataset}, {self.kind} {amount}, seed {self.seed}"

    def study(self, data: Dataset) -> candling.Study:
        """The dirty table, analysed."""
        rules = data.constraints()
        if self.kind == RNOISE:
            table = data.noisy(ROWS, alpha=self.amount, seed=self.seed)
        else:
            clean = data.sample(ROWS, seed=self.seed)
            table = conoise(clean, rules, iterations=int(self.amount), seed=self.seed)
        return candling.analyze(table, rules)


def all_noise(names: Sequence[str], seeds: int) -> Iterator[Noise]:
    """Every table."""
    for name in names:
        for alpha, seed in product(ALPHAS, range(seeds)):
            yield Noise(name, RNOISE, alpha, seed)
        for iterations, seed in product(ITERATIONS, range(min(seeds, CONOISE_SEEDS))):
            yield Noise(name, CONOISE, iterations, seed)


@dataclass(frozen=True)
class Released:
    """The numbers of many cards of one table, at one epsilon, in one way."""

    noise: Noise
    epsilon: float
    way: str  # ONE or SPLIT
    truth: Mapping[str, float]
    values: Mapping[str, Sequence[float]]  # by measure

    def errors(self, measure: str) -> Floats:
        """Of each card: relative, or how many rows it is off."""
        off = np.abs(np.array(self.values[measure]) - self.truth[measure])
        return np.asarray(off / (self.truth[measure] if measure in RELATIVE else 1), np.float64)


def cards(study: candling.Study, epsilon: float, draws: int, way: str) -> dict[str, list[float]]:
    """The numbers of many releases."""
    laws = Laws()
    values: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    with laws.in_use():
        for _ in range(draws):
            if way == ONE:
                shown = study.release(epsilon).measures
            else:
                shown = split_release(study, epsilon, laws)
            for measure in MEASURES:
                value = shown[measure].value
                assert isinstance(value, int | float)
                values[measure].append(value)
    return values


class Kept:
    """Cards that were drawn, in a file of one JSON object a line if there is one."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        lines = file.read_text().splitlines() if file is not None and file.is_file() else []
        stored = [json.loads(line) for line in lines]
        self.all = [Released(**r | {"noise": Noise(**r["noise"])}) for r in stored]

    def has(self, noise: Noise) -> bool:
        return any(r.noise == noise for r in self.all)

    def add(self, several: Sequence[Released]) -> None:
        """All of one table."""
        self.all += several
        if self._file is not None:
            with self._file.open("a") as out:
                out.write("".join(json.dumps(asdict(r)) + "\n" for r in several))


def release_all(
    data: Mapping[str, Dataset], tables: Iterable[Noise], draws: int, kept: Kept
) -> None:
    """Both ways at every epsilon. A table without a conflict is left out, which is printed."""
    for noise in tables:
        if kept.has(noise):
            continue
        progress(str(noise))
        study = noise.study(data[noise.dataset])
        truth = truth_of(study)
        if not truth["repair"]:
            print(f"{noise}, has no conflict: left out")
            continue
        kept.add(
            [
                Released(noise, epsilon, way, truth, cards(study, epsilon, draws, way))
                for epsilon, way in product(EPSILONS, (ONE, SPLIT))
            ]
        )


@dataclass(frozen=True, slots=True)
class Errors:
    """Of the cards of several tables."""

    mean: float
    doubt: float  # the standard error of the mean
    tail: float  # the 99.9% quantile of all
    largest: float  # of each table's cards, averaged over tables

    @classmethod
    def of(cls, tables: Floats) -> Errors:
        """From errors by table and card."""
        doubt = tables.std(axis=1, ddof=1) / np.sqrt(tables.shape[1])
        mean, tail, largest = (float(f(tables[None])[0]) for f in (_mean, _tail, _largest))
        return cls(mean, float(np.sqrt((doubt**2).sum()) / len(tables)), tail, largest)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One measure of one dataset with one kind of noise at one epsilon: one draw beside split."""

    dataset: str
    noise: str
    epsilon: float
    measure: str
    one: Errors
    split: Errors
    mean_ratio: tuple[float, float, float]  # one draw over split, and 95% of it by resampling
    tail_ratio: tuple[float, float, float]  # of the 99.9% quantiles
    largest_ratio: tuple[float, float, float]


def compare(found: Sequence[Released]) -> list[Comparison]:
    """All tables of a dataset and kind of noise together."""
    groups: dict[tuple[str, str, float], dict[str, list[Released]]] = {}
    for r in found:
        ways = groups.setdefault((r.noise.dataset, r.noise.kind, r.epsilon), {ONE: [], SPLIT: []})
        ways[r.way].append(r)
    rng = np.random.default_rng(11)
    comparisons = []
    for (dataset, noise, epsilon), ways in groups.items():
        for measure in MEASURES:
            one, other = (np.array([r.errors(measure) for r in ways[w]]) for w in (ONE, SPLIT))
            ratios = (_ratio(figure, one, other, rng) for figure in (_mean, _tail, _largest))
            errors = Errors.of(one), Errors.of(other)
            comparisons.append(Comparison(dataset, noise, epsilon, measure, *errors, *ratios))
    return comparisons


def _mean(samples: Floats) -> Floats:
    """Of errors by sample, table and card, as below."""
    return np.asarray(samples.mean(axis=(1, 2)), np.float64)


def _tail(samples: Floats) -> Floats:
    return np.asarray(np.quantile(samples, TAIL, axis=(1, 2)), np.float64)


def _largest(samples: Floats) -> Floats:
    """The largest of a table's cards, averaged over tables."""
    return np.asarray(samples.max(axis=2).mean(axis=1), np.float64)


def _ratio(
    figure: Callable[[Floats], Floats], one: Floats, other: Floats, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Of a figure of both, with the 2.5% and 97.5% quantiles if cards are drawn again."""
    as_found = float(_over(figure(one[None]), figure(other[None]))[0])
    again = [_resampled(tables, rng) for tables in (one, other)]
    low, high = np.quantile(_over(figure(again[0]), figure(again[1])), (0.025, 0.975))
    return as_found, float(low), float(high)


def _resampled(tables: Floats, rng: np.random.Generator) -> Floats:
    count, draws = tables.shape
    picked = rng.integers(draws, size=(RESAMPLES, count, draws))
    found: Floats = tables[np.arange(count)[:, None], picked]
    return found


def _over(one: Floats, other: Floats) -> Floats:
    """One over the other; nothing over nothing is 1."""
    same = (one == 0) & (other == 0)
    return np.where(same, 1.0, one / np.where(other == 0, np.finfo(np.float64).tiny, other))


# ------------------------------------------------------------------------------- the small table


@dataclass(frozen=True, slots=True)
class Small:
    """How many releases of a small table at epsilon 1 are right within a factor of 2."""

    even: bool
    seed: int
    conflicts: float
    way: str
    releases: int
    right: int


def small_tables(seeds: int) -> list[Small]:
    found = []
    for even, seed in product((True, False), range(100, 100 + seeds)):
        progress(f"nine rules, {'even' if even else 'uneven'} groups, seed {seed}")
        study = candling.analyze(*dependencies(seed, even=even))
        true = truth_of(study)["minimal_inconsistent"]
        for way in (ONE, SPLIT):
            values = np.array(cards(study, 1, SMALL_RELEASES, way)["minimal_inconsistent"])
            right = int(((values >= true / 2) & (values <= 2 * true)).sum())
            found.append(Small(even, seed, true, way, SMALL_RELEASES, right))
    return found


# ------------------------------------------------------------------------------------------ time


@dataclass(frozen=True, slots=True)
class Timed:
    """Median seconds of a release of a table that was analysed before."""

    rows: int
    by_rule: bool
    one: float
    split: float
    one_cpu: float
    split_cpu: float

    @property
    def longer(self) -> float:
        return self.one - self.split

    @property
    def verdict(self) -> str:
        if self.longer <= LONGER_BAR:
            return "met"
        # Other work on the machine makes the clock slow, not the CPU.
        by_cpu = self.one_cpu - self.split_cpu <= LONGER_BAR
        return "open: met by CPU time, not by the clock" if by_cpu else "NOT MET"


def timed(sizes: Sequence[int], turns: int) -> list[Timed]:
    """Both ways in turns, each with laws of its own."""
    found = []
    for rows in sizes:
        table, rules = dependencies(7, even=False, rules=TIMED_RULES, rows=rows)
        study = candling.analyze(table, rules)
        for by_rule in (False, True):
            progress(f"time at {rows:,} rows{', by_rule' if by_rule else ''}")
            measures = [*DEFAULT, "by_rule"] if by_rule else None
            seconds: dict[str, list[tuple[float, float]]] = {ONE: [], SPLIT: []}
            for turn, way in product(range(turns + 1), (ONE, SPLIT)):
                start, cpu = time.perf_counter(), time.process_time()
                if way == ONE:
                    study.release(1, measures=measures)
                else:
                    split_release(study, 1, by_rule=by_rule)
                took = time.perf_counter() - start, time.process_time() - cpu
                if turn:  # the first makes the study ready
                    seconds[way].append(took)
            clock, cpu_time = (
                {way: statistics.median(t[i] for t in took) for way, took in seconds.items()}
                for i in (0, 1)
            )
            ways = clock[ONE], clock[SPLIT], cpu_time[ONE], cpu_time[SPLIT]
            found.append(Timed(rows, by_rule, *ways))
    return found


# ------------------------------------------------------------------------------------------ bars


@dataclass(frozen=True, slots=True)
class Bar:
    """A promise and what was measured."""

    promise: str
    limit: float
    measured: float
    doubt: float = 0.0

    @property
    def verdict(self) -> str:
        if self.measured > self.limit:
            return "NOT MET"
        return "met" if self.measured + 2 * self.doubt <= self.limit else "met, within the doubt"


def bars(comparisons: Sequence[Comparison]) -> list[Bar]:
    """At epsilon 1 under RNoise."""
    own = {
        (c.measure, c.dataset): c.one for c in comparisons if (c.noise, c.epsilon) == (RNOISE, 1)
    }
    found = [
        Bar(
            f"{measure}, {name.capitalize()}",
            limit,
            own[measure, name].mean,
            own[measure, name].doubt,
        )
        for measure, limits in RELATIVE_BARS.items()
        for name, limit in zip(NAMES, limits, strict=True)
    ]
    for measure in ("repair", "rows"):
        errors = [own[measure, name] for name in NAMES]
        mean = statistics.mean(e.mean for e in errors)
        doubt = sum(e.doubt**2 for e in errors) ** 0.5 / len(errors)
        found.append(Bar(f"{measure}, rows off, mean of all five", ROWS_OFF_BAR, mean, doubt))
    return found


# ---------------------------------------------------------------------------------------- output


def error_table(comparisons: Sequence[Comparison], noise: str) -> Table:
    table = Table(title=f"{noise}: {', '.join(name.capitalize() for name in NAMES)}")
    for head in ("epsilon", "measure", "release", "mean", "99.9%", "largest of a table's cards"):
        table.add_column(head)
    own = {(c.epsilon, c.measure, c.dataset): c for c in comparisons if c.noise == noise}
    for epsilon, measure in dict.fromkeys((e, m) for e, m, _ in own):
        several = [own[epsilon, measure, name] for name in NAMES]
        for way, errors in (
            (ONE, [c.one for c in several]),
            (SPLIT, [c.split for c in several]),
        ):
            cells = (
                " ".join(number(getattr(e, figure)) for e in errors)
                for figure in ("mean", "tail", "largest")
            )
            last = way == SPLIT and measure == MEASURES[-1]
            table.add_row(f"{epsilon:g}", measure, way, *cells, end_section=last)
    return table


def worse(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Where one draw is worse than split by more than is tolerated."""
    for c in comparisons:
        for figure, (ratio, low, high) in (
            ("mean", c.mean_ratio),
            ("99.9%", c.tail_ratio),
            ("largest of a table's cards", c.largest_ratio),
        ):
            if ratio > TOLERATED:
                what = f"{c.dataset.capitalize()}, {c.noise}, epsilon {c.epsilon:g}, {c.measure}"
                sure = "" if low > TOLERATED else "; may be chance"
                yield f"{what}: {figure} {ratio:.2f} times ({low:.2f} to {high:.2f}{sure})"


def worse_amounts(found: Sequence[Released]) -> Iterator[str]:
    """The same for the mean at a single amount of noise."""
    groups: dict[tuple[str, str, float, float, str], dict[str, list[Floats]]] = {}
    for r in found:
        n = r.noise
        for measure in MEASURES:
            key = n.dataset, n.kind, n.amount, r.epsilon, measure
            groups.setdefault(key, {ONE: [], SPLIT: []})[r.way].append(r.errors(measure))
    for (dataset, kind, amount, epsilon, measure), ways in groups.items():
        one, other = (np.concatenate(ways[way]) for way in (ONE, SPLIT))
        ratio = float(_over(one.mean(keepdims=True), other.mean(keepdims=True))[0])
        if ratio > TOLERATED:
            spread = [e.var(ddof=1) / len(e) / max(e.mean(), 1e-300) ** 2 for e in (one, other)]
            what = f"{dataset.capitalize()}, {kind} {amount:g}, epsilon {epsilon:g}, {measure}"
            means = f"{number(one.mean())} against {number(other.mean())}"
            yield f"{what}: {means}, {ratio:.2f} ± {ratio * float(sum(spread)) ** 0.5:.2f} times"


def bar_table(found: Sequence[Bar], title: str) -> Table:
    table = Table(title=title)
    for head in ("bar", "limit", "measured", ""):
        table.add_column(head)
    for bar in found:
        measured = f"{number(bar.measured)} ± {number(bar.doubt)}"
        table.add_row(bar.promise, number(bar.limit), measured, bar.verdict)
    return table


def small_table(found: Sequence[Small]) -> Table:
    title = f"Nine rules, epsilon 1: releases of {SMALL_RELEASES} right within a factor of 2"
    table = Table(title=f"{title} (bar: {SMALL_BAR})")
    for head in ("groups", "seed", "conflicts", ONE, "", SPLIT):
        table.add_column(head, justify="left" if head in ("groups", "") else "right")
    right = {(s.even, s.seed, s.way): s.right for s in found}
    for s in found:
        if s.way == SPLIT:
            continue
        table.add_row(
            "even" if s.even else "uneven",
            f"{s.seed}",
            f"{s.conflicts:,.0f}",
            f"{s.right}",
            "met" if s.right >= SMALL_BAR else "NOT MET",
            f"{right[s.even, s.seed, SPLIT]}",
        )
    return table


def time_table(found: Sequence[Timed]) -> Table:
    title = f"Median seconds of a release of a ready study, {TIMED_RULES} rules"
    table = Table(title=f"{title} (bar: {LONGER_BAR} longer)")
    for head in ("rows", "measures", ONE, SPLIT, "longer", "CPU", "CPU, split", ""):
        table.add_column(head, justify="left" if head in ("measures", "") else "right")
    for t in found:
        table.add_row(
            f"{t.rows:,}",
            "default and by_rule" if t.by_rule else "default",
            *(f"{x:.3f}" for x in (t.one, t.split, t.longer, t.one_cpu, t.split_cpu)),
            t.verdict,
        )
    return table


def report(
    data: Path, draws: int, seeds: int, *, quick: bool, cards_file: Path | None = None
) -> tuple[list[Any], dict[str, Any]]:
    """All that is to be printed, and all figures."""
    times = timed(TIMED_ROWS[:2] if quick else TIMED_ROWS, 3 if quick else TIMED_TURNS)
    small = small_tables(1 if quick else SMALL_SEEDS)
    kept = Kept(cards_file)
    release_all(datasets(data), all_noise(NAMES, seeds), draws, kept)
    comparisons = compare(kept.all)
    verdicts = bars(comparisons)
    listed, by_amount = list(worse(comparisons)), list(worse_amounts(kept.all))
    heading = (
        f"The default release at a total epsilon, one draw beside split: {seeds} samples of each "
        f"dataset and amount of RNoise, {min(seeds, CONOISE_SEEDS)} of CONoise, {draws} cards of "
        "each table. Relative errors; of repair and rows, rows off."
    )
    shown: list[Any] = [
        heading,
        error_table(comparisons, RNOISE),
        error_table(comparisons, CONOISE),
        bar_table(verdicts, "Bars at epsilon 1, RNoise: mean error of one draw"),
        f"Worse than split by more than {TOLERATED - 1:.0%} (in brackets 95% by resampling):",
        *(f"  {line}" for line in listed or ["nothing"]),
        "The same for the mean at a single amount of noise (± one standard error):",
        *(f"  {line}" for line in by_amount or ["nothing"]),
        small_table(small),
        time_table(times),
    ]
    figures = {
        "draws": draws,
        "seeds": seeds,
        "comparisons": [asdict(c) for c in comparisons],
        "bars": [asdict(b) | {"verdict": b.verdict} for b in verdicts],
        "worse": listed,
        "worse at one amount of noise": by_amount,
        "small": [asdict(s) for s in small],
        "time": [asdict(t) | {"verdict": t.verdict} for t in times],
        "load": os.getloadavg(),
    }
    return shown, figures


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.whole_release",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help=f"folder of datasets (or {FOLDER_VARIABLE})")
    parser.add_argument("--draws", type=int, default=DRAWS, help="cards of each table")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="samples of each dataset")
    parser.add_argument("--quick", action="store_true", help="one sample, few draws: a look")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--cards", type=Path, help="keep cards here, and do not draw them again")
    parser.add_argument("--only", choices=NAMES, help="draw the cards of one dataset, and stop")
    options = parser.parse_args()

    data = options.data or folder(REPOSITORY)
    if not data.is_dir():
        print(f"benchmark skipped: no datasets in {data}; pass --data or set {FOLDER_VARIABLE}")
        return
    draws, seeds = (20, 1) if options.quick else (options.draws, options.seeds)
    if options.only:
        release_all(datasets(data), all_noise([options.only], seeds), draws, Kept(options.cards))
        return
    start = time.perf_counter()
    shown, figures = report(data, draws, seeds, quick=options.quick, cards_file=options.cards)
    out = Console()
    if not out.is_terminal:
        out = Console(width=180)
    for each in shown:
        out.print(each)
    out.print(f"{time.perf_counter() - start:.0f} seconds, load average {os.getloadavg()[0]:.1f}")
    if options.json:
        options.json.write_text(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
