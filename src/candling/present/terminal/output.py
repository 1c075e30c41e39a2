"""Everything that is written to a terminal, a pipe or a log goes through here.

Rich decides on colours (NO_COLOR, pipes) and knows the width; lines are broken here, so that
output in a pipe or a file has no padding and can be compared byte by byte.
"""

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from candling.errors import CandlingError, ConstraintError
from candling.phases import Phase, heard_by
from candling.present.numbers import count as count  # noqa: PLC0414 - part of what this offers

if TYPE_CHECKING:
    from rich.console import Console

NOT_PRIVATE = "NOT PRIVATE: these are exact values of the table, for its owner only."
_LEAST_WIDTH = 24  # narrower columns are not filled but run over the edge
_NARROW = 6  # a column of cells is not cut to less
_NUMBERS = 3  # columns of a measure without its cost
_BESIDE = 44  # room that a sentence needs to stand beside a number, not below
_remarks_shown: ContextVar[bool] = ContextVar("candling_remarks", default=True)


# Plain text


def line(
    text: str = "", style: str | None = None, *, head: str = "", head_style: str = "bold"
) -> None:
    """One paragraph, filled to the width of the terminal, to the right of a head."""
    _fill(_console(), text, style=style, head=head, head_style=head_style)


def raw(text: str) -> None:
    """Text exactly as it is."""
    _console().out(text, end="", highlight=False)


def heading(text: str) -> None:
    """A title with a blank line on both sides."""
    _console().print(f"\n{text}\n", style="bold")


def items(texts: Iterable[str]) -> None:
    """A list, one item a line."""
    for text in texts:
        _fill(_console(), text, indent=2)


def commands(*texts: str) -> None:
    """Commands to copy, never broken."""
    for text in texts:
        _console().print(f"  {text}", style="cyan", soft_wrap=True)


def prose(text: str) -> None:
    """Paragraphs, filled; a paragraph with an indented line stays as it is."""
    for position, paragraph in enumerate(text.strip("\n").split("\n\n")):
        if position:
            line()
        if any(row.startswith(" ") for row in paragraph.split("\n")):
            _console().print(paragraph, soft_wrap=True)
        else:
            line(paragraph)


# Results


def not_private(text: str = NOT_PRIVATE, *, stderr: bool = False) -> None:
    """The warning that stands before everything that is not private."""
    _fill(_console(stderr=stderr), text, style="bold yellow")


