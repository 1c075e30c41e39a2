"""What README.md shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from candling.constraints import parse_constraints

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Every `$ command` of the console blocks, with the output that is shown below it."""
    parts = [
        part for block in blocks("console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)
    ]
    return [(part.split("\n", 1)[0], part.split("\n", 1)[1]) for part in parts if part]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


@pytest.fixture(scope="module")
def outputs(folder: Path) -> list[str]:
    """What the commands print, run one after the other as a reader would."""
    return [_run(command, folder) for command, _ in commands()]


def _run(command: str, folder: Path) -> str:
    program = Path(sys.executable).parent
    environment = {
        **{k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "CANDLING_DEBUG")},
        "PATH": f"{program}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
    }
    return subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_commands_print_what_is_shown(outputs: list[str]) -> None:
    shown = [output for _, output in commands()]
    assert len(shown) >= 4
    assert outputs == shown


def test_noisy_commands_print_what_is_shown_but_for_the_numbers(
    outputs: list[str], folder: Path
) -> None:
    noisy = blocks("console noisy")
    assert len(noisy) >= 2
    for shown in noisy:
        command, _, output = shown.removeprefix("$ ").partition("\n")
        assert _without_numbers(_run(command, folder)) == _without_numbers(output)


def _without_numbers(text: str) -> list[str]:
    """The words; noise changes numbers, and with them where lines break."""
    return re.sub(r"[-\d.,]+", " 0 ", text).split()


def test_python_snippets_run(
    outputs: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    snippets = blocks("python")
    assert snippets
    for snippet in snippets:
        exec(compile(snippet, "README.md", "exec"), {})


def test_the_rules_are_rules() -> None:
    (text,) = blocks("text")
    assert len(parse_constraints(text)) == 6


def test_make_targets_exist() -> None:
    targets = re.findall(
        r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    named = re.findall(r"`make ([a-z-]+)`", README)
    named += re.findall(r"^make ([a-z-]+)$", "".join(blocks("sh")), re.MULTILINE)
    assert named
    assert set(named) <= set(targets)


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert all((ROOT / link).exists() for link in links if "://" not in link)
