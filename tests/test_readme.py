"""What README.md shows is what happens."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from tests.snippets import Page, blocks

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def of(language: str) -> list[str]:
    return [block.text for block in blocks(README) if block.language == language]


def test_what_is_shown_is_what_happens() -> None:
    """CANDLING_UPDATE_GOLDEN=1 writes the outputs again; look at the difference."""
    found = [block for block in blocks(README) if block.language == "console"]
    assert sum(len(block.commands) for block in found) >= 4
    assert any("noisy" in block.marks for block in found)
    assert of("python")
    with tempfile.TemporaryDirectory() as folder:
        page = Page(ROOT / "README.md", Path(folder))
        page.play(update=bool(os.environ.get("CANDLING_UPDATE_GOLDEN")))


def test_it_is_read_in_two_minutes() -> None:
    assert len(README.split()) <= 700


def test_make_targets_exist() -> None:
    targets = re.findall(
        r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    named = re.findall(r"`make ([a-z-]+)`", README)
    named += re.findall(r"^make ([a-z-]+)$", "".join(of("sh")), re.MULTILINE)
    assert named
    assert set(named) <= set(targets)


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert all((ROOT / link).exists() for link in links if "://" not in link)
