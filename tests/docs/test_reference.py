"""Pages and drawings that are made by a program are what it makes now."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.docs.generate import examples, pages
from tests.docs.pictures import pictures

DOCS = Path(__file__).parents[2] / "docs"
MADE = {DOCS / "reference" / name: text for name, text in pages().items()} | {
    DOCS / "pictures" / name: text for name, text in pictures().items()
}


@pytest.mark.parametrize("path", MADE, ids=lambda path: path.name)
def test_it_is_up_to_date(path: Path) -> None:
    """CANDLING_UPDATE_GOLDEN=1 writes the files again; look at the difference before you commit."""
    if os.environ.get("CANDLING_UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MADE[path], encoding="utf-8")
    assert path.read_text(encoding="utf-8") == MADE[path]


def test_nothing_else_is_there() -> None:
    there = {*(DOCS / "reference").iterdir(), *(DOCS / "pictures").glob("*.svg")}
    assert there == set(MADE)


def test_examples_of_the_help_texts_use_options_that_exist() -> None:
    found = list(examples())
    assert len(found) > 20
    for command, line in found:
        known = {option for parameter in command.params for option in parameter.opts}
        used = re.findall(r"(?<=\s)--[a-z-]+", line)
        assert set(used) <= known, line
