"""Pages and drawings that are made by a program are what it makes now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools import DOCS, made_files
from tools.reference import examples

FILES = [*(DOCS / "reference").iterdir(), *(DOCS / "pictures").glob("*.svg"), DOCS / "paper.md"]


@pytest.fixture(scope="module")
def made() -> dict[Path, str]:
    return made_files()


@pytest.mark.parametrize("path", sorted(FILES), ids=lambda path: path.name)
def test_it_is_up_to_date(made: dict[Path, str], path: Path) -> None:
    assert path.read_text(encoding="utf-8") == made[path], "`make docs-update` writes it again"


def test_nothing_is_missing(made: dict[Path, str]) -> None:
    assert set(made) == set(FILES)


def test_examples_of_the_help_texts_use_options_that_exist() -> None:
    shown = list(examples())
    assert len(shown) > 20
    for command, line in shown:
        options = {option for parameter in command.params for option in parameter.opts}
        used = re.findall(r"(?<=\s)--[a-z-]+", line)
        assert set(used) <= options, line
