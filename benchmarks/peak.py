"""Peak memory of one `candling.exact` in a process of its own: `python -m benchmarks.peak T R`."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Peak:
    """What one cold call took, imports and kernels included."""

    bytes: int
    seconds: float


def measure(table: Path, rules: Path) -> Peak:
    """Peak memory and time of `candling.exact(table, rules)` in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.peak", str(table), str(rules)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Peak(**json.loads(done.stdout))


def own_peak() -> int:
    # A child's ru_maxrss starts at its parent's size, which the rivals have blown up: on Linux
    # the kernel's own high-water mark of this address space is the honest one.
    if mark := peak_of(os.getpid()):
        return mark
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def peak_of(process: int) -> int:
    """The most memory that a running process had so far; 0 where the kernel does not say."""
    return memory_of(process, "VmHWM")


def memory_of(process: int, field: str) -> int:
    """Bytes under a name in the status of a running process; 0 where the kernel does not say."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    size = re.search(rf"{field}:\s+(\d+) kB", status)
    return int(size[1]) * 1024 if size else 0


def main() -> None:
    start = time.perf_counter()
    import candling  # its import is part of what is measured

    table, rules = sys.argv[1:]
    candling.exact(table, candling.load_constraints(rules))
    print(json.dumps(asdict(Peak(own_peak(), time.perf_counter() - start))))


if __name__ == "__main__":
    main()
