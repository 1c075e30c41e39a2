"""The page of two releases: what it says, and that it can be nothing but a page."""

from __future__ import annotations

import re
from typing import Any

import pytest

from candling.compare_cards import Comparison, compare
from candling.measures import title
from candling.model.results import Verdict
from tests.drawn_cards import noisy
from tests.render.cards import card, charged, extreme, full, hidden, one, receipt, small, stated
from tests.render.html.parsed import Page, check_page
from tests.render.shown import comparison_page

DIRTIER = full(repair=noisy(560, kind="lower_bound"))
PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "worse": (full(), DIRTIER),
    "better": (DIRTIER, full()),
    "cannot tell": (charged(), charged() | {"receipt": receipt(request_id="2026-q2")}),
    "no grade": (one(), one()),
    "no measures in common": (one(), stated()),
    "extreme": (extreme(), extreme()),
    "hidden": (hidden(), small()),
}


def compared(name: str) -> Comparison:
    before, after = PAIRS[name]
    return compare(card(before), card(after), anyway=True)


@pytest.mark.parametrize("name", PAIRS)
def test_a_page_is_one_passive_file_with_every_section(name: str) -> None:
    comparison = compared(name)
    read = check_page(comparison_page(comparison))
    assert [h for h in read.headings if h != "by-rule"] == [*("verdict", "measures", "method")]
    assert ("by-rule" in read.headings) == bool(comparison.by_rule)


@pytest.mark.parametrize("name", PAIRS)
def test_the_verdict_and_every_difference_are_shown(name: str) -> None:
    comparison = compared(name)
    page = comparison_page(comparison)
    text = Page(page).text
    lead = {"worse": "Worse: the quality fell", "better": "Better: the quality rose"}
    assert lead.get(comparison.verdict, "Cannot tell: noise alone") in text
    cells = re.findall('<tr><th scope="row">(.*?)</tr>', page)
    assert len(cells) == len(comparison.measures)
    for difference, line in zip(comparison.measures, cells, strict=True):
        assert title(difference.name) in re.sub("<[^>]*>", "", line)
        assert f"<td>{difference.level:.0%}</td>" in line
    for warning in comparison.warnings:
        assert " ".join(warning.split())[:40] in text


def test_the_numbers_of_a_difference() -> None:
    page = comparison_page(compared("worse"))
    cells = ("160, 157 to 327", "560, 557 to 1,127", "+400", "+230 to +970", "90%")
    assert "".join(f"<td>{cell}</td>" for cell in cells) in page
    labels = re.findall(r'aria-label="(Rows to delete: [^"]*)"', page)
    assert labels == ["Rows to delete: A 160, 157 to 327; B 560, 557 to 1,127; worse"]
    cells = ("cannot tell", "yes", "-", "cannot tell, then yes", "90%")
    page = comparison_page(compared("hidden"))
    assert "".join(f"<td>{cell}</td>" for cell in cells) in page
    assert compared("worse").verdict is Verdict.WORSE


def test_what_a_user_wrote_is_text() -> None:
    page = comparison_page(compared("extreme"))
    assert "<script" not in page
    assert "the same release" in Page(page).text
