"""The search for dependencies and keys by Desbordante, in a process of its own.

Run as `python -m candling.owner.discovery FILE ROWS COLUMNS SHARE`: it reads codes of values,
never values, and prints columns by their numbers. A search that takes too long, or needs
too much memory, is ended with its process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from candling.errors import UsageError
from candling.records import dataclass
from candling.system.temporary import temporary_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_LEFT = 2  # columns on the left side of a dependency; more are rarely meant

_MOST_IN_KEY = 3
_WIDE = 20  # columns; of more, keys have one column less
_MOST_WORK = 4_000_000  # rows times the square of columns: some seconds
_MARK = "candling "  # before our own lines: a library may print others


@dataclass(frozen=True, slots=True)
class Found:
    """Columns by their numbers; None for a search that was stopped before its end."""

    keys: list[tuple[int, ...]] | None
    dependencies: list[tuple[tuple[int, ...], int]] | None


def require_desbordante() -> None:
    """Raise UsageError if Desbordante is not installed."""
    if find_spec("desbordante") is None:
        raise UsageError(
            "`candling suggest` needs Desbordante: pip install 'candling[suggest]'", code="U505"
        )


def search(codes: NDArray[np.int64], share: float, time_limit: float) -> Found:
    """Dependencies and keys that hold but for a share of the rows.

    `codes` has a row for each row of the table: equal numbers for equal values.
    """
    import numpy as np

    rows = max(_MOST_WORK // codes.shape[1] ** 2, 1)
    codes = codes[:: -(-len(codes) // rows)]  # what is found is counted on all rows by the caller
    with temporary_folder() as folder:
        path = folder / "codes.csv"
        np.savetxt(path, codes, fmt="%d", delimiter=",")
        ours = str(Path(__file__).parents[2])
        known = os.environ.get("PYTHONPATH")
        environment = {
            **os.environ,
            "PYTHONPATH": f"{ours}{os.pathsep}{known}" if known else ours,
        }
        command = [sys.executable, "-m", __name__, str(path), *map(str, codes.shape), str(share)]
        try:
            printed = subprocess.run(  # noqa: S603 - our own module
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=time_limit,
                check=False,
            ).stdout
        except subprocess.TimeoutExpired as stopped:
            printed = stopped.stdout or b""
    found: dict[str, list[list[int]]] = {}
    for line in printed.splitlines():
        if line.startswith(_MARK.encode()) and line.endswith(b"}"):
            found |= json.loads(line.removeprefix(_MARK.encode()))
    return Found(
        keys=_tuples(found.get("keys")),
        dependencies=[(tuple(d[:-1]), d[-1]) for d in found["dependencies"]]
        if "dependencies" in found
        else None,
    )


def _tuples(listed: list[list[int]] | None) -> list[tuple[int, ...]] | None:
    return None if listed is None else [tuple(columns) for columns in listed]


def _main(path: str, rows: int, columns: int, share: float) -> None:
    desbordante: Any = import_module("desbordante")
    table = (path, ",", False)
    keys = desbordante.ucc.algorithms.PyroUCC()
    keys.load_data(table=table)
    # Its error is a share of all pairs: of so many rows, each with one other.
    most = _MOST_IN_KEY - (columns > _WIDE)
    keys.execute(error=min(2 * share / rows, 1.0), max_lhs=most)
    _say({"keys": [list(key.indices) for key in keys.get_uccs()]})
    dependencies = desbordante.afd.algorithms.Tane()
    dependencies.load_data(table=table)
    dependencies.execute(error=share, afd_error_measure="g3", max_lhs=_MOST_LEFT)
    _say({"dependencies": [[*d.lhs_indices, d.rhs_index] for d in dependencies.get_fds()]})


def _say(found: dict[str, list[list[int]]]) -> None:
    sys.stdout.write(f"\n{_MARK}{json.dumps(found)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
