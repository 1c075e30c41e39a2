"""The site builds without a warning, from what is here alone, and its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# What a browser loads by itself; a link that a reader may follow is no such thing.
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*?\b(?:src|data)=["']?([^"'\s>]+)"""
    r"""|<link\b[^>]*?\bhref=["']?([^"'\s>]+)""",
    re.IGNORECASE,
)
OUTSIDE = re.compile(r"^(?:https?:)?//")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there(site: Path) -> None:
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).with_suffix(".html")
        name = name.with_name("index.html") if name.name == "README.html" else name
        assert (site / name).is_file()
    assert (site / "paper" / "examples.csv").is_file()


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 15
    loaded = {
        match[1] or match[2]
        for page in pages
        for match in LOADED.finditer(page.read_text(encoding="utf-8"))
    }
    assert len(loaded) > 20
    assert not {address for address in loaded if OUTSIDE.match(address)}
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"""url\(["']?(?:https?:)?//|@import""", text), style.name


def test_the_search_for_what_is_loaded_finds_it() -> None:
    text = '<script async src="https://a.b/c.js"></script><link rel=icon href=//a.b/c>'
    assert [OUTSIDE.match(m[1] or m[2]) is not None for m in LOADED.finditer(text)] == [True, True]


def test_marks_for_the_tests_are_not_shown(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "```" not in text, page.name
        assert "reason=" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL), page.name


def test_links_out_of_the_docs_lead_into_the_repository() -> None:
    """The site shows them as names; a reader of the repository follows them."""
    found = 0
    for page in DOCS.rglob("*.md"):
        for link in re.findall(r"\]\(((?:\.\./)+[^)#]*)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
            found += 1
    assert found > 2


def test_llms_txt_names_every_page() -> None:
    links = re.findall(r"\]\(([^)]+)\)", (DOCS / "llms.txt").read_text(encoding="utf-8"))
    assert all((DOCS / link).is_file() for link in links)
    assert {page.name for page in DOCS.glob("*.md")} - {"index.md"} <= set(links)


def test_the_first_page_has_a_picture_for_light_and_dark(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert "scorecard-light.png#only-light" in text
    assert "scorecard-dark.png#only-dark" in text
