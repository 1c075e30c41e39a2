"""How much of the house one thing walks through: files, names, repeated work.

    python -m benchmarks.house

Prints what CONTRIBUTING.md promises in figures: how many files a release runs through, how many
name one measure, how often ten rules are brought into their canonical form, and how many places ask
which kind of graph or which backend they hold.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import candling

SOURCE = Path(candling.__file__).parent
MEASURES = ("drastic", "minimal_inconsistent", "problematic", "maximal_consistent", "repair")
GRAPHS = re.compile(r"isinstance\([^)]*\b\w*(?:Graph|Spread|Parts)\b")
BACKENDS = re.compile(
    r"""\.engine\s*(?:==|!=)|match\s+\S*engine\b|backend\(?\)?\.name|get_backend\(\)\.name"""
    r"""|==\s*["'](?:duckdb|pyspark|postgres)["']"""
)

# Runs one release with the profiler on: every function that is called, by file.
_TRACED = """
import inspect, json, sys
OPTIMIZED = inspect.CO_OPTIMIZED
source, data, rules = sys.argv[1:]
files, canonical = set(), 0

def called(frame, event, _):
    global canonical
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(source):
        return
    if code.co_flags & OPTIMIZED:  # a function: bodies of modules and classes are not
        files.add(code.co_filename)
    canonical += code.co_name == "canonical" and code.co_filename.endswith("canonical.py")

sys.setprofile(called)
from candling.cli.app import main
sys.argv = ["candling", "release", data, rules, "--epsilon", "1"]
try:
    main()
except SystemExit:
    pass
sys.setprofile(None)
imported = sum(name.partition(".")[0] == "candling" for name in sys.modules)
found = {"run": len(files), "imported": imported, "canonical": canonical}
print(json.dumps(found), file=sys.stderr)
"""


def main() -> None:
    """Print the figures."""
    texts = {path: path.read_text() for path in sorted(SOURCE.rglob("*.py"))}
    sizes = sorted(len(text.splitlines()) for text in texts.values())
    print(
        f"src/candling: {len(texts)} files, {sum(sizes):,} lines, median {sizes[len(sizes) // 2]}"
    )
    traced = _traced()
    print(f"files a release runs through: {traced['run']} (imported: {traced['imported']})")
    print(f"calls of canonical for ten rules: {traced['canonical']}")
    for name in MEASURES:
        naming = [path for path, text in texts.items() if re.search(rf"\b{name}\b", text)]
        quoting = [path for path, text in texts.items() if re.search(rf'"{name}["/@]', text)]
        print(f"files naming {name}: {len(naming)}, as a string: {len(quoting)}")
    for what, pattern, room in (
        ("kind of graph", GRAPHS, "graph"),
        ("backend", BACKENDS, "engines"),
    ):
        found = [
            f"{path.relative_to(SOURCE)}:{number}"
            for path, text in texts.items()
            for number, line in enumerate(text.splitlines(), 1)
            if pattern.search(line)
        ]
        outside = [place for place in found if not place.startswith(f"{room}/")]
        print(f"places asking for the {what}: {len(found)}, outside {room}/: {len(outside)}")
        for place in found:
            print(f"    {place}")


def _traced() -> dict[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        data, rules = Path(folder, "table.csv"), Path(folder, "rules.txt")
        names = [f"c{i}" for i in range(11)]
        lines = [",".join(str((7 * row + i) % (i + 3)) for i in range(11)) for row in range(300)]
        data.write_text("\n".join([",".join(names), *lines]) + "\n")
        rules.write_text("".join(f"c{i} -> c{i + 1}\n" for i in range(10)))
        done = subprocess.run(
            [sys.executable, "-c", _TRACED, str(SOURCE), str(data), str(rules)],
            capture_output=True,
            text=True,
            check=True,
        )
        found: dict[str, int] = json.loads(done.stderr.splitlines()[-1])
        return found


if __name__ == "__main__":
    main()
