"""Everything that is written to a terminal, a pipe or a log goes through here.

Rich decides on colours (NO_COLOR, pipes) and knows the width; `text.py` lays the lines out and
escapes every name in them, so that no command has to think of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rich.console import Console
from rich.text import Text

from candling.errors import CandlingError, ConstraintError
from candling.escaping import for_json, for_terminal, lines_for_terminal
from candling.render.text import Line, fill, lay_out, lay_out_table
from candling.render.view import Note, Place, Table, View
from candling.render.wording import NOT_PRIVATE
from candling.render.wording import count as count  # noqa: PLC0414 - part of what this offers
from candling.system.progress import Phase, heard_by

_LEAST_WIDTH = 24  # of the text of a rule beside the rest
_remarks_shown: ContextVar[bool] = ContextVar("candling_remarks", default=True)


# Views


def show(view: View) -> None:
    """Print a view, and its notes on standard error; its alarm is left to the command."""
    blocks = list(view.blocks_at(Place.TEXT))
    out = _console()
    _print_lines(out, lay_out([b for b in blocks if not isinstance(b, Note)], out.width))
    for block in blocks:
        if isinstance(block, Note):
            note(f"{block.label}: {block.text}")


# Plain text


def line(
    text: str = "", style: str | None = None, *, head: str = "", head_style: str = "bold"
) -> None:
    """One paragraph, filled to the width of the terminal, to the right of a head."""
    out = _console()
    _print_lines(out, fill(text, out.width, head=head, style=style or "", head_style=head_style))


def raw(text: str) -> None:
    """Lines for other programs, in a form that is escaped already: never broken or coloured."""
    _console().out(lines_for_terminal(text), end="", highlight=False)


def heading(text: str) -> None:
    """A title with a blank line on both sides."""
    _print(_console(), f"\n{for_terminal(text)}\n", style="bold")


def items(texts: Iterable[str]) -> None:
    """A list, one item a line."""
    for text in texts:
        line(text, head="  ", head_style="")


def prompt() -> None:
    """The sign that an answer is waited for, on standard error."""
    _console(stderr=True).print("> ", end="", soft_wrap=True)


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
    out = _console(stderr=stderr)
    _print_lines(out, fill(text, out.width, style="bold yellow"))


def print_json(value: Mapping[str, Any]) -> None:
    """A JSON object, never broken or coloured."""
    raw(for_json(value, indent=2) + "\n")


def table(rows: Iterable[tuple[str, str, str]]) -> None:
    """Names, values aligned on the right if there are any, and what they mean."""
    listed = list(rows)
    if not any(value for _, value, _ in listed):
        shown = Table(("", ""), [(name, words) for name, _, words in listed], fills=1,
                      heads_in_text=False)  # fmt: skip
    else:
        shown = Table(("", "", ""), listed, numbers=(1,), fills=2, heads_in_text=False)
    out = _console()
    _print_lines(out, lay_out_table(shown, out.width))


def columns(described: Sequence[tuple[str, str, str]]) -> None:
    """Columns of a table with their types, and where each type comes from."""
    out = _console()
    shown = Table(("", "", ""), described, fills=2, room=_LEAST_WIDTH, heads_in_text=False)
    _print_lines(out, lay_out_table(shown, out.width))


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: int = 0) -> None:
    """A table of cells that are cut to fit, the first `numbers` columns aligned on the right."""
    out = _console()
    _print_lines(out, lay_out_table(Table(heads, rows, numbers=range(numbers)), out.width))


def rules(described: Sequence[tuple[str, str, str, str]]) -> None:
    """Rules with line, label, kind and text; the text goes below if it has no room beside."""
    out = _console()
    shown = [tuple(map(for_terminal, rule)) for rule in described]
    lines, labels, kinds = (max((len(rule[i]) for rule in shown), default=0) for i in range(3))
    beside = lines + labels + kinds + 8 + _LEAST_WIDTH <= out.width
    for place, label, kind, text in shown:
        if beside:
            line(text, head=f"  {place:>{lines}}  {label:<{labels}}  {kind:<{kinds}}  ")
        else:
            line(f"{label} ({kind})" if label else kind, head=f"  {place:>{lines}}  ")
            _print_lines(out, fill(text, out.width, indent=lines + 6))


# In addition to the results


@contextmanager
def remarks(*, shown: bool) -> Iterator[None]:
    """Within it, progress and remarks are shown or not; results and errors always are."""
    token = _remarks_shown.set(shown)
    try:
        yield
    finally:
        _remarks_shown.reset(token)


def remark(text: str) -> None:
    """A line on standard error in addition to the result, unless the caller wants quiet."""
    if _remarks_shown.get():
        note(text)


def note(text: str) -> None:
    """A line on standard error, always."""
    _print_rows(_console(stderr=True), for_terminal(text), style="dim")


def notes(problem: BaseException) -> None:
    """What was added to an exception on its way: our own words, such as that a charge stays."""
    for text in getattr(problem, "__notes__", ()):
        note(text)


def warning(text: str) -> None:
    """A warning that is part of the result, so on standard output."""
    _print(_console(), for_terminal(text), style="yellow")


@contextmanager
def progress() -> Iterator[None]:
    """A spinner on standard error with the phase that a release is in, a word and no number.

    Nothing is shown in a pipe, in a log, or if quiet is wanted.
    """
    err = _console(stderr=True)
    if not err.is_terminal or not _remarks_shown.get():
        yield
        return
    with err.status(Phase.READING) as status, heard_by(lambda at: status.update(_describe(at))):
        yield


def _describe(phase: Phase) -> str:
    """The phase, and what makes it long where the package was built without a C compiler."""
    if phase is not Phase.CONFLICTS:
        return phase
    from candling.graph.compilation import load_library

    if load_library() is not None:
        return phase
    return f"{phase} (the first large table takes some seconds longer: its loops are compiled)"


def error(problem: CandlingError) -> None:
    """What the caller did wrong, in our own words, and where to read more."""
    err = _console(stderr=True)
    if isinstance(problem, ConstraintError):
        codes = list(dict.fromkeys(p.code for p in problem.problems))
        _print_rows(err, str(problem))
        number = count(len(problem.problems), "problem")
        _print(err, f"{number} in {for_terminal(problem.source)}.", style="bold red")
    else:
        codes = [problem.code]
        first, *others = lines_for_terminal(str(problem)).split("\n")
        head = f"error {problem.code}: "
        if err.is_terminal:
            _print_lines(err, fill(first, err.width, head=head, head_style="bold red"))
        else:
            _print(err, Text.assemble((head, "bold red"), first))
        if others:
            _print_rows(err, "\n".join(others))
    notes(problem)
    _print(err, f"More: candling explain {' '.join(codes)}", style="dim")


def bug(problem: BaseException) -> None:
    """That we failed. What the exception says stays hidden: it may hold a value of the table."""
    err = _console(stderr=True)
    name = type(problem).__name__
    _print(err, f"candling stopped because of an internal error ({name}).", style="bold red")
    _print(
        err,
        "Please report it. CANDLING_DEBUG=1 or `candling --debug ...` shows the traceback, which "
        "may hold values of the table: read it before you send it.",
    )
    notes(problem)


class _Plain(Console):
    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 - runs while a BrokenPipeError is handled, which app.py answers


def _console(*, stderr: bool = False) -> Console:
    """A console that takes text as it is: no markup, no emoji, no colour by its own choice."""
    return _Plain(stderr=stderr, markup=False, highlight=False, emoji=False)


_HELP = "    help: "


def _print_rows(out: Console, text: str, *, style: str = "") -> None:
    """Rows broken at words on a terminal; a pipe or a log gets each as it is.

    A row that starts with spaces stays as it is there, too, because a caret points into it.
    """
    if not out.is_terminal:
        _print(out, text, style=style)
        return
    for row in text.split("\n"):
        if row.startswith(_HELP):
            words = row.removeprefix(_HELP)
            _print_lines(out, fill(words, out.width, head=_HELP, style=style, head_style=style))
        elif row.startswith(" "):
            _print(out, row, style=style)
        else:
            _print_lines(out, fill(row, out.width, style=style))


def _print_lines(out: Console, lines: Iterable[Line]) -> None:
    for pieces in lines:
        text = Text.assemble(*pieces)
        text.rstrip()
        _print(out, text)


def _print(out: Console, text: str | Text, *, style: str | None = None) -> None:
    """Text with the ends of lines that it has and no others; a last net under all the above."""
    if isinstance(text, str):
        text = lines_for_terminal(text)
    out.print(text, style=style, soft_wrap=True)
