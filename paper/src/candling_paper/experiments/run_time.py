"""Run time over rows (Tax), over rules (Flight) and over datasets.

Each way is timed from the conflict graph on, as in the paper; finding the conflicts is timed apart.
The published loop is plain Python over a list of pairs: one pass for every threshold it looks at.
All times are of the CPU, of all threads together: other work on the machine hardly changes them.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

import candling
from candling import measures
from candling.measures import Setting
from candling.measures.facts import Facts
from candling.privacy import LevelsDraw
from candling.rules import ConstraintSet
from candling_paper import methods
from candling_paper.all_rows import AllRows, read_all_rows
from candling_paper.as_coded import NotPrivateTable
from candling_paper.datasets import Dataset
from candling_paper.experiments import figures
from candling_paper.experiments.dirty_tables import RNOISE, described
from candling_paper.experiments.estimates import (
    AS_CODED,
    AS_PRINTED,
    MADE_PRIVATE,
    MEASURES,
    OURS,
    REPAIR,
    REPEATED,
)
from candling_paper.experiments.experiment import PAPER, Comparison, Experiment
from candling_paper.experiments.loop_time import graph_of_dicts, graph_seconds, loop_seconds
from candling_paper.experiments.published_values import (
    GRAPH_BYTES,
    NAMES,
    NOT_RUN,
    PRIVATE_LP,
    SECONDS_BY_ROWS,
    SECONDS_BY_RULES,
    TAX_PAIRS,
    TAX_PAIRS_SMALL,
)
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import Estimate, mean, number, shown, where
from candling_paper.laplace import add_laplace, laplace_noise
from candling_paper.published import largest_groups
from candling_paper.vertex_cover import SENSITIVITY, vertex_cover

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BYTES_PER_PAIR = 60  # that edge addition needs, at worst: it takes every pair in order
LOOP_BYTES_PER_PAIR = 250  # of a list of tuples, and lists of neighbours
LOOP_SECONDS_PER_PAIR = 5e-7  # the least that ten passes of the loop take
TIMED = (AS_PRINTED, MADE_PRIVATE, OURS)
LEVELS_OF_NOISE = (0.005, 0.01)
RULES_ALPHA = 0.005
DATASETS_ALPHA = 0.001
EPSILON = Fraction(1)


@dataclass(frozen=True, slots=True)
class Timing:
    """One table to time everything on."""

    kind: str
    dataset: Dataset
    rows: int
    alpha: float
    rules: int | None = None  # the first so many; all if None

    def constraints(self) -> ConstraintSet:
        every = self.dataset.constraints()
        return every if self.rules is None else ConstraintSet(every.constraints[: self.rules])

    def table(self, rows: int) -> pa.Table:
        return self.dataset.noisy(rows, alpha=self.alpha, seed=0)

    def cell(self, setup: Setup) -> Cell:
        """The cell of work; what does not fit into memory is not run."""
        mode = setup.mode
        settings = {
            "dataset": self.dataset.name,
            "origin": self.dataset.origin,
            "rows": self.rows,
            "step": self.rows if self.rules is None else self.rules,
            "alpha": self.alpha,
            "loop_seconds": mode.loop_seconds,
            "repeats": mode.repeats,
            "memory_gib": setup.memory >> 30,
        }
        run = partial(self.run, mode.loop_seconds, mode.repeats, setup.memory)
        return Cell(self.kind, settings, run)

    def run(self, loop_limit: float, repeats: int, memory: int) -> list[Row]:
        """Seconds of every way and measure, and of finding the conflicts."""
        rules = self.constraints()
        head: Row = {
            **described(self.dataset, self.rows, 0),
            "noise": RNOISE,
            "alpha": self.alpha,
            "rules": len(rules),
        }
        self._warm_up(rules)
        table = self.table(self.rows)
        gc.collect()
        found: list[Facts] = []

        def find() -> None:
            found[:] = [candling.analyze(table, rules)._facts]  # noqa: SLF001 - looks inside

        seconds = {("all", "graph"): least_seconds(find, repeats)}
        facts = found[0]
        head |= {"rows": table.num_rows, "pairs": facts.graph.pairs}
        needed = facts.graph.pairs * BYTES_PER_PAIR
        all_rows = read_all_rows(table, rules)
        for measure in MEASURES:
            for way in (OURS,) if needed > memory else (MADE_PRIVATE, OURS):
                seconds[measure, way] = least_seconds(
                    lambda m=measure, w=way: release(facts, all_rows, m, w),  # type: ignore[misc]
                    repeats,
                )
        rows = [{**head, **_timed(*key, value)} for key, value in seconds.items()]
        if needed > memory:
            reason = (
                f"not run: the pairs in order need {needed / 2**30:,.0f} GiB, "
                f"{memory / 2**30:,.0f} are allowed"
            )
            rows += [{**head, **_timed(m, MADE_PRIVATE, None, reason)} for m in MEASURES]
        if facts.graph.pairs * LOOP_BYTES_PER_PAIR > memory:
            reason = "not run: the list of pairs needs too much memory"
            loop: dict[str, float | str] = dict.fromkeys(MEASURES, reason)
        elif facts.graph.pairs * LOOP_SECONDS_PER_PAIR > loop_limit:
            # The loop looks at the limit after each pass, which alone may take minutes.
            reason = f"not run: passes over all these pairs take more than {loop_limit:,.0f} s"
            loop = dict.fromkeys(MEASURES, reason)
        else:
            loop = _loop(all_rows, loop_limit)
        for measure, value in loop.items():
            rows.append({**head, **_loop_row(measure, value)})
        return rows

    def _warm_up(self, rules: ConstraintSet) -> None:
        """Compile what is compiled on first use."""
        all_rows = read_all_rows(self.table(min(self.rows, 200)), rules)
        for measure in MEASURES:
            for way in (MADE_PRIVATE, OURS):
                release(all_rows.facts, all_rows, measure, way)


def release(facts: Facts, all_rows: AllRows, measure: str, way: str) -> float:
    """One private number from the conflict graph; nothing that an earlier call found is used."""
    if way == OURS:
        return _release_ours(Facts(facts.classes, facts.graph), measure)
    fresh = AllRows(all_rows.classes, all_rows.rules)
    if measure == REPAIR:
        return float(add_laplace(vertex_cover(fresh.pairs), laplace_noise(SENSITIVITY, EPSILON)))
    method = methods.hierarchical()
    levels = method.cut_levels(fresh, measure, limit=fresh.classes.rows)
    return float(method.draw(fresh, levels, EPSILON).value * levels.step)


def _release_ours(facts: Facts, measure: str) -> float:
    if measure == REPAIR:
        number = measures.REPAIR.number(facts)
        noise = laplace_noise(number.growth, EPSILON)
        return float(add_laplace(number.value, noise) * number.step)
    (statistic,) = measures.MEASURES[measure].true_statistics(facts, Setting())
    (drawn,) = LevelsDraw([statistic], EPSILON, None).draw()
    return float(drawn.value * statistic.step)


def least_seconds(action: Callable[[], object], repeats: int) -> float:
    """The least of several CPU times; of two if it takes long, as the first may compile a loop."""
    least = float("inf")
    for done in range(repeats):
        start = time.process_time()
        action()
        least = min(least, time.process_time() - start)
        if least > 5 and done:
            break
    return least


def _loop(all_rows: AllRows, limit: float) -> dict[str, float | str]:
    pairs = list(all_rows.pairs)
    rows = all_rows.classes.rows
    bound = sum(largest_groups(all_rows.classes))
    found: dict[str, float | str] = {}
    for measure in MEASURES:
        seconds = loop_seconds(measure, pairs, rows, bound=bound, limit=limit)
        found[measure] = f"not run: takes more than {limit:,.0f} s" if seconds is None else seconds
    return found


def _loop_row(measure: str, value: float | str) -> Row:
    if isinstance(value, str):
        return _timed(measure, AS_PRINTED, None, value)
    return _timed(measure, AS_PRINTED, value)


def _timed(measure: str, way: str, seconds: float | None, note: str | None = None) -> Row:
    private = {AS_PRINTED: REPEATED, AS_CODED: REPEATED, "graph": "no release"}.get(way, "yes")
    return {
        "measure": measure,
        "method": way,
        "private": private,
        "seconds": seconds,
        "note": note,
    }


# ------------------------------------------------------------------------------- the experiments


def row_cells(setup: Setup) -> Iterator[Cell]:
    """Tax look-alikes of growing size."""
    for alpha in LEVELS_OF_NOISE:
        for rows in setup.mode.sizes:
            timing = Timing("run_time_rows", setup.data["tax_lookalike"], rows, alpha)
            yield timing.cell(setup)


def rule_cells(setup: Setup) -> Iterator[Cell]:
    """Flight under its first rules; with the same noise, and with as much again for each rule."""
    for rules in setup.mode.rule_counts:
        for alpha in dict.fromkeys((RULES_ALPHA, round(RULES_ALPHA * rules, 6))):
            timing = Timing("run_time_rules", setup.data["flight"], setup.mode.rows, alpha, rules)
            yield timing.cell(setup)


def dataset_cells(setup: Setup) -> Iterator[Cell]:
    """All datasets with little noise."""
    for name in NAMES:
        timing = Timing("run_time_datasets", setup.data[name], setup.mode.rows, DATASETS_ALPHA)
        yield timing.cell(setup)


def loop_cells(setup: Setup) -> Iterator[Cell]:
    """The printed seconds again, by the loop over a graph of dicts: Tax, and Flight's rules."""
    few, most = min(setup.mode.rule_counts), max(setup.mode.rule_counts)
    tax, flight, largest = setup.data["tax_lookalike"], setup.data["flight"], setup.mode.rows
    sizes = [rows for rows in setup.mode.sizes if rows <= largest]
    timings = [Timing("run_time_loop", tax, rows, LEVELS_OF_NOISE[0]) for rows in sizes]
    for rules in (few, most):
        alpha = round(RULES_ALPHA * rules, 6)
        timings.append(Timing("run_time_loop", flight, largest, alpha, rules))
    for timing in timings:
        settings = {
            "dataset": timing.dataset.name,
            "origin": timing.dataset.origin,
            "rows": timing.rows,
            "step": timing.rows if timing.rules is None else timing.rules,
            "alpha": timing.alpha,
            "loop_seconds": setup.mode.loop_seconds,
        }
        yield Cell("run_time_loop", settings, partial(_time_graph, timing, setup.mode.loop_seconds))


