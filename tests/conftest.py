"""Fixtures that tests of several rooms share, and which process runs which test."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadGroupScheduling  # type: ignore[import-untyped]

from candling.ledger.place import memory
from tests.backends import engine_table
from tests.effort import load_profile
from tests.postgres import postgres
from tests.spark import spark

__all__ = ["engine_table", "postgres", "spark"]

SERVERS = ("spark", "postgres")  # markers, the slowest first

load_profile()

# Ledgers refuse memory, and on many systems /tmp is in memory. /var/tmp outlives a restart.
if memory(Path(tempfile.gettempdir())) is not None:
    os.environ["TMPDIR"] = tempfile.tempdir = "/var/tmp"


class Schedule(LoadGroupScheduling):  # type: ignore[misc]
    """Keep a group in one process; of the other tests, keep those of a file together.

    So there is one Java and one PostgreSQL server, and what a file caches is made once.
    """

    def _split_scope(self, nodeid: str) -> str:
        group = super()._split_scope(nodeid)
        return nodeid.partition("::")[0] if group == nodeid else group


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Schedule:
    """Distribute tests by `Schedule`."""
    return Schedule(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group the tests of each server, and start with these: they take longest."""

    def place(item: pytest.Item) -> int:
        for position, name in enumerate(SERVERS):
            if item.get_closest_marker(name) is not None:
                item.add_marker(pytest.mark.xdist_group(name))
                return position
        return len(SERVERS)

    items.sort(key=place)
