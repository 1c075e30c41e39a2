"""The page of two releases: what it says, and that it can be nothing but a page."""

from __future__ import annotations

import re
from typing import Any

import pytest

from candling.compare_cards import Comparison, compare
from candling.model.results import Verdict
from tests.render.cards import card, charged, extreme, full, one, receipt, stated
from tests.render.html.parsed import Page, check_page
from tests.render.shown import comparison_page
from tests.test_compare_cards import dirtier

PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "worse": (full(), dirtier(full())),
    "better": (dirtier(full()), full()),
    "cannot tell": (charged(), charged() | {"receipt": receipt(request_id="2026-q2")}),
    "no grade": (one(), one()),
    "no measures in common": (one(), stated()),
    "extreme": (extreme(), extreme()),
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
    assert lead.get(name, "Cannot tell: noise alone") in text
    cells = re.findall('<tr><th scope="row">(.*?)</tr>', page)
    assert len(cells) == len(comparison.measures)
    for difference, line in zip(comparison.measures, cells, strict=True):
        assert difference.name in re.sub("<[^>]*>", "", line)
        assert f"<td>{difference.level:.0%}</td>" in line
    for warning in comparison.warnings:
        assert " ".join(warning.split())[:40] in text


def test_the_numbers_of_a_difference() -> None:
    page = comparison_page(compared("worse"))
    cells = ("169, 142 to 392", "569, 542 to 1,192", "+400", "+150 to +1,050", "90%")
    assert "".join(f"<td>{cell}</td>" for cell in cells) in page
    labels = re.findall(r'aria-label="(Rows to delete: [^"]*)"', page)
    assert labels == ["Rows to delete: A 169, 142 to 392; B 569, 542 to 1,192; worse"]
    assert compared("worse").verdict is Verdict.WORSE


def test_what_a_user_wrote_is_text() -> None:
    page = comparison_page(compared("extreme"))
    assert "<script" not in page
    assert "the same release" in Page(page).text
