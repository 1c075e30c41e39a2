"""How many charges a second a ledger file takes: `python -m benchmarks.ledger [--folder DIR]`.

A charge is what a release costs: a reservation and its result, each committed and flushed. The
disk's own limit is measured in the same run: how often a second a small write can be flushed.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import median

from candling.ledger import Ledger, Reservation, create_ledger, make_claim

TURNS, SECONDS = 5, 1.0
BAR = 200  # charges a second
# That SQLite needs for a charge. For each of two commits: the journal, its directory, the number of
# its records, the file, and the end of the journal.
FLUSHES = 10
RESULT = {"epsilon": 1.0, "rows": {"value": 10_000, "low": 9_973, "high": 10_027, "note": 60 * "."}}


def rate(action: Callable[[], None]) -> float:
    """How often a second `action` can be done."""
    done, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < SECONDS:
        action()
        done += 1
    return done / passed


def charge(ledger: Ledger) -> None:
    held = ledger.reserve(make_claim("visits", "0.000001", {"measures": ["rows"]}))
    assert isinstance(held, Reservation)
    ledger.store_result(held, RESULT)


def flush(descriptor: int) -> None:
    os.write(descriptor, bytes(512))
    os.fsync(descriptor)


def measure(folder: Path) -> tuple[list[float], list[float], int]:
    """Flushes and charges a second, in turns, and the entries written."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        ledger = create_ledger(Path(name, "budget.ledger"), trial=True)  # may be in memory
        ledger.add("visits", 100)
        descriptor = os.open(Path(name, "file"), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        flushes, charges = [], []
        for _ in range(TURNS):
            flushes.append(rate(lambda: flush(descriptor)))
            charges.append(rate(lambda: charge(ledger)))
        os.close(descriptor)
        return flushes, charges, ledger.verify().entries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--folder", type=Path, default=Path(), help="where: on the disk to measure")
    folder = parser.parse_args().folder
    flushes, charges, entries = measure(folder)
    best = max(charges)
    print(f"load average {os.getloadavg()[0]:.1f}; {entries:,} entries written and verified")
    print(f"fsync:   {median(flushes):7,.0f} a second (best {max(flushes):,.0f})")
    print(f"charges: {median(charges):7,.0f} a second (best {best:,.0f})")
    print(f"ratio:   {median(charges) / median(flushes):7.3f} charges for each fsync")
    print(f"         {median(flushes) / median(charges):7.1f} fsyncs in the time of a charge")
    print(f"         {FLUSHES:7} flushes that a charge needs")
    with suppress(OSError):
        _, free, _ = measure(Path("/dev/shm"))
        print(f"charges where flushing is free (/dev/shm): {median(free):,.0f} a second")
    print(f"bar: at least {BAR} charges a second, {verdict(best, median(flushes) / FLUSHES)}")


def verdict(charges: float, allowed: float) -> str:
    """Whether we are fast enough, where the disk is."""
    if charges >= BAR:
        return "met"
    if allowed < 2 * BAR:
        return f"open: with {FLUSHES} flushes a charge the disk allows {allowed:.0f} right now"
    return "NOT MET"


if __name__ == "__main__":
    main()
