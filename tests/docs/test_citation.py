"""CITATION.cff can be read, names this version, and the bibliography names files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

import candling

ROOT = Path(__file__).parents[2]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PEOPLE = ["Mohapatra", "Gilad", "He", "Kimelfeld"]
# What the schema of CFF 1.2.0 knows, of what is used.
KEYS = {
    *("cff-version", "message", "type", "title", "abstract", "version", "license", "authors"),
    *("keywords", "references"),
}


def test_it_is_a_citation_of_this_version() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert CITATION["version"] == candling.__version__
    assert CITATION["license"] == "Apache-2.0"
    assert set(CITATION) <= KEYS
    assert all(CITATION[key] for key in ("message", "title", "authors"))


def test_it_names_the_paper_and_its_authors() -> None:
    (paper,) = CITATION["references"]
    assert [author["family-names"] for author in paper["authors"]] == PEOPLE
    text = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8")
    assert paper["title"] in re.sub(r"\s+", " ", text)
    assert paper["url"] in text


def test_what_the_bibliography_names_is_there() -> None:
    text = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8")
    proofs = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", text))
    assert len(named) > 5
    for path in named:
        assert (ROOT / path).is_file(), path
    for theorem in re.findall(r"Theorems? (\d+)", text):
        assert f"## Theorem {theorem}:" in proofs
