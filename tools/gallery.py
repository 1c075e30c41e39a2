"""Writes docs/gallery: pages and pictures of new releases of the demo. `make gallery` runs it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import candling
from candling.cli import demo
from candling.compare_cards import compare
from candling.render.html import render_page, write_page
from candling.render.views import view_comparison
from tests.render.chromium import PHONE, browser, find_chromium
from tools import DOCS

GALLERY = DOCS / "gallery"
WIDE = (1000, 1180)
ROWS = 10_000  # as `candling demo` has
LARGEST = 300_000  # bytes of a file


def main() -> None:
    """Write the pages and take their pictures."""
    program = find_chromium()
    if program is None:
        sys.exit("The pictures are taken by Chromium, which was not found: make system")
    GALLERY.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        card = _release_demo(Path(folder))
        before, after = _release_twice(Path(folder))
    card.to_html(GALLERY / "scorecard.html", overwrite=True)
    comparison = render_page(view_comparison(compare(before, after)))
    write_page(GALLERY / "comparison.html", comparison, overwrite=True)
    with browser(program) as page:
        for name, parts in (("scorecard", 2), ("comparison", 3)):
            page.open(GALLERY / f"{name}.html", size=WIDE)
            end = page.evaluate(
                f"document.querySelectorAll('section')[{parts - 1}].getBoundingClientRect().bottom"
            )
            for view in ("light", "dark"):
                size = (WIDE[0], int(end) + 20)
                page.open(GALLERY / f"{name}.html", dark=view == "dark", size=size)
                page.screenshot(GALLERY / f"{name}-{view}.png", whole=False)
        page.open(GALLERY / "scorecard.html", size=PHONE)
        page.screenshot(GALLERY / "scorecard-phone.png", whole=False)
    for path in sorted(GALLERY.iterdir()):
        if path.stat().st_size > LARGEST:
            sys.exit(f"{path.name} is too large to keep.")
        sys.stdout.write(f"{path.stat().st_size:>8,}  {path.name}\n")


def _release_demo(folder: Path) -> candling.Card:
    """Release the demo as README.md does: `candling release ... --epsilon 1 --person Patient`."""
    path = folder / "hospital.csv"
    demo.write_csv(demo.hospital(rows=ROWS).dirty, path)
    rules = candling.parse_constraints(demo.RULES)
    return candling.release(path, rules, epsilon=1, person="Patient")


def _release_twice(folder: Path) -> tuple[candling.Card, candling.Card]:
    """Release the demo, charged to a ledger, and again after most of its errors were corrected."""
    table = demo.hospital(rows=ROWS)
    pairs = zip(table.clean, table.dirty, strict=True)
    corrected = [clean if row % 5 else dirty for row, (clean, dirty) in enumerate(pairs)]
    rules = candling.parse_constraints(demo.RULES)
    ledger = candling.create_ledger(folder / "budget.ledger")
    ledger.add("hospital visits", 2, people="patients")
    cards = []
    for name, visits in (("january", table.dirty), ("february", corrected)):
        path = folder / f"{name}.csv"
        demo.write_csv(visits, path)
        cards.append(
            candling.release(
                path,
                rules,
                epsilon=1,
                ledger=ledger,
                dataset="hospital visits",
                request_id=name,
                person="Patient",
                rows_per_person=4,  # the same in both, so that they can be compared
            )
        )
    before, after = cards
    return before, after


if __name__ == "__main__":
    main()
