"""The same tests on a file and on a server."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from candling.ledger import Ledger, Reservation, Stored, create_ledger, make_claim
from tests.postgres import Server

NewPlace = Callable[[], str]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> NewPlace:
    """Places where there is no ledger yet, on each kind of store."""
    if request.param == "sqlite":
        numbers = itertools.count()
        return lambda: str(tmp_path / f"{next(numbers)}.ledger")
    server: Server = request.getfixturevalue("postgres")
    return server.fresh


@pytest.fixture
def place(new_place: NewPlace) -> str:
    return new_place()


@pytest.fixture
def ledger(place: str) -> Ledger:
    """A ledger with a dataset `visits` and a budget of 1."""
    made = create_ledger(place)
    made.add("visits", 1)
    return made


def in_mount(source: Path, target: Path, command: list[str]) -> list[str]:
    """A command that runs where `target` is another name of `source`; skips where it cannot."""
    if shutil.which("unshare") is None or shutil.which("mount") is None:
        pytest.skip("needs the commands unshare and mount")
    script = f'mount --bind "{source}" "{target}" && exec "$@"'
    return ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c", script, "sh", *command]


def reserve(ledger: Ledger, request_id: str, epsilon: Any = "0.1", **claim: Any) -> Reservation:
    """Reserve, where that is known to be possible."""
    claim = {"dataset": "visits", "parameters": {"measures": ["repair"]}} | claim
    found = ledger.reserve(make_claim(epsilon=epsilon, request_id=request_id, **claim))
    assert isinstance(found, Reservation)
    return found


def charge(ledger: Ledger, request_id: str, epsilon: Any = "0.1", **claim: Any) -> Stored:
    """Reserve, and store a result."""
    held = reserve(ledger, request_id, epsilon, **claim)
    return ledger.store_result(held, {"value": request_id})
