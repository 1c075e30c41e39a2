"""What an experiment ran on: versions, the machine, and a digest of the code."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import candling
import candling_paper

_PACKAGES = (
    *("candling", "candling-paper", "numpy", "numba", "opendp", "pyarrow", "duckdb"),
    "matplotlib",
)


def versions() -> dict[str, str | None]:
    """Of Python and of the packages that decide numbers and figures; None if one is missing."""
    return {"python": platform.python_version()} | {name: _version(name) for name in _PACKAGES}


def _version(package: str) -> str | None:
    if package == "candling":
        return candling.__version__
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def machine() -> dict[str, str | int | float | None]:
    """What decides run times; nothing that names the machine."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": _processor(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30, 1),
        "system": platform.system(),
    }


def _processor() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or None
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or None)


@cache
def code_digest() -> str:
    """A digest of the source of both packages: it tells apart two states of one version."""
    digest = hashlib.sha256()
    for package in (candling, candling_paper):
        root = Path(str(package.__file__)).parent
        for path in sorted(root.rglob("*.py")):
            digest.update(f"{root.name}/{path.relative_to(root).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
