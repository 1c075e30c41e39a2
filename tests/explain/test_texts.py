"""The Markdown of `candling explain`: what it explains, and the form of each entry."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import candling
import candling.explain
import candling_paper
from candling.cli import CANNOT_TELL, GATE_FAILED
from candling.cli.explain import all_measures, all_words
from candling.explain import FAMILIES, load_aliases, load_codes, load_page, load_words
from candling.imports import documents
from candling.ledger.entry import LONGEST_NAME, LONGEST_REASON
from candling.model.receipt import UNITS
from candling.privacy.budget import LARGEST, SMALLEST
from candling.rules import conditions
from candling.rules.diagnose import _MOST_DIGITS
from candling.rules.parse import _LARGEST_FILE, LONGEST_RULE, MOST_RULES
from candling.system.limits import LEAST
from candling.tables.core import MOST_ROWS

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


@pytest.mark.parametrize(
    ("code", "phrase"),
    [
        ("D112", f"2^{math.log2(MOST_ROWS + 1):.0f} "),
        ("L107", f"from {float(SMALLEST):f} to {LARGEST}."),
        ("L107", f"steps of {1 / UNITS:.12f}:"),
        ("R101", f"{_LARGEST_FILE >> 20} MB"),
        ("R105", f"{MOST_RULES:,} rules and {_LARGEST_FILE >> 20} MB"),
        ("R105", f"{LONGEST_RULE:,} characters"),
        ("R118", f"{_MOST_DIGITS} digits"),
        ("R123", f"{conditions.MOST_VALUES:,} values and {conditions._LARGEST >> 20} MB"),
        ("U101", f"{LEAST // 10**6}MB"),
        ("U201", f"from {float(SMALLEST):f} to {LARGEST}."),
        ("U209", f"1 to {LONGEST_NAME} "),
        ("U209", f"{LONGEST_REASON:,} characters"),
        ("U302", f"fails (exit code {GATE_FAILED})"),
        ("U302", f"cannot tell (exit code {CANNOT_TELL})"),
        ("U308", f"exit code {CANNOT_TELL}"),
        ("U501", f"{documents.LARGEST >> 20} MB"),
    ],
)
def test_limits_are_those_of_the_source(code: str, phrase: str) -> None:
    assert phrase in " ".join(load_codes()[code].split())
