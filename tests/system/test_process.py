"""Signals and limits of the system."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import candling
from candling.errors import hide_private_errors, translate_failure
from candling.system.limits import run_aside
from candling.tables.backends.duckdb import connect

PLAIN = b"Zip,City\n1,Quillfeather\n1,b\n2,c\n"
ENDLESS = "select count(*) from range(1000000) a, range(1000000) b where a.range * b.range % 7 = 3"
STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def start(
    folder: Path, *args: str, code: str = "", first: Callable[[], None] | None = None
) -> subprocess.Popen[bytes]:
    """A command whose temporary files are in `folder`, with code that runs before it."""
    (folder / "tmp").mkdir(exist_ok=True)
    (folder / "rules.txt").write_text("Zip -> City\n")
    return subprocess.Popen(
        [sys.executable, "-c", f"{code}\nfrom candling.cli import main; main()", *args],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=first,  # noqa: PLW1509 - there are no threads
    )


def wait_for(found: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not found():
        assert time.monotonic() < end
        time.sleep(0.02)


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.name not in ("tmp", "rules.txt"))


@pytest.mark.parametrize("number", STOPS)
def test_a_signal_while_standard_input_is_read(tmp_path: Path, number: int) -> None:
    with start(tmp_path, "exact", "-", "rules.txt") as process:
        assert process.stdin is not None
        process.stdin.write(PLAIN)
        process.stdin.flush()
        wait_for(lambda: list(tmp_path.rglob("input*")))
        process.send_signal(number)
        process.wait()
        out, err = process.communicate()
    assert (process.returncode, out) == (128 + number, b"")
    assert err in (b"stopped\n", b"")  # nothing if the machine is too busy to end in order
    assert left(tmp_path) == []


SLOW = f"""
from candling.tables.backends.duckdb import Connected
usual = Connected.execute
def slow(connected, sql, values=()):
    if "count(" in sql:
        open("running", "w").close()
        sql = {ENDLESS!r}
    return usual(connected, sql, values)
Connected.execute = slow
"""


@pytest.mark.parametrize("number", STOPS)
def test_a_signal_while_the_engine_works(tmp_path: Path, number: int) -> None:
    """The copy in UTF-8 and what the engine wrote go too."""
    (tmp_path / "t.csv").write_bytes(PLAIN.decode().encode("utf-16"))
    with start(tmp_path, "exact", "t.csv", "rules.txt", code=SLOW) as process:
        wait_for((tmp_path / "running").exists)
        assert any("Quill" not in name for name in left(tmp_path / "tmp"))
        process.send_signal(number)
        out, err = process.communicate()
    assert (process.returncode, out) == (128 + number, b"")
    assert err in (b"stopped\n", b"")  # nothing if the machine is too busy to end in order
    assert left(tmp_path) == ["running", "t.csv"]


STUCK = """
import candling.system.process
candling.system.process.GRACE = {grace}
import candling.tables.open, time
from candling.system.temporary import make_folder
def stuck(*_, **__):
    (make_folder() / "rows").write_text("Quillfeather")
    while True:
        try:
            open("running", "w").close()
            time.sleep(100)
        except BaseException:
            pass
candling.tables.open.open_table = stuck
import candling.tables; candling.tables.open_table = stuck
import candling.releases.session; candling.releases.session.open_table = stuck
"""


def test_a_signal_that_is_swallowed_ends_the_process_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(PLAIN)
    for grace, times in ((0.2, 1), (1000, 2)):
        code = STUCK.format(grace=grace)
        with start(tmp_path, "exact", "t.csv", "rules.txt", code=code) as process:
            wait_for((tmp_path / "running").exists)
            process.send_signal(signal.SIGTERM)
            if times == 2:
                time.sleep(0.2)
                process.send_signal(signal.SIGINT)  # who is in a hurry asks twice
            process.communicate()
        assert process.returncode == 128 + signal.SIGTERM
        assert left(tmp_path) == ["running", "t.csv"]
        (tmp_path / "running").unlink()


def test_what_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """As nohup starts programs."""
    code = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    with start(tmp_path, "exact", "-", "rules.txt", code=code) as process:
        assert process.stdin is not None
        process.stdin.write(PLAIN)
        process.stdin.flush()
        wait_for(lambda: list(tmp_path.rglob("input*")))
        process.send_signal(signal.SIGHUP)
        process.communicate()
    assert process.returncode == 0
    assert left(tmp_path) == []


# In Python


def interrupt_soon() -> None:
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()


def test_ctrl_c_in_the_middle_of_a_query() -> None:
    connected = connect()
    for _ in range(2):  # the connection can be used again
        interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            translate_failure(
                lambda: connected.execute(ENDLESS),
                lambda _: candling.DataError("no", code="D103"),
            )
    assert connected.execute("select 1") == [(1,)]


def test_ctrl_c_that_the_engine_swallowed() -> None:
    """On a connection of the caller's, DuckDB gives Ctrl-C as an error like any other."""
    connection = duckdb.connect()
    slow = "select a.range + b.range as x from range(200000) a, range(2000) b where x % 7 = 3"

    def work() -> object:
        relation = connection.sql(slow)
        fetch: Callable[[], object] = getattr(relation, "to_arrow_table", None) or relation.arrow
        return fetch()

    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        translate_failure(work, lambda _: candling.DataError("no", code="D103"))
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        hide_private_errors(work)


def test_work_beside_gives_what_it_gives_and_raises_what_it_raises() -> None:
    assert run_aside(lambda: 7, lambda: None) == 7
    with pytest.raises(ZeroDivisionError):
        run_aside(lambda: 1 // 0, lambda: None)


@pytest.mark.parametrize("megabytes", [200, 400, 500, 700])
def test_too_few_addresses(tmp_path: Path, megabytes: int) -> None:
    """Below that, libraries crash as they load."""
    (tmp_path / "t.csv").write_bytes(PLAIN)
    most = megabytes << 20

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    with start(tmp_path, "exact", "t.csv", "rules.txt", first=limit) as process:
        _, err = process.communicate()
    assert process.returncode == 2
    assert b"ulimit -v" in err
