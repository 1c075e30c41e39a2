"""A real Spark for tests: one local session for each test process, small, quiet and offline.

Where there is no Java or no pyspark, the tests that need it are skipped and say why; where CI is
set they fail, because what was not run is not known to work.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

SETTINGS = {
    "spark.app.name": "candling-tests",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.default.parallelism": "1",
    "spark.driver.bindAddress": "127.0.0.1",
    # Queries are small and few: the optimizing compiler would take half of the time.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.host": "localhost",
    "spark.driver.memory": "1g",
    "spark.log.level": "OFF",
    "spark.master": "local[1]",
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",  # a server as well
    "spark.sql.adaptive.enabled": "false",  # one partition needs no second thoughts
    "spark.sql.session.timeZone": "America/St_Johns",  # which must not matter
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def missing() -> str | None:
    """What Spark lacks here; None if it can be started."""
    if find_spec("pyspark") is None:
        return "pyspark is not installed: run `make spark`"
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None or not Path(java).exists():
        return "Spark needs Java 17 or newer, which was not found"
    return None


def start(warehouse: Path) -> Any:
    """A session whose noise goes nowhere."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = SETTINGS | {
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.warehouse.dir": str(warehouse / "tables"),
        "spark.local.dir": str(warehouse / "local"),
    }
    os.environ["PYSPARK_PYTHON"] = sys.executable  # for what runs on executors
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    SparkContext(conf=conf, gateway=launch_gateway(conf, quiet))
    return SparkSession.builder.getOrCreate()


def connect_address(session: Any) -> str:
    """Where the session answers to Spark Connect."""
    port = session.sparkContext.getConf().get("spark.connect.grpc.binding.port")
    return f"sc://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session on this machine, which is the active one."""
    if reason := missing():
        if os.environ.get("CI"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    folder = Path(tempfile.mkdtemp(prefix="candling-spark-"))
    session = start(folder)
    yield session
    session.stop()
    shutil.rmtree(folder, ignore_errors=True)
