"""A time limit for work on behalf of the owner of a table, and loops that must come to an end.

How long something takes depends on the table, so a release that gave up would tell about it:
releases have no time limit.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from candling.errors import DataError, UsageError

_ends: ContextVar[float] = ContextVar("candling_deadline", default=math.inf)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Within it, work that asks `check_time` ends after so many seconds; None: no limit."""
    if seconds is None:
        yield
        return
    check_time_limit(seconds)
    token = _ends.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _ends.reset(token)


def check_time_limit(seconds: float) -> None:
    """Refuse what is no number of seconds."""
    if not (math.isfinite(seconds) and seconds >= 0):
        raise UsageError(
            f"The time limit must be a number of seconds, 0 or more, not {seconds}.", code="U102"
        )


def time_left() -> float:
    """Seconds until the limit; infinite without one."""
    return _ends.get() - time.monotonic()


def check_time() -> None:
    """Raise DataError if the time is over."""
    if time_left() <= 0:
        raise DataError(
            "The time limit ended before everything was measured: allow more time, give fewer "
            "rules at a time, or measure a part of the table.",
            code="D113",
        )


@contextmanager
def interrupted_by(interrupt: Callable[[], object]) -> Iterator[None]:
    """Call `interrupt`, from another thread, if the time ends within; then raise DataError."""
    left = time_left()
    if math.isinf(left):
        yield
        return
    check_time()
    timer = threading.Timer(left, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception:
        check_time()  # what was interrupted fails in a way of its own
        raise
    finally:
        timer.cancel()


def must_progress(nearer: bool) -> None:
    """Raise AssertionError if a round of a loop did not bring it nearer to its end.

    That is a bug, which stops here instead of running for ever. Not a CandlingError, as no caller
    can mend it; and nothing of the table is in the words. A time limit ends the loop too.
    """
    check_time()
    if not nearer:
        raise AssertionError("a loop made no progress")
