"""How time and memory of a whole release grow with the table, to a million rows.

python -m benchmarks.scale [--quick] [--data FOLDER] [--limit SECONDS] [--json FILE] [--plot FILE]

Every case runs in a process of its own, from the Parquet file to the five noisy measures, imports
and compiled kernels (which are kept on disk) included. Beside it, in the same run: DuckDB's
distinct union of the self-joins, which only counts the pairs; the published algorithm's edge
addition as one compiled pass over the pairs in order; and its loop in plain Python, where it ends.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from benchmarks.peak import own_peak
from candling.measures import MINIMAL_INCONSISTENT, PROBLEMATIC, REPAIR
from candling.measures.facts import Facts
from candling.rules import compile_rules
from candling_paper.datasets import Dataset, datasets, existing_folder
from candling_paper.noise import rnoise

REPOSITORY = Path(__file__).parents[1]
SEED = 0
GIB = 2**30
LIMIT = 600.0
LOOP_PAIRS = 5_000_000  # beyond, the loop in plain Python is not run
DUCKDB_ROWS = 300_000  # beyond, DuckDB needs more memory than most machines have


@dataclass(frozen=True, slots=True)
class Case:
    """One table; `kind` tells apart tables of the same size."""

    kind: str
    rows: int
    alpha: float

    @property
    def name(self) -> str:
        return f"{self.kind} {self.rows:,} at {self.alpha:.1%}"


CASES = (
    *(Case("tax", n, 0.005) for n in (1_000, 10_000, 100_000, 300_000, 1_000_000)),
    *(Case("tax", n, 0.01) for n in (10_000, 100_000, 300_000, 1_000_000)),
    *(Case("flight", n, 0.005) for n in (10_000, 50_000, 200_000, 500_000)),
    Case("tax, continuous salary", 100_000, 0.005),
    Case("tax, continuous salary", 1_000_000, 0.005),
    Case("tax, clean", 1_000_000, 0.0),
    *(Case("tax", n, 0.1) for n in (10_000, 100_000)),
    *(Case("tax", n, 0.005) for n in (3_000_000, 10_000_000)),
)
QUICK_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one process took; `phases` are seconds in turn."""

    seconds: float
    cpu: float
    peak: int
    pairs: int
    phases: dict[str, float] = field(default_factory=dict)


# -------------------------------------------------------------------------------------- the tables


def write_table(case: Case, found: dict[str, Dataset], to: Path) -> None:
    dataset = found["flight_joined" if case.kind == "flight" else "tax_lookalike"]
    table = dataset.sample(case.rows, seed=SEED)
    if case.kind == "tax, continuous salary":
        table = continuous_salary(table)
    if case.alpha:
        columns = dataset.constraints().columns
        table = rnoise(table, columns, alpha=case.alpha, seed=SEED)
    pq.write_table(table, to)


def continuous_salary(table: pa.Table) -> pa.Table:
    """The table with a salary of its own for every row, rising with the rate within a state."""
    state = table["State"].combine_chunks().dictionary_encode().indices.to_numpy()
    order = np.lexsort((table["Salary"].to_numpy(), table["Rate"].to_numpy(), state))
    salary = np.empty(len(order), np.int64)
    salary[order] = 10_000 + 7 * np.arange(len(order))
    return table.set_column(table.column_names.index("Salary"), "Salary", pa.array(salary))


# ---------------------------------------------------------------------------- one process for each


def release(path: str, rules: str) -> dict[str, Any]:
    """A whole release, by phases."""
    start = time.perf_counter()
    import candling
    from candling.engines import Classes, open_table, read_core
    from candling.graph import build_conflicts
    from candling.releases import make_request, run_release

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
    return {"pairs": pairs, "phases": phases}


def edge_addition(path: str, rules: str) -> dict[str, Any]:
    """The published choice of a threshold and its noise, on one compiled pass."""
    import candling
    from candling_paper import hierarchical

    study = candling.analyze(path, candling.load_constraints(rules))
    measures = ["rows", "minimal_inconsistent", "problematic", "repair"]
    study.release(1, measures=measures, method=hierarchical())
    return {"pairs": study._facts.graph.pairs}  # noqa: SLF001 - a benchmark


def loop(path: str, rules: str) -> dict[str, Any]:
    """Edge addition as a loop in plain Python, at the paper's candidates, once."""
    import candling
    from candling_paper.loop import published_loop
    from candling_paper.ordered import ordered_pairs
    from candling_paper.thresholds import CANDIDATES

    facts = candling.analyze(path, candling.load_constraints(rules))._facts  # noqa: SLF001
    pairs = ordered_pairs(facts)
    published_loop(list(pairs), pairs.rows, CANDIDATES)
    return {"pairs": facts.graph.pairs}


