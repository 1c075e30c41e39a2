"""How CPU time and memory of a whole release grow with the table, beside what others do.

python -m benchmarks.scale [--largest | --all] [--only CASE] [--data FOLDER] [--limit SECONDS]
    [--rival-limit SECONDS] [--no-rivals] [--before SRC] [--json FILE] [--plot FILE]

Every case runs in a process of its own, from the Parquet file to the five noisy measures, imports
included. Without an option these are the tables that bars are set for, to a million rows, and what
one would take instead on 10^4, 10^5 and 10^6 rows. `--all` adds more tables, the published
algorithm's edge addition as one compiled pass over the pairs in order, and its loop in plain
Python, where it ends. `--before` names the `src` of another checkout, which runs beside this one.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.peak import own_peak, peak_of
from benchmarks.printing import progress
from benchmarks.rivals import RIVALS

# A process that is measured pays for nothing but its own work, so what makes tables and prints
# figures is imported where it is used.
if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from candling_paper.datasets import Dataset

REPOSITORY = Path(__file__).parents[1]
DESBORDANTE = REPOSITORY / "build" / "desbordante"
KERNELS = REPOSITORY / "build" / "kernels"  # where compiled kernels stay for later runs
GET_DESBORDANTE = "pip install --target build/desbordante --no-deps desbordante==2.5.0"
SEED = 0
GIB = 2**30
LIMIT = 600.0
RIVAL_LIMIT = 120.0
LOOP_PAIRS = 5_000_000  # beyond, the loop in plain Python is not run
PAIRS_ROWS = 300_000  # beyond, a list of all pairs needs more memory than most machines have
POLL_SECONDS = 0.02

UNION, AGGREGATES, GROUPS = "DuckDB, union of self-joins", "DuckDB, aggregates", "DuckDB, groups"
BEFORE = "before"
INSTEAD = tuple(name for name in RIVALS if name != GROUPS)


@dataclass(frozen=True, slots=True)
class Case:
    """One table; `kind` tells apart tables of the same size."""

    kind: str
    rows: int
    alpha: float

    @property
    def name(self) -> str:
        return f"{self.kind} {self.rows:,}" + (f" at {self.alpha:.1%}" if self.alpha else "")


MILLION, TEN_MILLION = (Case("tax", n, 0.005) for n in (1_000_000, 10_000_000))
CLEAN = Case("tax, clean", 1_000_000, 0.0)
COMPARED = (*(Case("tax", n, 0.005) for n in (10_000, 100_000)), MILLION)

CPU_BARS = {
    MILLION: 8.0,
    Case("tax, continuous salary", 1_000_000, 0.005): 20.0,
    Case("tax", 100_000, 0.1): 60.0,
    Case("one dense group", 100_000, 0.0): 10.0,
    Case("tax", 3_000_000, 0.005): 28.0,
}
CLEAN_BAR = 3.0  # times the CPU time of DuckDB's groups
CLOCK_BAR = 600.0  # seconds, of ten million rows
MEMORY_BAR = 12 * GIB  # of ten million rows
GROWTH_BAR = 1.25  # power of the rows, from one million to ten

BARRED = (*dict.fromkeys((*COMPARED, *CPU_BARS, CLEAN, TEN_MILLION)),)
OTHERS = (
    *(Case("tax", n, 0.005) for n in (1_000, 300_000)),
    *(Case("tax", n, 0.01) for n in (10_000, 100_000, 300_000, 1_000_000)),
    *(Case("flight", n, 0.005) for n in (10_000, 50_000, 200_000, 500_000)),
    Case("tax, continuous salary", 100_000, 0.005),
    Case("tax", 10_000, 0.1),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one process took and counted; `phases` are seconds in turn.

    `stopped` says why it did not end, and is empty if it did.
    """

    seconds: float = 0.0
    cpu: float = 0.0
    peak: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    phases: dict[str, float] = field(default_factory=dict)
    stopped: str = ""


Result = tuple[Case, dict[str, Outcome]]


# -------------------------------------------------------------------------------------- the tables


