"""What the build of a wheel adds: the kernels, compiled by the C compiler of the machine.

Without a compiler the wheel is for every machine, and brings numba instead, which compiles the
kernels on their first use.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Whole numbers wrap, and floats are rounded after each operation, as in Python.
FLAGS = ("-O3", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing", "-shared", "-fPIC")
NUMBA = "numba>=0.61.0"


class KernelHook(BuildHookInterface[Any]):
    """Compile the kernels into the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built; an editable one is used from where it is."""
        del version
        if self.target_name != "wheel":
            return
        library = compile_kernels(Path(self.root, "src", "candling", "graph"))
        if library is None:
            build_data["dependencies"].append(NUMBA)
            self.app.display_warning("no C compiler: numba will compile the kernels when they run")
            return
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["artifacts"].append(f"/src/candling/graph/{library.name}")


def compile_kernels(folder: Path) -> Path | None:
    """Write the library of the kernels in a folder, in place of older ones; None: no compiler."""
    compiler = find_compiler()
    if compiler is None:
        return None
    c_source = _load(folder / "c_source.py")
    library: Path = folder / c_source.library_name(folder)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        source, made = Path(scratch, "kernels.c"), Path(scratch, library.name)
        source.write_text(c_source.write_source(folder))
        command = [*compiler, *FLAGS, "-o", str(made), str(source)]
        done = subprocess.run(command, check=False)  # noqa: S603 - the compiler
        if done.returncode:
            return None
        for older in folder.glob("kernels-*.so"):
            older.unlink()
        made.replace(library)
    return library


def main() -> None:
    """Compile the kernels of this repository, as `make install` does."""
    if compile_kernels(Path(__file__).parent / "src" / "candling" / "graph") is None:
        print("no C compiler: numba will compile the kernels when they run")  # noqa: T201


def find_compiler() -> list[str] | None:
    """The command of the C compiler: CC, that of this Python, or the usual names."""
    asked = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"]
    for command in filter(None, asked):
        words = shlex.split(command)
        if shutil.which(words[0]):
            return words
    return None


def _load(path: Path) -> ModuleType:
    """A module by its path: the package itself needs libraries that a build has not."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
