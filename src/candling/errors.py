"""Every error that candling raises on purpose.

    CandlingError
    +-- ConstraintError (ValueError)     the rules cannot be read or do not fit the table
    +-- DataError (ValueError)           the table cannot be read
    +-- UsageError (ValueError)          an argument does not make sense

All three are the caller's to mend: each carries a stable `code` that `candling explain CODE`
explains, and a message that says what to do next. Anything else that escapes is our bug.
No message holds a value of the table.
"""

from __future__ import annotations

from dataclasses import dataclass


class CandlingError(Exception):
    """Base of all errors; `code` is stable across releases."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a rules file, with the place it is at."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None  # 1-based position of the caret in `text`
    text: str | None = None  # the offending line
    hint: str | None = None

    def render(self, source: str = "rules") -> str:
        """The problem as a compiler would print it: place, message, line, caret, hint."""
        place = source if self.line is None else f"{source}:{self.line}"
        if self.line is not None and self.column is not None:
            place += f":{self.column}"
        lines = [f"{place}: {self.code} {self.message}"]
        if self.text is not None:
            lines.append(f"    {self.text}")
            if self.column is not None:
                pad = "".join("\t" if c == "\t" else " " for c in self.text[: self.column - 1])
                lines.append(f"    {pad}^")
        if self.hint:
            lines.append(f"    help: {self.hint}")
        return "\n".join(lines)


class ConstraintError(CandlingError, ValueError):
    """All problems of a rules file at once, in the order of its lines."""

    def __init__(self, problems: tuple[Problem, ...], *, source: str = "rules") -> None:
        super().__init__("\n".join(p.render(source) for p in problems), code=problems[0].code)
        self.problems = problems
        self.source = source


class DataError(CandlingError, ValueError):
    """The table cannot be read, or holds what no rule can be checked on."""


class UsageError(CandlingError, ValueError):
    """An argument or option that does not make sense."""