def write_table(case: Case, found: dict[str, Dataset], folder: Path) -> Path:
    """Write the table of a case, and return the file of its rules."""
    import pyarrow.parquet as pq

    from candling_paper.noise import rnoise

    if case.kind == "one dense group":
        rules = folder / "dense.txt"
        rules.write_text("Zip -> City, State\n")
        pq.write_table(dense_group(case.rows), folder / "table.parquet")
        return rules
    dataset = found["flight_joined" if case.kind == "flight" else "tax_lookalike"]
    table = dataset.sample(case.rows, seed=SEED)
    if case.kind == "tax, continuous salary":
        table = continuous_salary(table)
    if case.alpha:
        table = rnoise(table, dataset.constraints().columns, alpha=case.alpha, seed=SEED)
    pq.write_table(table, folder / "table.parquet")
    return dataset.rules


def dense_group(rows: int) -> pa.Table:
    """One zip code, and for every row a city of its own."""
    import pyarrow as pa

    states = [f"S{i % 50:02}" for i in range(rows)]
    return pa.table({"Zip": [12345] * rows, "City": list(map(str, range(rows))), "State": states})


def continuous_salary(table: pa.Table) -> pa.Table:
    """The table with a salary of its own for every row, rising with the rate within a state."""
    import numpy as np
    import pyarrow as pa

    state = table["State"].combine_chunks().dictionary_encode().indices.to_numpy()
    order = np.lexsort((table["Salary"].to_numpy(), table["Rate"].to_numpy(), state))
    salary = np.empty(len(order), np.int64)
    salary[order] = 10_000 + 7 * np.arange(len(order))
    return table.set_column(table.column_names.index("Salary"), "Salary", pa.array(salary))


def write_csv(folder: Path, names: Sequence[str]) -> None:
    """The same table in the format that Desbordante reads, with the columns of the rules only."""
    import duckdb

    columns = ", ".join(f'"{name}"' for name in names)
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT {columns} FROM read_parquet('{folder / 'table.parquet'}')) "
            f"TO '{folder / 'table.csv'}' (HEADER)"
        )


# ---------------------------------------------------------------------------- one process for each


def release(path: str, rules: str) -> dict[str, Any]:
    """A whole release, by phases."""
    start = time.perf_counter()
    import candling
    from candling.graph import build_conflicts
    from candling.measures import MINIMAL_INCONSISTENT, PROBLEMATIC, REPAIR
    from candling.measures.facts import Facts
    from candling.releases import make_request, run_release
    from candling.rules import compile_rules
    from candling.tables import Classes, open_table, read_core

    phases: dict[str, float] = {}
    last = start

    def done(phase: str) -> None:
        nonlocal last
        phases[phase] = time.perf_counter() - last
        last = time.perf_counter()

    constraints = compile_rules(candling.load_constraints(rules))
    done("import")
    classes = read_core(open_table(path), constraints)
    assert isinstance(classes, Classes)
    done("read and encode")
    facts = Facts(classes, build_conflicts(classes))
    pairs = facts.graph.pairs
    done("conflicts")
    _ = PROBLEMATIC.levels(facts)
    done("problematic")
    _ = MINIMAL_INCONSISTENT.levels(facts)
    done("minimal_inconsistent")
    _ = REPAIR.number(facts)
    done("repair")
    run_release(facts, make_request(constraints, epsilon=1))
    done("noise")
    return {"counts": {"pairs": pairs}, "phases": phases}


def edge_addition(path: str, rules: str) -> dict[str, Any]:
    """The published choice of a threshold and its noise, on one compiled pass."""
    import candling
    from candling.privacy import split_budget
    from candling_paper import hierarchical
    from candling_paper.all_rows import read_all_rows
    from candling_paper.measure_by_measure import SHARES, release_rows

    rows = read_all_rows(path, candling.load_constraints(rules))
    release_rows(rows, split_budget(Fraction(1), SHARES), hierarchical())
    return {"counts": {"pairs": rows.facts.graph.pairs}}


def loop(path: str, rules: str) -> dict[str, Any]:
    """Edge addition as a loop in plain Python, at the paper's candidates, once."""
    import candling
    from candling_paper.all_rows import read_all_rows
    from candling_paper.loop import published_loop
    from candling_paper.thresholds import CANDIDATES

    rows = read_all_rows(path, candling.load_constraints(rules))
    published_loop(list(rows.pairs), rows.pairs.rows, CANDIDATES)
    return {"counts": {"pairs": rows.facts.graph.pairs}}


OURS: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "candling": release,
    "edge addition": edge_addition,
    "loop": loop,
}


