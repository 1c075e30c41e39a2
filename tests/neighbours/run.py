"""Long runs: `python -m tests.neighbours.run --cases 20000 --engine duckdb --seed 1`.

Prints how many cases there were, how long they took, and every violation: its name, how often it
was found, and a small table that shows it. A case is a table with one more row. Cases come in
groups: a table and each choice of three more rows are eight tables, of which twelve pairs differ in
one row. The same seed and number draw the same group again: `--first 17 --cases 12` is group 17.

A worker process does the work. Where a group takes longer than the limit, the worker is ended, the
group counts as stuck, and another worker goes on behind it.
"""

# ruff: noqa: T201 - this is a program, and it prints

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any

from tests import postgres, spark
from tests.neighbours.check import Verdict, check, shrunk
from tests.neighbours.guessing import types_are_guessed
from tests.neighbours.places import Places, duckdb_places, postgres_places, spark_places
from tests.neighbours.queries import queries_once
from tests.neighbours.tables import Case, draw_case

MORE = 3  # rows that a group adds to its table
CASES = MORE * 2 ** (MORE - 1)  # of a group
_START = 120.0  # seconds until a worker must be at work


def case_of(options: argparse.Namespace, number: int) -> Case:
    """The case of a number."""
    return draw_case(
        random.Random(f"{options.engine}-{options.seed}-{number}"),
        options.engine,
        source=options.source,
        about=options.about,
        more=MORE,
    )


@contextmanager
def places_of(engine: str) -> Iterator[Places]:
    """The engine, from nothing to nothing."""
    folder = Path(tempfile.mkdtemp(prefix="candling-neighbours-"))
    try:
        if engine == "duckdb":
            with duckdb_places(folder) as places:
                yield places
        elif engine == "postgres":
            with postgres.running() as server, postgres_places(server) as places:
                yield places
        else:
            session = spark.start(folder)
            with spark_places(session, folder) as places:
                yield places
            session.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# -------------------------------------------------------------------------------------- the worker


def work(options: argparse.Namespace, numbers: range) -> None:
    """Check some groups and say of each, line by line, what was found."""
    shown: set[str] = set()
    planted = types_are_guessed() if options.guess else nullcontext()
    with places_of(options.engine) as places, planted:
        for number in numbers:
            _say({"start": number})
            with queries_once():
                verdict = check(case_of(options, number), places)
                _say(_report(number, verdict, places, shown, options.shrink))


def _report(
    number: int, verdict: Verdict, places: Places, shown: set[str], tries: int
) -> dict[str, Any]:
    found = []
    for violation in verdict.violations:
        name = violation.name
        example = None
        if name not in shown:
            shown.add(name)
            small = shrunk(violation, places, tries)
            example = f"{small.way}: {small.text}\n{small.case}"
        found.append({"name": name, "example": example})
    cpu = time.process_time()
    return {"done": number, "refused": verdict.refused, "violations": found, "cpu": cpu}


def _say(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


# ------------------------------------------------------------------------------ who watches over it


class Run:
    """Counts what workers say."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.lock = threading.Lock()
        self.groups = self.refused = 0
        self.cpu = 0.0  # seconds of the workers, without servers and Java
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, tuple[int, str]] = {}

    def watch(self, numbers: range) -> None:
        """Let workers check these groups, one after the other."""
        while numbers:
            reached = self._worker(numbers)
            if reached < numbers.start:  # it did not even start, and would not the next time
                return
            numbers = range(reached + numbers.step, numbers.stop, numbers.step)

    def _worker(self, numbers: range) -> int:
        """Watch one worker; the last group it was at."""
        command = [sys.executable, "-m", "tests.neighbours.run", *sys.argv[1:]]
        command += ["--worker", f"{numbers.start},{numbers.stop},{numbers.step}"]
        with tempfile.TemporaryFile("w+") as errors:
            worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
            lines: queue.Queue[str | None] = queue.Queue()
            threading.Thread(target=_read, args=(worker.stdout, lines), daemon=True).start()
            at, limit, used = numbers.start - numbers.step, _START, 0.0
            while True:
                try:
                    line = lines.get(timeout=limit)
                except queue.Empty:
                    worker.kill()
                    worker.wait()
                    self._add(
                        at, "stuck", f"no end within {limit:g} s\n{case_of(self.options, at)}"
                    )
                    return at
                if line is None:
                    break
                said = json.loads(line)
                limit = self.options.limit
                at = said.get("start", at)
                if "done" in said:
                    self._done(said, said["cpu"] - used)
                    used = said["cpu"]
            if worker.wait():
                errors.seek(0)
                self._add(at, "crashed", f"{errors.read()[-1500:]}\n{case_of(self.options, at)}")
                return at
        return numbers.stop

    def _add(self, number: int, name: str, example: str | None) -> None:
        with self.lock:
            self.counts[name] += 1
            if self.counts[name] == 1:  # long before the end
                print(f"group {number}: {name}", file=sys.stderr, flush=True)
            if example is not None and name not in self.examples:
                self.examples[name] = (number, example)

    def _done(self, said: dict[str, Any], cpu: float) -> None:
        with self.lock:
            self.cpu += cpu
            self.groups += 1
            self.refused += said["refused"]
        for violation in said["violations"]:
            self._add(said["done"], violation["name"], violation["example"])

    def print(self, seconds: float) -> None:
        """All that was found."""
        cases = self.groups * CASES
        print(
            f"{self.options.engine}, seed {self.options.seed}: {cases} cases in {self.groups} "
            f"groups ({self.refused} groups refused by their schema), {seconds:.0f} s "
            f"({self.cpu:.0f} s of processor time), {cases / seconds:.2f} cases/s, "
            f"{sum(self.counts.values())} violations of {len(self.counts)} names"
        )
        for name, count in self.counts.most_common():
            number, example = self.examples.get(name, (-1, ""))
            print(f"\n{count} x {name} (first in group {number})")
            print("    " + example.replace("\n", "\n    "))


def _read(stream: IO[str] | None, lines: queue.Queue[str | None]) -> None:
    if stream is not None:
        for line in stream:
            lines.put(line)
    lines.put(None)


def main() -> int:
    """0 where no violation was found, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.neighbours.run", description=__doc__)
    parser.add_argument("--engine", choices=("duckdb", "postgres", "spark"), default="duckdb")
    parser.add_argument("--cases", type=int, default=1000, help="tables with one more row")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first group")
    parser.add_argument(
        "--source", action="append", help="one source instead of all, such as csv; more than once"
    )
    parser.add_argument("--about", help="one type instead of all, such as TIMESTAMPTZ")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a group of cases")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--shrink", type=int, default=25, help="tries to make an example smaller")
    parser.add_argument("--guess", action="store_true", help="guess types: violations are found")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options, range(*map(int, options.worker.split(","))))
        sys.stdout.flush()
        os._exit(0)  # Java and numba take their time to end
    last = options.first + -(-options.cases // CASES)
    run = Run(options)
    began = time.monotonic()
    watchers = [
        threading.Thread(target=run.watch, args=(range(options.first + k, last, options.jobs),))
        for k in range(options.jobs)
    ]
    for watcher in watchers:
        watcher.start()
    try:
        for watcher in watchers:
            watcher.join()
    except KeyboardInterrupt:  # how far it came is worth knowing
        run.print(time.monotonic() - began)
        os._exit(130)
    run.print(time.monotonic() - began)
    return 1 if run.counts else 0


if __name__ == "__main__":
    sys.exit(main())