def _time_graph(timing: Timing, limit: float) -> list[Row]:
    rules = timing.constraints()
    table = timing.table(timing.rows)
    seen = NotPrivateTable.of(table, rules, timing.dataset.sample(timing.rows, seed=0))
    graph = graph_of_dicts(seen.pool.pairs, seen.rows)
    head: Row = {
        **described(timing.dataset, table.num_rows, 0),
        "noise": RNOISE,
        "alpha": timing.alpha,
        "rules": len(rules),
        "pairs": sum(map(len, graph.values())) // 2,
    }
    rows: list[Row] = []
    for measure in MEASURES:
        seconds = graph_seconds(measure, graph, bound=sum(seen.groups), limit=limit)
        note = None if seconds is not None else f"not run: takes more than {limit:,.0f} s"
        rows.append({**head, **_timed(measure, AS_CODED, seconds, note)})
    return rows


def loop_tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """As they are."""
    return {"run_time_loop": rows}


def row_tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """With the printed seconds beside the published loop."""
    return {"run_time_rows": [{**row, "printed": _printed_by_rows(row)} for row in rows]}


def _printed_by_rows(row: Row) -> float | None:
    printed = SECONDS_BY_ROWS.get(int(number(row, "rows")))
    there = row["method"] == AS_PRINTED and row["alpha"] == LEVELS_OF_NOISE[0]
    return printed.value if printed and there else None