def child(way: str, table: str, rules: str, limit: str) -> None:
    """Run one way; the kernel stops it after so many CPU seconds of all its threads."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(float(limit)), hard))
    if way in OURS:
        sys.modules.setdefault("scipy", None)  # type: ignore[arg-type] # as our command line does
        report = OURS[way](table, rules)
    else:
        lines = Path(rules).read_text().splitlines()
        report = {"counts": RIVALS[way].run(Path(table), lines)}
    print(json.dumps({"peak": own_peak(), **report}))


@dataclass(frozen=True, slots=True)
class Stand:
    """Where processes are measured: a folder for the table, and the most memory of one."""

    folder: Path
    memory: int
    before: Path | None = None  # the `src` of another checkout

    path: str | None = None  # of modules, instead of that of this process

    @property
    def environment(self) -> dict[str, str]:
        paths = [self.path or os.environ.get("PYTHONPATH"), str(DESBORDANTE)]
        return os.environ | {
            "NUMBA_CACHE_DIR": str(KERNELS),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }

    @property
    def has_desbordante(self) -> bool:
        command = [sys.executable, "-c", "import desbordante"]
        done = subprocess.run(command, capture_output=True, env=self.environment, check=False)
        return done.returncode == 0

    def run(self, way: str, rules: Path, limit: float) -> Outcome:
        """One way on the table in the folder, in a process of its own.

        One that compiled kernels, which later runs find on disk, runs again.
        """
        before = set(KERNELS.rglob("*"))
        outcome = self._run(way, rules, limit)
        compiled = not before.issuperset(KERNELS.rglob("*"))
        return self._run(way, rules, limit) if compiled and not outcome.stopped else outcome

    def run_before(self, rules: Path, limit: float) -> Outcome:
        """A release by the other checkout."""
        path = os.pathsep.join([str(self.before), self.environment["PYTHONPATH"]])
        other = replace(self, path=path)
        return other.run("candling", rules, limit)

    def run_rival(self, way: str, rules: Path, limit: float) -> Outcome:
        """A rival, told in its own language what to do."""
        from candling import load_constraints

        rival, constraints = RIVALS[way], load_constraints(rules)
        if rival.reads == "csv":
            write_csv(self.folder, constraints.columns)
        lines = self.folder / "rival.txt"
        lines.write_text("\n".join(rival.translate(constraints)) + "\n")
        return self._run(way, lines, limit, reads=rival.reads)

    def _run(self, way: str, rules: Path, limit: float, reads: str = "parquet") -> Outcome:
        table = self.folder / f"table.{reads}"
        command = [sys.executable, "-m", "benchmarks.scale", "--child"]
        command += [way, str(table), str(rules), str(limit)]
        start, peak = time.perf_counter(), 0
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(
                command, stdout=out, stderr=errors, env=self.environment, cwd=REPOSITORY
            )
            while True:
                ended, status, usage = os.wait4(process.pid, os.WNOHANG)
                if ended:
                    break
                peak = max(peak, peak_of(process.pid))
                if peak > self.memory:
                    process.kill()
                time.sleep(POLL_SECONDS)
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
            if process.returncode == 0:
                out.seek(0)
                return Outcome(seconds, cpu, **json.loads(out.read()))
            errors.seek(0)
            sys.stderr.write(errors.read())
        if process.returncode == -signal.SIGXCPU:
            stopped = f"stopped after {limit:.0f} CPU s"
        elif peak > self.memory:
            stopped = f"stopped at {self.memory / GIB:.0f} GiB"
        else:
            stopped = f"failed ({process.returncode})"
        return Outcome(seconds, cpu, peak, stopped=stopped)


# ----------------------------------------------------------------------------------- case by case


def run_cases(
    cases: Sequence[Case], found: dict[str, Dataset], stand: Stand, options: argparse.Namespace
) -> list[Result]:
    """Every case in every way that makes sense for it."""
    missing = () if stand.has_desbordante else ("Desbordante",)
    results: list[Result] = []
    for case in cases:
        progress(case.name)
        rules = write_table(case, found, stand.folder)
        outcomes = {"candling": stand.run("candling", rules, own_limit(case, options.limit))}
        if stand.before is not None:
            outcomes[BEFORE] = stand.run_before(rules, options.limit)
        ways = other_ways(case, outcomes["candling"], everything=options.all)
        for way in () if options.no_rivals else ways:
            if way.startswith(missing):
                continue
            progress(f"{case.name}, {way}")
            if way in OURS:
                outcomes[way] = stand.run(way, rules, options.limit)
            elif did_not_end(way, case, results):
                outcomes[way] = Outcome(stopped="not run: did not end with fewer rows")
            else:
                outcomes[way] = stand.run_rival(way, rules, options.rival_limit)
        results.append((case, outcomes))
    return results


def did_not_end(way: str, case: Case, results: Sequence[Result]) -> bool:
    """Whether a way was stopped on a smaller table of the same kind."""
    return any(
        (smaller.kind, smaller.alpha) == (case.kind, case.alpha)
        and smaller.rows < case.rows
        and way in outcomes
        and bool(outcomes[way].stopped)
        for smaller, outcomes in results
    )


def own_limit(case: Case, limit: float) -> float:
    """CPU seconds of ours: a case with a bar need not go on for long after missing it."""
    if case == TEN_MILLION:
        return 2 * CLOCK_BAR
    return 1.5 * CPU_BARS[case] + 20 if case in CPU_BARS else limit


def other_ways(case: Case, ours: Outcome, *, everything: bool) -> list[str]:
    """What runs beside us."""
    ways = [*INSTEAD] if case in COMPARED else [GROUPS] if case == CLEAN else []
    if not everything or not case.alpha:
        return ways
    if case.rows <= PAIRS_ROWS:
        ways += [way for way in (UNION, "edge addition") if way not in ways]
    if ours.counts.get("pairs", math.inf) <= LOOP_PAIRS:
        ways.append("loop")
    return ways


# ----------------------------------------------------------------------------------------- figures


@dataclass(frozen=True, slots=True)
class Bar:
    """A promise about speed, what was measured, and whether that meets it."""

    promise: str
    measured: str
    met: bool


def bars(results: Sequence[Result]) -> list[Bar]:
    """The promises about the cases that were run."""
    by_case = dict(results)
    checked = [
        Bar(f"{case.name}: at most {bar:g} CPU s", cost(ours), not ours.stopped and ours.cpu <= bar)
        for case, bar in CPU_BARS.items()
        if case in by_case
        for ours in (by_case[case]["candling"],)
    ]
    if GROUPS in by_case.get(CLEAN, {}):
        clean = by_case[CLEAN]
        ours, groups = clean["candling"], clean[GROUPS]
        promise = f"{CLEAN.name}: at most {CLEAN_BAR:g} times DuckDB's groups of the same columns"
        met = not ours.stopped and not groups.stopped and ours.cpu <= CLEAN_BAR * groups.cpu
        checked.append(Bar(promise, f"{shown_ratio(clean, GROUPS)} times", met))
    if TEN_MILLION in by_case:
        ours = by_case[TEN_MILLION]["candling"]
        promise = f"{TEN_MILLION.name}: ends within {CLOCK_BAR:g} s by the clock"
        met = not ours.stopped and ours.seconds <= CLOCK_BAR
        checked.append(Bar(promise, f"{ours.seconds:.0f} s, {cost(ours)}", met))
        promise = f"{TEN_MILLION.name}: within {MEMORY_BAR / GIB:g} GiB"
        met = not ours.stopped and ours.peak <= MEMORY_BAR
        checked.append(Bar(promise, f"{ours.peak / GIB:.2f} GiB", met))
        if MILLION in by_case:
            checked.append(growth_bar(by_case[MILLION]["candling"], ours))
    return [*checked, *agreement(results)]


def agreement(results: Sequence[Result]) -> list[Bar]:
    """Whether all who count the same thing agree; nothing if nobody counted after another."""
    compared = [
        (f"{case.name}, {way}", other_count(way, outcomes))
        for case, outcomes in results
        for way, outcome in outcomes.items()
        if any(first_count(what, outcomes)[0] != way for what in outcome.counts)
    ]
    different = [name for name, differs in compared if differs]
    measured = "; ".join(different) or f"{len(compared)} of {len(compared)} do"
    return [Bar("all count the same", measured, not different)] if compared else []


def growth_bar(million: Outcome, ten_million: Outcome) -> Bar:
    promise = f"CPU time from 10^6 to 10^7 rows grows with at most power {GROWTH_BAR:g}"
    if million.stopped or ten_million.stopped:
        return Bar(promise, "one of them did not end", met=False)
    power = growth(MILLION, million, TEN_MILLION, ten_million)
    return Bar(promise, f"power {power:.2f}", power <= GROWTH_BAR)


def growth(a: Case, x: Outcome, b: Case, y: Outcome) -> float:
    """The power of the rows by which CPU time grows from one case to another."""
    return math.log(y.cpu / x.cpu) / math.log(b.rows / a.rows)


def growth_lines(results: Sequence[Result]) -> list[str]:
    """Between each two sizes of the same table, the growth of our CPU time."""
    lines = []
    for kind in dict.fromkeys((case.kind, case.alpha) for case, _ in results):
        own = sorted(
            ((c, o["candling"]) for c, o in results if (c.kind, c.alpha) == kind),
            key=lambda result: result[0].rows,
        )
        ended = [(case, ours) for case, ours in own if not ours.stopped]
        steps = [
            f"{a.rows:,} to {b.rows:,}: {growth(a, x, b, y):.2f}"
            for (a, x), (b, y) in pairwise(ended)
        ]
        if steps:
            name = f"{kind[0]} at {kind[1]:.1%}"
            lines.append(f"growth as a power of the rows, {name}: {', '.join(steps)}")
    return lines


def other_count(way: str, outcomes: dict[str, Outcome]) -> bool:
    """Whether a way counts something else than the first one that counts the same thing."""
    return any(first_count(what, outcomes)[1] != n for what, n in outcomes[way].counts.items())


def first_count(what: str, outcomes: dict[str, Outcome]) -> tuple[str, int]:
    """The first way that counts pairs, groups or rules, and how many it counts."""
    return next((way, o.counts[what]) for way, o in outcomes.items() if what in o.counts)


def shown_counts(way: str, outcomes: dict[str, Outcome]) -> str:
    """What a way counts, and whether it agrees with who counts the same."""
    shown = []
    for what, count in outcomes[way].counts.items():
        first, expected = first_count(what, outcomes)
        verdict = "as" if count == expected else "DIFFERENT from"
        shown.append(f"{count:,} {what}" + ("" if first == way else f", {verdict} {first}"))
    return "; ".join(shown)


def shown_ratio(outcomes: dict[str, Outcome], way: str) -> str:
    """The ratio, or what it is less than if the other way was stopped."""
    ours, other = outcomes["candling"], outcomes[way]
    if ours.stopped or not other.cpu:
        return ""
    return f"{'< ' if other.stopped else ''}{ours.cpu / other.cpu:.2f}"


def cost(outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    return outcome.stopped or f"{outcome.cpu:.2f} CPU s, {outcome.peak / GIB:.2f} GiB"


def grid(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> Table:
    """A table whose first columns hold words, and the others numbers."""
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for i, head in enumerate(heads):
        table.add_column(head, justify="left" if i < left else "right")
    for row in rows:
        table.add_row(*row)
    return table


def case_table(results: Sequence[Result]) -> Table:
    ways = (BEFORE, UNION, "edge addition", "loop")
    others = [way for way in ways if any(way in o for _, o in results)]
    rows = [
        (
            case.name,
            f"{ours.counts['pairs']:,}" if ours.counts else "",
            cost(ours),
            f"{ours.seconds:.1f}",
            *(cost(outcomes.get(way)) for way in others),
        )
        for case, outcomes in results
        for ours in (outcomes["candling"],)
    ]
    heads = ("case", "pairs", "candling", "by the clock s", *others)
    return grid("From the Parquet file to five noisy measures", heads, rows)


def rival_table(results: Sequence[Result]) -> Table:
    rows = []
    for case, outcomes in results:
        for way, outcome in outcomes.items():
            if len(outcomes) == 1 or way == BEFORE or (way in OURS and way != "candling"):
                continue
            rows.append(
                (
                    case.name if way == "candling" else "",
                    "candling, a whole release" if way == "candling" else way,
                    shown_counts(way, outcomes),
                    outcome.stopped or f"{outcome.cpu:.2f}",
                    f"{outcome.peak / GIB:.2f}" if outcome.peak else "",
                    shown_ratio(outcomes, way) if way != "candling" else "",
                )
            )
    heads = ("case", "way", "counts", "CPU s", "GiB", "candling / it")
    return grid("What one would take instead", heads, rows, left=3)


def phase_table(results: Sequence[Result]) -> Table:
    ended = [(case, o["candling"]) for case, o in results if not o["candling"].stopped]
    names = list(dict.fromkeys(name for _, ours in ended for name in ours.phases))
    rows = [
        (case.name, *(f"{ours.phases.get(name, 0.0):.2f}" for name in names))
        for case, ours in ended
    ]
    return grid("candling's seconds by phase", ("case", *names), rows)


def plot(results: Sequence[Result], to: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (time_axis, memory_axis) = plt.subplots(1, 2, figsize=(11, 4))
    colours = {
        "candling": "#0072b2",
        UNION: "#d55e00",
        "edge addition": "#009e73",
        "loop": "#999999",
    }
    markers = {"tax": "o", "flight": "s", "tax, continuous salary": "^", "tax, clean": "D"}
    for kind in dict.fromkeys((case.kind, case.alpha) for case, _ in results):
        for way, colour in colours.items():
            own = sorted(
                (case.rows, outcome.cpu, outcome.peak / GIB)
                for case, outcomes in results
                if (case.kind, case.alpha) == kind
                and (outcome := outcomes.get(way)) is not None
                and not outcome.stopped
            )
            if not own:
                continue
            rows, cpu, peak = zip(*own, strict=True)
            label = f"{way}, {kind[0]} at {kind[1]:.1%}"
            look: dict[str, Any] = {
                "color": colour,
                "marker": markers.get(kind[0], "v"),
                "markersize": 4,
                "linestyle": "-" if kind[1] <= 0.005 else "--",
                "linewidth": 2 if way == "candling" else 1,
            }
            time_axis.loglog(rows, cpu, label=label, **look)
            memory_axis.loglog(rows, peak, **look)
    for axis, name in ((time_axis, "CPU seconds"), (memory_axis, "peak GiB")):
        axis.set_xlabel("rows")
        axis.set_ylabel(name)
        axis.grid(alpha=0.3)
    figure.legend(fontsize=7, loc="center right")
    figure.tight_layout(rect=(0, 0, 0.76, 1))
    figure.savefig(to, dpi=120)


def report(results: Sequence[Result], *, has_desbordante: bool) -> None:
    from rich.console import Console

    out = Console() if Console().is_terminal else Console(width=170)
    load = os.getloadavg()[0]
    out.print(f"{os.cpu_count()} cores, load average {load:.1f}; whole processes, imports included")
    out.print(case_table(results))
    out.print(phase_table(results))
    if any(len(outcomes) > 1 for _, outcomes in results):
        out.print(rival_table(results))
        ran = {way for _, outcomes in results for way in outcomes}
        for rival in (rival for rival in RIVALS.values() if rival.name in ran):
            out.print(f"{rival.name}: gives {rival.gives}. It lacks {rival.lacks}.")
        if not has_desbordante:
            out.print(f"Desbordante is not there. To compare with it: {GET_DESBORDANTE}")
    for line in growth_lines(results):
        out.print(line)
    rows = [(b.promise, b.measured, "met" if b.met else "NOT MET") for b in bars(results)]
    out.print(grid("Bars", ("bar", "measured", ""), rows, left=3))


def selection(options: argparse.Namespace) -> list[Case]:
    cases = [*BARRED, *OTHERS] if options.all else BARRED
    most = math.inf if options.all or options.largest else MILLION.rows
    return [case for case in cases if case.rows <= most and case.name.startswith(options.only)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of datasets (or CANDLING_DATA)")
    parser.add_argument("--largest", action="store_true", help="3 and 10 million rows too")
    parser.add_argument("--all", action="store_true", help="every case, and the published ways")
    parser.add_argument("--only", default="", help="cases whose name begins so")
    parser.add_argument("--limit", type=float, default=LIMIT, help="CPU s of a run without a bar")
    parser.add_argument("--rival-limit", type=float, default=RIVAL_LIMIT, help="CPU s of a rival")
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--before", type=Path, help="the src of another checkout")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return

    from candling_paper.datasets import datasets, existing_folder

    found = datasets(existing_folder(options.data, REPOSITORY))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4
    with tempfile.TemporaryDirectory() as scratch:
        stand = Stand(Path(scratch), memory, options.before)
        results = run_cases(selection(options), found, stand, options)
        report(results, has_desbordante=stand.has_desbordante)
    if options.json:
        figures = [
            asdict(case) | {way: asdict(outcome) for way, outcome in outcomes.items()}
            for case, outcomes in results
        ]
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    if options.plot:
        plot(results, options.plot)


if __name__ == "__main__":
    main()
