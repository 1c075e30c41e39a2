"""Every error that candling raises on purpose.

    CandlingError
    +-- BudgetError (ValueError)         the ledger does not allow a charge
    +-- ConstraintError (ValueError)     the rules cannot be read or do not fit the table
    +-- DataError (ValueError)           the table cannot be read
    +-- LedgerError (RuntimeError)       the ledger cannot be used, or was tampered with
    +-- UsageError (ValueError)          an argument is not valid

The caller can fix each of them: each has a stable `code` that `candling explain CODE` explains,
and a message that says what to do next. Every other exception is our bug. No message holds a value
of the table. `LedgerWarning` is a doubt about the table that does not stop a release, `DataWarning`
tells the owner of cells that are read as NULL.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from candling.escaping import for_terminal

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


class DataWarning(UserWarning):
    """Cells of the table that were read as NULL: only for the owner, who may know."""


class LedgerWarning(UserWarning):
    """A doubt of the ledger: the table may not be the one that the dataset stands for."""


class UsageError(CandlingError, ValueError):
    """An argument or an option that is not valid."""