def rule_tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """With the printed seconds beside the published loop."""
    found: list[Row] = []
    for row in rows:
        printed = SECONDS_BY_RULES.get((str(row["measure"]), int(number(row, "rules"))))
        there = row["method"] == AS_PRINTED and _grows(row)
        found.append({**row, "printed": printed.value if printed and there else None})
    return {"run_time_rules": found}


def dataset_tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """As they are: the paper draws them and prints no number."""
    return {"run_time_datasets": rows}


def _grows(row: Row) -> bool:
    """Whether the noise is that of the printed times: 0.5% for each rule."""
    return abs(number(row, "alpha") - RULES_ALPHA * number(row, "rules")) < 1e-9


def draw_rows(setup: Setup, rows: list[Row]) -> Figure:
    """Two levels of noise by three measures, both axes logarithmic."""
    figure, panels = figures.new_figure(2, 3, width=11, height=7)
    for i, alpha in enumerate(LEVELS_OF_NOISE):
        for j, measure in enumerate(figures.MEASURES):
            panel = panels[i][j]
            here = where(rows, alpha=alpha)
            for way in ("graph", *TIMED):
                name = "all" if way == "graph" else measure
                _line(panel, where(here, measure=name, method=way), "rows", figures.LOOKS[way])
            if i == 0:
                panel.set_title(figures.MEASURE_TITLES[measure])
                points = [(n, p.value) for n, p in SECONDS_BY_ROWS.items()]
                printed = {**figures.PRINTED.line, "markersize": 9}
                panel.plot(*zip(*points, strict=True), **printed)
            figures.log_scale(panel, "xy")
            panel.set_xlabel("rows")
            if j == 0:
                panel.set_ylabel(f"CPU seconds, {figures.percent(alpha)} RNoise")
    pairs = {
        f"{int(number(r, 'rows')):,}": shown(number(r, "pairs"))
        for r in where(rows, alpha=LEVELS_OF_NOISE[0], method="graph")
    }
    counted = ", ".join(f"{p} of {n} rows" for n, p in pairs.items())
    foot = figures.footer(
        setup,
        ("tax_lookalike",),
        f"Pairs at 0.5%: {counted}",
        f"Not run in the paper: {NOT_RUN}",
        *(["Not run: " + "; ".join(notes)] if (notes := _notes(rows)) else []),
        "CPU time of all threads; the published loop in plain Python, on a list of pairs",
    )
    title = "Run time over the rows of Tax, from the conflict graph to a number"
    return figures.finish(figure, title, foot, legend=5)


