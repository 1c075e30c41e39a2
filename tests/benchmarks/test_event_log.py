"""What is added up from Spark's event log, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.event_log import Work, read_work


def task(reason: str = "Success") -> dict[str, Any]:
    return {
        "Event": "SparkListenerTaskEnd",
        "Task End Reason": {"Reason": reason},
        "Task Metrics": {
            "Input Metrics": {"Bytes Read": 100, "Records Read": 10},
            "Shuffle Read Metrics": {"Remote Bytes Read": 3, "Local Bytes Read": 4},
            "Shuffle Write Metrics": {"Shuffle Bytes Written": 20, "Shuffle Records Written": 2},
            "Disk Bytes Spilled": 1,
            "Result Size": 5,
            "Executor Run Time": 1500,
            "Executor CPU Time": 500_000_000,
        },
    }


def stage(attempt: int) -> dict[str, Any]:
    return {"Event": "SparkListenerStageCompleted", "Stage Info": {"Stage Attempt ID": attempt}}


def test_tasks_are_added_up_and_failed_ones_counted_by_their_reason(tmp_path: Path) -> None:
    log = tmp_path / "app"
    events = [
        {"Event": "SparkListenerApplicationStart"},
        task(),
        task(),
        task("ExecutorLostFailure"),
        {"Event": "SparkListenerExecutorRemoved"},
        stage(0),
        stage(1),
    ]
    log.write_text("".join(json.dumps(event) + "\n" for event in events))

    assert read_work(log) == Work(
        tasks=2,
        stages=2,
        read_bytes=200,
        read_rows=20,
        shuffled_bytes=40,
        shuffled_rows=4,
        fetched_bytes=14,
        spilled_bytes=2,
        result_bytes=10,
        run_seconds=3.0,
        cpu_seconds=1.0,
        lost_executors=1,
        failed={"ExecutorLostFailure": 1},
        repeated_stages=1,
    )
