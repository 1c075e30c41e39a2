"""People read plain English: the turns of phrase of `tools/turns.py` occur nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.turns import ROOT, TURNS, sources, turns


def test_no_page_help_text_or_message_has_a_turn_to_avoid() -> None:
    """`python -m tools.turns` lists them with their places."""
    files = list(sources())
    assert {ROOT / "README.md", ROOT / "docs" / "tutorial.md"} <= set(files)
    found = [
        f"{path.relative_to(ROOT)}:{line}: {words}" for path in files for line, words in turns(path)
    ]
    assert not found


@pytest.mark.parametrize("text", ["It is no\nfile.", "of their own", "There are none", "anew"])
def test_they_are_found(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"`is none` in code is not counted, and it is no longer one.\n{text}")
    assert TURNS.search(text)
    assert [line for line, _ in turns(page)] == [2]