def draw_rules(setup: Setup, rows: list[Row]) -> Figure:
    """Two ways to add noise by three measures."""
    figure, panels = figures.new_figure(2, 3, width=11, height=7)
    for i, growing in enumerate((True, False)):
        here = [r for r in rows if (_grows(r) if growing else number(r, "alpha") == RULES_ALPHA)]
        for j, measure in enumerate(figures.MEASURES):
            panel = panels[i][j]
            for way in ("graph", *TIMED):
                name = "all" if way == "graph" else measure
                _line(panel, where(here, measure=name, method=way), "rules", figures.LOOKS[way])
            if growing:
                panel.set_title(figures.MEASURE_TITLES[measure])
                points = [
                    (rules, p.value) for (m, rules), p in SECONDS_BY_RULES.items() if m == measure
                ]
                printed = {**figures.PRINTED.line, "markersize": 9}
                panel.plot(*zip(*points, strict=True), **printed)
            figures.log_scale(panel)
            panel.set_xlabel("rules")
            if j == 0:
                noise = "0.5% RNoise for each rule" if growing else "0.5% RNoise"
                panel.set_ylabel(f"CPU seconds, {noise}")
    foot = figures.footer(
        setup,
        ("flight",),
        f"{setup.mode.rows:,} rows at most; the paper names 0.5% for one rule and 6.5% for 13",
        *(["Not run: " + "; ".join(notes)] if (notes := _notes(rows)) else []),
        "CPU time of all threads; the published loop in plain Python, on a list of pairs",
    )
    title = "Run time over the rules of Flight, from the conflict graph to a number"
    return figures.finish(figure, title, foot, legend=5)


def draw_datasets(setup: Setup, rows: list[Row]) -> Figure:
    """Bars by dataset, from sparse to dense."""
    figure, panels = figures.new_figure(1, 3, width=12, height=4.2)
    for panel, measure in zip(panels[0], figures.MEASURES, strict=True):
        bars = figures.Bars(panel, [setup.data[name].title for name in NAMES])
        for way in (*TIMED, "graph"):
            name = "all" if way == "graph" else measure
            here = where(rows, measure=name, method=way)
            heights = [mean(where(here, dataset=n), "seconds") for n in NAMES]
            bars.add(figures.LOOKS[way], heights, len(TIMED) + 1)
        figures.log_scale(panel)
        panel.set_title(figures.MEASURE_TITLES[measure])
    panels[0][0].set_ylabel("CPU seconds")
    pairs = ", ".join(
        f"{setup.data[str(r['dataset'])].title} {shown(number(r, 'pairs'))}"
        for r in where(rows, method="graph")
    )
    foot = figures.footer(
        setup,
        NAMES,
        f"{setup.mode.rows:,} rows at most, {figures.percent(DATASETS_ALPHA)} RNoise",
        f"Pairs: {pairs}",
        "CPU time of all threads; the paper draws these times and prints no number",
    )
    title = "Run time over datasets, from the conflict graph to a number"
    return figures.finish(figure, title, foot, legend=4)


