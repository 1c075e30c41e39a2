"""The command line run inside the test process, as a pipe of 80 columns."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from candling.cli import main
from tests.without_noise import leave_out_noise


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Run = Callable[..., Result]
GOLDEN = Path(__file__).parent / "golden"


def check_golden(name: str, text: str, *, columns: int) -> None:
    """Compare with a file; CANDLING_UPDATE_GOLDEN=1 writes it again: look at the difference."""
    path = GOLDEN / f"{name}-{columns}.txt"
    if os.environ.get("CANDLING_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    assert not any(line != line.rstrip() for line in text.splitlines())
    assert max(map(len, text.splitlines())) <= columns


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CANDLING_LEDGER", raising=False)
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("CANDLING_DEBUG", "CANDLING_LEDGER", "GITHUB_ACTIONS", "PY_COLORS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `candling ARGS...`; what it printed and the exit code."""

    def call(*args: str | Path) -> Result:
        with pytest.raises(SystemExit) as stop:
            main([str(arg) for arg in args])
        code = stop.value.code
        assert code is None or isinstance(code, int)
        out, err = capfd.readouterr()
        return Result(code or 0, out, err)

    return call


@pytest.fixture
def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same numbers every time."""
    leave_out_noise(monkeypatch)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Five people: two conflicts over a zip code, one over an id, one impossible age."""
    path = tmp_path / "people.csv"
    path.write_text(
        "Id,Zip,City,Age\n1,10,Ulm,30\n2,10,Ulm,31\n3,10,Köln,32\n4,20,Bonn,33\n4,20,Bonn,-1\n5,30,,40\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.txt"
    path.write_text("zip: Zip -> City\nkey(Id)\nnot(t1.Age < 0)\n", encoding="utf-8")
    return path
