"""A view: what is shown of a result, as plain data that every renderer can write.

A view is a list of sections, and a section a list of blocks. Each block says at which places it is
shown: a page has room for more than a terminal, and a notebook for less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Flag, StrEnum, auto
from typing import TYPE_CHECKING

from candling.records import dataclass

if TYPE_CHECKING:  # every command loads this module
    from candling.model.gate import GateResult
    from candling.model.number import Grade
    from candling.render.pictures import Group, Pill, Share


class Place(Flag):
    """Where a block is shown."""

    TEXT = auto()  # a terminal, `print`, Markdown
    PAGE = auto()
    CELL = auto()  # of a notebook


ANYWHERE = Place.TEXT | Place.PAGE | Place.CELL


class Tone(StrEnum):
    """How much a paragraph stands out."""

    PLAIN = "plain"
    LEAD = "lead"
    FINE = "fine"
    GOOD = "good"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph; words in `backquotes` are code, unless it holds names of others."""

    text: str
    tone: Tone = Tone.PLAIN
    strong: str = ""  # before the text, and stands out
    names: str = ""  # of the measures that it is about, before the text
    pill: Pill | None = None
    coded: bool = True  # False: it is shown letter by letter
    close: bool = False  # belongs to the block before it
    at: Place = ANYWHERE


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a part of a section."""

    text: str
    at: Place = Place.PAGE


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that a reader should not miss; commands print it on standard error."""

    text: str
    label: str = "Note"
    at: Place = ANYWHERE


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; a cell that is None is a NULL of the table.

    In text the column `fills` comes last, and is broken into lines beside the others, or below
    them if less than `room` is left. Without such a column, cells are cut to the width.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str | None]]
    numbers: Sequence[int] = ()  # columns that are aligned on the right
    code: int | None = 0  # the column that is set as code
    fills: int | None = None
    room: int = 0
    heads_in_text: bool = True
    caption: str = ""
    close: bool = False  # belongs to the block before it
    at: Place = ANYWHERE


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Gates and their outcomes."""

    results: Sequence[GateResult]
    at: Place = ANYWHERE


@dataclass(frozen=True, slots=True)
class Fact:
    """A name that was released, with a remark."""

    title: str
    name: str
    remark: str
    at: Place = Place.TEXT


@dataclass(frozen=True, slots=True)
class Facts:
    """Titles, each with one paragraph or more."""

    items: Sequence[tuple[str, Sequence[str]]]
    code: bool = False  # the paragraphs are identifiers
    at: Place = Place.PAGE


@dataclass(frozen=True, slots=True)
class Listing:
    """Numbered rules, each cut to `room` characters."""

    items: Sequence[str]
    room: int
    at: Place = Place.PAGE


# Pictures, which only pages and notebooks show


@dataclass(frozen=True, slots=True)
class Gauge:
    """A grade as an egg whose shell is drawn as far round as rows can stay."""

    grade: Grade
    at: Place = Place.PAGE


@dataclass(frozen=True, slots=True)
class Lines:
    """Measures with their values and intervals on axes; two of each in a comparison."""

    groups: Sequence[Group]
    two: bool = False
    at: Place = Place.PAGE


@dataclass(frozen=True, slots=True)
class Bars:
    """Rules with their values and intervals on one axis."""

    group: Group
    at: Place = Place.PAGE


@dataclass(frozen=True, slots=True)
class Stack:
    """Parts of an epsilon in a row, with a legend or a table below."""

    title: str
    shares: Sequence[Share]
    legend: bool = False
    at: Place = Place.PAGE


@dataclass(frozen=True, slots=True)
class Legend:
    """What the signs of a picture mean."""

    entries: Sequence[tuple[str, str]]
    at: Place = Place.PAGE


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that a reader of a page unfolds, all of which are shown then."""

    title: str
    blocks: Sequence[Block]
    at: Place = Place.PAGE


Block = (
    Paragraph | Heading | Note | Table | Verdicts | Fact | Facts | Listing
    | Gauge | Lines | Bars | Stack | Legend | Fold
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks that belong together; `titled` says where the title is shown."""

    name: str  # an identifier, unique in its view
    title: str
    blocks: Sequence[Block]
    titled: Place = Place.PAGE
    code: bool = False  # the title is a rule


@dataclass(frozen=True, slots=True)
class View:
    """All that is shown of a result, in the order in which it is shown."""

    sections: Sequence[Section]
    title: str = ""
    subject: str | None = None  # a name that somebody chose, after the title
    subtitle: Sequence[str] = ()
    alarm: str | None = None  # shown before everything else
    embedded: str | None = None  # JSON inside the page, for programs

    def sections_at(self, place: Place) -> Iterator[tuple[Section, list[Block]]]:
        """The sections with blocks at a place, and those blocks."""
        for section in self.sections:
            blocks = [block for block in section.blocks if place in block.at]
            if blocks:
                yield section, blocks

    def blocks_at(self, place: Place) -> Iterator[Block]:
        """The blocks at a place, with the titles that are shown there."""
        for section, blocks in self.sections_at(place):
            if place in section.titled:
                yield Heading(section.title, at=place)
            yield from blocks