def duckdb_union(path: str, rules: str) -> dict[str, Any]:
    """The pairs, counted by DuckDB's distinct union of the self-joins."""
    import candling
    from benchmarks.rivals import duckdb_loaded, duckdb_pairs

    constraints = candling.load_constraints(rules)
    with duckdb_loaded(Path(path)) as connection:
        start = time.perf_counter()
        pairs = duckdb_pairs(connection, constraints)
        return {"pairs": pairs, "phases": {"query": time.perf_counter() - start}}


def duckdb_group(path: str, rules: str) -> dict[str, Any]:
    """DuckDB grouping the same columns."""
    import duckdb

    import candling

    names = ", ".join(f'"{name}"' for name in candling.load_constraints(rules).columns)
    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    start = time.perf_counter()
    query = f"SELECT {names}, count(*) FROM read_parquet(?) GROUP BY {names}"
    connection.execute(query, [path]).to_arrow_table()
    return {"pairs": 0, "phases": {"query": time.perf_counter() - start}}


WAYS: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "ours": release,
    "edge addition": edge_addition,
    "loop": loop,
    "DuckDB": duckdb_union,
    "DuckDB group": duckdb_group,
}


def run(way: str, table: Path, rules: Path, limit: float) -> Outcome | None:
    """One way in a process of its own; None if it did not end in time or memory."""
    command = [sys.executable, "-m", "benchmarks.scale", "--child", way, str(table), str(rules)]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=limit)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    return Outcome(**json.loads(done.stdout))


def child(way: str, table: str, rules: str) -> None:
    start = time.perf_counter()
    found = WAYS[way](table, rules)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "cpu": time.process_time(), "peak": own_peak(), **found}))


# ----------------------------------------------------------------------------------------- figures


def exponents(cases: Sequence[tuple[Case, Outcome]]) -> dict[str, list[tuple[int, int, float]]]:
    """Between each two sizes of the same table: the power of the rows by which time grows."""
    found: dict[str, list[tuple[int, int, float]]] = {}
    for kind in dict.fromkeys((case.kind, case.alpha) for case, _ in cases):
        own = [(case, o) for case, o in cases if (case.kind, case.alpha) == kind]
        found[f"{kind[0]} at {kind[1]:.1%}"] = [
            (a.rows, b.rows, math.log(y.cpu / x.cpu) / math.log(b.rows / a.rows))
            for (a, x), (b, y) in pairwise(own)
        ]
    return found


def shown(outcome: Outcome | None, *, memory: bool = True) -> str:
    if outcome is None:
        return "not in time"
    seconds = outcome.phases.get("query", outcome.seconds)
    return f"{seconds:.1f} s" + (f", {outcome.peak / GIB:.2f} GiB" if memory else "")


