"""Cells computed by several processes at once, each written as it is finished."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from candling_paper.experiments.experiment import Experiment
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Store


def compute_all(
    cells: Sequence[Cell],
    experiments: Sequence[Experiment],
    setup: Setup,
    out: Path,
    processes: int,
) -> Iterator[Cell]:
    """Compute the cells of these experiments into `out`; each is yielded when it is finished.

    A cell cannot be sent to another process, as it has a function inside. So each process lists
    the cells of the experiments itself, and is sent keys.

    Raises:
        BrokenProcessPool: A process was ended from outside. What was finished is kept.
    """
    given = (tuple(experiments), setup, out, os.getpid())
    # Spawned, not forked: a fork takes over locks of threads that do not exist in it.
    pool = ProcessPoolExecutor(
        processes, mp_context=get_context("spawn"), initializer=_start, initargs=given
    )
    with pool:
        running = {pool.submit(_compute, cell.key): cell for cell in cells}
        try:
            for future in as_completed(running):
                future.result()
                yield running[future]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_work: dict[str, Cell] = {}  # in a process of the pool: its cells by key
_stores: list[Store] = []  # and where they go


def _start(experiments: Sequence[Experiment], setup: Setup, out: Path, parent: int) -> None:
    """What each process does first."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends at once; the parent says what to do next
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _stores.append(Store(out))
    _work.update({cell.key: cell for e in experiments for cell in e.cells(setup)})


def _end_with(parent: int) -> None:
    """End this process soon after its parent, which may be killed without a chance to say so."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _compute(key: str) -> None:
    _stores[0].compute(_work[key])
