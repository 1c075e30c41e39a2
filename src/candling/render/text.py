"""Views as plain text and as Markdown.

Lines are broken here and not by the terminal, so that output in a pipe or a file has no padding and
can be compared byte by byte. Every text may hold a name that somebody else chose: all of it is
escaped here.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import combining, east_asian_width

from candling.escaping import code_for_markdown, for_markdown, for_terminal
from candling.model.gate import Outcome
from candling.render.view import (
    Block,
    Fact,
    Facts,
    Heading,
    Note,
    Paragraph,
    Place,
    Table,
    Tone,
    Verdicts,
    View,
)

Line = tuple[tuple[str, str], ...]  # pieces of text with their styles, in the words of Rich

_WIDTH = 80
_LEAST_WIDTH = 24  # narrower columns are not filled but run over the edge
_NARROW = 6  # a column of cells is not cut to less
_INDENT = 6  # of what goes below a row
_TONES = {Tone.FINE: "dim", Tone.GOOD: "green"}
_STYLES = {Outcome.PASS: "green", Outcome.FAIL: "bold red", Outcome.CANNOT_TELL: "yellow"}


def render_text(view: View) -> str:
    """Write a view as text of 80 columns, without colours."""
    alarm = [] if view.alarm is None else [Paragraph(view.alarm)]
    lines = lay_out([*alarm, *view.blocks_at(Place.TEXT)], _WIDTH)
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def lay_out(blocks: Iterable[Block], width: int) -> Iterator[Line]:
    """The lines of blocks, with an empty one between two that do not belong together."""
    for position, block in enumerate(blocks):
        if position and not (isinstance(block, Paragraph | Table) and block.close):
            yield ()
        yield from _lines_of(block, width)


def _lines_of(block: Block, width: int) -> Iterator[Line]:
    match block:
        case Paragraph():
            return _paragraph(block, width)
        case Heading():
            return fill(block.text, width, style="bold")
        case Note():
            return fill(f"{block.label}: {block.text}", width)
        case Table():
            return lay_out_table(block, width)
        case Verdicts():
            return _verdicts(block, width)
        case Fact():
            return fill(f"{block.name}  ({block.remark})", width, head=f"{block.title}  ")
        case Facts():
            return _facts(block, width)
        case _:
            raise TypeError(f"{type(block).__name__} is not text")


def _paragraph(block: Paragraph, width: int) -> Iterator[Line]:
    text = f"{block.names}: {block.text}" if block.names else block.text
    if block.strong and text:
        return fill(text, width, head=f"{block.strong}  ", style="dim")
    if block.strong:
        return fill(block.strong, width, style="bold")
    style = _TONES.get(block.tone, "")
    return fill(text, width, style=style, indent=2 if block.close else 0)


def _verdicts(block: Verdicts, width: int) -> Iterator[Line]:
    room = max(len(result.outcome.label) for result in block.results)
    for result in block.results:
        text = f"{result.statement} ({result.judged_by})"
        head = f"  {result.outcome.label:<{room}}  "
        yield from fill(text, width, head=head, head_style=_STYLES[result.outcome])


def _facts(block: Facts, width: int) -> Iterator[Line]:
    room = max(len(title) for title, _ in block.items)
    for title, paragraphs in block.items:
        yield from fill(" ".join(paragraphs), width, head=f"  {title:<{room}}  ")


# Tables


def lay_out_table(table: Table, width: int) -> Iterator[Line]:
    """A table with a column that is filled, or one of cells that are cut to fit."""
    if table.fills is None:
        return _cut_table(table, width)
    return _filled_table(table, table.fills, width)


def _filled_table(table: Table, fills: int, width: int) -> Iterator[Line]:
    """The other columns aligned, and the column `fills` beside them or below."""
    heads, *rows = _escape_cells((table.heads, *table.rows))
    others = [i for i in range(len(heads)) if i != fills]
    shown = (heads, *rows) if table.heads_in_text else rows
    widths = {i: max((len(row[i]) for row in shown), default=0) for i in others}

    def place(row: Sequence[str]) -> str:
        cells = (
            f"{row[i]:>{widths[i]}}" if i in table.numbers else f"{row[i]:<{widths[i]}}"
            for i in others
        )
        return "  " + "  ".join(cells)

    beside = sum(widths[i] + 2 for i in others) + 2 + table.room <= width or not table.room
    style = "dim" if table.heads_in_text else ""
    if table.heads_in_text:
        yield ((place(heads).rstrip(), "dim"),)
    for row in rows:
        if beside:
            yield from fill(row[fills], width, head=place(row) + "  ", style=style)
        else:
            yield ((place(row).rstrip(), "bold"),)
            yield from fill(row[fills], width, indent=_INDENT, style=style)


def _cut_table(table: Table, width: int) -> Iterator[Line]:
    """Cells in columns: wide ones are cut, and those at the end without any room left out."""
    cells = _escape_cells((table.heads, *table.rows))
    numbers = len(table.numbers)
    widths = [max(_columns(row[i]) for row in cells) for i in range(len(table.heads))]
    while sum(widths) + 2 * len(widths) > width and max(widths[numbers:], default=0) > _NARROW:
        widest = max(range(numbers, len(widths)), key=widths.__getitem__)
        widths[widest] -= 1
    while sum(widths) + 2 * len(widths) > width and len(widths) > numbers + 1:
        widths.pop()
    for position, row in enumerate(cells):
        parts = []
        for i, room in enumerate(widths):
            cell = _cut(row[i], room)
            pad = " " * (room - _columns(cell))
            parts.append(pad + cell if i in table.numbers else cell + pad)
        yield ((("  " + "  ".join(parts)).rstrip(), "" if position else "dim"),)


def _cut(cell: str, room: int) -> str:
    """As much of a cell as there is room for."""
    if _columns(cell) <= room:
        return cell
    while _columns(cell) > room - 1:
        cell = cell[:-1]
    return cell + "…"


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _escape_cells(rows: Iterable[Sequence[str | None]]) -> list[list[str]]:
    return [["NULL" if cell is None else for_terminal(cell) for cell in row] for row in rows]


# Paragraphs


def fill(
    text: str,
    width: int,
    *,
    indent: int = 0,
    head: str = "",
    style: str = "",
    head_style: str = "bold",
) -> Iterator[Line]:
    """Text broken at words to the right of an indent, which `head` fills on the first line."""
    head = for_terminal(head)
    indent = len(head) or indent
    room = max(width - indent, _LEAST_WIDTH)
    # Our own sentences may have line ends where spaces would do as well.
    words = for_terminal(text.replace("\n", " "))
    broken = textwrap.wrap(words, room, break_long_words=False, break_on_hyphens=False)
    first, *others = broken or [""]
    yield (head or " " * indent, head_style), (first, style)
    for other in others:
        yield ((" " * indent + other, style),)


def render_markdown(view: View, title: str = "") -> str:
    """Write a view as Markdown; `title` is Markdown already.

    Titles of sections are left out, because the heads of the tables say the same.
    """
    blocks = [[f"### {title}"]] if title else []
    if view.alarm is not None:
        blocks.append([f"**{view.alarm}**"])
    blocks += [
        list(_write_block(block))
        for block in view.blocks_at(Place.TEXT)
        if not isinstance(block, Heading)
    ]
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def _write_block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            strong = f"**{for_markdown(block.strong)}**" if block.strong else ""
            names = f"{code_for_markdown(block.names)}:" if block.names else ""
            yield " ".join(filter(None, (strong, names, for_markdown(block.text))))
        case Note():
            yield for_markdown(f"{block.label}: {block.text}")
        case Fact():
            name, remark = code_for_markdown(block.name), for_markdown(block.remark)
            yield f"{block.title}: {name} ({remark})"
        case Facts():
            for title, paragraphs in block.items:
                yield f"- {for_markdown(title)}: {for_markdown(' '.join(paragraphs))}"
        case Table():
            yield from _table(block.heads, [_cells(row, block.code) for row in block.rows])
        case Verdicts():
            rows = [
                (f"**{r.outcome.label}**", for_markdown(r.statement), r.judged_by)
                for r in block.results
            ]
            yield from _table(("outcome", "gate", "interval"), rows)
        case _:
            raise TypeError(f"{type(block).__name__} is not text")


def _cells(row: Sequence[str | None], code: int | None) -> list[str]:
    return [
        code_for_markdown(cell or "")
        if i == code
        else for_markdown("NULL" if cell is None else cell)
        for i, cell in enumerate(row)
    ]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join('---' for _ in heads)}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"
