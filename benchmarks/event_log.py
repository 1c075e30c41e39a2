"""What Spark did for one application, added up from its event log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Work:
    """Bytes, rows and seconds of all tasks, those that were repeated included."""

    tasks: int = 0
    stages: int = 0
    read_bytes: int = 0  # from the files
    read_rows: int = 0
    shuffled_bytes: int = 0  # written for other tasks
    shuffled_rows: int = 0
    fetched_bytes: int = 0  # read from other tasks, on this worker or another
    spilled_bytes: int = 0
    result_bytes: int = 0  # sent to the driver
    run_seconds: float = 0.0  # of tasks, one core each
    cpu_seconds: float = 0.0
    lost_executors: int = 0
    failed: dict[str, int] = field(default_factory=dict)  # tasks by reason
    repeated_stages: int = 0


def read_work(log: Path) -> Work:
    """The work of the application whose log this is."""
    work = Work()
    for event in _events(log):
        match event["Event"]:
            case "SparkListenerTaskEnd":
                _add(work, event)
            case "SparkListenerStageCompleted":
                info = event["Stage Info"]
                work.stages += 1
                work.repeated_stages += info["Stage Attempt ID"] > 0
            case "SparkListenerExecutorRemoved":
                work.lost_executors += 1
    return work


def _add(work: Work, event: dict[str, Any]) -> None:
    reason = event["Task End Reason"]["Reason"]
    if reason != "Success":
        work.failed[reason] = work.failed.get(reason, 0) + 1
        return
    metrics = event["Task Metrics"]
    read, written = metrics["Shuffle Read Metrics"], metrics["Shuffle Write Metrics"]
    work.tasks += 1
    work.read_bytes += metrics["Input Metrics"]["Bytes Read"]
    work.read_rows += metrics["Input Metrics"]["Records Read"]
    work.shuffled_bytes += written["Shuffle Bytes Written"]
    work.shuffled_rows += written["Shuffle Records Written"]
    work.fetched_bytes += read["Remote Bytes Read"] + read["Local Bytes Read"]
    work.spilled_bytes += metrics["Disk Bytes Spilled"]
    work.result_bytes += metrics["Result Size"]
    work.run_seconds += metrics["Executor Run Time"] / 1e3
    work.cpu_seconds += metrics["Executor CPU Time"] / 1e9


def _events(log: Path) -> Iterator[dict[str, Any]]:
    with log.open() as lines:
        for line in lines:
            yield json.loads(line)
