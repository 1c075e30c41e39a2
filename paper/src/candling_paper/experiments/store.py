"""Finished pieces of work on disk, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import candling
from candling.files import write_bytes

FOLDER = ".cells"
FORMAT = 1  # raise it when a cell's rows change their meaning

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
class Store:
    """Rows of finished cells under one folder."""

    out: Path

    def get(self, cell: Cell) -> list[Row] | None:
        """The rows of a finished cell; None if it is not finished."""
        try:
            found = json.loads(self._path(cell).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        rows: list[Row] = found["rows"]
        return rows

    def put(self, cell: Cell, rows: list[Row]) -> None:
        """Keep the rows; a reader sees all of them or none."""
        path = self._path(cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"kind": cell.kind, "settings": dict(cell.settings), "rows": rows}
        write_bytes(path, json.dumps(content, indent=1).encode())

    def forget(self, cell: Cell) -> None:
        """Have the cell computed anew."""
        self._path(cell).unlink(missing_ok=True)

    def _path(self, cell: Cell) -> Path:
        return self.out / FOLDER / cell.key
