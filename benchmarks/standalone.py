"""A Spark cluster on this machine: a master and workers, each a process of its own.

Everything listens on localhost only, on ports that are free, and keeps its files in one folder.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

CORES = 1  # of each worker
MEMORY = "2g"  # of each worker
PATIENCE = 60.0  # seconds until a process must answer

# Everything that is not said here is as Spark comes.
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "localhost",
    "spark.driver.memory": "2g",
    "spark.eventLog.compress": "false",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.rolling.enabled": "false",
    "spark.executor.memory": "1600m",  # and the rest of the worker's for what is not heap
    "spark.sql.files.minPartitionNum": "8",  # or so small a table would be two tasks
}


@dataclass(slots=True)
class Cluster:
    """Where it answers and what it consists of; `workers` are groups of processes by number."""

    address: str
    folder: Path
    settings: Path  # for SPARK_CONF_DIR
    web: int  # port of the master's pages
    workers: list[int] = field(default_factory=list)
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def events(self) -> Path:
        """The folder of what Spark tells about each application."""
        return self.folder / "events"

    def environment(self) -> dict[str, str]:
        """The environment in which candling finds the settings."""
        return _environment() | {"SPARK_CONF_DIR": str(self.settings)}

    def add_worker(self) -> int:
        """One more worker, which has told the master that it is there."""
        before = self._alive()
        work = self.folder / f"worker{len(self._running)}"
        process = _start(
            "worker.Worker",
            [
                *("--host", "localhost", "--port", "0", "--webui-port", "0"),
                *("--cores", str(CORES), "--memory", MEMORY, "--work-dir", str(work)),
                self.address,
            ],
            self.folder / f"worker{len(self._running)}.log",
            {"SPARK_LOCAL_DIRS": str(work / "local"), "SPARK_CONF_DIR": str(self.settings)},
        )
        self._running.append(process)
        self.workers.append(process.pid)
        _wait(lambda: self._alive() > before, process)
        return process.pid

    def forget(self, worker: int) -> None:
        """A worker that somebody killed: wait until the master has noticed."""
        self.workers.remove(worker)
        _wait(lambda: self._alive() == len(self.workers), self._running[0])

    def stop(self) -> None:
        for process in reversed(self._running):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _alive(self) -> int:
        """How many workers the master has."""
        with (
            suppress(OSError, ValueError),
            urllib.request.urlopen(f"http://127.0.0.1:{self.web}/json/", timeout=5) as answer,
        ):
            return int(json.load(answer)["aliveworkers"])
        return 0


def processes(group: int) -> list[int]:
    """The processes of a group."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(entry.name))
    return found


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A cluster while the block runs; all its processes are ended afterwards, whatever happens."""
    port, web = _free_ports()
    settings = folder / "settings"
    found = Cluster(f"spark://localhost:{port}", folder, settings, web)
    settings.mkdir()
    found.events.mkdir()
    lines = {**SETTINGS, "spark.eventLog.dir": found.events.as_uri()}
    (settings / "spark-defaults.conf").write_text("".join(f"{k} {v}\n" for k, v in lines.items()))
    master = _start(
        "master.Master",
        ["--host", "localhost", "--port", str(port), "--webui-port", str(web)],
        folder / "master.log",
        {"SPARK_CONF_DIR": str(settings)},
    )
    found._running.append(master)  # noqa: SLF001 - ours
    try:
        _wait(lambda: _answers(port) and _answers(web), master)
        for _ in range(workers):
            found.add_worker()
        yield found
    finally:
        found.stop()


def _start(
    name: str, arguments: list[str], log: Path, more: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """A process of Spark's, in a group of its own, to which whatever it starts belongs."""
    command = [str(_home() / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments]
    with log.open("wb") as out:
        return subprocess.Popen(
            command,
            stdout=out,
            stderr=out,
            env=_environment() | dict(more),
            start_new_session=True,
        )


def _home() -> Path:
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise SystemExit("pyspark is not installed: run `make spark`")
    return Path(spec.origin).parent


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "SPARK_HOME": str(_home()),
        "SPARK_LOCAL_HOSTNAME": "localhost",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as two:
        for each in (one, two):
            each.bind(("127.0.0.1", 0))
        return one.getsockname()[1], two.getsockname()[1]


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _wait(ready: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while not ready():
        if process.poll() is not None:
            raise RuntimeError("a process of the cluster ended before it was ready")
        if time.monotonic() > end:
            raise TimeoutError("the cluster is not ready")
        time.sleep(0.2)
