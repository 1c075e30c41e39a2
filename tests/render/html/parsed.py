"""A page, read as a browser reads it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

VOID = {"br", "hr", "meta", "wbr"}
ACTIVE = {"a", "base", "embed", "form", "iframe", "img", "link", "object", "script"}


class Page(HTMLParser):
    """The elements and the text of a page; fails on markup that does not nest."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def headings(self) -> list[str]:
        """The names of the sections, in their order."""
        return [str(attributes["id"]) for attributes in self.named("h2")]


def check_page(page: str) -> Page:
    """Fail unless a page is one small file that loads and runs nothing and can be listened to."""
    assert len(page.encode()) < 1_000_000  # and no half of a pair is left
    assert page.startswith("<!DOCTYPE html>\n")
    read = Page(page)
    _check_passive(page, read)
    levels = [int(tag[1]) for tag, _ in read.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for picture in read.named("svg"):
        if picture.get("overflow") is None:  # not a part of another picture
            assert picture.get("aria-label") or picture.get("aria-hidden") == "true", picture
    ids = [str(attributes["id"]) for _, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for section in read.named("section"):
        assert section["aria-labelledby"] in ids
    for table in read.named("table"):
        assert table["class"] == "cd-table"
    assert len(read.named("table")) == len(read.named("caption"))
    assert read.named("html")[0]["lang"] == "en"
    return read


def _check_passive(page: str, read: Page) -> None:
    assert not {tag for tag, _ in read.elements} & ACTIVE
    for _, attributes in read.elements:
        assert not [key for key in attributes if key.startswith("on") or key in {"href", "src"}]
    (policy,) = [m for m in read.named("meta") if m.get("http-equiv")]
    assert policy["http-equiv"] == "Content-Security-Policy"
    assert str(policy["content"]).startswith("default-src 'none'; style-src 'unsafe-inline';")
    style = "".join(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))
    assert style
    assert not re.search(r"@import|url\(|https?:", style)
    assert "http" not in page.replace("http-equiv", "")
