from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.usefixtures("without_noise")
def test_output(run: Run, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """CANDLING_UPDATE_GOLDEN=1 writes the files again; look at the difference before you commit."""
    monkeypatch.setenv("COLUMNS", str(columns))
    result = run("demo")
    assert (result.code, result.err) == (0, "")
    golden = GOLDEN / f"demo-{columns}.txt"
    if os.environ.get("CANDLING_UPDATE_GOLDEN"):
        golden.write_text(result.out, encoding="utf-8")
    assert result.out == golden.read_text(encoding="utf-8")
    assert result.out.startswith("NOT PRIVATE")
    assert max(map(len, result.out.splitlines())) <= columns


def test_leaves_nothing_behind(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.chdir(tmp_path)
    assert run("demo", "--rows", "50").code == 0
    assert not list(tmp_path.glob("*/hospital.csv"))


def test_keeps_the_table_and_the_rules(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "demo"
    result = run("demo", "--rows", "300", "--seed", "3", "--keep", folder)
    assert result.code == 0
    assert f"candling exact {folder}/hospital.csv {folder}/rules.txt" in result.out
    again = run("exact", folder / "hospital.csv", folder / "rules.txt", "--json")
    assert json.loads(again.out)["rows"] == 300
    assert json.loads(again.out)["drastic"] == 1


def test_a_folder_that_cannot_be_made(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("demo", "--rows", "50", "--keep", tmp_path / "file")
    assert result.code == 2
    assert result.err.startswith("error U104: ")
