"""A table on a cluster of Spark, beside the embedded engine, and with a worker killed on the way.

python -m benchmarks.cluster [--rows N] [--no-kill] [--data FOLDER] [--json FILE]

Starts a master and two workers on this machine (one core and 2 GiB each), measures Flight with
0.5% RNoise through `candling.analyze(..., engine="spark://...")`, and looks what Spark did for it.
Every run is a process of its own, from Parquet files to the exact measures and a release; DuckDB
runs just before the cluster does, and all must measure the same. Then a worker and its executor are
killed (SIGKILL) while the query runs, at several points of it: the same measures are due again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from benchmarks.event_log import Work, read_work
from benchmarks.peak import own_peak
from benchmarks.standalone import Cluster, cluster, processes
from candling_paper.datasets import Dataset, datasets, existing_folder

REPOSITORY = Path(__file__).parents[1]
SEED = 0
ALPHA = 0.005
FILES = 8
MIB = 2**20
LIMIT = 1800.0  # seconds of a process
SEARCH = 600.0  # seconds for the smallest repair: long enough that no run gives up on it
ROWS = 500_000
KILL_AT = (0.3, 0.8)  # of the query's tasks
POLL = 0.02  # seconds


@dataclass(frozen=True, slots=True)
class Case:
    """One table: a sample with noise, `copies` times over."""

    dataset: str
    rows: int
    alpha: float = ALPHA
    copies: int = 1

    @property
    def name(self) -> str:
        kind = self.dataset.partition("_")[0]
        noise = f" at {self.alpha:.1%}" if self.alpha else ", clean"
        times = f" {self.copies} times" if self.copies > 1 else ""
        return f"{kind} {self.rows:,}{times}{noise}"


CASES = (
    *(Case("flight_joined", n) for n in (50_000, 100_000, 250_000, ROWS)),
    Case("flight_joined", ROWS, copies=4),
    Case("tax_lookalike", 1_000_000),
    Case("stock", 120_911),
    Case("flight_joined", ROWS, copies=10),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one process took and found; `phases` are seconds in turn."""

    seconds: float
    phases: dict[str, float]
    exact: dict[str, Any]
    released: bool
    collected_rows: int
    collected_bytes: int
    cpu: float  # seconds of the driver: Python's, and Java's in it
    python_peak: int
    java_peak: int
    application: str | None = None
    killed: str | None = None  # at which point


# -------------------------------------------------------------------------------------- the tables


