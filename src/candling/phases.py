"""What a release is at, for somebody who waits: one of a few fixed words, never a count.

Which phases come, and in which order, follows from the request and not from the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum


class Phase(StrEnum):
    """The words."""

    READING = "reading the table"
    CONFLICTS = "looking for conflicts"
    MEASURING = "measuring"
    NOISE = "adding noise"
    STORING = "storing in the ledger"


Listener = Callable[[Phase], None]
_listener: ContextVar[Listener | None] = ContextVar("candling_phases", default=None)


def enter(phase: Phase) -> None:
    """Tell whoever listens that a phase begins."""
    listener = _listener.get()
    if listener is not None:
        listener(phase)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Within it, `listener` is told of every phase."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
