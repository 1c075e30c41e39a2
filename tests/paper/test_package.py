"""candling and candling-paper are two packages: neither wheel holds files of the other."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import candling

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("folder", "package"), [(ROOT, "candling"), (ROOT / "paper", "candling_paper")]
)
def test_a_wheel_holds_one_package(folder: Path, package: str) -> None:
    files = [f.distribution_path for f in WheelBuilder(str(folder)).recurse_included_files()]
    assert f"{package}/__init__.py" in files
    assert {Path(name).parts[0] for name in files} == {package}


def test_the_paper_needs_this_version_of_candling_and_not_the_other_way_round() -> None:
    core, paper = (
        tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for folder in (ROOT, ROOT / "paper")
    )
    assert f"candling=={candling.__version__}" in paper["dependencies"]
    assert not [name for name in core["dependencies"] if name.startswith("candling")]


def test_both_wheels_have_the_licence() -> None:
    assert (ROOT / "paper" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    metadata = WheelBuilder(str(ROOT / "paper")).metadata
    assert metadata.core.license_files == ["LICENSE"]
