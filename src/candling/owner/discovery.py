"""The search for dependencies and keys by Desbordante, in a process of its own.

Run as `python -m candling.owner.discovery FILE ROWS SHARE`: it reads codes of values from FILE,
never values, and prints columns by their numbers as JSON. A search that takes too long, or needs
too much memory, is ended with its process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from candling.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_LEFT = 2  # columns on the left side of a dependency; more are rarely meant

Dependencies = list[tuple[tuple[int, ...], int]]
Keys = list[tuple[int, ...]]


def require_desbordante() -> None:
    """Raise UsageError if Desbordante is not installed."""
    if find_spec("desbordante") is None:
        raise UsageError(
            "`candling suggest` needs Desbordante: pip install 'candling[suggest]'", code="U505"
        )


def search(
    codes: NDArray[np.int64], share: float, time_limit: float
) -> tuple[Dependencies, Keys] | None:
    """Dependencies and keys that hold but for a share of the rows; None if the search was stopped.

    `codes` has a row for each row of the table: equal numbers for equal values.
    """
    import numpy as np

    with tempfile.TemporaryDirectory(prefix="candling-") as folder:
        path = Path(folder) / "codes.csv"
        np.savetxt(path, codes, fmt="%d", delimiter=",")
        ours = str(Path(__file__).parents[2])
        known = os.environ.get("PYTHONPATH")
        environment = {
            **os.environ,
            "PYTHONPATH": f"{ours}{os.pathsep}{known}" if known else ours,
        }
        command = [sys.executable, "-m", __name__, str(path), str(len(codes)), str(share)]
        try:
            done = subprocess.run(  # noqa: S603 - our own module
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=time_limit,
                check=True,
            )
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return None
    answer = json.loads(done.stdout.splitlines()[-1])
    dependencies = [(tuple(left), right) for left, right in answer["dependencies"]]
    return dependencies, [tuple(columns) for columns in answer["keys"]]


def _main(path: str, rows: int, share: float) -> None:
    desbordante: Any = import_module("desbordante")
    table = (path, ",", False)
    dependencies = desbordante.afd.algorithms.Tane()
    dependencies.load_data(table=table)
    dependencies.execute(error=share, afd_error_measure="g3", max_lhs=_MOST_LEFT)
    keys = desbordante.ucc.algorithms.PyroUCC()
    keys.load_data(table=table)
    # Its error is a share of all pairs: of so many rows, each with one other.
    keys.execute(error=min(2 * share / rows, 1.0), max_lhs=3)
    found = {
        "dependencies": [[list(d.lhs_indices), d.rhs_index] for d in dependencies.get_fds()],
        "keys": [list(key.indices) for key in keys.get_uccs()],
    }
    sys.stdout.write(f"\n{json.dumps(found)}\n")


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