def plot(results: Sequence[tuple[Case, dict[str, Outcome | None]]], to: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (time_axis, memory_axis) = plt.subplots(1, 2, figsize=(11, 4))
    colours = {
        "ours": "#0072b2",
        "DuckDB": "#d55e00",
        "edge addition": "#009e73",
        "loop": "#999999",
    }
    markers = {"tax": "o", "flight": "s", "tax, continuous salary": "^", "tax, clean": "D"}
    for kind in dict.fromkeys((case.kind, case.alpha) for case, _ in results):
        for way, colour in colours.items():
            own = [
                (case.rows, outcome)
                for case, found in results
                if (case.kind, case.alpha) == kind and (outcome := found.get(way)) is not None
            ]
            if not own:
                continue
            rows = [n for n, _ in own]
            label = f"{way}, {kind[0]} at {kind[1]:.1%}"
            look: dict[str, Any] = {
                "color": colour,
                "marker": markers[kind[0]],
                "markersize": 4,
                "linestyle": "-" if kind[1] <= 0.005 else "--",
                "linewidth": 2 if way == "ours" else 1,
            }
            time_axis.loglog(rows, [o.seconds for _, o in own], label=label, **look)
            memory_axis.loglog(rows, [o.peak / GIB for _, o in own], **look)
    for axis, name in ((time_axis, "seconds"), (memory_axis, "peak GiB")):
        axis.set_xlabel("rows")
        axis.set_ylabel(name)
        axis.grid(alpha=0.3)
    figure.legend(fontsize=7, loc="center right")
    figure.tight_layout(rect=(0, 0, 0.76, 1))
    figure.savefig(to, dpi=120)


def rivals(
    case: Case, path: Path, rules: Path, pairs: int, limit: float
) -> dict[str, Outcome | None]:
    """The other ways, where they make sense."""
    ways = []
    if case.kind == "tax, clean":
        ways.append("DuckDB group")
    elif case.rows <= DUCKDB_ROWS:
        ways.append("DuckDB")
    if case.alpha and case.rows <= DUCKDB_ROWS:
        ways.append("edge addition")
    if case.alpha and pairs <= LOOP_PAIRS:
        ways.append("loop")
    found = {way: run(way, path, rules, limit) for way in ways}
    for way, outcome in found.items():
        if outcome is not None and way != "DuckDB group" and outcome.pairs != pairs:
            raise AssertionError(f"{way} counts other pairs")
    return found


def main_table(results: Sequence[tuple[Case, dict[str, Outcome | None]]]) -> Table:
    table = Table(title="From the Parquet file to five noisy measures")
    heads = ("case", "pairs", "ours", "CPU s", "DuckDB's query", "ratio", "edge addition", "loop")
    for head in heads:
        table.add_column(head, justify="left" if head == "case" else "right")
    for case, outcomes in results:
        ours = outcomes["ours"]
        if ours is None:
            table.add_row(case.name, "", "not in time")
            continue
        rival = outcomes.get("DuckDB", outcomes.get("DuckDB group"))
        ratio = f"{rival.phases['query'] / ours.seconds:.2f}" if rival is not None else ""
        asked = {"DuckDB", "DuckDB group"} & set(outcomes)
        table.add_row(
            case.name,
            f"{ours.pairs:,}",
            shown(ours),
            f"{ours.cpu:.1f}",
            shown(rival) if asked else "",
            ratio,
            shown(outcomes["edge addition"]) if "edge addition" in outcomes else "",
            shown(outcomes["loop"], memory=False) if "loop" in outcomes else "",
        )
    return table


def phase_table(finished: Sequence[tuple[Case, Outcome]]) -> Table:
    table = Table(title="Seconds by phase")
    table.add_column("case")
    names = list(finished[0][1].phases) if finished else []
    for name in names:
        table.add_column(name, justify="right")
    for case, outcome in finished:
        table.add_row(case.name, *(f"{outcome.phases[name]:.2f}" for name in names))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of datasets (or CANDLING_DATA)")
    parser.add_argument("--quick", action="store_true", help=f"up to {QUICK_ROWS:,} rows")
    parser.add_argument("--only", default="", help="cases whose name begins so")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds of each process")
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return

    found = datasets(existing_folder(options.data, REPOSITORY))
    results: list[tuple[Case, dict[str, Outcome | None]]] = []
    most = QUICK_ROWS if options.quick else math.inf
    with tempfile.TemporaryDirectory() as scratch:
        for case in CASES:
            if case.rows > most or not case.name.startswith(options.only):
                continue
            rules = found["flight_joined" if case.kind == "flight" else "tax_lookalike"].rules
            path = Path(scratch) / "table.parquet"
            write_table(case, found, path)
            print(case.name, "...", file=sys.stderr, flush=True)
            ours = run("ours", path, rules, options.limit)
            outcomes: dict[str, Outcome | None] = {"ours": ours}
            if ours is not None and not options.no_rivals:
                outcomes |= rivals(case, path, rules, ours.pairs, options.limit)
            results.append((case, outcomes))

    out = Console() if Console().is_terminal else Console(width=170)
    load = os.getloadavg()[0]
    out.print(f"{os.cpu_count()} cores, load average {load:.1f}; whole processes, imports included")
    finished = [(case, o["ours"]) for case, o in results]
    measured = [(case, outcome) for case, outcome in finished if outcome is not None]
    out.print(main_table(results))
    out.print(phase_table(measured))
    for kind, steps in exponents(measured).items():
        if steps:
            line = ", ".join(f"{a:,} to {b:,}: {e:.2f}" for a, b, e in steps)
            out.print(f"growth of CPU time as a power of the rows, {kind}: {line}")
    if options.json:
        figures = [
            asdict(case) | {way: None if o is None else asdict(o) for way, o in outcomes.items()}
            for case, outcomes in results
        ]
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    if options.plot:
        plot(results, options.plot)


if __name__ == "__main__":
    main()