def print_json(value: Mapping[str, Any]) -> None:
    """A JSON object, never broken or coloured."""
    raw(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def table(rows: Iterable[tuple[str, str, str]]) -> None:
    """Names, values aligned on the right if there are any, and what they mean."""
    listed = list(rows)
    names, values = (max((len(row[i]) for row in listed), default=0) for i in (0, 1))
    for name, value, meaning in listed:
        numbers = f"{value:>{values}}  " if values else ""
        _fill(_console(), meaning, head=f"  {name:<{names}}  {numbers}")


def measures(heads: Sequence[str], rows: Sequence[Sequence[str]], *, room: int = _BESIDE) -> None:
    """Name, value, interval and perhaps a cost of each, then what it says: beside it, or below.

    Values and costs are aligned on the right. `heads` has none for what it says. Where even the
    numbers have no room, the cost goes into the sentence.
    """
    out = _console()
    width = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    gap = "  " if width[0] else ""
    priced = len(heads) > _NUMBERS
    narrow = priced and 2 + sum(width) + len(gap) + 4 > out.width

    def cells(row: Sequence[str], *, filled: bool = False) -> str:
        name, value, interval, *cost = row
        numbers = f"{value:>{width[1]}}  {interval:<{width[2]}}"
        if priced and not narrow:
            numbers += f"  {cost[0]:>{width[3]}}"
        return f"  {name:<{width[0]}}{gap}{numbers if filled else numbers.rstrip()}"

    beside = len(cells(heads, filled=True)) + 2 + room <= out.width
    out.print(cells(heads), style="dim", soft_wrap=True)
    for *numbers, sentence in rows:
        if beside:
            _fill(out, sentence, head=cells(numbers, filled=True) + "  ", style="dim")
        else:
            out.print(cells(numbers), style="bold", soft_wrap=True)
            cost = f" ({heads[3]} {numbers[3]})" if narrow else ""
            _fill(out, sentence + cost, indent=6, style="dim")


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: int = 0) -> None:
    """A table of cells, the first `numbers` columns aligned on the right.

    Columns that are too wide are cut; those at the end that have no room at all are left out.
    """
    from rich.cells import cell_len, set_cell_size

    out = _console()
    cells = [[_printable(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(cell_len(row[i]) for row in cells) for i in range(len(heads))]
    while sum(widths) + 2 * len(widths) > out.width and max(widths[numbers:], default=0) > _NARROW:
        widest = max(range(numbers, len(widths)), key=widths.__getitem__)
        widths[widest] -= 1
    while sum(widths) + 2 * len(widths) > out.width and len(widths) > numbers + 1:
        widths.pop()
    for position, row in enumerate(cells):
        parts = []
        for i, width in enumerate(widths):
            cell = row[i]
            if cell_len(cell) > width:
                cell = set_cell_size(cell, width - 1) + "…"
            pad = " " * (width - cell_len(cell))
            parts.append(pad + cell if i < numbers else cell + pad)
        style = "dim" if position == 0 else None
        out.print(("  " + "  ".join(parts)).rstrip(), style=style, soft_wrap=True)


def _printable(text: str) -> str:
    """Text in which nothing can move the cursor or change a colour."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def rules(described: Sequence[tuple[str, str, str, str]]) -> None:
    """Rules with line, label, kind and text; the text goes below if it has no room beside."""
    out = _console()
    lines, labels, kinds = (max((len(rule[i]) for rule in described), default=0) for i in range(3))
    beside = lines + labels + kinds + 8 + _LEAST_WIDTH <= out.width
    for place, label, kind, text in described:
        if beside:
            _fill(out, text, head=f"  {place:>{lines}}  {label:<{labels}}  {kind:<{kinds}}  ")
        else:
            _fill(out, f"{label} ({kind})" if label else kind, head=f"  {place:>{lines}}  ")
            _fill(out, text, indent=lines + 6)


# Beside the results


@contextmanager
def remarks(*, shown: bool) -> Iterator[None]:
    """Within it, progress and remarks are shown or not; results and errors always are."""
    token = _remarks_shown.set(shown)
    try:
        yield
    finally:
        _remarks_shown.reset(token)


def remark(text: str) -> None:
    """A line on standard error beside the result, unless the caller wants quiet."""
    if _remarks_shown.get():
        note(text)


def note(text: str) -> None:
    """A line on standard error that nobody should miss."""
    _console(stderr=True).print(text, style="dim", soft_wrap=True)


def notes(problem: BaseException) -> None:
    """What was added to an exception on its way: our own words, such as that a charge stays."""
    for text in getattr(problem, "__notes__", ()):
        note(text)


def warning(text: str) -> None:
    """Something odd that stops nobody; part of the result, so on standard output."""
    _console().print(text, style="yellow", soft_wrap=True)


@contextmanager
def progress() -> Iterator[None]:
    """A spinner on standard error with the phase that a release is in, a word and no number.

    Nothing is shown where nobody watches: in a pipe, in a log, or if quiet is wanted.
    """
    err = _console(stderr=True)
    if not err.is_terminal or not _remarks_shown.get():
        yield
        return
    with err.status(Phase.READING) as status, heard_by(status.update):
        yield


def error(problem: CandlingError) -> None:
    """What the caller did wrong, in our own words, and where to read more."""
    from rich.text import Text

    err = _console(stderr=True)
    if isinstance(problem, ConstraintError):
        codes = list(dict.fromkeys(p.code for p in problem.problems))
        err.print(str(problem), soft_wrap=True)
        number = count(len(problem.problems), "problem")
        err.print(f"{number} in {problem.source}.", style="bold red", soft_wrap=True)
    else:
        codes = [problem.code]
        message = Text.assemble((f"error {problem.code}: ", "bold red"), str(problem))
        err.print(message, soft_wrap=True)
    notes(problem)
    err.print(f"More: candling explain {' '.join(codes)}", style="dim", soft_wrap=True)


def bug(problem: Exception) -> None:
    """That we failed. What the exception says stays hidden: it may hold a value of the table."""
    err = _console(stderr=True)
    name = type(problem).__name__
    err.print(f"candling stopped on a bug of its own ({name}).", style="bold red", soft_wrap=True)
    err.print(
        "Please report it. CANDLING_DEBUG=1 or `candling --debug ...` shows the traceback, which "
        "may hold values of the table: read it before you send it.",
        soft_wrap=True,
    )
    notes(problem)


def _console(*, stderr: bool = False) -> "Console":
    """A console that takes text as it is: no markup, no emoji, no colour by its own choice."""
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704 - runs while a BrokenPipeError is handled, which app.py answers

    return Plain(stderr=stderr, markup=False, highlight=False, emoji=False)


def _fill(
    out: "Console",
    text: str,
    *,
    indent: int = 0,
    head: str = "",
    style: str | None = None,
    head_style: str = "bold",
) -> None:
    """Text broken at words to the right of an indent, which `head` fills on the first line."""
    from rich.text import Text

    indent = len(head) or indent
    room = max(out.width - indent, _LEAST_WIDTH)
    broken = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)
    first, *others = broken or [""]
    start = Text.assemble((head or " " * indent, head_style), (first, style or ""))
    start.rstrip()
    out.print(start, soft_wrap=True)
    for other in others:
        out.print(" " * indent + other, style=style, soft_wrap=True)
