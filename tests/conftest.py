"""Fixtures that tests of several rooms share, and which process runs which test."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

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


class Schedule(LoadScopeScheduling):  # type: ignore[misc]
    """Keep the tests of a server in one process; of the others, keep those of a file together.

    So there is one Java and one PostgreSQL server, and what a file caches is made once. The groups
    of xdist (`--dist loadgroup`) do not do this: they need ids that pytest 9.2 does not let it set.
    """

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        self.servers = json.loads(_servers_file(node.workerinput).read_text(encoding="utf-8"))
        super().add_node_collection(node, collection)

    def _split_scope(self, nodeid: str) -> str:
        found: str = self.servers.get(nodeid) or nodeid.partition("::")[0]
        return found


def _servers_file(workerinput: Mapping[str, Any]) -> Path:
    """Name the file in which the processes of a run tell the scheduler who needs which server."""
    return Path(tempfile.gettempdir()) / f"candling-tests-{workerinput['testrunuid']}.json"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Schedule:
    """Distribute tests by `Schedule`."""
    return Schedule(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Start with the tests that need a server: they take longest."""
    servers = {
        item.nodeid: name
        for name in SERVERS
        for item in items
        if item.get_closest_marker(name) is not None
    }
    order = [*SERVERS, None]
    items.sort(key=lambda item: order.index(servers.get(item.nodeid)))
    if workerinput := getattr(config, "workerinput", None):
        path = _servers_file(workerinput)
        written = path.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(servers), encoding="utf-8")
        written.replace(path)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave nothing behind."""
    if workerinput := getattr(config, "workerinput", None):
        _servers_file(workerinput).unlink(missing_ok=True)
