"""Turns of phrase that plain English avoids, counted in what people read.

    python -m tools.turns            # each of them, with its place
    python -m tools.turns docs       # the same in one folder or file

Read are the pages, help texts, explanations and messages. A message is a string in a module that is
not its docstring; docstrings of public functions and of commands are read in docs/reference.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
_TURNS = (
    *("(?-i:is none|are none)", "of its own", "of their own", "nobody", "anew", "inside of"),
    *("so many", "must go", "told apart", "at hand", "to mend", "mended", "is no (?!longer)"),
)
TURNS = re.compile(rf"\b(?:{'|'.join(_TURNS)})".replace(" ", r"\s+"), re.IGNORECASE)
_PAGES = ("*.md", "docs/*.md", "docs/*/*.md", "docs/notebook.ipynb", "benchmarks/*.md")
_SOURCES = ("src", "paper/src")
_TEXTS = ("*.md", "*.jinja")
_CODE = re.compile(r"`[^`\n]*`|\{[{%#].*?[}%#]\}", re.DOTALL)  # also of a template


def sources(root: Path = ROOT) -> Iterator[Path]:
    """Every file with words that people read."""
    for pattern in _PAGES:
        yield from sorted(root.glob(pattern))
    for name in ("action.yml", "mkdocs.yml", "CITATION.cff", "docs/llms.txt"):
        if (root / name).exists():
            yield root / name
    for folder in _SOURCES:
        for pattern in (*_TEXTS, "*.py"):
            yield from sorted((root / folder).rglob(pattern))
    yield from sorted((root / "tools").glob("*.jinja"))


def turns(path: Path) -> Iterator[tuple[int, str]]:
    """Each turn in a file, with its line and what stands around it."""
    text = path.read_text(encoding="utf-8")
    pieces: Iterator[tuple[int, str]] = (
        _messages(text) if path.suffix == ".py" else iter([(1, _prose(path, text))])
    )
    for start, piece in pieces:
        for match in TURNS.finditer(piece):
            line = start + piece.count("\n", 0, match.start())
            around = piece[max(match.start() - 40, 0) : match.end() + 30]
            yield line, " ".join(around.split())


def _prose(path: Path, text: str) -> str:
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    return _CODE.sub(_blank, text)


def _messages(code: str) -> Iterator[tuple[int, str]]:
    """Strings that are not docstrings, with their lines; the parts of an f-string together."""
    tree = ast.parse(code)
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            inside.add(body[0].value)  # a docstring, or a string that nobody reads
        if node in inside:
            continue
        if isinstance(node, ast.JoinedStr):
            inside |= set(node.values)
            parts = [v.value if isinstance(v, ast.Constant) else "{}" for v in node.values]
            yield node.lineno, "".join(str(part) for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _blank(code: re.Match[str]) -> str:
    return "`" * len(code[0])


def main() -> int:
    """Print every turn; the exit code says whether there is one."""
    chosen = [Path(name).resolve() for name in sys.argv[1:]]
    count = 0
    for path in sources():
        if chosen and not any(path.is_relative_to(place) for place in chosen):
            continue
        for line, around in turns(path):
            count += 1
            print(f"{path.relative_to(ROOT)}:{line}: {around}")
    print(f"{count} turns to avoid")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
