"""How much memory may be used, and the one error that says it is not enough."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from candling.errors import DataError, UsageError

UNITS = {"K": 10, "M": 20, "G": 30, "T": 40}


def memory_limit(memory: str | None) -> int:
    """The limit in bytes that was stated, as in "4GB"; three quarters of the machine's if none."""
    if memory is None:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4
    sized = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT])(i?)B\s*", memory, re.IGNORECASE)
    if sized is None or float(sized[1]) == 0:
        raise UsageError(
            f"The memory limit {memory!r} is not understood; write a number and a unit, as 4GB.",
            code="U101",
        )
    power = UNITS[sized[2].upper()]
    unit = 2**power if sized[3] else 1000 ** (power // 10)
    return int(float(sized[1]) * unit)


def require(needed: int, memory: str | None) -> None:
    """Refuse what would not fit, before it is tried."""
    if needed > memory_limit(memory):
        raise too_little()


@contextmanager
def one_clear_error() -> Iterator[None]:
    """Say it in one way, wherever memory runs out."""
    try:
        yield
    except MemoryError:
        raise too_little() from None


def too_little() -> DataError:
    """The error itself."""
    # No size in it: how many conflicts a table has is nobody's business.
    return DataError(
        "The conflicts of this table need more memory than is allowed: raise the limit (--memory), "
        "use a larger machine, or give fewer rules at a time.",
        code="D107",
    )
