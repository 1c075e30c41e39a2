"""Shell completion, as the shells ask for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).with_name("candling")


def complete(words: str, tmp_path: Path) -> list[str]:
    asked = {
        "_CANDLING_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    done = subprocess.run(
        [PROGRAM],
        env=os.environ | asked,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("candling rel", {"release"}),
        ("candling owner ", {"conflicts", "repair", "types"}),
        ("candling explain rep", {"repair", "repair_exact", "repair_linear"}),
        ("candling explain D10", {f"D10{n}" for n in range(1, 10)}),
        ("candling release --fa", {"--fail-if"}),
        ("candling release --format m", {"markdown"}),
        ("candling exact --engine sp", {"spark", "spark://HOST:PORT"}),
    ],
)
def test_completes(words: str, expected: set[str], tmp_path: Path) -> None:
    (tmp_path / "candling.toml").write_text("not toml")  # a broken file does not get in the way
    assert set(complete(words, tmp_path)) == expected


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_shows_what_to_put_into_the_shell() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{PROGRAM} --show-completion; exit $?"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_CANDLING_COMPLETE=complete_bash" in done.stdout
