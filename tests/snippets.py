"""The snippets of a Markdown page: found, run as a reader would, and written again.

What stands behind the language of a block says what to do with it:

    console             every `$ command` is run, and prints exactly what is shown
    console noisy       the same, but for the numbers
    console exit="2"    the same, and the last command ends with that code
    python              is run; the snippets of a page share their names
    text rules          rules that can be read
    LANGUAGE title="F"  is written to the file F first, for the commands and snippets below it
    LANGUAGE reason=".."  is not run, for that reason
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from candling.rules import parse_constraints

FENCE = re.compile(r"^```([^`\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r'(\w+)="([^"]*)"|(\S+)')
_RULES = (".txt", ".yaml", ".rules")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    marks: frozenset[str]
    values: dict[str, str]
    text: str
    line: int  # of the first line inside
    span: tuple[int, int]  # of the text in the page

    @property
    def commands(self) -> list[tuple[str, str]]:
        """Every `$ command`, with the output that is shown below it."""
        parts = [part for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE) if part]
        return [(part.split("\n", 1)[0], part.split("\n", 1)[1]) for part in parts]


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, in their order."""
    found = []
    for match in FENCE.finditer(page):
        language, _, rest = match[1].strip().partition(" ")
        words = list(_WORD.finditer(rest))
        found.append(
            Block(
                language,
                frozenset(word[3] for word in words if word[3]),
                {word[1]: word[2] for word in words if word[1]},
                match[2],
                page.count("\n", 0, match.start(2)) + 1,
                match.span(2),
            )
        )
    return found


def run(command: str, folder: Path, *, code: int = 0) -> str:
    """What a command prints in a terminal of 80 columns: its errors too where it should fail."""
    program = Path(sys.executable).parent
    hidden = ("FORCE_COLOR", "CANDLING_DEBUG", "CANDLING_LEDGER", "CANDLING_UPDATE_GOLDEN")
    environment = {
        **{k: v for k, v in os.environ.items() if k not in hidden},
        "PATH": f"{program}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
    }
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if code else subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == code, (
        f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    )
    return done.stdout


def without_numbers(text: str) -> list[str]:
    """The words; noise changes numbers, and with them where lines break."""
    return re.sub(r"[-\d.,]+", " 0 ", text).split()


class Page:
    """A page whose snippets run one after the other in a folder of their own."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.folder = folder
        self._names: dict[str, Any] = {"__name__": "__main__"}

    def play(self, *, update: bool = False) -> None:
        """Run everything; with `update`, write down what the commands print now."""
        fresh = [(block, self._play(block, update=update)) for block in blocks(self.text)]
        if not update:
            return
        for block, text in reversed(fresh):
            start, end = block.span
            self.text = self.text[:start] + text + self.text[end:]
        self.path.write_text(self.text, encoding="utf-8")

    def _play(self, block: Block, *, update: bool) -> str:
        """Run one block; gives what should be shown in it."""
        if "title" in block.values:
            (self.folder / block.values["title"]).write_text(block.text, encoding="utf-8")
        if "reason" in block.values:
            return block.text
        try:
            if block.language == "console":
                return self._console(block, update=update)
            _read(block)
            if block.language == "python" and "title" not in block.values:
                with contextlib.chdir(self.folder):
                    exec(compile(block.text, str(self.path), "exec"), self._names)
        except Exception as error:
            error.add_note(f"{self.path.name}, line {block.line}")
            raise
        return block.text

    def _console(self, block: Block, *, update: bool) -> str:
        written = ""
        last = len(block.commands) - 1
        for position, (command, shown) in enumerate(block.commands):
            code = int(block.values.get("exit", 0)) if position == last else 0
            printed = run(command, self.folder, code=code)
            noisy = "noisy" in block.marks
            if update:
                same = noisy and without_numbers(printed) == without_numbers(shown)
                written += f"$ {command}\n{shown if same else printed}"
                continue
            if noisy:
                for _ in range(2):  # a rare draw needs other words: one row instead of some
                    if without_numbers(printed) != without_numbers(shown):
                        printed = run(command, self.folder, code=code)
                assert without_numbers(printed) == without_numbers(shown), command
            else:
                assert printed == shown, command
        return written


def _read(block: Block) -> None:
    """See that a block is what its language says; fails for a language that nobody checks."""
    title = Path(block.values.get("title", ""))
    if "rules" in block.marks or (title.suffix in _RULES and block.language in ("text", "yaml")):
        assert len(parse_constraints(block.text)) > 0
    elif block.language == "toml":
        tomllib.loads(block.text)
    elif block.language == "yaml":
        yaml.safe_load(block.text)
    elif block.language == "json":
        json.loads(block.text)
    elif block.language == "python":
        compile(block.text, "snippet", "exec")
    else:
        assert block.language == "csv", f"nobody checks a block of {block.language!r}"
        assert title.name
