"""Programs that write parts of docs/: the reference, the page on the paper, drawings, the gallery.

`make docs-update` and `make gallery` run them. The tests check that what they write is up to date.
"""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def made_files() -> dict[Path, str]:
    """Every file of docs/ that is made from the code and from committed results, with its text."""
    from tools import paper
    from tools.licences import page
    from tools.pictures import pictures
    from tools.reference import pages

    reference = pages() | {"licences.md": page()}
    return (
        {DOCS / "reference" / name: text for name, text in reference.items()}
        | {DOCS / "pictures" / name: text for name, text in pictures().items()}
        | paper.made(DOCS)
    )
