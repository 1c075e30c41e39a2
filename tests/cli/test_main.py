"""`python -m candling` is the command."""

from __future__ import annotations

import subprocess
import sys

import candling


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, timeout=60
    )


def test_it_is_the_command() -> None:
    done = run("-m", "candling", "--version")
    assert (done.returncode, done.stdout) == (0, f"candling {candling.__version__}\n")
    helped = run("-m", "candling", "check", "--help")
    assert "Usage: candling check" in " ".join(helped.stdout.split())
    wrong = run("-m", "candling", "explain", "D999")
    assert (wrong.returncode, wrong.stderr[:11]) == (2, "error U105:")


def test_it_loads_no_more_than_the_command() -> None:
    """Nothing heavy is loaded to say which version it is."""
    done = run("-X", "importtime", "-m", "candling", "--version")
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    heavy = {"duckdb", "numba", "pyarrow", "pandas", "opendp", "jinja2", "ibis"}
    assert not loaded & heavy
    assert "candling.explain" not in loaded
    assert "candling.releases.session" not in loaded
