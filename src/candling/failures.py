"""What an exception carries when it leaves candling: its own words, and nothing of a table.

An exception of a library may quote a cell, and so may the values in the frames of a traceback. They
are not only shown by Python: a debugger, a test runner or a service that collects errors walks from
an exception to its `__context__`, its `__cause__` and the frames of its traceback. `raise ... from
None` hides the context and keeps it. So whatever fails on rows goes through one of these functions,
which raise their own error after the `except` block, where nothing else hangs on it.

What is left are the frames of the caller, which hold what the caller gave. With CANDLING_DEBUG=1
everything stays as it was raised.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from candling.errors import CandlingError, DataError

T = TypeVar("T")
E = TypeVar("E", bound=BaseException)


class InternalError(RuntimeError):
    """A bug of ours, met while rows were in use: where it is, and nothing that it says."""


def translated(work: Callable[[], T], explain: Callable[[Exception], DataError]) -> T:
    """What `work` gives; its failure as `explain` words it, and nothing of the exception itself."""
    try:
        return work()
    except CandlingError as error:
        failure = error
    except Exception as error:
        if debugging():
            raise explain(error) from error
        failure = explain(error)
    try:
        raise alone(failure)
    finally:
        del failure  # its traceback has this frame, which would keep what `work` holds alive


def on_rows(work: Callable[[], T]) -> T:
    """What `work` gives; an error of ours by itself, any other exception as an InternalError."""
    try:
        return work()
    except CandlingError as error:
        failure: Exception = error
    except Exception as error:
        if debugging():
            raise
        failure = error if _of_the_system(error) else _bug(error)
    try:
        raise alone(failure)
    finally:
        del failure  # its traceback has this frame, which would keep what `work` holds alive


def alone(error: E) -> E:
    """The error without other exceptions and without the frames that it went through."""
    if debugging():
        return error
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def debugging() -> bool:
    """Whether the caller wants to see everything."""
    return os.environ.get("CANDLING_DEBUG", "") not in ("", "0")


def _of_the_system(error: Exception) -> bool:
    """Whether it is about a file or a pipe, and not about a row; callers look at its number."""
    return isinstance(error, OSError) and error.errno is not None


def _bug(error: Exception) -> InternalError:
    return InternalError(
        f"candling stopped on an internal error ({type(error).__name__} in {_place(error)}). "
        "Please report it. With CANDLING_DEBUG=1 the exception is raised as it is, which may hold "
        "values of the table."
    )


def _place(error: BaseException) -> str:
    """The line of ours that was reached last: file and number."""
    ours, found = Path(__file__).parent, "candling"
    frame = error.__traceback__
    while frame is not None:
        path = Path(frame.tb_frame.f_code.co_filename)
        if path.is_relative_to(ours):
            found = f"{path.relative_to(ours.parent)}:{frame.tb_lineno}"
        frame = frame.tb_next
    return found
