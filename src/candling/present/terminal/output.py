"""Everything that is written to a terminal, a pipe or a log goes through here.

Rich decides on colours (NO_COLOR, pipes) and knows the width; lines are broken here, so that
output in a pipe or a file has no padding and can be compared byte by byte. Every text may hold a
name that somebody else chose: all of it is escaped here, so that no command has to think of it.
"""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from candling.errors import CandlingError, ConstraintError
from candling.escaping import for_json, for_terminal, lines_for_terminal
from candling.phases import Phase, heard_by
from candling.present.numbers import NOT_PRIVATE
from candling.present.numbers import count as count  # noqa: PLC0414 - part of what this offers

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_LEAST_WIDTH = 24  # narrower columns are not filled but run over the edge
_NARROW = 6  # a column of cells is not cut to less
_BESIDE = 44  # room that a sentence needs to stand beside a number, not below
_remarks_shown: ContextVar[bool] = ContextVar("candling_remarks", default=True)


# Plain text


def line(
    text: str = "", style: str | None = None, *, head: str = "", head_style: str = "bold"
) -> None:
    """One paragraph, filled to the width of the terminal, to the right of a head."""
    _fill(_console(), text, style=style, head=head, head_style=head_style)


def raw(text: str) -> None:
    """Lines for other programs, in a form that is escaped already: never broken or coloured."""
    _console().out(lines_for_terminal(text), end="", highlight=False)


def heading(text: str) -> None:
    """A title with a blank line on both sides."""
    _print(_console(), f"\n{for_terminal(text)}\n", style="bold")


def items(texts: Iterable[str]) -> None:
    """A list, one item a line."""
    for text in texts:
        _fill(_console(), text, indent=2)


def commands(*texts: str) -> None:
    """Commands to copy, never broken."""
    for text in texts:
        _print(_console(), f"  {for_terminal(text)}", style="cyan")


def prose(text: str) -> None:
    """Paragraphs, filled; a paragraph with an indented line stays as it is."""
    for position, paragraph in enumerate(text.strip("\n").split("\n\n")):
        if position:
            line()
        if any(row.startswith(" ") for row in paragraph.split("\n")):
            _print(_console(), paragraph)
        else:
            line(paragraph)


# Results


def not_private(text: str = NOT_PRIVATE, *, stderr: bool = False) -> None:
    """The warning that stands before everything that is not private."""
    _fill(_console(stderr=stderr), text, style="bold yellow")


def print_json(value: Mapping[str, Any]) -> None:
    """A JSON object, never broken or coloured."""
    raw(for_json(value, indent=2) + "\n")


def table(rows: Iterable[tuple[str, str, str]]) -> None:
    """Names, values aligned on the right if there are any, and what they mean."""
    listed = _escaped(rows)
    names, values = (max((len(row[i]) for row in listed), default=0) for i in (0, 1))
    for name, value, meaning in listed:
        numbers = f"{value:>{values}}  " if values else ""
        _fill(_console(), meaning, head=f"  {name:<{names}}  {numbers}")


def measures(heads: Sequence[str], rows: Sequence[Sequence[str]], *, room: int = _BESIDE) -> None:
    """Name, value and interval of each, then what it says: beside it, or below.

    Values are aligned on the right. `heads` has none for what it says.
    """
    out = _console()
    rows = _escaped(rows)
    width = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    gap = "  " if width[0] else ""

    def cells(row: Sequence[str], *, filled: bool = False) -> str:
        name, value, interval = row
        numbers = f"{value:>{width[1]}}  {interval:<{width[2]}}"
        return f"  {name:<{width[0]}}{gap}{numbers if filled else numbers.rstrip()}"

    beside = len(cells(heads, filled=True)) + 2 + room <= out.width
    _print(out, cells(heads), style="dim")
    for *numbers, sentence in rows:
        if beside:
            _fill(out, sentence, head=cells(numbers, filled=True) + "  ", style="dim")
        else:
            _print(out, cells(numbers), style="bold")
            _fill(out, sentence, indent=6, style="dim")


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: int = 0) -> None:
    """A table of cells, the first `numbers` columns aligned on the right.

    Columns that are too wide are cut; those at the end that have no room at all are left out.
    """
    from rich.cells import cell_len, set_cell_size

    out = _console()
    cells = _escaped((heads, *rows))
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
        _print(out, ("  " + "  ".join(parts)).rstrip(), style=style)


def rules(described: Sequence[tuple[str, str, str, str]]) -> None:
    """Rules with line, label, kind and text; the text goes below if it has no room beside."""
    out = _console()
    shown = _escaped(described)
    lines, labels, kinds = (max((len(rule[i]) for rule in shown), default=0) for i in range(3))
    beside = lines + labels + kinds + 8 + _LEAST_WIDTH <= out.width
    for place, label, kind, text in shown:
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
    _print(_console(stderr=True), for_terminal(text), style="dim")


def notes(problem: BaseException) -> None:
    """What was added to an exception on its way: our own words, such as that a charge stays."""
    for text in getattr(problem, "__notes__", ()):
        note(text)


def warning(text: str) -> None:
    """Something odd that stops nobody; part of the result, so on standard output."""
    _print(_console(), for_terminal(text), style="yellow")


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
        _print(err, str(problem))
        number = count(len(problem.problems), "problem")
        _print(err, f"{number} in {for_terminal(problem.source)}.", style="bold red")
    else:
        codes = [problem.code]
        message = lines_for_terminal(str(problem))
        _print(err, Text.assemble((f"error {problem.code}: ", "bold red"), message))
    notes(problem)
    _print(err, f"More: candling explain {' '.join(codes)}", style="dim")


def bug(problem: Exception) -> None:
    """That we failed. What the exception says stays hidden: it may hold a value of the table."""
    err = _console(stderr=True)
    name = type(problem).__name__
    _print(err, f"candling stopped on a bug of its own ({name}).", style="bold red")
    _print(
        err,
        "Please report it. CANDLING_DEBUG=1 or `candling --debug ...` shows the traceback, which "
        "may hold values of the table: read it before you send it.",
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

    head = for_terminal(head)
    indent = len(head) or indent
    room = max(out.width - indent, _LEAST_WIDTH)
    # Our own sentences may have line ends where spaces would do as well.
    words = for_terminal(text.replace("\n", " "))
    broken = textwrap.wrap(words, room, break_long_words=False, break_on_hyphens=False)
    first, *others = broken or [""]
    start = Text.assemble((head or " " * indent, head_style), (first, style or ""))
    start.rstrip()
    _print(out, start)
    for other in others:
        _print(out, " " * indent + other, style=style)


def _escaped(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    """Rows of cells, each of which takes as many columns as it has characters."""
    return [[for_terminal(cell) for cell in row] for row in rows]


def _print(out: "Console", text: "str | Text", *, style: str | None = None) -> None:
    """Text with the ends of lines that it has and no others; a last net under all the above."""
    if isinstance(text, str):
        text = lines_for_terminal(text)
    out.print(text, style=style, soft_wrap=True)
