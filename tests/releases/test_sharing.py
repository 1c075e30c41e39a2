"""One `Study` for several threads, and after a fork."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import candling

RULES = "A -> B\ncheck (C >= 2)\nnot(t1.C > t2.C and t1.D < t2.D)"
ROWS = 15_000
TABLE = pa.table({name: [(i * k) % 7 for i in range(ROWS)] for k, name in enumerate("ABCD", 2)})


@pytest.fixture(params=["frame", "file"])
def study(request: pytest.FixtureRequest, tmp_path: Path) -> candling.Study:
    if request.param == "frame":
        return candling.analyze(TABLE, RULES)
    pq.write_table(TABLE, tmp_path / "t.parquet")
    return candling.analyze(str(tmp_path / "t.parquet"), RULES)


def test_threads_share_a_study(study: candling.Study) -> None:
    expected = candling.analyze(TABLE, RULES).exact().to_dict()
    together = threading.Barrier(6)

    def ask(number: int) -> object:
        together.wait()
        return study.exact().to_dict() if number % 2 else study.release(epsilon=1).to_dict()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(ask, range(6)))
    assert all(answer == expected for answer in answers[1::2])
    noisy = [str(answer["noise"]) for answer in answers[::2] if isinstance(answer, dict)]
    assert len(set(noisy)) == 3  # no two threads share their noise


@pytest.mark.parametrize("used", [False, True])
def test_a_fork_does_not_wait_for_threads_that_it_lacks(study: candling.Study, used: bool) -> None:
    """The engine of the parent has threads, which a fork does not copy."""
    if used:
        study.exact()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            study.release(epsilon=1)
            code = 0 if study.exact().rows == ROWS else 3
        finally:
            os._exit(code)
    end = time.monotonic() + 60
    while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < end:
        time.sleep(0.02)
    if not ended[0]:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert ended[0], "it hangs"
    assert os.waitstatus_to_exitcode(ended[1]) == 0
    assert study.exact().rows == ROWS  # the parent goes on