def write_table(case: Case, dataset: Dataset, to: Path) -> int:
    """The table in several files of one folder; its number of rows."""
    table = dataset.sample(case.rows, seed=SEED)
    if case.alpha:
        table = dataset.noisy(case.rows, alpha=case.alpha, seed=SEED)
    table = pa.concat_tables([table] * case.copies).combine_chunks()
    to.mkdir()
    for number in range(FILES):
        start, end = (table.num_rows * k // FILES for k in (number, number + 1))
        pq.write_table(table.slice(start, end - start), to / f"{number}.parquet")
    return int(table.num_rows)


# ---------------------------------------------------------------------------- one process for each


def child(path: str, rules: str, engine: str, kill: dict[str, float] | None) -> None:
    """One measurement; prints its Outcome."""
    start = last = time.perf_counter()
    phases: dict[str, float] = {}

    def done(phase: str) -> None:
        nonlocal last
        phases[phase] = phases.get(phase, 0.0) + time.perf_counter() - last
        last = time.perf_counter()

    import candling
    from candling.tables import core
    from candling.tables.classes import CoreColumns

    ask, code = core.core_query, CoreColumns.encode
    collected: list[int] = []  # bytes

    def asking(*arguments: Any) -> Any:
        done("opening")
        return ask(*arguments)

    def coding(columns: CoreColumns, table: pa.Table, **options: Any) -> Any:
        done("query")
        collected.append(table.nbytes)
        return code(columns, table, **options)

    killed: list[str] = []
    if kill is not None:
        watch = (int(kill["worker"]), kill["tasks"], killed)
        threading.Thread(target=kill_worker, args=watch, daemon=True).start()
    constraints = candling.load_constraints(rules)
    done("import")
    with patch.object(core, "core_query", asking), patch.object(CoreColumns, "encode", coding):
        study = candling.analyze(path, constraints, engine=engine)
    done("conflicts")
    exact = candling.Exact(study._facts.exact(search=SEARCH))  # noqa: SLF001 - a benchmark looks inside
    done("exact measures")
    card = study.release(epsilon=1)
    done("release")
    seconds = last - start
    spark = sys.modules.get("pyspark")
    context = None if spark is None else spark.SparkContext._active_spark_context  # noqa: SLF001
    java = Used(0.0, 0) if context is None else used(context._gateway.proc.pid)  # noqa: SLF001
    outcome = Outcome(
        seconds=seconds,
        phases=phases,
        exact=exact.to_dict(),
        released=card.repair.value is not None,
        collected_rows=len(study._facts.classes.weights),  # noqa: SLF001 - a benchmark
        collected_bytes=sum(collected),
        cpu=time.process_time() + java.cpu,
        python_peak=own_peak(),
        java_peak=java.peak,
        application=None if context is None else context.applicationId,
        killed=killed[0] if killed else None,
    )
    if context is not None:
        context.stop()
    print(json.dumps(asdict(outcome)))


def kill_worker(worker: int, tasks: float, told: list[str]) -> None:
    """Kill the worker's processes when so many tasks are done and another one is running."""
    from pyspark import SparkContext

    newest, began = -1, 0.0
    while True:
        time.sleep(POLL)
        context = SparkContext._active_spark_context  # noqa: SLF001 - no public name for it
        if context is None or getattr(context, "_jsc", None) is None:  # it is still starting
            continue
        tracker = context.statusTracker()
        newest = max(newest, *tracker.getActiveStageIds(), -1)
        began = began or (time.perf_counter() if newest >= 0 else 0.0)
        stages = [s for n in range(newest + 1) if (s := tracker.getStageInfo(n)) is not None]
        done = sum(stage.numCompletedTasks for stage in stages)
        running = [stage for stage in stages if stage.numActiveTasks]
        if done < tasks or not running:
            continue
        count = len(processes(worker))
        os.killpg(worker, signal.SIGKILL)
        where = ", ".join(
            f"{s.numCompletedTasks} of {s.numTasks} tasks of stage {s.stageId}" for s in running
        )
        told.append(
            f"{time.perf_counter() - began:.1f} s after the first stage began, {done} tasks done, "
            f"{sum(s.numActiveTasks for s in running)} running ({where}), {count} processes"
        )
        return


@dataclass(frozen=True, slots=True)
class Used:
    """What a process has had until now: seconds of CPU, and the most bytes at a time."""

    cpu: float
    peak: int


def used(process: int) -> Used:
    folder = Path(f"/proc/{process}")
    ticks = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
    mark = re.search(r"VmHWM:\s+(\d+) kB", (folder / "status").read_text())
    cpu = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return Used(cpu, int(mark[1]) * 1024 if mark else 0)


def run(
    path: Path,
    rules: Path,
    on: Cluster | None = None,
    kill: dict[str, float] | None = None,
) -> Outcome:
    """One measurement in a process of its own, on a cluster or embedded."""
    arguments = [f"{path}/*.parquet", str(rules), "duckdb" if on is None else on.address]
    command = [sys.executable, "-m", "benchmarks.cluster", "--child", *arguments]
    if kill is not None:
        command += ["--kill", json.dumps(kill)]
    environment = dict(os.environ) if on is None else on.environment()
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=LIMIT, env=environment
    )
    if done.returncode:
        raise RuntimeError(f"a run on {arguments[-1]} failed:\n{done.stderr[-2000:]}")
    return Outcome(**json.loads(done.stdout.splitlines()[-1]))


# ----------------------------------------------------------------------------------------- figures


@dataclass(frozen=True, slots=True)
class Line:
    """One run on the cluster, and the embedded engine's on the same table."""

    case: Case
    rows: int
    bytes: int  # of the files
    load: float
    embedded: Outcome
    spark: Outcome
    work: Work


def measured(case: Case, dataset: Dataset, on: Cluster, scratch: Path) -> Iterator[Line]:
    """The table on both engines, and then, while the caller asks for more, with a worker killed."""
    path = scratch / "table"
    rows = write_table(case, dataset, path)
    size = sum(file.stat().st_size for file in path.iterdir())
    embedded = run(path, dataset.rules)
    whole: int | None = None
    shares = (None, *KILL_AT)
    for share in shares:
        kill = None
        if share is not None and whole is not None:
            kill = {"worker": on.workers[-1], "tasks": share * whole}
        spark = run(path, dataset.rules, on, kill)
        print(
            "  ", share, f"{spark.seconds:.1f} s", spark.killed or "", file=sys.stderr, flush=True
        )
        work = read_work(on.events / str(spark.application))
        if kill is None:
            whole = work.tasks
        elif spark.killed is None:
            raise RuntimeError("the query was over before a worker was killed: take more rows")
        else:
            on.forget(int(kill["worker"]))
            on.add_worker()
        agree(embedded, spark)
        yield Line(case, rows, size, os.getloadavg()[0], embedded, spark, work)


def agree(one: Outcome, two: Outcome) -> None:
    if one.exact != two.exact:
        raise AssertionError(f"the engines measure differently: {one.exact} and {two.exact}")
    if not (one.released and two.released):
        raise AssertionError("a release has no repair")


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="candling-cluster-", ignore_cleanup_errors=True) as own:
        yield Path(own)


