"""Odd paths in every place that takes one: an answer at once, and never a bug of ours."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run

NAMES = (
    "nul\0byte",
    "half \ud800",
    "x" * 300,
    "x/" * 3000,
    "~nosuchuser/x",
    "pipe",
    "folder",
    "loop",
    "dangling",
    "/dev/full",
    "/dev/zero",
    "none/x",
    "rules.txt/x",
    "",
    ".",
    "/",
)
READ = (
    ("check", "{}"),
    ("plan", "{}", "--epsilon", "1"),
    ("plan", "rules.txt", "--epsilon", "1", "--config", "{}"),
    ("release", "people.csv", "{}", "--epsilon", "1"),
    ("explain", "{}.json"),
    ("compare", "{}", "card.json"),
    ("compare", "card.json", "{}"),
    ("verify", "{}"),
    ("verify", "card.json", "--key", "{}"),
    ("ledger", "verify", "none.ledger", "--receipt", "{}"),
)
WRITTEN = (
    ("release", "people.csv", "rules.txt", "--epsilon", "1", "--report", "{}", "--force"),
    ("compare", "card.json", "card.json", "--report", "{}", "--force"),
    ("owner", "conflicts", "people.csv", "rules.txt", "--html", "{}.html", "--force"),
    ("owner", "repair", "people.csv", "rules.txt", "--out", "{}.csv", "--force"),
    ("init", "people.csv", "--output", "{}", "--force"),
)


@pytest.fixture
def place(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, people: Path) -> Path:
    (tmp_path / "here").mkdir(0o755)
    monkeypatch.chdir(tmp_path / "here")
    Path("people.csv").write_text(people.read_text(encoding="utf-8"), encoding="utf-8")
    Path("rules.txt").write_text("Zip -> City\n")
    card = run("release", "people.csv", "rules.txt", "--epsilon", "1", "--json").out
    Path("card.json").write_text(card, encoding="utf-8")
    for ending in ("", ".json", ".html", ".csv"):
        os.mkfifo(f"pipe{ending}")
        Path(f"folder{ending}").mkdir()
        Path(f"loop{ending}").symlink_to(f"loop{ending}")
    Path("dangling").symlink_to("nowhere")
    return tmp_path


@pytest.mark.parametrize("command", READ, ids=" ".join)
def test_what_cannot_be_read(run: Run, place: Path, command: tuple[str, ...]) -> None:
    for name in NAMES:
        if name == "" and "--config" in command:
            continue  # as if there were none
        result = run(*(part.replace("{}", name) for part in command))
        assert (result.code, result.out) == (2, ""), (name, result)
        assert "error " in result.err


@pytest.mark.parametrize("command", WRITTEN, ids=" ".join)
def test_what_cannot_be_written(run: Run, place: Path, command: tuple[str, ...]) -> None:
    for name in NAMES:
        if name.startswith("/") and "{}" not in command:
            continue  # beside a device, a file could be written
        result = run(*(part.replace("{}", name) for part in command))
        assert result.code == 2 or name in ("", ".", "dangling", "loop"), (name, result)
    assert not Path("pipe").is_file()
    assert Path("/dev/full").is_char_device()
