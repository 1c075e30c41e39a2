"""Every error that candling raises on purpose, and what an exception may carry.

    CandlingError
    +-- BudgetError (ValueError)         the ledger does not allow a charge
    +-- ConstraintError (ValueError)     the rules cannot be read or do not fit the table
    +-- DataError (ValueError)           the table cannot be read
    +-- LedgerError (RuntimeError)       the ledger cannot be used, or was tampered with
    +-- UsageError (ValueError)          an argument is not valid

The caller can fix each of them: each has a stable `code` that `candling explain CODE` explains,
and a message that says what to do next. Every other exception is our bug. No message holds a value
of the table.

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
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from candling.escaping import for_terminal
from candling.records import dataclass

_LONGEST = 800  # characters of a message
_BEFORE, _AFTER = 120, 240  # characters of a line that are shown on both sides of the caret


class CandlingError(Exception):
    """Base of all errors; `code` is stable across releases."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Problem:
    """One mistake in a rules file, with its place."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None  # 1-based position of the caret in `text`
    text: str | None = None  # the line with the mistake
    hint: str | None = None

    def render(self, source: str = "rules") -> str:
        """The problem as a compiler would print it: place, message, line, caret, hint.

        It quotes names and lines that others wrote: none of them can add a line, or change one.
        """
        place = for_terminal(source) if self.line is None else f"{for_terminal(source)}:{self.line}"
        if self.line is not None and self.column is not None:
            place += f":{self.column}"
        lines = [f"{place}: {self.code} {_start(self.message)}"]
        if self.text is not None:
            at = 0 if self.column is None else self.column - 1
            before = for_terminal(self.text[:at].expandtabs(4))
            after = for_terminal(self.text[at:].expandtabs(4))
            if len(before) > _BEFORE:
                before = f"…{before[1 - _BEFORE :]}"
            if len(after) > _AFTER:
                after = f"{after[: _AFTER - 1]}…"
            lines.append(f"    {before}{after}")
            if self.column is not None:
                lines.append(f"    {' ' * len(before)}^")
        if self.hint:
            lines.append(f"    help: {_start(self.hint)}")
        return "\n".join(lines)


def _start(words: str) -> str:
    """Words on one line; the names in them can be as long as one likes."""
    shown = for_terminal(words)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


class BudgetError(CandlingError, ValueError):
    """A charge that the budget does not allow; nothing was charged and no row was read."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        dataset: str,
        people: str,
        requested: Fraction,
        remaining: Fraction,
    ) -> None:
        super().__init__(message, code=code)
        self.dataset = dataset
        self.people = people
        self.requested = requested
        self.remaining = remaining

    @property
    def difference(self) -> Fraction:
        """How much is missing."""
        return self.requested - self.remaining


class ConstraintError(CandlingError, ValueError):
    """All problems of a rules file at once, in the order of its lines."""

    def __init__(self, problems: tuple[Problem, ...], *, source: str = "rules") -> None:
        super().__init__("\n".join(p.render(source) for p in problems), code=problems[0].code)
        self.problems = problems
        self.source = source


class DataError(CandlingError, ValueError):
    """The table cannot be read, or no rule can be checked on it."""


class LedgerError(CandlingError, RuntimeError):
    """A ledger that is missing, damaged or unreachable, or lacks the dataset or the entry."""

    def __init__(self, message: str, *, code: str, sequence: int | None = None) -> None:
        super().__init__(message, code=code)
        self.sequence = sequence  # the first entry that is wrong, if that is what is wrong


class UsageError(CandlingError, ValueError):
    """An argument or an option that is not valid."""


T = TypeVar("T")
E = TypeVar("E", bound=BaseException)


class InternalError(RuntimeError):
    """A bug of ours, met while rows were in use: where it is, and nothing that it says."""


def translate_failure(work: Callable[[], T], explain: Callable[[Exception], DataError]) -> T:
    """What `work` gives; its failure as `explain` words it, and nothing of the exception itself."""
    try:
        return work()
    except CandlingError as error:
        failure = error
    except Exception as error:
        _raise_if_interrupted(error)
        if is_debugging():
            raise explain(error) from error
        failure = explain(error)
    try:
        raise without_context(failure)
    finally:
        del failure  # its traceback has this frame, which would keep what `work` holds alive


def hide_private_errors(work: Callable[[], T]) -> T:
    """What `work` gives; an error of ours by itself, any other exception as an InternalError."""
    try:
        return work()
    except CandlingError as error:
        failure: Exception = error
    except Exception as error:
        _raise_if_interrupted(error)
        if is_debugging():
            raise
        failure = error if _of_the_system(error) else _bug(error)
    try:
        raise without_context(failure)
    finally:
        del failure  # its traceback has this frame, which would keep what `work` holds alive


def _raise_if_interrupted(error: Exception) -> None:
    """Ctrl-C, which DuckDB swallows and answers by an error like any other."""
    if type(error) is RuntimeError and str(error) == "Query interrupted":
        raise KeyboardInterrupt from None


def without_context(error: E) -> E:
    """The error without other exceptions and without the frames that it went through."""
    if is_debugging():
        return error
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def is_debugging() -> bool:
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


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most alike, whatever the case of its letters, or None."""
    listed = [*known]
    same = [other for other in listed if other.casefold() == word.casefold()]
    matches = same or get_close_matches(word, listed, n=1)
    return matches[0] if matches else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence that begins with a space: " Did you mean 'spark'?"; empty if nothing is alike."""
    near = nearest(word, known)
    return "" if near is None else f" Did you mean {near!r}?"