def show(lines: list[Line], out: Console) -> None:
    columns: dict[str, Callable[[Line], str]] = {
        "table": lambda x: x.case.name,
        "rows": lambda x: f"{x.rows:,}",
        "rows collected": lambda x: f"{x.spark.collected_rows:,}",
        "share": lambda x: f"{x.spark.collected_rows / x.rows:.2%}",
        "files MiB": lambda x: f"{x.bytes / MIB:.1f}",
        "collected MiB": lambda x: f"{x.spark.collected_bytes / MIB:.1f}",
        "rows read": lambda x: f"{x.work.read_rows:,}",
        "read MiB": lambda x: f"{x.work.read_bytes / MIB:.1f}",
        "shuffled rows": lambda x: f"{x.work.shuffled_rows:,}",
        "shuffled MiB": lambda x: f"{x.work.shuffled_bytes / MIB:.1f}",
        "spilled MiB": lambda x: f"{x.work.spilled_bytes / MIB:.1f}",
        "tasks": lambda x: f"{x.work.tasks}",
        "task s": lambda x: f"{x.work.run_seconds:.1f}",
        "task CPU s": lambda x: f"{x.work.cpu_seconds:.1f}",
    }
    print_table("What the cluster did", lines, columns, out)
    columns = {
        "table": lambda x: x.case.name + (", worker killed" if x.spark.killed else ""),
        "load": lambda x: f"{x.load:.1f}",
        "DuckDB s": lambda x: f"{x.embedded.seconds:.1f}",
        "its query": lambda x: f"{query(x.embedded):.2f}",
        "cluster s": lambda x: f"{x.spark.seconds:.1f}",
        "ratio": lambda x: f"{x.spark.seconds / x.embedded.seconds:.1f}",
        "DuckDB CPU s": lambda x: f"{x.embedded.cpu:.1f}",
        "cluster CPU s": lambda x: f"{x.spark.cpu + x.work.cpu_seconds:.1f}",
        "CPU ratio": lambda x: f"{(x.spark.cpu + x.work.cpu_seconds) / x.embedded.cpu:.1f}",
        **{
            name: (lambda x, name=name: f"{x.spark.phases[name]:.1f}")  # type: ignore[misc]
            for name in lines[0].spark.phases
        },
        "Python MiB": lambda x: f"{x.spark.python_peak / MIB:.0f}",
        "Java MiB": lambda x: f"{x.spark.java_peak / MIB:.0f}",
    }
    print_table("Seconds, and the driver's peak memory", lines, columns, out)
    for line in lines:
        if line.spark.killed:
            failed = ", ".join(f"{n} {reason}" for reason, n in line.work.failed.items()) or "none"
            out.print(
                f"{line.case.name}: killed {line.spark.killed}. Executors lost: "
                f"{line.work.lost_executors}; failed tasks: {failed}; stages repeated: "
                f"{line.work.repeated_stages}. Same measures."
            )
    for case in dict.fromkeys(line.case for line in lines):
        found = next(line.embedded.exact for line in lines if line.case == case)
        out.print(f"{case.name}: the same on all: {found}")


def query(outcome: Outcome) -> float:
    return outcome.phases["query"]


def print_table(
    title: str, lines: list[Line], columns: dict[str, Callable[[Line], str]], out: Console
) -> None:
    table = Table(title=title)
    for head in columns:
        table.add_column(head, justify="left" if head == "table" else "right")
    for line in lines:
        table.add_row(*(text(line) for text in columns.values()))
    out.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of datasets (or CANDLING_DATA)")
    parser.add_argument("--rows", type=int, help="of Flight: this one table instead of all")
    parser.add_argument("--no-kill", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--kill", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        path, rules, engine = options.child
        child(path, rules, engine, options.kill)
        return

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # and tidy up
    found = datasets(existing_folder(options.data, REPOSITORY))
    chosen = CASES if options.rows is None else (Case("flight_joined", options.rows),)
    victim = next(c for c in chosen if options.rows is not None or c.rows == ROWS)
    lines: list[Line] = []
    with folder() as scratch, cluster(scratch) as on:
        for case in chosen:
            print(case.name, "...", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(dir=scratch) as own:
                runs = measured(case, found[case.dataset], on, Path(own))
                for line in runs:
                    lines.append(line)
                    if options.json:  # as far as it got, should it not come to an end
                        figures = [asdict(line) for line in lines]
                        options.json.write_text(json.dumps(figures, indent=2) + "\n")
                    if options.no_kill or case != victim:
                        break
    out = Console() if Console().is_terminal else Console(width=200)
    show(lines, out)


if __name__ == "__main__":
    main()