def _line(panel: Any, rows: list[Row], x: str, look: figures.Look) -> None:
    points = sorted((number(r, x), number(r, "seconds")) for r in rows if r["seconds"] is not None)
    if points:
        panel.plot(*zip(*points, strict=True), **look.line)


def _notes(rows: list[Row]) -> list[str]:
    """What was not run and why, each thing once."""
    found: dict[str, None] = {}
    for row in rows:
        if row["note"] is None:
            continue
        size = f"{int(number(row, 'rows')):,} rows, {int(number(row, 'rules'))} rules"
        which = f"{row['measure']} as published, " if row["method"] == AS_PRINTED else ""
        said = str(row["note"]).removeprefix("not run: ")
        found[f"{which}{size} at {figures.percent(number(row, 'alpha'))}: {said}"] = None
    return list(found)


def compare_rows(rows: list[Row]) -> list[Comparison]:
    """The printed seconds: the slowest of the three measures, as the text does not say which."""
    found = []
    here = where(rows, alpha=LEVELS_OF_NOISE[0])
    for size, printed in SECONDS_BY_ROWS.items():
        found.append(Comparison(printed, **_slowest(where(here, rows=size))))
    for size, printed in ((100, TAX_PAIRS_SMALL), (1_000_000, TAX_PAIRS)):
        pairs = mean(where(here, rows=size, method="graph"), "pairs")
        found.append(Comparison(printed, fact=None if pairs is None else Estimate(pairs)))
    found.append(Comparison(GRAPH_BYTES))
    linear = _slowest(where(rows, rows=1_000, measure=REPAIR))
    found.append(Comparison(PRIVATE_LP, ours=linear["ours"]))
    return found


def compare_rules(rows: list[Row]) -> list[Comparison]:
    """At one rule and at all."""
    growing = [row for row in rows if _grows(row)]
    return [
        Comparison(printed, **_slowest(where(growing, measure=measure, rules=rules)))
        for (measure, rules), printed in SECONDS_BY_RULES.items()
    ]


def compare_loop(rows: list[Row]) -> list[Comparison]:
    """The printed seconds beside those of the loop over a graph of dicts."""
    tax, flight = where(rows, dataset="tax_lookalike"), where(rows, dataset="flight")
    return [
        *(
            Comparison(printed, **_slowest(where(tax, rows=size)))
            for size, printed in SECONDS_BY_ROWS.items()
        ),
        *(
            Comparison(printed, **_slowest(where(flight, measure=measure, rules=rules)))
            for (measure, rules), printed in SECONDS_BY_RULES.items()
        ),
    ]


def _slowest(rows: list[Row]) -> dict[str, Estimate | None]:
    found: dict[str, Estimate | None] = {}
    for column, way in PAPER.items():
        here = [r for r in where(rows, method=way) if r["seconds"] is not None]
        seconds = [number(r, "seconds") for r in here]
        found[column] = Estimate(max(seconds)) if seconds else None
    return found


BY_ROWS = Experiment(
    "run_time_rows", "Run time over rows", row_cells, row_tables, draw_rows, compare_rows
)
BY_RULES = Experiment(
    "run_time_rules", "Run time over rules", rule_cells, rule_tables, draw_rules, compare_rules
)
BY_LOOP = Experiment(
    "run_time_loop",
    "Run time of the authors' loop, over a graph of dicts",
    loop_cells,
    loop_tables,
    compare=compare_loop,
)
BY_DATASETS = Experiment(
    "run_time_datasets", "Run time over datasets", dataset_cells, dataset_tables, draw_datasets
)
