"""Figures of the house: files, names, imports, and how much of it one release walks through.

    python -m tools.house                    # this checkout
    python -m tools.house ../base/src        # another one, then this one, side by side

Figures are counted from the sources, by their syntax; what one release runs is counted by a
profiler: one on the command line, with a ledger and a report.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent / "src"
MEASURES = {
    "drastic",
    "maximal_consistent",
    "minimal_inconsistent",
    "problematic",
    "repair",
    "rows",
    "worst_rule",
}


def _words(text: str) -> list[str]:
    return text.split()


# A name is a participle or an adverb if its last word is: by its ending, or as one of these.
_IRREGULAR = frozenset(
    _words("""
    begun bound broken brought built chosen done drawn fallen forgotten found frozen given gone held
    hidden kept known left lost made meant met paid proven said seen sent shown sold sought spent
    spoken stolen taken taught thought told worn wound woven written
""")
)
_ADVERBS = frozenset(
    _words("""
    above again alone always anew apart aside away back below beside beyond everything here inside
    never nobody once outside somebody there together twice
""")
)
# Words with such an ending that are nouns or plain verbs.
_NEITHER = frozenset(
    _words("""
    embed feed heading listing mapping matching meaning need proceed seed setting speed spending
    spring stirling string warning
""")
)
_HOMES = ("measures/", "rules/")  # a rule may be labelled by such a word
_SHOWING = ("present/", "render/", "gates.py", "compare.py")
_PREDICATES = ("is_", "has_", "can_", "needs_")  # questions: `is_sealed` is named as it should be

# Runs one release with the profiler on: every function that is called, by file.
_TRACED = """
import inspect, json, sys
OPTIMIZED = inspect.CO_OPTIMIZED
source, *arguments = sys.argv[1:]
files, functions, canonical = set(), set(), 0

def called(frame, event, _):
    global canonical
    code = frame.f_code
    name = code.co_filename
    if event != "call" or not (name.startswith(source) and name.endswith(".py")):
        return  # templates have functions too
    if code.co_flags & OPTIMIZED:  # a function: bodies of modules and classes are not
        files.add(code.co_filename)
        functions.add((code.co_filename, code.co_qualname))
    canonical += code.co_name == "canonical" and code.co_filename.endswith("canonical.py")

sys.setprofile(called)
from candling.cli.app import main
sys.argv = ["candling", *arguments]
try:
    main()
except SystemExit as end:
    if end.code:
        raise
sys.setprofile(None)
imported = sum(name.partition(".")[0] == "candling" for name in sys.modules)
found = {
    "run": len(files), "functions": len(functions), "imported": imported, "canonical": canonical
}
print(json.dumps(found), file=sys.stderr)
"""


class House:
    """The package `candling` below a source folder."""

    def __init__(self, source: Path) -> None:
        self.source = source.resolve()
        self.package = self.source / "candling"
        self.paths = sorted(self.package.rglob("*.py"))
        self.texts = {path: path.read_text() for path in self.paths}
        self.trees = {path: ast.parse(text) for path, text in self.texts.items()}

    def count_lines(self) -> int:
        """Count the lines of Python."""
        return sum(self._sizes)

    def find_median(self) -> int:
        """Find the median length of a file."""
        return self._sizes[len(self._sizes) // 2]

    def count_shared_names(self) -> int:
        """Count the names of files that two or more folders have."""
        names = [path.stem for path in self.paths if not path.stem.startswith("__")]
        return len({name for name in names if names.count(name) > 1})

    def count_loose_files(self) -> int:
        """Count the modules at the top of the package."""
        return sum(path.parent == self.package for path in self.paths)

    def count_functions(self) -> int:
        """Count all functions and methods."""
        return len(self._functions)

    def count_participles(self) -> int:
        """Count the functions that are named by a participle or an adverb."""
        return sum(map(is_participle, self._functions))

    def show_participles(self) -> str:
        """Show their share of all functions."""
        return f"{self.count_participles() / len(self._functions):.1%}"

    def count_function_imports(self) -> int:
        """Count the imports inside functions."""
        return sum(
            isinstance(inner, ast.Import | ast.ImportFrom)
            for tree in self.trees.values()
            for function in _walk_outermost_functions(tree)
            for inner in ast.walk(function)
        )

    def count_upward_type_imports(self) -> int:
        """Count the imports for types only that go against the layers of import-linter."""
        return len(self.list_upward_type_imports())

    def list_upward_type_imports(self) -> list[str]:
        """List them as `file: module`."""
        heights = _read_heights(self.source)
        found = []
        for path, tree in self.trees.items():
            room = path.relative_to(self.package).parts[0].removesuffix(".py")
            for module in _walk_type_imports(tree):
                target = module.split(".")[1]
                if target == room or room not in heights or target not in heights:
                    continue
                if heights[target] >= heights[room]:
                    found.append(f"{path.relative_to(self.package)}: {module}")
        return found

    def count_named_measures(self) -> int:
        """Count the places outside of `measures` that ask for a measure by its name."""
        return len(self.list_named_measures())

    def list_named_measures(self) -> list[str]:
        """List them as `file:line`."""
        places = {
            (str(path.relative_to(self.package)), constant.lineno)
            for path, tree in self.trees.items()
            for constant in _walk_questions(tree)
            if constant.value in MEASURES
        }
        return [f"{path}:{line}" for path, line in sorted(places) if not path.startswith(_HOMES)]

    def count_measures_shown_by_name(self) -> int:
        """Count those of them in what shows a card, compares or gates it."""
        return sum(place.startswith(_SHOWING) for place in self.list_named_measures())

    def count_files_run(self) -> int:
        """Count the files that run a function in one release."""
        return self._traced["run"]

    def count_functions_run(self) -> int:
        """Count the functions that run in it."""
        return self._traced["functions"]

    def count_imported(self) -> int:
        """Count the modules that it imports."""
        return self._traced["imported"]

    def count_canonical_calls(self) -> int:
        """Count how often its three rules are brought into their canonical form."""
        return self._traced["canonical"]

    @cached_property
    def _sizes(self) -> list[int]:
        return sorted(len(text.splitlines()) for text in self.texts.values())

    @cached_property
    def _functions(self) -> list[str]:
        return [
            node.name
            for tree in self.trees.values()
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]

    @cached_property
    def _traced(self) -> dict[str, int]:
        return _trace_release(self.source)


FIGURES: dict[str, Callable[[House], Any]] = {
    ".py files under src/candling": lambda house: len(house.paths),
    "loose modules at the top": House.count_loose_files,
    "file names in two folders": House.count_shared_names,
    "lines of Python": House.count_lines,
    "median lines of a file": House.find_median,
    "functions": House.count_functions,
    "named by a participle or adverb": House.count_participles,
    "their share": House.show_participles,
    "imports inside functions": House.count_function_imports,
    "upward type imports": House.count_upward_type_imports,
    "measures asked for by name": House.count_named_measures,
    "of them to show a card": House.count_measures_shown_by_name,
    "files run by one release": House.count_files_run,
    "functions run by it": House.count_functions_run,
    "modules imported by it": House.count_imported,
    "calls of canonical for three rules": House.count_canonical_calls,
}


def main() -> None:
    """Print the figures: of this checkout, or of others and this one."""
    houses = [House(Path(name)) for name in sys.argv[1:]] + [House(HERE)]
    for what, count in FIGURES.items():
        numbers = [count(house) for house in houses]
        cells = [n if isinstance(n, str) else f"{n:,}" for n in numbers]
        print(f"{what:36}", *(f"{cell:>8}" for cell in cells))
    latest = houses[-1]
    for title, places in (
        ("upward type imports", latest.list_upward_type_imports()),
        ("measures asked for by name", latest.list_named_measures()),
    ):
        if places:
            print(f"{title}:", *places, sep="\n    ")


def is_participle(name: str) -> bool:
    """Tell whether a function's name is a participle or an adverb, by its last word."""
    if name.startswith("__") or name.lstrip("_").startswith(_PREDICATES):
        return False
    last = name.rstrip("_").rpartition("_")[2]
    if last in _NEITHER:
        return False
    by_ending = re.fullmatch(r"\w{2,}(?:[^e]ed|ing|ly)", last) is not None
    return by_ending or last in _IRREGULAR or last in _ADVERBS


