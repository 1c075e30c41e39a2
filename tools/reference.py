"""The pages of docs/reference, from the code: signatures, docstrings, help texts, explanations.

`make docs-update` writes them again.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import typer

import candling
from candling.cli.app import ADDED, app
from candling.cli.explain import all_measures
from candling.explain import load_page, load_words

_PARTS = {
    "Functions": (
        "load_constraints",
        "parse_constraints",
        "import_rules",
        "analyze",
        "release",
        "exact",
        "plan",
        "compare",
        "conflicts",
        "repair",
        "create_ledger",
        "open_ledger",
    ),
    "A table under its rules": ("Reading", "Study", "Exact"),
    "Rules": ("ConstraintSet", "Constraint", "Imported"),
    "What a release gives": ("Card", "Grade", "Number", "Person", "Plan"),
    "Gates and comparisons": ("GateResult", "Comparison"),
    "For the owner only": ("ConflictsFound", "RepairFound"),
    "The ledger": ("Ledger", "Receipt"),
    "Errors": (
        "CandlingError",
        "ConstraintError",
        "DataError",
        "UsageError",
        "LedgerError",
        "BudgetError",
    ),
}
_WIDTH = 80
_MARKS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


def pages() -> dict[str, str]:
    """Every generated page, by its name."""
    return {
        "api.md": api(),
        "cli.md": command_line(),
        "errors.md": errors(),
        "words.md": glossary(),
    }


def glossary() -> str:
    """What every word on the screen means."""
    page = load_page("words")
    lines = [f"# {page.title}", "", page.introduction]
    for word, text in sorted({**all_measures(), **load_words()}.items()):
        lines += ["", f"## {word}", "", *_entry(text)]
    return "\n".join(lines) + "\n"


def errors() -> str:
    """What every code means."""
    lines = [
        "# Errors",
        "",
        "What does the code in a message mean? Every error that you can fix has a code, and a code",
        "never changes its meaning. `candling explain CODE` shows the same text as this page.",
        "[What can go wrong](../mistakes.md) shows the messages.",
    ]
    for letter in "RDLU":  # in the order in which a beginner meets them
        page = load_page(letter)
        lines += ["", f"## {page.title}: {letter}", "", page.introduction]
        for code, text in page.entries.items():
            lines += ["", f"### {code}", "", *_entry(text)]
    return "\n".join(lines) + "\n"


def _entry(text: str) -> Iterator[str]:
    """Show an explanation with its first line in bold."""
    first, *rest = text.strip().split("\n")
    yield from (f"**{first}**", *rest)


# ------------------------------------------------------------------------------- command line


def command_line() -> str:
    """Every command with its arguments and options."""
    root = typer.main.get_command(app)
    lines = [
        "# Command line",
        "",
        "Which commands and options are there? `--help` after any command shows the same text as",
        "this page. Every command also has `--quiet` (`-q`), which hides progress and remarks, and",
        "`--no-config`, which ignores the defaults in candling.toml.",
        "",
        "| exit code | meaning |",
        "|---|---|",
        "| 0 | fine |",
        "| 1 | a gate failed, or a card is not genuine |",
        "| 2 | a mistake in the command, the rules or the table |",
        "| 3 | the ledger refused the release |",
        "| 4 | a gate cannot tell |",
        "| 70 | a bug in candling |",
        "| 130 | interrupted |",
        "",
        "## candling",
        "",
        *_options(root),
    ]
    for name, command in _tree(root, "candling"):
        level = "##" if name.count(" ") == 1 else "###"
        lines += ["", f"{level} {name}", "", *_command(name, command)]
    lines += [
        "",
        "## Commands of candling-paper",
        "",
        "The package `candling-paper` adds these commands. From a checkout, install it with",
        "`pip install . ./paper` (once published: `pip install candling-paper`).",
    ]
    for name, command in _added(root):
        lines += ["", f"### {name}", "", *_command(name, command)]
    return "\n".join(lines) + "\n"


def _tree(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name in group.commands:
        command = group.get_command(None, name)
        yield f"{prefix} {name}", command
        if hasattr(command, "commands"):
            yield from _tree(command, f"{prefix} {name}")


def _added(root: Any) -> Iterator[tuple[str, Any]]:
    """The commands that candling-paper adds; those of other packages are theirs to document."""
    for point in entry_points(group=ADDED):
        if point.module.startswith("candling_paper."):
            yield f"candling {point.name}", root.get_command(None, point.name)


def _command(name: str, command: Any) -> Iterator[str]:
    """Usage, help text and options; of a group, the help text alone."""
    if hasattr(command, "commands"):
        yield from _help(command.help or "")
        return
    yield from ("```text", _usage(name, command), "```", "")
    yield from _help(command.help or "")
    yield ""
    yield from _options(command)


def _help(text: str) -> Iterator[str]:
    """A help text, its examples as a block."""
    prose, _, examples = text.partition("[bold]Examples[/bold]")
    paragraphs = [" ".join(part.split()) for part in prose.strip().split("\n\n")]
    yield "\n\n".join(re.sub(r"\[/?bold\]", "**", _escaped_help(part)) for part in paragraphs)
    if examples.strip():
        yield ""
        yield "```sh"
        yield "\n".join(line.strip() for line in examples.strip().split("\n\n"))
        yield "```"


def _escaped_help(text: str) -> str:
    """Text in which only the marks of Rich have a meaning; a bar would end a cell."""
    plain = text.replace("<", "&lt;").replace(">", "&gt;").replace("|", "&#124;")
    return re.sub(r"(?<![`\w])([*_])", r"\\\1", plain)


def examples() -> Iterator[tuple[Any, str]]:
    """Every example of a help text, with the command that it calls."""
    root = typer.main.get_command(app)
    commands = dict([*_tree(root, "candling"), *_added(root)])
    for command in commands.values():
        shown = (command.help or "").partition("[bold]Examples[/bold]")[2]
        for line in shown.strip().split("\n\n"):
            words = line.split()
            name = " ".join(words[:3]) if " ".join(words[:3]) in commands else " ".join(words[:2])
            if words:
                yield commands[name], line


def _usage(name: str, command: Any) -> str:
    shown = [_argument(p) for p in _parameters(command, "argument")]
    needed = [f"{p.opts[0]} {p.metavar}" for p in _parameters(command, "option") if p.required]
    return " ".join([name, *shown, *needed, "[OPTIONS]"])


def _argument(parameter: Any) -> str:
    """An argument as a usage line shows it: `[NAME]...` may be left out and may be repeated."""
    name = str(parameter.metavar or parameter.name.upper())
    if name.startswith("["):
        return name
    return (name if parameter.required else f"[{name}]") + ("..." if parameter.nargs == -1 else "")


def _parameters(command: Any, kind: str) -> list[Any]:
    common = {"quiet", "no_config", "install_completion", "show_completion", "help"}
    return [
        p
        for p in command.params
        if p.param_type_name == kind and p.name not in common and not getattr(p, "hidden", False)
    ]


def _options(command: Any) -> Iterator[str]:
    yield from ("| argument or option | what it does |", "|---|---|")
    for parameter in [*_parameters(command, "argument"), *_parameters(command, "option")]:
        names = [*parameter.opts, *parameter.secondary_opts]
        shown = ", ".join(f"`{name}`" for name in names)
        if parameter.param_type_name == "argument":
            shown = f"`{parameter.metavar or parameter.name.upper()}`"
        elif parameter.metavar and not getattr(parameter, "is_flag", False):
            shown = f"`{parameter.opts[0]} {parameter.metavar}`"
        text = _escaped_help(" ".join((parameter.help or "").split()))
        if parameter.required:
            text += " Required."
        elif isinstance(parameter.show_default, str):
            text += f" Default: {parameter.show_default}."
        elif isinstance(parameter.default, int | float | str | Path) and not isinstance(
            parameter.default, bool
        ):
            text += f" Default: {parameter.default}."
        if getattr(parameter, "envvar", None):
            text += f" Or in the environment: `{parameter.envvar}`."
        yield f"| {shown} | {text} |"


# ---------------------------------------------------------------------------------- Python


def api() -> str:
    """Everything that `import candling` offers."""
    listed = {name for names in _PARTS.values() for name in names}
    missing = set(candling.__all__) - listed - {"__version__"}
    if missing:
        raise ValueError(f"not on the page: {missing}")
    lines = [
        "# Python",
        "",
        "How do you use candling from Python? Everything on this page is in `import candling`.",
        "Modules below it may change without notice. The import is quick, because each name loads",
        "what it needs when you first use it.",
        "",
        "| in signatures | means |",
        "|---|---|",
        '| `Rules` | a rule such as `"Zip -> City"`, a list of rules, a path, or a ConstraintSet |',
        '| `Number` | an int, a float, a Decimal, a Fraction, or an exact text such as `"0.1"` |',
        "| `Place` | a path, or `postgresql://...` |",
    ]
    for title, names in _PARTS.items():
        lines += ["", f"## {title}"]
        for name in names:
            lines += _described(name, getattr(candling, name))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def _described(name: str, thing: Any) -> Iterator[str]:
    yield from ("", f"### {name}", "")
    if not inspect.isclass(thing):
        yield from _signature(f"candling.{name}", thing)
        yield from ("", *_doc(thing))
        return
    yield from _doc(thing)
    fields = dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ()
    kinds = {field.name: _annotation(field.type) for field in fields}
    public = {n: v for n, v in vars(thing).items() if not n.startswith("_")}
    computed = {n: v.fget for n, v in public.items() if isinstance(v, property) and v.fget}
    kinds |= {n: _annotation(inspect.signature(f).return_annotation) for n, f in computed.items()}
    if kinds:
        yield from ("", "```python", f"class {name}:")
        yield from (f"    {member}: {kind}" for member, kind in kinds.items())
        yield from ("```", "")
    explained = {member: " ".join(_doc(function)) for member, function in computed.items()}
    yield from (f"- `{member}`: {text}" for member, text in explained.items() if text)
    for member, value in public.items():
        function = getattr(value, "__func__", value)  # what a classmethod wraps
        if inspect.isfunction(function):
            yield from ("", f"#### {name}.{member}", "")
            yield from _signature(member, function)
            yield from ("", *_doc(function))


def _signature(name: str, function: Callable[..., Any]) -> Iterator[str]:
    """How it is called, over several lines where one does not hold it."""
    signature = inspect.signature(function)
    shown, star = [], False
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            shown.append("*")
            star = True
        mark = _MARKS.get(parameter.kind.name, "")
        text = f"{mark}{parameter.name}"
        if parameter.annotation is not parameter.empty:
            text += f": {_annotation(parameter.annotation)}"
        if parameter.default is not parameter.empty:
            text += f" = {_default(parameter.default)}"
        shown.append(text)
    back = signature.return_annotation
    arrow = "" if back is signature.empty else f" -> {_annotation(back)}"
    line = f"{name}({', '.join(shown)}){arrow}"
    yield "```python"
    if len(line) <= _WIDTH:
        yield line
    else:
        yield f"{name}("
        yield from (f"    {text}," for text in shown)
        yield f"){arrow}"
    yield "```"


def _annotation(kind: Any) -> str:
    return kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))


def _default(value: Any) -> str:
    return str(value) if isinstance(value, Fraction) else repr(value)


def _doc(thing: Any) -> list[str]:
    """A docstring as Markdown: examples of the interpreter as blocks."""
    text = inspect.getdoc(thing) or ""
    lines = text.split("\n") if text else []
    markdown: list[str] = []
    inside = False
    for line in lines:
        example = line.startswith(">>>") or (inside and bool(line.strip()))
        if example and not inside:
            markdown.append("```pycon")
        if inside and not example:
            markdown.append("```")
        inside = example
        markdown.append(line)
    return [*markdown, "```"] if inside else markdown
