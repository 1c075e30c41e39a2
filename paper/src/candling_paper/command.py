"""`candling reproduce`: the experiments of the paper, as tables and figures."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from candling.cli import options
from candling.errors import UsageError
from candling.render import terminal as output

if TYPE_CHECKING:
    from candling_paper.datasets import Dataset
    from candling_paper.experiments import Outcome, Setup
    from candling_paper.experiments.runner import Progress


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="The experiments to run; all of them if you name none.",
            show_default=False,
        ),
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick",
            help="Run at the paper's scale (an hour or two), or a small version (minutes).",
        ),
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The folder of datasets: a folder for each, with a file of rows and its rules in "
            "dcs.txt; also read from CANDLING_DATA. A made-up look-alike replaces a dataset of the "
            "paper that is missing.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where tables and figures go.")] = Path(
        "paper-results"
    ),
    memory: Annotated[
        float | None,
        typer.Option(
            metavar="GIB",
            min=0.001,
            help="Skip runs that need more memory. The default is three quarters of the machine's.",
            show_default=False,
        ),
    ] = None,
    processes: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="The number of processes to run at once. What measures time still runs alone.",
        ),
    ] = 1,
    show_list: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ignore the finished parts of earlier runs.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Run the experiments of the paper again: published, made private, and ours, side by side.

    Each experiment writes CSV files and a figure. manifest.json says what they were made with. A
    stopped run continues where it ended.

    [bold]Examples[/bold]

    candling reproduce --list

    candling reproduce introduction datasets --out results

    candling reproduce --full --processes 2 --data data --out results
    """
    from concurrent.futures.process import BrokenProcessPool

    from candling.system.limits import memory_limit
    from candling_paper.experiments import (
        EXPERIMENTS,
        FULL,
        QUICK,
        Setup,
        chosen,
        run,
    )

    if show_list:
        titles = {e.name: e.title for e in EXPERIMENTS.values()}
        if as_json:
            output.print_json(titles)
        else:
            output.table((name, "", title) for name, title in titles.items())
        return
    if sys.modules.get("scipy", sys) is None:
        del sys.modules["scipy"]  # kept from numba, which has no need of it; two rivals have
    experiments = chosen(names or [])
    limit = memory_limit(None) if memory is None else int(memory * 2**30)
    mode = FULL if full else QUICK
    setup = Setup(mode, _datasets(data, mode.rows), limit)
    start = perf_counter()
    try:
        with _progress() as progress:
            outcomes = run(
                experiments, setup, out, fresh=fresh, processes=processes, progress=progress
            )
    except KeyboardInterrupt:
        output.note(f"The finished parts are in {out}: run the same command to continue.")
        raise
    except BrokenProcessPool:
        raise UsageError(
            "A process ended before its work was done, perhaps for lack of memory. The finished "
            f"parts are in {out}: run the command again, with fewer --processes.",
            code="U211",
        ) from None
    seconds = perf_counter() - start
    if as_json:
        output.print_json(_to_dict(outcomes, setup, out, seconds))
    else:
        show(outcomes, setup.mode.name, out, seconds)


def show(outcomes: "Sequence[Outcome]", mode: str, out: Path, seconds: float) -> None:
    """Print what was computed and written."""
    output.line(f"{mode} mode, {seconds:,.0f} s; written to {out}:")
    output.line()
    output.table((o.name, f"{o.computed}/{o.cells}", ", ".join(o.written)) for o in outcomes)
    output.line()
    output.line(
        "The numbers say how many parts of an experiment this run computed, of how many; earlier "
        "runs computed the others. Every number that the paper prints, beside what we measured: "
        f"{out / 'published_against_measured.md'}"
    )


def _to_dict(
    outcomes: "Sequence[Outcome]", setup: "Setup", out: Path, seconds: float
) -> dict[str, object]:
    from candling_paper.experiments.manifest import described

    return {
        "mode": setup.mode.name,
        "out": str(out),
        "seconds": round(seconds, 1),
        "datasets": {name: described(dataset) for name, dataset in setup.data.items()},
        "experiments": {
            o.name: {"cells": o.cells, "computed": o.computed, "written": o.written}
            for o in outcomes
        },
    }


def _datasets(stated: Path | None, rows: int) -> "dict[str, Dataset]":
    """The datasets to draw samples of so many rows from; says which of them are real."""
    from candling_paper.datasets import datasets, for_samples, named_folder

    try:
        folder = named_folder(stated)
        chosen = for_samples(datasets(folder), rows)
    except ValueError as error:
        raise UsageError(f"{str(error)[0].upper()}{str(error)[1:]}.", code="U211") from None
    made = [d for d in chosen.values() if d.file is None]
    if folder is None:
        output.note("No folder of datasets was named, so all data is made up (--data DIR).")
    else:
        real = [d for d in chosen.values() if d.file is not None]
        output.note(f"From {folder}: " + "; ".join(f"{d.name} ({d.origin})" for d in real) + ".")
        output.note("Look-alikes: " + "; ".join(f"{d.name} ({d.origin})" for d in made) + ".")
    return chosen


@contextmanager
def _progress() -> "Iterator[Progress]":
    """A progress bar on standard error, if that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    err = Console(stderr=True, markup=False, highlight=False, emoji=False)
    if not err.is_terminal:
        yield lambda *_: None
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[now]}"),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("", now="")
        yield lambda now, done, total: bar.update(task, now=now, completed=done, total=total)
