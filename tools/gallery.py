"""Writes docs/gallery: pages and pictures of new releases of the demo. `make gallery` runs it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import candling
from candling.cli import demo
from candling.compare_cards import compare
from candling.releases.request import DEFAULT
from candling.render.html import render_page, write_page
from candling.render.views import view_comparison
from tests.render.chromium import PHONE, browser, find_chromium
from tools import DOCS

GALLERY = DOCS / "gallery"
WIDE = (1000, 1180)
MEASURES = [*DEFAULT, "by_rule", "worst_rule"]
LARGEST = 300_000  # bytes of a file


def main() -> None:
    """Write the pages and take their pictures."""
    program = find_chromium()
    if program is None:
        sys.exit("The pictures are taken by Chromium, and there is none: make system")
    with tempfile.TemporaryDirectory() as folder:
        before, after = _cards(Path(folder))
    comparison = compare(before, after)
    GALLERY.mkdir(parents=True, exist_ok=True)
    before.to_html(GALLERY / "scorecard.html", overwrite=True)
    write_page(
        GALLERY / "comparison.html", render_page(view_comparison(comparison)), overwrite=True
    )
    with browser(program) as page:
        for name in ("scorecard", "comparison"):
            for view in ("light", "dark"):
                page.open(GALLERY / f"{name}.html", dark=view == "dark", size=WIDE)
                page.screenshot(GALLERY / f"{name}-{view}.png", whole=False)
        page.open(GALLERY / "scorecard.html", size=PHONE)
        page.screenshot(GALLERY / "scorecard-phone.png", whole=False)
    for path in sorted(GALLERY.iterdir()):
        if path.stat().st_size > LARGEST:
            sys.exit(f"{path.name} is too large to keep.")
        sys.stdout.write(f"{path.stat().st_size:>8,}  {path.name}\n")


def _cards(folder: Path) -> tuple[candling.Card, candling.Card]:
    """A release of the demo's table, and one after most of its errors were mended."""
    table = demo.hospital(rows=100_000)
    pairs = zip(table.clean, table.dirty, strict=True)
    mended = [clean if row % 5 else dirty for row, (clean, dirty) in enumerate(pairs)]
    rules = candling.parse_constraints(demo.RULES)
    ledger = candling.create_ledger(folder / "budget.ledger")
    ledger.add("hospital visits", 6, people="patients")
    cards = []
    for name, visits in (("january", table.dirty), ("february", mended)):
        path = folder / f"{name}.csv"
        demo.write_csv(visits, path)
        cards.append(
            candling.release(
                path,
                rules,
                2,
                measures=MEASURES,
                ledger=ledger,
                dataset="hospital visits",
                request_id=name,
                person="Patient",
                rows_per_person=4,
            )
        )
    before, after = cards
    return before, after


if __name__ == "__main__":
    main()
