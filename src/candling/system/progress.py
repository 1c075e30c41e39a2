"""Progress of a release: phases for people, steps for tests; and quick loading of modules.

A phase is one of a few fixed texts and never a count. Which phases come, and in which order,
follows from the request and not from the table.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum


@contextmanager
def track_loading() -> Iterator[None]:
    """A context in which modules are loaded."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Phase(StrEnum):
    """A part of a release, as a progress line names it."""

    READING = "reading the table"
    CONFLICTS = "looking for conflicts"
    MEASURING = "measuring"
    NOISE = "adding noise"
    STORING = "storing in the ledger"


Listener = Callable[[Phase], None]
_listener: ContextVar[Listener | None] = ContextVar("candling_phases", default=None)


def enter(phase: Phase) -> None:
    """Tell the listener, if there is one, that a phase begins."""
    listener = _listener.get()
    if listener is not None:
        listener(phase)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """A context in which `listener` is called with every phase."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


# The steps of a charged release, in order: `found` (the request is new), `reserving` (written, not
# yet committed), `reserved`, `computed` (noise is added), `storing` (written, not yet committed),
# `stored`. Only then may anything be shown.
STEPS = ("found", "reserving", "reserved", "computed", "storing", "stored")


def mark_step(step: str) -> None:
    """Called after each step. Does nothing: the tests replace it and end the process there."""
