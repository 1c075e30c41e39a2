"""What the pages show is what happens."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.snippets import Page, blocks

DOCS = Path(__file__).parents[2] / "docs"
ELSEWHERE = {  # pages whose blocks other tests look after
    "mistakes.md": "written and run by tests/cli/test_mistakes.py",
    "reference/api.md": "written by tools/reference.py",
    "reference/cli.md": "written by tools/reference.py",
    "reference/errors.md": "written by tools/reference.py",
    "reference/words.md": "written by tools/reference.py",
}
NOT_RUN = {  # how many blocks are not run, for which reason
    "formulas": 3,
    "installs packages": 2,
    "makes a file": 2,
    "needs a PostgreSQL server": 1,
    "needs a server": 2,
    "shows mistakes": 1,
}
PAGES = {str(path.relative_to(DOCS)): path for path in sorted(DOCS.rglob("*.md"))}
OURS = {name: path for name, path in PAGES.items() if name not in ELSEWHERE}
SHOWN = [name for name, path in OURS.items() if blocks(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("name", SHOWN)
def test_every_snippet_runs(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """CANDLING_UPDATE_GOLDEN=1 writes the outputs again; look at the difference."""
    page = Page(OURS[name], tmp_path)
    page.play(update=bool(os.environ.get("CANDLING_UPDATE_GOLDEN")))
    if name == "epsilon.md":  # its table is what its snippet prints
        assert capsys.readouterr().out in page.text


def test_there_is_something_to_run() -> None:
    assert {"tutorial.md", "rules.md", "epsilon.md", "measures.md", "engines.md"} <= set(SHOWN)
    assert set(ELSEWHERE) <= set(PAGES)


def test_what_is_not_run_has_a_reason_that_is_known() -> None:
    found: dict[str, int] = {}
    for path in OURS.values():
        for block in blocks(path.read_text(encoding="utf-8")):
            if reason := block.values.get("reason"):
                found[reason] = found.get(reason, 0) + 1
    assert found == NOT_RUN


def test_make_targets_exist() -> None:
    makefile = (DOCS.parent / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for path in PAGES.values():
        assert set(re.findall(r"`make ([a-z-]+)`", path.read_text(encoding="utf-8"))) <= targets
