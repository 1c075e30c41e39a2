"""Views as Markdown, for a pull request or a wiki."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from candling.escaping import code_for_markdown, for_markdown
from candling.render.view import (
    Block,
    Fact,
    Facts,
    Heading,
    Note,
    Paragraph,
    Place,
    Table,
    Verdicts,
    View,
)


def render_markdown(view: View, title: str = "") -> str:
    """Write a view as Markdown; `title` is Markdown already.

    Titles of sections are left out, because the heads of the tables say the same.
    """
    blocks = [[f"### {title}"]] if title else []
    if view.alarm is not None:
        blocks.append([f"**{view.alarm}**"])
    blocks += [
        list(_lines_of(block))
        for block in view.blocks_at(Place.TEXT)
        if not isinstance(block, Heading)
    ]
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def _lines_of(block: Block) -> Iterator[str]:
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
                (code_for_markdown(r.gate.text), f"**{r.outcome}**", r.judged_by)
                for r in block.results
            ]
            yield from _table(("gate", "outcome", "interval"), rows)
        case _:
            raise TypeError(f"{type(block).__name__} is not text")


def _cells(row: Sequence[str | None], code: int | None) -> list[str]:
    return [
        code_for_markdown(cell or "") if i == code else for_markdown(cell or "NULL")
        for i, cell in enumerate(row)
    ]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join('---' for _ in heads)}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"
