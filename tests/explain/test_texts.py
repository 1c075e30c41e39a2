"""The Markdown of `candling explain`: what it explains, and the form of each entry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import candling
import candling.explain
import candling_paper
from candling.cli.explain import all_measures, all_words
from candling.explain import FAMILIES, load_aliases, load_codes, load_page, load_words

SOURCES = [Path(candling.__file__).parent, Path(candling_paper.__file__).parent]
FILES = sorted(Path(candling.explain.__file__).parent.glob("*.md"))


def test_every_code_in_the_source_is_explained_and_every_explanation_used() -> None:
    used = {
        code
        for folder in SOURCES
        for path in folder.rglob("*.py")
        for code in re.findall(r"[\"']([DLRU]\d{3})[\"']", path.read_text(encoding="utf-8"))
    }
    assert used == set(load_codes())


def test_no_heading_is_lost() -> None:
    """A heading that is there twice would hide an entry."""
    assert {path.stem for path in FILES} == {*FAMILIES, "words"}
    for path in FILES:
        headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        page = load_page(path.stem)
        assert headings == [page.title, *page.entries]
        assert page.introduction


@pytest.mark.parametrize("letter", FAMILIES)
def test_codes_are_in_order(letter: str) -> None:
    codes = list(load_page(letter).entries)
    assert codes == sorted(codes)
    assert all(re.fullmatch(rf"{letter}\d{{3}}", code) for code in codes)


@pytest.mark.parametrize(("code", "text"), load_codes().items(), ids=load_codes())
def test_a_code_is_a_sentence_then_what_to_do(code: str, text: str) -> None:
    first, blank, *rest = text.split("\n")
    assert 10 < len(first) <= 100
    assert first.endswith(".")
    assert blank == ""
    assert any(rest)
    assert max(map(len, rest)) <= 100


@pytest.mark.parametrize(("word", "text"), load_words().items(), ids=load_words())
def test_a_word_is_explained_in_a_few_sentences(word: str, text: str) -> None:
    first, blank, *rest = text.strip().split("\n")
    assert 10 < len(first) <= 100
    assert blank == ""
    sentences = re.findall(r"[.!?:](?:\s|$)", " ".join([first, *rest]))
    assert 2 <= len(sentences) <= 9
    assert max(map(len, rest)) <= 100


def test_a_word_has_one_explanation() -> None:
    words, measures, aliases = set(load_words()), set(all_measures()), load_aliases()
    named = [
        alias
        for line in re.findall(r"^Also: (.+)$", FILES[-1].read_text(encoding="utf-8"), re.MULTILINE)
        for alias in line.split(", ")
    ]
    assert FILES[-1].stem == "words"
    assert sorted(aliases) == sorted(named)
    assert aliases["low"] == "interval"
    assert not words & measures
    assert not set(aliases) & (words | measures)
    assert set(aliases.values()) <= words


@pytest.mark.parametrize(("name", "text"), all_words().items(), ids=all_words())
def test_code_is_in_backquotes(name: str, text: str) -> None:
    """What Markdown would take for a mark, a link or a tag is code, and the same text is a page."""
    for paragraph in text.split("\n\n"):
        if not paragraph.startswith("    "):
            prose = paragraph.split("`")
            assert len(prose) % 2, "a backquote is never closed"
            assert not re.search(r"[*_<>\[\]\\]|--", "".join(prose[::2]))


def test_texts_are_read_once() -> None:
    assert load_codes() is load_codes()
    assert load_page("words") is load_page("words")
