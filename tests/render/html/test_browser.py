"""Pages in a real browser: both colours, a phone, paper; nothing logged, nothing asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from candling.compare_cards import compare
from tests.render.cards import CARDS, card, charged, extreme, receipt
from tests.render.chromium import DESKTOP, PHONE, Browser, browser, need_chromium
from tests.render.shown import card_cell, card_page, comparison_page

VIEWS = {
    "light": {},
    "dark": {"dark": True},
    "phone": {"size": PHONE},
    "dark phone": {"dark": True, "size": PHONE},
}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser(need_chromium()) as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    made = {name: card_page(card(content())) for name, content in CARDS.items()}
    other = card(charged() | {"receipt": receipt(request_id="2026-q2")})
    made["compare"] = comparison_page(compare(card(charged()), other))
    both = compare(card(extreme()), card(extreme()))
    made["compare-extreme"] = comparison_page(both)
    cells = "<p>before</p>".join(card_cell(card(content())) for content in CARDS.values())
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    made["notebook"] = f"<!DOCTYPE html><html lang=en>{head}<body>{cells}<p id=after>after"
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return folder


NAMES = [*CARDS, "compare", "compare-extreme", "notebook"]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", NAMES)
def test_a_page_opens(chromium: Browser, pages: Path, name: str, view: str) -> None:
    page = pages / f"{name}.html"
    chromium.open(page, **VIEWS[view])  # type: ignore[arg-type]
    shot = pages / f"{name} {view}.png"
    chromium.screenshot(shot, whole="phone" not in view)  # all of it would be very long
    assert shot.stat().st_size > 10_000
    assert chromium.complaints() == []
    assert chromium.requests() == [page.resolve().as_uri()]
    width = PHONE[0] if "phone" in view else DESKTOP[0]
    assert chromium.evaluate("innerWidth") == width
    assert chromium.evaluate("document.documentElement.scrollWidth") <= width
    ink, paper = chromium.evaluate(
        "(s => [s.color, s.backgroundColor])(getComputedStyle("
        "document.querySelector('.cd-cell') || document.body))"
    )
    assert (_brightness(ink) > _brightness(paper)) == ("dark" in view)


def _brightness(colour: str) -> float:
    return sum(map(float, colour.removeprefix("rgb(").rstrip(")").split(",")))


@pytest.mark.parametrize("name", ["full", "charged", "extreme", "compare"])
def test_a_page_prints(chromium: Browser, pages: Path, name: str) -> None:
    chromium.open(pages / f"{name}.html", dark=True)
    pdf = chromium.pdf()
    assert pdf.startswith(b"%PDF-")
    assert len(pdf) > 20_000


def test_text_is_read_in_order_and_not_run(chromium: Browser, pages: Path) -> None:
    chromium.open(pages / "extreme.html")
    assert chromium.evaluate("document.scripts.length") == 0
    headings = chromium.evaluate("[...document.querySelectorAll('h1,h2')].map(h => h.textContent)")
    assert headings[1:3] == ["Grade", "Measures"]
    assert "<script>" in headings[0]


def test_dots_stand_where_their_numbers_are(chromium: Browser, pages: Path) -> None:
    """A larger number of the same axis is further to the right, in every picture."""
    chromium.open(pages / "full.html", size=PHONE)
    places = chromium.evaluate(
        "[...document.querySelectorAll('.cd-line .cd-marks .cd-dot')]"
        ".map(d => d.getBoundingClientRect().x)"
    )
    repair, rows, problematic, conflicts = places
    assert repair < problematic < rows < conflicts


def test_a_cell_leaves_the_notebook_alone(chromium: Browser, pages: Path) -> None:
    chromium.open(pages / "notebook.html")
    style = (
        "(s => [s.color, s.fontSize, s.margin])(getComputedStyle(document.querySelector('#after')))"
    )
    assert chromium.evaluate(style) == ["rgb(0, 0, 0)", "16px", "16px 0px"]
