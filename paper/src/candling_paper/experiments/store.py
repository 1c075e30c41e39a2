"""Finished pieces of work on disk, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import candling
from candling.system.files import write_bytes
from candling_paper.experiments.environment import code_digest

FOLDER = ".cells"
FORMAT = 2  # raise it when a cell's rows change their meaning

Value = str | int | float | None
Row = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Cell:
    """A small independent piece of work: all that decides its rows is in `settings`."""

    kind: str
    settings: Mapping[str, object]  # as JSON has them
    compute: Callable[[], list[Row]]

    @property
    def key(self) -> str:
        """A file name: the kind, and a digest of the settings."""
        made_by = {"format": FORMAT, "version": candling.__version__, "kind": self.kind}
        text = json.dumps({**made_by, **self.settings}, sort_keys=True)
        return f"{self.kind}-{hashlib.sha256(text.encode()).hexdigest()[:20]}.json"

    @property
    def label(self) -> str:
        """For a progress line."""
        shown = [str(self.settings[name]) for name in ("dataset", "step") if name in self.settings]
        return " ".join([self.kind, *shown])


@dataclass(frozen=True, slots=True)
class Made:
    """When a cell was computed, how long it took, and by which code."""

    started: str  # UTC
    ended: str
    cpu_seconds: float  # of all threads
    wall_seconds: float
    version: str
    format: int
    code: str


@dataclass(frozen=True, slots=True)
class Store:
    """Rows of finished cells under one folder."""

    out: Path

    def get(self, cell: Cell) -> list[Row] | None:
        """The rows of a finished cell; None if it is not finished."""
        found = self._content(cell)
        rows: list[Row] | None = None if found is None else found["rows"]
        return rows

    def made(self, cell: Cell) -> Made | None:
        """How a finished cell was computed; None if it is not finished."""
        found = self._content(cell)
        return None if found is None else Made(**found["made"])

    def has(self, cell: Cell) -> bool:
        """Whether there is a file of the cell, broken or not."""
        return self._path(cell).is_file()

    def compute(self, cell: Cell) -> list[Row]:
        """Compute a cell and keep its rows; a reader sees all of them or none."""
        started, cpu, wall = _now(), time.process_time(), time.perf_counter()
        rows = cell.compute()
        made = Made(
            started,
            _now(),
            round(time.process_time() - cpu, 3),
            round(time.perf_counter() - wall, 3),
            candling.__version__,
            FORMAT,
            code_digest(),
        )
        path = self._path(cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        about = {"kind": cell.kind, "settings": dict(cell.settings), "made": asdict(made)}
        write_bytes(path, json.dumps({**about, "rows": rows}, indent=1).encode())
        return rows

    def forget(self, cell: Cell) -> None:
        """Have the cell computed anew."""
        self._path(cell).unlink(missing_ok=True)

    def _content(self, cell: Cell) -> dict[str, Any] | None:
        try:
            content: dict[str, Any] = json.loads(self._path(cell).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return content

    def _path(self, cell: Cell) -> Path:
        return self.out / FOLDER / cell.key


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
