"""A card with hostile names in every field that can hold one, in every output."""

from __future__ import annotations

import copy
import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import markdown as python_markdown  # type: ignore[import-untyped]
import pytest
from markdown_it import MarkdownIt

import candling
from candling.cli.explain import print_explanation
from candling.compare_cards import compare
from candling.escaping import for_csv, for_json
from candling.render.csv import card_as_csv
from candling.render.views.explanation import explain_card
from tests.hostile import EVERYTHING, NAMES
from tests.render.cards import judged, one, persons, refused, unused, worst
from tests.render.html.parsed import ACTIVE, Page, check_page
from tests.render.shown import (
    card_cell,
    card_markdown,
    card_page,
    comparison_page,
    show_card,
    show_comparison,
)

MAKERS = (judged, worst, refused, one, persons, unused)
# One of a few words, or made from the draws, or else the card is refused.
FIXED = {"kind", "gate", "outcome", "step", "name", "unit"}
HARMLESS = "harmless"


def _texts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(inner, (*path, key))


def named(make: Callable[[], dict[str, Any]], name: str) -> candling.Card:
    """The card with a name in the place of every text, which it must take."""
    content = copy.deepcopy(make())
    changed = 0
    for path in list(_texts(content)):
        fixed = path[-1] in FIXED or path[:2] in {("about", "measures"), ("grade", "reason")}
        fixed = fixed or (path[-1] == "note" and path[0] == "maximal_consistent")
        if fixed and path[0] != "receipt":
            continue
        inner = content
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = name
        changed += 1
    assert changed > 10
    return candling.Card.from_dict(json.loads(json.dumps(content)))


def printed(show: Callable[[], None]) -> str:
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        show()
    return out.getvalue() + err.getvalue()


def shapes(page: str) -> set[tuple[str, tuple[str, ...]]]:
    """The elements of a page with the names of their attributes."""
    return {(tag, tuple(sorted(attributes))) for tag, attributes in Page(page).elements}


cases = pytest.mark.parametrize(
    ("make", "name"), [*((judged, name) for name in NAMES), *((m, EVERYTHING) for m in MAKERS)]
)


@cases
@pytest.mark.parametrize("columns", ["60", "120"])
def test_terminal(
    make: Callable[[], dict[str, Any]], name: str, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    card = named(make, name)
    comparison = compare(card, card)
    for show in (
        lambda: show_card(card),
        lambda: show_comparison(comparison),
        lambda: print_explanation(explain_card(card)),
    ):
        assert printed(show).replace("\n", "").isprintable()


@cases
def test_pages(make: Callable[[], dict[str, Any]], name: str) -> None:
    card, harmless = named(make, name), named(make, HARMLESS)
    pages = {
        card_page: (card, harmless),
        comparison_page: (compare(card, card), compare(harmless, harmless)),
    }
    for write, (hostile, other) in pages.items():
        page = write(hostile)  # type: ignore[operator]
        Page(page)
        added = shapes(page) - shapes(write(other))  # type: ignore[operator]
        assert added <= {("code", ()), ("p", ("class",))}, "our own sentences have code"
        assert "\u202e" not in page
        assert "\x1b" not in page
    if "http" not in name:  # which the page may not have of its own
        check_page(card_page(card))
    cell = card_cell(card)
    assert shapes(cell) == shapes(card_cell(harmless))


@cases
def test_markdown(make: Callable[[], dict[str, Any]], name: str) -> None:
    card, harmless = named(make, name), named(make, HARMLESS)
    source = card_markdown(card, "title")
    assert source.replace("\n", "").isprintable()
    assert source.count("\n") == card_markdown(harmless, "title").count("\n")
    readers = (
        lambda words: python_markdown.markdown(words, extensions=["tables"]),
        MarkdownIt("gfm-like", {"linkify": False}).render,
    )
    for read in readers:
        page = Page(read(source))
        other = Page(read(card_markdown(harmless, "title")))
        assert not {tag for tag, _ in page.elements} & ACTIVE
        assert [a for t, a in page.elements if a and t not in ("td", "th")] == []
        for tag in ("table", "tr", "td", "th", "h3", "strong", "em", "li", "h1"):
            assert len(page.named(tag)) == len(other.named(tag)), (tag, source)


@cases
def test_csv_and_json(make: Callable[[], dict[str, Any]], name: str) -> None:
    card = named(make, name)
    lines = list(csv.DictReader(io.StringIO(card_as_csv(card))))
    assert len(lines) == 2 + len(card.measures) + len(card.by_rule)
    for line, measure in zip(lines[2:], (*card, *card.by_rule), strict=True):
        assert line["reason"] == (for_csv(measure.reason) or "")
        assert None not in line
    assert [line["rule"] for line in lines if line["rule"]] == [
        for_csv(m.name) for m in card.by_rule
    ]
    assert card_as_csv(card).replace("\n", "").isprintable()
    assert json.loads(for_json(card.to_dict())) == card.to_dict()
    assert repr(card).isprintable()
    card.to_frame()


def test_names_of_files_are_text_too() -> None:
    from candling.render import terminal as output

    for name in NAMES:
        for show in (output.note, output.warning, output.heading, output.line, output.raw):
            shown = printed(lambda show=show, name=name: show(name))  # type: ignore[misc]
            assert shown.replace("\n", "").isprintable()
            assert show is output.raw or name.isprintable() or name not in shown