def _walk_outermost_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        else:
            yield from _walk_outermost_functions(child)


def _walk_type_imports(tree: ast.Module) -> Iterator[str]:
    """Walk over the modules of candling that are imported under TYPE_CHECKING."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            continue
        for inner in (inner for line in node.body for inner in ast.walk(line)):
            if isinstance(inner, ast.ImportFrom) and (inner.module or "").startswith("candling."):
                yield inner.module or ""
            elif isinstance(inner, ast.ImportFrom) and inner.module == "candling":
                yield from (f"candling.{alias.name}" for alias in inner.names)


def _walk_questions(tree: ast.Module) -> Iterator[ast.Constant]:
    """Walk over the texts that something is compared with, or looked up by."""
    for node in ast.walk(tree):
        asked: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            asked = [node.left, *node.comparators]
        elif isinstance(node, ast.Subscript):
            asked = [node.slice]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".get", ".pop")):
            asked = node.args[:1]
        for expression in asked:
            for inner in (expression, *getattr(expression, "elts", ())):
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                    yield inner


def _read_heights(source: Path) -> dict[str, int]:
    """Read the layer of each room from pyproject.toml: the higher, the more it may import."""
    settings = tomllib.loads((source.parent / "pyproject.toml").read_text())
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if contract["type"] == "layers":
            layers = list(reversed(contract["layers"]))
            return {
                room.strip(" ()"): height
                for height, layer in enumerate(layers)
                for room in re.split("[|:]", layer)
            }
    raise ValueError("no contract of layers in pyproject.toml")


def _trace_release(source: Path) -> dict[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "table.csv").write_text("a,b,c\n1,1,1\n1,2,2\n2,1,3\n2,1,4\n3,3,5\n")
        Path(folder, "rules.txt").write_text("a -> b\nb -> c\na -> c\n")
        _run(source, folder, "-m", "candling", "ledger", "init", "ledger.db")
        _run(
            source, folder, "-m", "candling", "ledger", "add", "ledger.db", "--dataset", "clinic",
            "--budget", "10",
        )  # fmt: skip
        done = _run(
            source, folder, "-c", _TRACED, str(source / "candling"), "release", "table.csv",
            "rules.txt", "--epsilon", "1", "--ledger", "ledger.db", "--dataset", "clinic",
            "--report", "card.html",
        )  # fmt: skip
        found: dict[str, int] = json.loads(done.splitlines()[-1])
        return found


def _run(source: Path, folder: str, *arguments: str) -> str:
    """Run Python with these sources first, and give what it wrote to standard error."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    ).stderr


if __name__ == "__main__":
    main()
