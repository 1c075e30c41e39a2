"""One function a place: what it lets through, and what it does to the rest."""

from __future__ import annotations

import csv
import io
import json

import markdown  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from candling.escaping import (
    code_for_markdown,
    for_csv,
    for_html,
    for_json,
    for_markdown,
    for_terminal,
    lines_for_terminal,
)
from candling.system.canonical_json import parse_canonical
from tests.hostile import NAMES
from tests.render.html.parsed import ACTIVE, Page

TEXT = st.text() | st.sampled_from(NAMES) | st.text(alphabet="`|\\<>&[]()*_ax \n")
LIVE = ACTIVE | {"b", "h1", "svg"}


def rendered(source: str) -> list[str]:
    """What several readers of Markdown make of it, in a paragraph and in a cell."""
    return [
        markdown.markdown(source, extensions=["tables"]),
        MarkdownIt("gfm-like", {"linkify": False}).render(source),
        MarkdownIt("commonmark").render(source),
    ]


@given(TEXT)
def test_a_terminal_gets_one_printable_line(text: str) -> None:
    shown = for_terminal(text)
    assert shown.isprintable()
    assert for_terminal(shown) == shown
    assert (shown == text) == text.isprintable()
    assert lines_for_terminal(text).count("\n") == text.count("\n")


@given(
    st.dictionaries(TEXT, TEXT | st.integers() | st.none() | st.lists(TEXT, max_size=2), max_size=3)
)
def test_json_keeps_its_value_and_is_printable(value: object) -> None:
    text = for_json(value, indent=2)
    assert text.replace("\n", "").isprintable()
    assert json.loads(text) == value
    assert parse_canonical(text) == value


@given(TEXT)
def test_markdown_stays_text(text: str) -> None:
    for cell in (code_for_markdown(text), for_markdown(text)):
        assert "\n" not in cell
        for html in rendered(f"### head {cell} tail\n\n| a | b |\n|---|---|\n| {cell} | last |\n"):
            page = Page(html)
            assert not {tag for tag, _ in page.elements} & (LIVE - {"h1"}), html
            assert [attributes for _, attributes in page.elements if attributes] == []
            if len(page.named("table")) == 1:
                assert len(page.named("td")) == 2, html
                assert page.text.endswith("last")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\uff1d1", "\n=1"])
def test_no_cell_is_a_formula(text: str) -> None:
    out = io.StringIO()
    csv.writer(out).writerow([for_csv(text), for_csv(-1), for_csv(None)])
    (row,) = csv.reader(io.StringIO(out.getvalue()))
    assert row[0][0] in "'\\"
    assert row[1:] == ["-1", ""]


def test_pages_keep_what_scripts_need() -> None:
    assert for_html("\u0646\u200c\u0647 \u05d0\u200f") == "\u0646\u200c\u0647 \u05d0\u200f"
    assert for_html("a\u202eb\u2066\u200b\x9b\x00") == "a\ufffdb\ufffd\ufffd\ufffd\ufffd"
