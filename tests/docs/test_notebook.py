"""The notebook runs as a reader would run it, and every object in it shows itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.render.chromium import DESKTOP, PHONE, browser, need_chromium

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"
SHOWN = {  # what the HTML of a cell must have, by a word of the cell
    "parse_constraints": "zip-city",
    "candling.plan": "Epsilon 1",
    "card = candling.release": "Rows to delete",
    'card.check("repair/rows': "ok",
    "candling.compare": "(decided by Grade)",
    "candling.exact": "NOT PRIVATE",
    'numbers.check("dates': "fail",
    "candling.conflicts": "NOT PRIVATE",
    "candling.repair": "every rule holds",
}


def executed() -> Any:
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return notebook


@pytest.fixture(scope="module")
def notebook() -> Any:
    return executed()


def html_of(notebook: Any) -> Iterator[tuple[str, str]]:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            pages = [o.data["text/html"] for o in cell.outputs if "text/html" in o.get("data", {})]
            yield cell.source, "".join(pages)


def test_every_object_shows_itself(notebook: Any) -> None:
    cells = dict(html_of(notebook))
    for word, shown in SHOWN.items():
        (html,) = [html for source, html in cells.items() if word in source]
        assert shown in html, word
    errors = [o for c in notebook.cells for o in c.get("outputs", ()) if o.output_type == "error"]
    assert not errors


def test_what_is_committed_was_run() -> None:
    """As it stands on a page of the repository: with its outputs, and without an error."""
    committed = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(committed)
    code = [cell for cell in committed.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert all(cell.outputs for cell in code)
    cells = dict(html_of(committed))
    for word, shown in SHOWN.items():
        assert any(word in source and shown in html for source, html in cells.items()), word
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert not re.search(r"/(?:home|root|work|tmp)/", text)


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_browser_shows_it_without_a_complaint(
    notebook: Any, tmp_path: Path, size: tuple[int, int]
) -> None:
    cells = "".join(html for _, html in html_of(notebook) if "cd-cell" in html)
    page = tmp_path / "cells.html"
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    page.write_text(f"<!DOCTYPE html><html lang=en>{head}<body>{cells}", encoding="utf-8")
    with browser(need_chromium()) as found:
        found.open(page, size=size)
        assert found.complaints() == []
        assert found.requests() == [page.resolve().as_uri()]
        assert found.evaluate("document.querySelectorAll('.cd-cell').length") == 6
        assert found.evaluate("document.documentElement.scrollWidth") <= size[0]
        found.screenshot(tmp_path / "cells.png")
        assert (tmp_path / "cells.png").stat().st_size > 10_000
