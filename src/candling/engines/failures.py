"""What stops an engine, in our words.

An engine's own message may quote a cell, or an address with its password: it never reaches ours,
nor does the exception that carries it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from candling.errors import CandlingError, DataError

T = TypeVar("T")


def translated(work: Callable[[], T], explain: Callable[[Exception], DataError]) -> T:
    """What `work` gives; its failure as `explain` words it, and nothing of the exception itself."""
    try:
        return work()
    except CandlingError:
        raise
    except Exception as error:  # noqa: BLE001 - engines raise what they like
        failure = explain(error)
    raise failure  # not inside of `except`: the error would hang on to it as its context


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
