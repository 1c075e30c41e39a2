from __future__ import annotations

import re
from pathlib import Path

import pytest

import candling
from candling.cli.explain import all_codes, all_measures
from candling.measures import MEASURES
from tests.cli.conftest import Run

SOURCE = Path(candling.__file__).parent


def test_every_code_in_the_source_is_explained() -> None:
    used = {
        code
        for path in SOURCE.rglob("*.py")
        for code in re.findall(r"[\"']([DLRU]\d{3})[\"']", path.read_text(encoding="utf-8"))
    }
    assert len(used) > 20
    assert used <= set(all_codes())


def test_each_explanation_starts_with_one_line() -> None:
    for code, text in all_codes().items():
        first, blank, *rest = text.split("\n")
        assert re.fullmatch(r"[DLRU]\d{3}", code)
        assert 10 < len(first) <= 100, code
        assert blank == "", code
        assert rest, code


@pytest.mark.parametrize("code", sorted(all_codes()))
def test_explains(run: Run, code: str) -> None:
    result = run("explain", code.lower())
    assert result.code == 0
    assert result.out.startswith(f"{code}\n")


def test_several_at_once(run: Run) -> None:
    out = run("explain", "D101", "U101").out
    assert "\n\nU101\n" in out


def test_lists_all(run: Run) -> None:
    listed = [line.split()[0] for line in run("explain").out.splitlines() if line[2] != " "]
    assert listed == [*sorted(all_codes()), "grade", *MEASURES]


def test_unknown(run: Run) -> None:
    result = run("explain", "D999")
    assert result.code == 2
    assert "D101, D102" in result.err


def test_every_measure_is_explained(run: Run) -> None:
    assert set(all_measures()) == {"grade", *MEASURES}
    for name, text in all_measures().items():
        result = run("explain", name.upper())
        assert (result.code, result.out.split("\n")[0]) == (0, name)
        assert text.split("\n")[1] == ""


def test_a_measure_that_is_almost_one(run: Run) -> None:
    result = run("explain", "repar")
    assert result.code == 2
    assert "Did you mean 'repair'?" in result.err
