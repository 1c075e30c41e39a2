from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.drawn_cards import noisy
from tests.render.cards import small


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return _written(tmp_path / "a.json", small())


@pytest.fixture
def after(tmp_path: Path) -> Path:
    return _written(tmp_path / "b.json", _dirtier(560))


def _dirtier(repair: int) -> dict[str, Any]:
    return small(repair=noisy(repair), time="2026-02-02T03:04:05Z")


def _written(path: Path, card: dict[str, Any]) -> Path:
    path.write_text(json.dumps(card), encoding="utf-8")
    return path


def test_text(run: Run, before: Path, after: Path) -> None:
    result = run("compare", before, after)
    assert result.code == 0
    assert result.out.startswith("worse (decided by Grade)\n")
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert "A Grade about 98.4% (98.3% to 98.5%, 95% confidence)" in lines
    assert "Grade −4 points worse −4.07 to −3.93 points (90%)" in lines
    assert "Rows to delete +400 worse +394 to +406 (90%)" in lines
    assert "Rows 0 neither −16 to +16 (90%)" in lines
    assert "Any rule broken? - same yes, then yes" in lines
    assert max(map(len, result.out.splitlines())) <= 80


def test_json(run: Run, before: Path, after: Path) -> None:
    found = json.loads(run("compare", before, after, "--json").out)
    assert list(found) == ["verdict", "decided_by", "measures", "warnings"]
    assert found["verdict"] == "worse"
    assert found["measures"]["repair"] == {
        "a": {"value": 160, "estimate": 160, "low": 157, "high": 163},
        "b": {"value": 560, "estimate": 560, "low": 557, "high": 563},
        "difference": {"value": 400, "estimate": 400, "low": 394, "high": 406},
        "level": 0.9,
        "verdict": "worse",
    }


def test_exit_codes(run: Run, before: Path, after: Path, tmp_path: Path) -> None:
    alike = _written(tmp_path / "c.json", _dirtier(162))
    assert run("compare", before, after, "--fail-if-worse").code == 1
    assert run("compare", after, before, "--fail-if-worse").code == 0
    assert run("compare", before, alike, "--fail-if-worse").code == 4
    assert run("compare", before, alike).code == 0


def test_a_page(run: Run, before: Path, after: Path, tmp_path: Path) -> None:
    page = tmp_path / "change.html"
    assert "Wrote" in run("compare", before, after, "--report", page).err
    assert "Did the quality change?" in page.read_text(encoding="utf-8")
    again = run("compare", before, after, "--report", page)
    assert (again.code, again.out, again.err[:11]) == (2, "", "error U104:")
    assert run("compare", before, after, "--report", page, "--force").code == 0


def test_cards_under_other_rules(run: Run, before: Path, tmp_path: Path) -> None:
    other = _written(tmp_path / "c.json", small(rules=["A -> B"]))
    result = run("compare", before, other)
    assert (result.code, result.err[:11]) == (2, "error U401:")
    assert run("compare", before, other, "--anyway").code == 0


@pytest.mark.parametrize("content", [None, "no json", "[]", "{}", '{"epsilon": 1}'])
def test_what_is_no_card(run: Run, before: Path, tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "c.json"
    if content is not None:
        path.write_text(content)
    result = run("compare", before, path)
    assert (result.code, result.err[:11]) == (2, "error U106:")
