"""The locks pin every package by its hash, and the licences of what users install are known."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tools.licences import licence, needed

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements-dev.lock", "requirements-spark.lock")
SAFE = {  # the oldest versions without a published vulnerability
    "cryptography": "50.0.1",  # OpenSSL in its wheels; CVE-2026-69247 before 50.0.0
    "jinja2": "3.1.6",  # CVE-2025-27516
    "pyarrow": "23.0.1",  # CVE-2026-25087
}
COPYLEFT = {"psycopg", "psycopg-binary", "python-flint"}  # named on the page of licences


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_by_hash(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) > 20
    for line in lines:
        requirement, *hashes = re.split(r"\s+--hash=", line.strip())
        assert [one.operator for one in Requirement(requirement).specifier] == ["=="], line
        assert hashes, f"no hash: {requirement}"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes), requirement


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_host(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index-url" not in text


def test_no_version_with_a_published_vulnerability_may_be_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {one.name: one.specifier for one in map(Requirement, project["dependencies"])}
    for name, oldest in SAFE.items():
        (floor,) = (part for part in required[name] if part.operator == ">=")
        assert Version(floor.version) >= Version(oldest), name


def test_the_installer_asks_for_the_hashes() -> None:
    installs = re.findall(r"\$\(PIP\) (.*) --requirement \$\((?:SPARK_)?LOCK\)", _makefile())
    assert installs == ["--require-hashes", "--require-hashes --no-build-isolation"]


def _makefile() -> str:
    return (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_package_that_users_install_states_a_licence_that_we_know_of() -> None:
    for name in needed("candling", "postgresql"):
        assert licence(name), f"{name} says nothing of its licence"
        assert "GPL" not in licence(name) or name in COPYLEFT, name
