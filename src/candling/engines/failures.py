"""What stops an engine, in our words.

An engine's own message may quote a cell, or an address with its password: it never reaches ours,
nor does the exception that carries it (see `candling.failures`).
"""

from __future__ import annotations

from candling.errors import DataError


def lost(where: str) -> DataError:
    """The engine went away, or part of it did."""
    return DataError(
        f"{where} stopped answering before it was done: a connection or an executor was lost. "
        "Nothing was changed there. Check that it is up, then try again.",
        code="D108",
    )


def unreadable(where: str, error: Exception) -> DataError:
    """The engine answers, and cannot do it."""
    return DataError(
        f"{where} could not read the table ({type(error).__name__}). "
        "Is it complete, and does every column hold one type?",
        code="D103",
    )


def missing_driver(engine: str, extra: str) -> DataError:
    """A library that comes with an extra is not there."""
    return DataError(
        f"Tables on {engine} need its driver: pip install 'candling[{extra}]'", code="D109"
    )


def missing_reader(files: str, extra: str) -> DataError:
    """The same for a library that reads a kind of file."""
    return DataError(f"{files} need a reader: pip install 'candling[{extra}]'", code="D109")
